package merge

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A chance draws numbers: for a property test, or for a loop that counts.
type chance interface{ below(n int) int }

type drawn struct{ t *rapid.T }

func (d drawn) below(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "") }

type rolled struct{ r *rand.Rand }

func (d rolled) below(n int) int { return d.r.IntN(n) }

// A text is a line of a test: its bytes, and what a merge has to know of it.
type text struct {
	id, parent string
	time       int64
	bytes      string
}

func (x text) line() line {
	return line{ID: x.id, Parent: x.parent, Time: x.time, Sum: sumOf([]byte(x.bytes))}
}

// A world is replicas of one session that are appended to, and merged in pairs.
type world struct {
	replicas [][]text
	skew     bool
	repeats  bool // a line may stand twice in a replica, and be written by two
	n        int
	clock    int64
}

func (w *world) append(c chance, i int) {
	w.n++
	w.clock += int64(c.below(3))
	r := w.replicas[i]
	switch c.below(12) {
	case 0: // what is no entry
		loose := text{bytes: fmt.Sprintf("%c%d", 'a'+i, w.n)}
		if w.repeats { // blank lines, and others of which there are several
			loose.bytes = fmt.Sprint(c.below(2))
		}
		w.replicas[i] = append(slices.Clone(r), loose)
		return
	case 1:
		if w.repeats && len(r) > 0 {
			w.replicas[i] = append(slices.Clone(r), r[c.below(len(r))])
			return
		}
	}
	x := text{id: fmt.Sprintf("%c%d", 'a'+i, w.n), time: w.clock}
	if w.skew {
		x.time += int64(i-1) * 40
		if c.below(5) == 0 {
			x.time -= 50
		}
		if c.below(9) == 0 {
			x.time = noTime
		}
	}
	var ids []string
	for _, l := range r {
		if l.id != "" {
			ids = append(ids, l.id)
		}
	}
	if len(ids) > 0 {
		x.parent = ids[len(ids)-1]
		if c.below(4) == 0 {
			x.parent = ids[c.below(len(ids))]
		}
	}
	x.bytes = fmt.Sprint(x.id, x.parent, x.time)
	w.replicas[i] = append(slices.Clone(r), x)
}

// play lets three replicas append and merge.
func play(c chance, skew, repeats bool) *world {
	w := &world{replicas: make([][]text, 3), skew: skew, repeats: repeats, clock: 1000}
	for range c.below(5) {
		w.append(c, 0)
	}
	w.replicas[1], w.replicas[2] = w.replicas[0], w.replicas[0]
	for range 2 + c.below(14) {
		if i := c.below(3); c.below(3) > 0 {
			w.append(c, i)
		} else {
			w.replicas[i] = mergedTexts(w.replicas[i], w.replicas[c.below(3)])
		}
	}
	return w
}

// merged merges copies from the left.
func mergedTexts(copies ...[]text) []text {
	s := newSet()
	var texts []text
	var read []*sequence
	for _, lines := range copies {
		c := s.newSequence()
		for _, x := range lines {
			if n, fresh := c.add(x.line()); fresh {
				if n != len(texts) {
					panic("the number of a new line is not the next")
				}
				texts = append(texts, x)
			}
		}
		read = append(read, c)
	}
	out := read[0]
	for _, c := range read[1:] {
		out = merged(out, c, false)
	}
	var lines []text
	for n := range out.lines() {
		lines = append(lines, texts[n])
	}
	return lines
}

// A tally counts how often each law was broken.
type tally map[string]int

func (b tally) law(name string, holds bool) {
	if !holds {
		b[name]++
	}
}

// laws holds three copies to the laws.
func laws(b tally, w *world) {
	x, y, z := w.replicas[0], w.replicas[1], w.replicas[2]
	m := mergedTexts(x, y)
	b.law("idempotent", slices.Equal(mergedTexts(x, x), x) && slices.Equal(mergedTexts(m, m), m))
	b.law("absorbing", slices.Equal(mergedTexts(m, x), m) && slices.Equal(mergedTexts(y, m), m))
	b.law("commutative", slices.Equal(m, mergedTexts(y, x)))
	b.law("union", slices.Equal(bag(m), union(bag(x), bag(y))))
	for _, side := range [][]text{x, y} {
		b.law("common beginning", slices.Equal(m[:shared(x, y)], side[:shared(x, y)]))
		b.law("relative order", w.repeats || subsequence(entries(side), entries(m)))
	}
	b.law("parents first", parentsFirst(m))
	all := mergedTexts(m, z)
	b.law("associative", slices.Equal(all, mergedTexts(x, mergedTexts(y, z))))
	for _, p := range [][3]int{{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		b.law("gossip", slices.Equal(all, mergedTexts(mergedTexts(w.replicas[p[0]], w.replicas[p[1]]), w.replicas[p[2]])))
	}
	b.law("fold", slices.Equal(all, mergedTexts(x, y, z)))
}

// bag counts the lines; of one that is no entry it counts the place too.
func bag(lines []text) (out []string) {
	above, count := "", map[string]int{}
	for _, x := range lines {
		key := x.bytes
		if x.id == "" {
			key = above + "<" + x.bytes
		}
		count[key]++
		key = fmt.Sprint(key, "#", count[key])
		if x.id != "" {
			above = key
		}
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

func union(a, b []string) []string {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

func entries(lines []text) (out []text) {
	for _, x := range lines {
		if x.id != "" {
			out = append(out, x)
		}
	}
	return out
}

func shared(a, b []text) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func subsequence(of, in []text) bool {
	k := 0
	for _, x := range in {
		if k < len(of) && x == of[k] {
			k++
		}
	}
	return k == len(of)
}

func parentsFirst(lines []text) bool {
	seen := map[string]bool{"": true}
	for _, x := range lines {
		if !seen[x.parent] {
			return false
		}
		seen[x.id] = true
	}
	return true
}

func TestLaws(t *testing.T) {
	t.Parallel()
	for _, skew := range []bool{false, true} {
		t.Run(fmt.Sprintf("skew=%v", skew), rapid.MakeCheck(func(t *rapid.T) {
			broken := tally{}
			laws(broken, play(drawn{t}, skew, false))
			if len(broken) > 0 {
				t.Fatal(broken)
			}
		}))
	}
}

// rounds is for a longer look: go test ./internal/share/merge -run TestManyRounds -rounds 100000.
var rounds = flag.Int("rounds", 500, "rounds of TestManyRounds, of each kind")

func TestManyRounds(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct{ skew, repeats bool }{{false, false}, {true, false}, {true, true}} {
		r := rolled{rand.New(rand.NewPCG(1, 2))}
		broken, start := tally{}, time.Now()
		for range *rounds {
			laws(broken, play(r, kind.skew, kind.repeats))
		}
		t.Logf("%+v: %d rounds, broken: %v, %v", kind, *rounds, broken, time.Since(start))
		if !kind.repeats && len(broken) > 0 || broken["union"]+broken["idempotent"] > 0 {
			t.Errorf("%+v: %v", kind, broken)
		}
	}
}
