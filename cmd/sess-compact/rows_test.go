package main

import (
	"encoding/json"
	"testing"

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
	for want, r := range map[string]*compact.Report{
		empty: {Type: "compaction"},
		full: {
			Type: "compaction", ID: "c", From: "a", To: "b", Kept: "k", TokensBefore: 9, TokensAfter: 7, TokensOut: 3, SummaryTokens: 1,
			Entries:  []compact.ReportEntry{{ID: "a\n", Type: "message", Role: "user", Tokens: -3, Partly: true, Line: 2, Time: "2026-01-02T03:04:05Z"}, {ID: "b"}},
			Files:    compact.FileOps{Read: []string{`r"<`}, Written: []string{"w", "x"}, Edited: []string{"e"}},
			Commands: []compact.ReportCommand{{EntryID: "a", Command: "x\x1b[1m", Status: &failed, Failed: true}, {EntryID: "b", Command: "y"}},
		},
	} {
		if got := reportJSON(r); got != want || !json.Valid([]byte(got)) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
