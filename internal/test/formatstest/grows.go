package formatstest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// mostGrown is how many of a source's line ends [grows] tries, unless all that can be drawn is.
const mostGrown = 40

// Grows holds a source to the law that growth is appending: what is read of it up to the end of a line, but for what a later line
// can change, is the beginning of what is read up to any later one, of all of it, and of a source that was quiet at that line.
func Grows(t testing.TB, f formats.Format, c Corpus, name string) {
	source := strings.TrimRight(c.Sources[name], "\n") + "\n"
	src := c.file(t, source)
	at := func(text string, g formats.Growth) []string { return grown(t, f, src, text, g) }
	whole, all := at(source, formats.Whole), at(source, formats.Closed)
	if !begins(whole, all) {
		t.Errorf("what is closed is not the beginning of all: %s", where(whole, all))
	}
	ends := lineEnds(source)
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

// grown returns what is made of a source that has come as far as a text, and was taken whole before, nothing if that is no session yet.
func grown(t testing.TB, f formats.Format, src *formats.Source, text string, g formats.Growth, cuts ...int64) []string {
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
		r, err := Grown(t.Context(), f, a, info, g, cuts...)
		if err != nil {
			return nil
		}
		return r.Lines
	}
	return nil
}

func lineEnds(text string) (ends []int) {
	for i := range len(text) {
		if text[i] == '\n' {
			ends = append(ends, i+1)
		}
	}
	return ends
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

// mostCollected is how many ways to collect a source [Collected] draws, and how many if all that can be drawn is.
const mostCollected, everyCollected = 8, 200

// Collected holds a source to the law that it does not matter when it is collected: at whatever lines, and whether it had been quiet
// there or not. The entries that are stored stay as they are, those of the source that are not among them are appended, and in the
// end every call and result is there, the usage is the same, and the export is that of one import of a quiet source.
func Collected(t testing.TB, f formats.Format, c Corpus, name string) {
	source := strings.TrimRight(c.Sources[name], "\n") + "\n"
	src, ends := c.file(t, source), lineEnds(source)
	once := grown(t, f, src, source, formats.Quiet)
	if _, err := session.HeaderOf([]byte(strings.Join(once[:min(1, len(once))], ""))); err != nil {
		return // nothing but damage
	}
	want, back := callsOf(t, once), c.exported(t, f, name, once)
	input, output, _ := spent(t, []Result{{Lines: once}})
	most := mostCollected
	if os.Getenv("SESS_DRAW") == "full" {
		most = min(everyCollected, 4*len(ends)*len(ends))
	}
	for n, random := range drawn.Cases(t, most) {
		var stored, steps []string
		var cuts []int64
		there := map[string]string{}
		for at := -1; at < len(ends)-1; {
			at = min(at+1+random.IntN(1+random.IntN(len(ends))), len(ends)-1)
			growth := []formats.Growth{formats.Closed, formats.Quiet}[random.IntN(2)]
			if at == len(ends)-1 {
				growth = formats.Quiet
			}
			steps = append(steps, fmt.Sprintf("%d:%v", at+1, growth == formats.Quiet))
			met := map[string]int{}
			for i, line := range grown(t, f, src, source[:ends[at]], growth, cuts...) {
				id := js.Value(line).Get("id").Str()
				if i == 0 {
					id = "the header"
				}
				met[id]++
				key := fmt.Sprint(id, " ", met[id])
				said := string(js.Value(line).Without(session.MemberKept))
				if was, ok := there[key]; ok && i > 0 && was != said {
					t.Errorf("case %d, lines %v: an entry that is stored is told otherwise\n%s\nit was\n%s", n, steps, said, was)
				} else if !ok {
					there[key], stored = said, append(stored, line)
				}
			}
			if growth == formats.Quiet {
				cuts = append(cuts, int64(ends[at]))
			}
		}
		if got := callsOf(t, stored); !slices.Equal(got, want) {
			t.Errorf("case %d, lines %v: the calls are %v, want %v", n, steps, got, want)
		}
		if in, out, _ := spent(t, []Result{{Lines: stored}}); in != input || out != output {
			t.Errorf("case %d, lines %v: the usage is %d and %d tokens, want %d and %d", n, steps, in, out, input, output)
		}
		if got := c.exported(t, f, name, stored); got != back {
			t.Errorf("case %d, lines %v: it came back otherwise: %s", n, steps, difference(back, got))
		}
	}
}

// callsOf returns the ids of the calls and of the results of a session, in order of their names.
func callsOf(t testing.TB, lines []string) (ids []string) {
	t.Helper()
	for _, e := range Parse(t, strings.Join(lines, "\n")+"\n").Entries {
		m, ok := e.Message()
		if !ok {
			continue
		}
		for _, call := range m.ToolCalls() {
			ids = append(ids, "call "+call.ID)
		}
		if id := m.Str("toolCallId"); id != "" {
			ids = append(ids, "result "+id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids) // what an agent says again beside a part of it is a branch
}

// exported returns what is the same of a session's export and of its source.
func (c Corpus) exported(t testing.TB, f formats.Format, name string, lines []string) string {
	t.Helper()
	if f.About().ReadOnly {
		return ""
	}
	text, _ := c.back(t, f, name, Parse(t, strings.Join(lines, "\n")+"\n"))
	return c.same(text)
}
