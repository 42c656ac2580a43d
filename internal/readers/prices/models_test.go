package prices

import (
	"encoding/json"
	"errors"
	"testing"
)

// The second source can be read, and has models of its own: nothing says so at run time.
func TestSecondSource(t *testing.T) {
	t.Parallel()
	of, err := secondSource()
	if err != nil || len(of["openai"]) == 0 || len(of["anthropic"]) == 0 {
		t.Errorf("%d providers, %v", len(of), err)
	}
}

// A model that is written by hand comes before that of a snapshot, and its first source before its second.
func TestModelsByHand(t *testing.T) {
	t.Parallel()
	table := `{"source":"s","date":"2026-01-02","providers":{"p":{"a":{"prices":[{"input":1}]},"b":{"prices":[{"input":2}]}}}}`
	hand := `{"p":{"a":{"prices":[{"input":7}],"source":"https://example.com/","date":"2026-01-03"},
		"e":{"prices":[{"input":8}],"aliases":["f"],"source":"https://example.com/","date":"2026-01-03"}}}`
	all, err := withModels([]byte(table), []byte(hand))
	if err != nil {
		t.Fatal(err)
	}
	asked := false
	all.more = func() models {
		asked = true
		var in modelsJSON
		if err := json.Unmarshal([]byte(`{"p":{"b":{"prices":[{"input":3}]},"b-20260102":{"prices":[{"input":4}]},"c":{"prices":[{"input":5}]}},"q":{"d":{"prices":[{"input":6}]}}}`), &in); err != nil {
			t.Fatal(err)
		}
		of, err := in.models()
		if err != nil {
			t.Fatal(err)
		}
		return of
	}
	if m, ok := all.Find("p", "b-20260102"); !ok || m.ID != "b" || asked {
		t.Errorf("%v; the second source was read: %v", m, asked)
	}
	for name, want := range map[string]Money{"p/a": 7, "p/b": 2, "p/b-20260102": 2, "p/c": 5, "q/d": 6, "p/e": 8, "p/f": 8, "q/a": -1} {
		m, ok := all.Find(name[:1], name[2:])
		got := Money(-1)
		if ok {
			got = m.Cost(Tokens{Input: 1_000_000}, 0) / USD
		}
		if got != want {
			t.Errorf("%s: %d USD, want %d", name, got, want)
		}
	}
	for _, bad := range []string{`{"p":{"a":{"prices":[{"input":7}]}}}`, `{"p":{"a":{"source":"s","date":"2026-01-03"}}}`, `{"p":`} {
		if _, err := withModels([]byte(table), []byte(bad)); !errors.Is(err, ErrTable) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
