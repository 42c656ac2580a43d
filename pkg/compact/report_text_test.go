package compact_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/compact"
)

func TestReportText(t *testing.T) {
	t.Parallel()
	plan, err := compact.New(worked(t).path, compact.Options{Strategy: compact.LastTurn})
	if err != nil {
		t.Fatal(err)
	}
	r := plan.Report()
	for _, c := range []struct {
		r    *compact.Report
		want string
	}{
		{r, `a compaction would take 14 entries out of the context, about 67 tokens
the context: about 72 tokens before, 5 after without the summary
from 00000002 to 0000000f, kept from 00000010

TOKENS  ENTRIES  ROLE
43      4        assistant
16      6        toolResult
5       3        bashExecution
3       1        user

ACCESS    FILE
modified  a.go
modified  b.go
read      c.go

STATUS  COMMAND
2       make all
0       go test
0       ls
failed  top
failed  false
?       sleep 9
`},
		{&compact.Report{Type: "context_edit", ID: "e"}, `context_edit e took 0 entries out of the context, about 0 tokens
the context: about 0 tokens before, 0 after
`},
		{&compact.Report{
			Type: "compaction", ID: "c", From: "a", To: "a", TokensBefore: 9, TokensAfter: 7, TokensOut: 3, SummaryTokens: 1,
			Entries:  []compact.ReportEntry{{Role: "ö\nd", Tokens: 3}},
			Files:    compact.FileOps{Read: []string{"two\nlines\tx"}},
			Commands: []compact.ReportCommand{{Command: "\n" + strings.Repeat("x", 500)}},
		}, `compaction c took 1 entry out of the context, about 3 tokens
the context: about 9 tokens before, 7 after with a summary of 1
from a to a

TOKENS  ENTRIES  ROLE
3       1        ö d

ACCESS  FILE
read    two lines x

STATUS  COMMAND
?       ` + strings.Repeat("x", 119) + `…
`},
	} {
		var got strings.Builder
		if err := c.r.Text(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if err := r.Text(brokenWriter{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
