package check_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/check"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/pkg/session"
)

// checkRepaired holds a repair to its laws.
func checkRepaired(t *testing.T, input string, r *check.Repaired, relink bool) {
	t.Helper()
	output := text(r.Lines...)
	bad := errorsOf(findings(t, output, check.Options{}))
	if !relink { // orphans stay
		bad = slices.DeleteFunc(bad, func(f string) bool {
			return strings.Contains(f, " missing-parent ") || strings.Contains(f, " cycle ")
		})
	}
	if len(bad) > 0 {
		t.Errorf("not clean: %q\n%s", bad, output)
	}
	checkKept(t, input, output)
	again := repair(t, output, relink)
	if diff := cmp.Diff(r.Lines, again.Lines); diff != "" || len(again.Rejected) > 0 {
		t.Errorf("the second repair changes the first: %q\n%s", again.Changes, diff)
	}
}

// checkKept looks for each entry that a reader of input sees in output: with
// the same bytes but for a parent or a first kept entry that does not exist, and a replacement.
func checkKept(t *testing.T, input, output string) {
	t.Helper()
	before, err := session.Read(strings.NewReader(input))
	if err != nil {
		return
	}
	after, err := session.Read(strings.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	if before.Header.ID != after.Header.ID {
		t.Errorf("the header is another: %q", after.Header.Raw())
	}
	if before.Header.Version < session.Version {
		return // positions are ids there, and move where lines are salvaged
	}
	for i, e := range before.Entries {
		at, _ := before.Index(e.ID())
		if e.ID() == "" || at != i {
			continue
		}
		kept, ok := after.Index(e.ID())
		if !ok {
			t.Errorf("entry %q is lost", e.ID())
			continue
		}
		if raw := after.Entries[kept].Raw(); raw != e.Raw() && fixed(after.Entries[kept]) != fixed(e) {
			t.Errorf("entry %q is changed: %s", e.ID(), raw)
		}
	}
}

// fixed is an entry without what a repair may change.
func fixed(e session.Entry) string {
	if e.Type() == session.TypeContextEdit && e.Get("replacement") == "" {
		e = e.WithRaw("replacement", "null")
	}
	return e.WithParent("").WithRaw("firstKeptEntryId", `""`).Raw()
}

func seeds() []string {
	var out []string
	for _, tt := range checks {
		out = append(out, tt.input)
	}
	for _, tt := range repairs {
		out = append(out, tt.input)
	}
	return out
}

// FuzzCheckRepair: whatever the input, a repair of it is clean, keeps what
// readers saw, and is its own repair.
func FuzzCheckRepair(f *testing.F) {
	for _, s := range seeds() {
		if len(s) > 4096 {
			continue // the fuzzer would spend its time on making it smaller
		}
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, relink bool) {
		input := string(data)
		findings(t, input, check.Options{})
		r, err := check.Repair(strings.NewReader(input), check.RepairOptions{Relink: relink, Migrate: true, Header: makeHeader})
		if err != nil {
			return
		}
		checkRepaired(t, input, r, relink)
	})
}

// TestRandomDamage holds sessions of few ids and much damage to the same laws:
// cycles, duplicates and orphans that meet on a few lines.
func TestRandomDamage(t *testing.T) {
	t.Parallel()
	for n, rnd := range drawn.Cases(t, 1000) {
		input := damagedSession(rnd)
		for _, relink := range []bool{true, false} {
			r, err := check.Repair(strings.NewReader(input), check.RepairOptions{Relink: relink, Migrate: true, Header: makeHeader})
			if err == nil {
				checkRepaired(t, input, r, relink)
			}
		}
		if t.Failed() {
			t.Fatalf("case %d:\n%s", n, input)
		}
	}
}

func damagedSession(r *rand.Rand) string {
	ids := []string{"", "a", "b", "c", "d", "e"}
	id := func() string { return ids[r.IntN(len(ids))] }
	var b strings.Builder
	if r.IntN(5) > 0 {
		b.WriteString(header + "\n")
	}
	for range r.IntN(9) {
		raw := user(id(), id())
		switch r.IntN(12) {
		case 0:
			raw = compaction(id(), id(), id())
		case 1:
			raw = raw[:r.IntN(len(raw))]
		case 2:
			raw = strings.ReplaceAll(raw, ",", ",\n")
		case 3:
			raw = []string{header, slot, "junk", "42", "{", "}", `{"type":"new"}`, "\x00\x00"}[r.IntN(8)]
		case 4:
			raw = userAt(r.IntN(60), id(), id())
		}
		b.WriteString(raw)
		if r.IntN(6) > 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
