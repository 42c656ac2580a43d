//go:build unix && !solaris && !aix

package torture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/sess-tools/sess/pkg/jsonl"
)

// An entry is what verify needs of a line.
type entry struct {
	ID       string
	ParentID *string
	Message  struct{ Content []struct{ Text string } }
}

// verify returns what is wrong with a session after everybody has stopped.
func verify(data []byte, seen []written, foreign []string) []string {
	c := &checker{ids: map[string]int{}, next: make([]int, len(seen)), at: map[string]int{}, seen: seen, foreign: len(foreign) > 0}
	for l, err := range jsonl.Lines(bytes.NewReader(data)) {
		if err != nil {
			c.report("%v", err)
			break
		}
		if l.Number > 1 {
			c.line(l)
		}
	}
	for w, s := range seen {
		for n, id := range s.acked {
			if c.ids[id] != 1 || c.at[marker(w, n)] == 0 {
				c.report("writer %d: entry %d with the printed id %s stands there %d times", w, n, id, c.ids[id])
			}
		}
	}
	for _, line := range foreign {
		if n := bytes.Count(data, []byte(line+"\n")); n != 1 {
			c.report("the foreign line %.80s… stands there %d times", line, n)
		}
	}
	return c.problems
}

type checker struct {
	ids      map[string]int // how often
	next     []int          // by writer, the least number that may come
	at       map[string]int // line by marker
	seen     []written
	foreign  bool
	last     string // id of the entry before
	problems []string
}

func (c *checker) report(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// line takes the next line: an entry, the blanks over a torn one, or, with a
// foreign writer, its line behind what a dead one left.
func (c *checker) line(l jsonl.Line) {
	if len(bytes.Trim(l.Data, " ")) == 0 {
		return
	}
	var e entry
	if err := json.Unmarshal(l.Data, &e); err != nil {
		if !c.foreign || !bytes.Contains(l.Data, []byte(`"customType":"foreign"`)) {
			c.report("line %d at byte %d: %v", l.Number, l.Offset, err)
		}
		return
	}
	if l.Torn {
		c.report("the last line has no line feed")
	}
	c.ids[e.ID]++
	if e.ParentID != nil && c.ids[*e.ParentID] == 0 {
		c.report("line %d: parent %s comes later or never", l.Number, *e.ParentID)
	}
	// Under the lock nobody comes between the look at the leaf and the write.
	if parent := orEmpty(e.ParentID); !c.foreign && parent != c.last {
		c.report("line %d: the parent is %q, but the leaf was %q", l.Number, parent, c.last)
	}
	c.last = e.ID
	if len(e.Message.Content) == 1 {
		c.text(l.Number, e.Message.Content[0].Text)
	}
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// text checks that a writer's entry is whole and behind its earlier ones.
func (c *checker) text(number int, text string) {
	var w, n int
	if _, err := fmt.Sscanf(text, "w%d n%d ", &w, &n); err != nil || w >= len(c.seen) || n >= len(c.seen[w].sizes) {
		c.report("line %d: a text nobody sent: %.40q", number, text)
		return
	}
	if n < c.next[w] {
		c.report("line %d: writer %d's entry %d is not behind entry %d", number, w, n, c.next[w]-1)
	}
	c.next[w] = n + 1
	c.at[marker(w, n)] = number
	pad := strings.TrimPrefix(text, marker(w, n))
	if len(pad) != c.seen[w].sizes[n] || len(pad) > 0 && strings.Count(pad, pad[:1]) != len(pad) {
		c.report("line %d: writer %d's entry %d is damaged", number, w, n)
	}
}

// look reads the session while it is written to, and returns how often it did.
// At any time only the last line may be torn.
func (r *round) look() int {
	looks := 0
	for ; !r.over(); looks++ {
		// A look takes several reads, between which a torn tail may be blanked
		// and written behind, and on a busy machine twice in a row. What is really
		// torn stays torn: look again.
		err := r.tornNow()
		for more := 5; err != nil && more > 0; more-- {
			err = r.tornNow()
		}
		if err != nil {
			r.t.Errorf("seed %d: %v", r.seed, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	return looks
}

func (r *round) tornNow() error {
	data, err := os.ReadFile(r.path)
	if err != nil {
		return err
	}
	return tornWithin(data, r.other != none)
}

// tornWithin returns an error if a line before the last is no JSON.
func tornWithin(data []byte, foreign bool) error {
	for l, err := range jsonl.Lines(bytes.NewReader(data)) {
		switch {
		case err != nil:
			return err
		case l.End() == int64(len(data)), len(bytes.Trim(l.Data, " ")) == 0, json.Valid(l.Data):
		case foreign && bytes.Contains(l.Data, []byte(`"customType":"foreign"`)):
		default:
			return fmt.Errorf("line %d of the live session is torn: %.80q", l.Number, l.Data)
		}
	}
	return nil
}

// saved counts the fragments that were saved beside the session.
func saved(path string) int {
	f, err := os.Open(path + ".torn")
	if err != nil {
		return 0
	}
	defer f.Close()
	n := 0
	buf := make([]byte, 1<<16)
	for {
		got, err := f.Read(buf)
		n += bytes.Count(buf[:got], []byte("\n"))
		if errors.Is(err, io.EOF) || err != nil {
			return n
		}
	}
}
