package jqmap

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/agent"
)

// HeaderAgent returns what the header of a map says of its agent.
func HeaderAgent(t testing.TB, file, text string) agent.Agent {
	t.Helper()
	h, err := parseHeader(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return h.agent
}

// New returns a map with a text, which has to be one.
func New(t testing.TB, text string) formats.Format {
	t.Helper()
	if _, err := parseHeader("test.jq", []byte(text)); err != nil {
		t.Fatal(err)
	}
	return Parsed("test.jq", text)
}

// Parsed returns a map with a text that may be none.
func Parsed(file, text string) formats.Format {
	return newMap(file, agent.Agent{Name: "test"}, func() ([]byte, error) { return []byte(text), nil })
}

// SetBounds gives maps of the user's less, until the test ends.
func SetBounds(t testing.TB, value time.Duration, heap uint64, acts int) {
	old := bounds
	t.Cleanup(func() { bounds = old })
	bounds.value, bounds.heap, bounds.acts = value, heap, acts
}

func headerOf(t testing.TB, f formats.Format) *header {
	t.Helper()
	m, _ := Of(f)
	h, err := m.parse()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// IsDatabase reports whether a map reads databases.
func IsDatabase(t testing.TB, f formats.Format) bool { return headerOf(t, f).sqlite != nil }

// SetPatience gives queries less time, until the test ends.
func SetPatience(t testing.TB, d time.Duration) {
	old := patience
	t.Cleanup(func() { patience = old })
	patience = d
}

// Columns returns the columns of tables that a map over databases needs, and all that it names and does not need.
func Columns(t testing.TB, f formats.Format) (need, may map[string][]string) {
	t.Helper()
	tables := headerOf(t, f).sqlite
	need, may = map[string][]string{}, map[string][]string{}
	for table, columns := range tables.columns {
		may[table] = nil
		for _, c := range columns {
			if slices.Contains(tables.need[strings.ToLower(table)], strings.ToLower(c)) {
				need[table] = append(need[table], c)
			} else if c != rowid {
				may[table] = append(may[table], c)
			}
		}
	}
	return need, may
}
