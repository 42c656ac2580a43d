package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/internal/test/must"
)

// The sum of the costs of rows is that of the total, to the last digit: no row is rounded.
func TestCostsAddUp(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 200 {
		day := fmt.Sprintf("2026-%02d-%02dT10:00:00.000Z", 1+i/25, 1+i%25)
		lines = append(lines, reply(fmt.Sprintf("%08x", i), day, `"input":1,"cost":{"total":0.000000000333}`))
	}
	list, total := rows(t, sessionOf("s", day, "", lines...), "--by", "day", "--tz", "UTC")
	sum := new(big.Rat)
	for _, r := range list {
		cost, ok := new(big.Rat).SetString(r.Cost.String())
		if !ok || strings.ContainsAny(r.Cost.String(), "eE") {
			t.Fatalf("cost %s", r.Cost)
		}
		sum.Add(sum, cost)
	}
	want, _ := new(big.Rat).SetString(total.Cost.String())
	if len(list) != 200 || want == nil || sum.Cmp(want) != 0 || total.Cost != "0.0000000666" {
		t.Errorf("%d rows, %s, want %s", len(list), sum.FloatString(15), total.Cost)
	}
}

// A session is its id in a key, and what other tools take for it is the address; a row about
// several sessions has none, and the total is like a row.
func TestRowsNameTheirSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := must.Write(t, dir, "a.jsonl", sessionOf("aa", day, "", reply("a", day, `"input":1`)))
	b := must.Write(t, dir, "b.jsonl", sessionOf("bb", day, "", reply("b", day, `"input":2`)))
	stdout, _, _ := run(t, "", "--by", "session", "--json", a, b)
	byModel, _, _ := run(t, "", "--by", "model", "--json", a, b)
	var got []string
	for line := range strings.Lines(stdout + byModel) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %v %v %v %d", row["kind"], row["address"], row["session"], row["key"], len(row)))
	}
	want := []string{
		"call " + a + " aa map[session:aa] 27", "call " + b + " bb map[session:bb] 27", "total <nil> <nil> map[] 27",
		"call <nil> <nil> map[model:claude-sonnet-4-5] 27", "total <nil> <nil> map[] 27",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A call whose session names no provider is priced as that of the one maker of its model, and the row says so. A model of nobody, or of
// several makers, has no price.
func TestAssumedMaker(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ provider, model, want string }{
		{"openai", "gpt-5", "0.00125 [] computed"},
		{"unknown", "gpt-5", "0.00125 [openai/gpt-5] computed, assumed openai/gpt-5"},
		{"", "gpt-5", "0.00125 [openai/gpt-5] computed, assumed openai/gpt-5"},
		{"unknown", "claude-sonnet-4-5", "0.003 [anthropic/claude-sonnet-4-5] computed, assumed anthropic/claude-sonnet-4-5"},
		{"unknown", "glm-5.2", "<nil> [] unpriced"},
		{"unknown", "nobody-knows", "<nil> [] unpriced"},
		{"somebody", "gpt-5", "<nil> [] unpriced"},
	} {
		call := strings.NewReplacer(`"anthropic"`, fmt.Sprintf("%q", tt.provider), "claude-sonnet-4-5", tt.model).Replace(reply("a", day, `"input":1000,"output":0,"totalTokens":1000`))
		path := must.Write(t, t.TempDir(), "s.jsonl", sessionOf("s", day, "", call))
		stdout, _, _ := run(t, "", "--usage", "--json", path)
		plain, _, _ := run(t, "", "--usage", path)
		first, _, _ := strings.Cut(stdout, "\n")
		var row map[string]any
		if err := json.Unmarshal([]byte(first), &row); err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(plain, "\n")
		by := strings.Replace(line[strings.LastIndexByte(line, '\t')+1:], " "+prices.Snapshot+" "+prices.SnapshotDate, "", 1)
		if got := fmt.Sprintf("%v %v %s", row["cost"], row["assumed"], by); got != tt.want {
			t.Errorf("%s of %q: %s, want %s", tt.model, tt.provider, got, tt.want)
		}
	}
}
