package session_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/session"
)

const head = corpus.Head

var join, line, user, label, quote = corpus.Join, corpus.Line, corpus.User, corpus.Label, corpus.Quote

var parse, parseText, entry, read = corpus.Parse, corpus.ParseText, corpus.Entry, corpus.Read

func raws(entries []session.Entry) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Raw())
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

// drawn returns lines of entries, a word for each: "b<a" is a message b that hangs from a, and "b" a root; "l<b:a=x" is a
// label x of a, and "c<b:a" a compaction that keeps from a on.
func drawn(words string) []string {
	out := []string{}
	for _, word := range strings.Fields(words) {
		place, about, _ := strings.Cut(word, ":")
		id, parent, _ := strings.Cut(place, "<")
		target, name, labels := strings.Cut(about, "=")
		switch {
		case labels:
			out = append(out, label(id, parent, target, name))
		case about != "":
			out = append(out, compaction(id, parent, about))
		default:
			out = append(out, user(id, parent, ""))
		}
	}
	return out
}

// counter makes ids n1, n2, …
func counter() func(func(string) bool) (string, error) {
	n := 0
	return func(func(string) bool) (string, error) {
		n++
		return fmt.Sprintf("n%d", n), nil
	}
}

func ids(entries []session.Entry) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, e.ID())
	}
	return out
}

func decode(t testing.TB, raw string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatalf("%v: %.200s", err, raw)
	}
	return v
}
