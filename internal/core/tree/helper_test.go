package tree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}` + "\n"

// read reads a session of the given entry lines.
func read(t testing.TB, lines ...string) *session.Session {
	t.Helper()
	s, err := session.Read(strings.NewReader(header + strings.Join(lines, "\n") + "\n"))
	must.Do(t, err)
	return s
}

// shape reads a session from a sketch: "a b<a c<a@5" is the entry a, a root,
// and its children b and c, c at second 5 and the others at their position.
// "b<-" has no time, and "a!x" is of type x, not a message.
func shape(t testing.TB, sketch string) *session.Session {
	t.Helper()
	var lines []string
	for i, word := range strings.Fields(sketch) {
		at := fmt.Sprintf("2026-01-02T03:04:%02d.000Z", i)
		word, seconds, timed := strings.Cut(word, "@")
		if timed {
			at = "2026-01-02T03:04:0" + seconds + ".000Z"
		}
		if seconds == "-" {
			at = ""
		}
		word, typ, typed := strings.Cut(word, "!")
		id, parent, hangs := strings.Cut(word, "<")
		line := fmt.Sprintf(`{"type":"message","id":%q,"parentId":null,"timestamp":%q,"message":{"role":"user","content":"say %s"}}`, id, at, id)
		if hangs {
			line = strings.Replace(line, "null", js.Quote(parent), 1)
		}
		if typed {
			line = strings.Replace(line, `"type":"message"`, `"type":"`+typ+`","summary":"sum"`, 1)
		}
		lines = append(lines, line)
	}
	return read(t, lines...)
}

// label is the line of a label entry.
func label(id, parent, target, name string) string {
	return fmt.Sprintf(`{"type":"label","id":%q,"parentId":%q,"timestamp":"2026-01-02T03:05:00.000Z","targetId":%q,"label":%s}`,
		id, parent, target, js.Quote(name))
}

// grow makes the tree of s with the path to its leaf.
func grow(s *session.Session) *Tree {
	leaf, _ := s.Leaf()
	path, _ := s.PathIndex(leaf)
	return New(s, path)
}

// draw returns the drawing of a tree.
func draw(t testing.TB, tr *Tree, o Options) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, Draw(&b, tr, o))
	return b.String()
}
