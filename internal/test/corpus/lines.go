package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/session"
)

// Head is the header line of a session that tests write.
const Head = `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/p"}`

// Join returns lines as the text of a file.
func Join(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

// Line is an entry of the type, with further members behind the four that every
// entry has. The parent is "" for a root.
func Line(typ, id, parent string, more ...string) string {
	p := "null"
	if parent != "" {
		p = Quote(parent)
	}
	return fmt.Sprintf(`{"type":%s,"id":%s,"parentId":%s,"timestamp":"2026-01-02T03:04:06.000Z"%s}`,
		Quote(typ), Quote(id), p, strings.Join(append([]string{""}, more...), ","))
}

// User is an entry with a user's message.
func User(id, parent, text string) string {
	return Line("message", id, parent, `"message":{"role":"user","content":[{"type":"text","text":`+Quote(text)+`}],"timestamp":1}`)
}

// Label is an entry that gives target a name.
func Label(id, parent, target, name string) string {
	return Line("label", id, parent, `"targetId":`+Quote(target), `"label":`+Quote(name))
}

// Quote returns s as a JSON string.
func Quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Parse reads a session of the given lines, with [Head] before them.
func Parse(t testing.TB, lines ...string) *session.Session {
	t.Helper()
	return ParseText(t, Join(append([]string{Head}, lines...)...))
}

// ParseText reads the session that a text is.
func ParseText(t testing.TB, text string) *session.Session {
	t.Helper()
	s, err := session.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Entry returns the entry that a line is.
func Entry(t testing.TB, raw string) session.Entry {
	t.Helper()
	e, err := session.ParseEntry(raw)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Read reads a session of testdata.
func Read(t testing.TB, path string) (*session.Session, error) {
	t.Helper()
	return session.Read(bytes.NewReader(Session(t, path)))
}
