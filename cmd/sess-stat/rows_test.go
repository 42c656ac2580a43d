package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

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
		"call " + a + " aa map[session:aa] 26", "call " + b + " bb map[session:bb] 26", "total <nil> <nil> map[] 26",
		"call <nil> <nil> map[model:claude-sonnet-4-5] 26", "total <nil> <nil> map[] 26",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
