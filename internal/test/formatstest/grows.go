package formatstest

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
)

// mostGrown is how many of a source's line ends [grows] tries, unless all that can be drawn is.
const mostGrown = 40

// Grows holds a source to the law that growth is appending: what is read of it up to the end of a line, but for what a later line
// can change, is the beginning of what is read up to any later one, of all of it, and of a source that was quiet at that line.
func Grows(t testing.TB, f formats.Format, c Corpus, name string) {
	source := strings.TrimRight(c.Sources[name], "\n") + "\n"
	src := c.file(t, source)
	at := func(text string, g formats.Growth) []string {
		t.Helper()
		if err := os.WriteFile(src.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := f.Open(t.Context(), src)
		if err != nil {
			return nil
		}
		defer closed(t, a)
		for info, err := range a.List(t.Context(), formats.Query{}) {
			if err != nil || info.Undated {
				return nil
			}
			r, err := Grown(t.Context(), f, a, info, g)
			if err != nil {
				return nil
			}
			return r.Lines
		}
		return nil
	}
	whole, all := at(source, formats.Whole), at(source, formats.Closed)
	if !begins(whole, all) {
		t.Errorf("what is closed is not the beginning of all: %s", where(whole, all))
	}
	var ends []int
	for i := range len(source) {
		if source[i] == '\n' {
			ends = append(ends, i+1)
		}
	}
	if os.Getenv("SESS_DRAW") != "full" && len(ends) > mostGrown {
		random := rand.New(rand.NewPCG(3, 4))
		random.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
		ends = ends[:mostGrown]
	}
	slices.Sort(ends)
	for _, end := range ends {
		part := at(source[:end], formats.Closed)
		if !begins(all, part) {
			t.Errorf("cut at %d: it is not the beginning: %s", end, where(all, part))
		}
		if !begins(at(source[:end], formats.Quiet), part) {
			t.Errorf("cut at %d: what is closed is not the beginning of a quiet source", end)
		}
	}
}

// begins reports whether some lines are the first of others.
func begins(all, some []string) bool {
	return len(some) <= len(all) && slices.Equal(all[:len(some)], some)
}

// where says from where on lines are not the first of others.
func where(all, some []string) string {
	for i, line := range some {
		if i >= len(all) {
			return "more than all: " + line
		}
		if all[i] != line {
			return "\n" + line[:min(len(line), 1500)] + "\nwant\n" + all[i][:min(len(all[i]), 1500)]
		}
	}
	return ""
}
