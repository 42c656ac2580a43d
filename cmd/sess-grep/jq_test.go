package main

import (
	"bytes"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
)

// allSaid is the program of jq that prints what is searched by default, as reference
// decodes it: what a user would write who has no sess-grep, but knows the format.
const allSaid = `
def content: if type == "string" then . elif type == "array" then .[] | objects |
	(select(.type == "text") | .text | strings), (select(.type == "toolCall") | (.name | strings), (.arguments | said)) else empty end;
def message: if .role == "bashExecution" or .role == "pythonExecution" then .command, .code, .output
	elif .role == "fileMention" then .files[]?.content
	elif .role == "branchSummary" or .role == "compactionSummary" then .summary, .shortSummary
	elif .role == "system" then .errorMessage
	else (.content | content), (select(.role == "toolResult") | .nestedCalls | objects | .calls[]? | objects | .name, (.arguments | said), .error), .errorMessage end;
if .type == "session" then .title
elif .type == "message" then .message | objects | message
elif .type == "compaction" or .type == "branch_summary" then .summary, .shortSummary
elif .type == "custom_message" then .content | content
elif .type == "context_edit" then .replacement | objects | .content | content
elif .type == "session_init" then .task
elif .type == "session_info" then .name
elif .type == "title_change" then .title # "title" is a line before the header, that says what it says
else empty end | strings`

// strings that are no data.
const saidIn = `def said: if type == "string" then . elif type == "array" then .[] | said
elif type == "object" then if .type == "image" or ((.mimeType | type) == "string" and (.data | type) == "string") then empty
	else to_entries[] | select((.key | ascii_downcase | contains("signature") or startswith("encrypted")) | not) | .value | said end
else empty end;`

// For every fixture that is valid, rows say what grep finds in what jq -r prints.
func TestAsJqAndGrep(t *testing.T) {
	if testing.Short() {
		t.Skip("one session at a time, beside programs of others")
	}
	t.Parallel()
	jq, grep := peer(t, "jq"), peer(t, "grep")
	var compared atomic.Int64
	t.Run("all", func(t *testing.T) {
		for name, data := range fixtures(t) {
			s, err := session.Read(strings.NewReader(data))
			if err != nil || len(s.Problems) > 0 || s.Header.Version < session.Version {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				said := exec.Command(jq, "-r", saidIn+allSaid)
				said.Stdin = strings.NewReader(data)
				text, err := said.Output()
				if err != nil {
					return // jq takes less than others for valid
				}
				compared.Add(1)
				path := must.Write(t, t.TempDir(), "s.jsonl", data)
				for _, args := range drawn.Third(t, searches) {
					checkAsJq(t, grep, path, text, args)
				}
			})
		}
	})
	if n := compared.Load(); n < 30 {
		t.Errorf("%d fixtures compared", n)
	}
}

// searches are what is looked for, in the words of grep and of ours.
var searches = [][]string{
	{"-E", "the"},
	{"-E", "[Ee]rror|fail(ed)?"},
	{"-i", "READ"},
	{"-w", "a"},
	{"-x", "-E", "[a-z]{2,}"},
	{"-F", `"`},
	{"-F", `\`},
	{"-F", "\t"},
	{"-E", "^$"},
	{"-o", "-E", "[0-9]{2,}"},
	{"-o", "-w", "-i", "-E", "the|of"},
	{"-E", "^.{80,}$"},
	{"-E", "é|😀"},
}

func checkAsJq(t *testing.T, grep, path string, text []byte, args []string) {
	t.Helper()
	theirs := exec.Command(grep, append([]string{"-a"}, args...)...)
	theirs.Stdin, theirs.Env = bytes.NewReader(text), append(theirs.Environ(), "LC_ALL=C.UTF-8")
	out, err := theirs.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatal(err)
	}
	var want []string // with control characters made visible, as rows have them
	for line := range strings.SplitAfterSeq(string(out), "\n") {
		text, end := strings.CutSuffix(line, "\n")
		if text = tty.CleanLog(text); end {
			text += "\n"
		}
		want = append(want, text)
	}
	got, errs, status := run(t, "", append(append([]string{"--copies", "-I"}, args...), path)...)
	var rows []string
	for row := range strings.Lines(got) {
		_, row, _ = strings.Cut(row, ":")
		_, row, _ = strings.Cut(row, ":")
		rows = append(rows, row)
	}
	rows = append(rows, "")
	slices.Sort(want) // the order within an entry is not the format's
	slices.Sort(rows)
	if !slices.Equal(want, rows) || status != theirs.ProcessState.ExitCode() {
		t.Errorf("%q: status %d, grep %d: %s(-grep +ours)\n%.2000s", args, status, theirs.ProcessState.ExitCode(), errs, cmp.Diff(want, rows))
	}
}
