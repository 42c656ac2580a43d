package session_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/session"
)

const head = `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/p"}`

// parse reads a session of the given lines, with a header before them.
func parse(t testing.TB, lines ...string) *session.Session {
	t.Helper()
	return parseText(t, join(append([]string{head}, lines...)...))
}

func parseText(t testing.TB, text string) *session.Session {
	t.Helper()
	s, err := session.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func join(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

// line is an entry of the type, with further members behind the four that
// every entry has.
func line(typ, id, parent string, more ...string) string {
	p := "null"
	if parent != "" {
		p = quote(parent)
	}
	return fmt.Sprintf(`{"type":%s,"id":%s,"parentId":%s,"timestamp":"2026-01-02T03:04:06.000Z"%s}`,
		quote(typ), quote(id), p, strings.Join(append([]string{""}, more...), ","))
}

func user(id, parent, text string) string {
	return line("message", id, parent, `"message":{"role":"user","content":[{"type":"text","text":`+quote(text)+`}],"timestamp":1}`)
}

func label(id, parent, target, name string) string {
	return line("label", id, parent, `"targetId":`+quote(target), `"label":`+quote(name))
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func entry(t testing.TB, raw string) session.Entry {
	t.Helper()
	e, err := session.ParseEntry(raw)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func raws(entries []session.Entry) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Raw())
	}
	return out
}

func texts(messages []session.Message) []string {
	out := []string{}
	for _, m := range messages {
		out = append(out, m.Raw())
	}
	return out
}

func kinds(problems []session.Problem) string {
	var out []string
	for _, p := range problems {
		out = append(out, fmt.Sprintf("%d %s", p.Line, p.Kind))
	}
	return strings.Join(out, ", ")
}

// pathIDs is the path to the entry at position leaf as one string.
func pathIDs(s *session.Session, leaf int) string {
	path, _ := s.Path(leaf)
	return strings.Join(ids(path), " ")
}

// counter makes ids n1, n2, …
func counter() func(func(string) bool) (string, error) {
	n := 0
	return func(func(string) bool) (string, error) {
		n++
		return fmt.Sprintf("n%d", n), nil
	}
}
