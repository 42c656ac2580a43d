package jqmap

import (
	"fmt"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
)

// TableRow returns what the table in Go has of a map.
func TableRow(name string) string {
	for _, row := range table {
		if row.name == name {
			return fmt.Sprintf("%q %q %q %q", row.name, row.summary, row.homes, row.signs)
		}
	}
	return "nothing"
}

// HeaderRow returns the same of the header of a map.
func HeaderRow(t testing.TB, file string, text []byte) string {
	t.Helper()
	h, err := parseHeader(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%q %q %q %q", h.name, h.summary, h.homes, h.signs)
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
	return newMap(file, formats.About{Name: "test"}, nil, nil, func() ([]byte, error) { return []byte(text), nil })
}

// SetBounds gives maps of the user's less, until the test ends.
func SetBounds(t testing.TB, value time.Duration, heap uint64, acts int) {
	old := bounds
	t.Cleanup(func() { bounds = old })
	bounds.value, bounds.heap, bounds.acts = value, heap, acts
}
