package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/brief"
	"github.com/sess-tools/sess/pkg/compact"
)

func TestFiguresJSON(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]compact.Figures{
		`{"kind":"size","contextTokens":1,"usageTokens":2,"trailingTokens":3,"lastUsageEntryId":"a\"","window":4,"reserve":5,"limit":6,"free":-7,` +
			`"percent":33.3,"estimator":"e<","factor":2.062,"samples":8,"needed":true}`: {
			Tokens: 1, UsageTokens: 2, TrailingTokens: 3, LastUsageID: `a"`, Window: 4, Reserve: 5, Limit: 6, Free: -7,
			Percent: 33.349, Estimator: "e<", Factor: 2.0625, Samples: 8, Needed: true,
		},
		`{"kind":"size","contextTokens":0,"usageTokens":0,"trailingTokens":0,"lastUsageEntryId":null,"window":null,"reserve":0,"limit":null,"free":null,` +
			`"percent":null,"estimator":"chars4","factor":1.000,"samples":0,"needed":false}`: {Estimator: "chars4", Factor: 1},
	} {
		if got := figuresJSON(f); got != want || !json.Valid([]byte(got)) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestReportJSON(t *testing.T) {
	t.Parallel()
	empty := `{"kind":"report","entry":null,"type":"compaction","from":null,"to":null,"firstKeptEntryId":null,"tokensBefore":0,"tokensAfter":0,"tokensOut":0,` +
		`"summaryTokens":null,"entries":[],"files":{"read":[],"written":[],"edited":[]},"commands":[]}`
	full := `{"kind":"report","entry":"c","type":"compaction","from":"a","to":"b","firstKeptEntryId":"k","tokensBefore":9,"tokensAfter":7,"tokensOut":3,"summaryTokens":1,` +
		`"entries":[{"entry":"a\n","timestamp":"2026-01-02T03:04:05.000Z","type":"message","role":"user","estimate":-3,"partly":true,"line":2},` +
		`{"entry":"b","timestamp":null,"type":null,"role":null,"estimate":0,"partly":false,"line":null}],` +
		`"files":{"read":["r\"<"],"written":["w","x"],"edited":["e"]},` +
		`"commands":[{"entry":"a","command":"x\u001b[1m","status":-1,"failed":true},{"entry":"b","command":"y","status":null,"failed":false}]}`
	failed := -1
	for want, r := range map[string]*brief.Report{
		empty: {Type: "compaction"},
		full: {
			Type: "compaction", ID: "c", From: "a", To: "b", Kept: "k", TokensBefore: 9, TokensAfter: 7, TokensOut: 3, SummaryTokens: 1,
			Entries:  []brief.Left{{ID: "a\n", Type: "message", Role: "user", Tokens: -3, Partly: true, Line: 2, Time: "2026-01-02T03:04:05Z"}, {ID: "b"}},
			Files:    compact.FileOps{Read: []string{`r"<`}, Written: []string{"w", "x"}, Edited: []string{"e"}},
			Commands: []brief.Command{{EntryID: "a", Command: "x\x1b[1m", Status: &failed, Failed: true}, {EntryID: "b", Command: "y"}},
		},
	} {
		if got := reportJSON(r); got != want || !json.Valid([]byte(got)) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestReportText(t *testing.T) {
	t.Parallel()
	none, two := 0, 2
	for want, r := range map[string]*brief.Report{
		`a compaction would take 4 entries out of the context, about 67 tokens
the context: about 72 tokens before, 5 after without the summary
from 00000002 to 0000000f, kept from 00000010

TOKENS  ENTRIES  ROLE
43      1        assistant
21      2        toolResult
3       1        user

ACCESS    FILE
modified  a.go
modified  b.go
read      c.go

STATUS  COMMAND
2       make all
0       ls
failed  top
?       sleep 9
`: {
			Type: "compaction", From: "00000002", To: "0000000f", Kept: "00000010", TokensBefore: 72, TokensAfter: 5, TokensOut: 67,
			Entries: []brief.Left{{Role: "user", Tokens: 3}, {Role: "toolResult", Tokens: 16}, {Role: "assistant", Tokens: 43}, {Role: "toolResult", Tokens: 5}},
			Files:   compact.FileOps{Read: []string{"a.go", "c.go"}, Written: []string{"b.go"}, Edited: []string{"a.go"}},
			Commands: []brief.Command{
				{Command: "make all\ntwice", Status: &two, Failed: true}, {Command: "ls", Status: &none}, {Command: "top", Failed: true}, {Command: "sleep 9"},
			},
		},
		`context_edit e took 0 entries out of the context, about 0 tokens
the context: about 0 tokens before, 0 after
`: {Type: "context_edit", ID: "e"},
		`compaction c took 1 entry out of the context, about 3 tokens
the context: about 9 tokens before, 7 after with a summary of 1
from a to a

TOKENS  ENTRIES  ROLE
3       1        ö d

ACCESS  FILE
read    two lines x

STATUS  COMMAND
?       ` + strings.Repeat("x", 119) + `…
`: {
			Type: "compaction", ID: "c", From: "a", To: "a", TokensBefore: 9, TokensAfter: 7, TokensOut: 3, SummaryTokens: 1,
			Entries:  []brief.Left{{Role: "ö\nd", Tokens: 3}},
			Files:    compact.FileOps{Read: []string{"two\nlines\tx"}},
			Commands: []brief.Command{{Command: "\n" + strings.Repeat("x", 500)}},
		},
	} {
		if diff := cmp.Diff(want, reportText(r)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
