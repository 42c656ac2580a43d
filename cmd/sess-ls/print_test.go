package main

import (
	"bufio"
	"errors"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/store"
)

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestRowIsNotWritten(t *testing.T) {
	t.Parallel()
	if err := (&config{}).writeRow(full{}, store.Row{}); !errors.Is(err, errFull) {
		t.Errorf("JSON: %v", err)
	}
	if err := writeCells(bufio.NewWriter(full{}), []string{"a", "b"}); !errors.Is(err, errFull) {
		t.Errorf("cells: %v", err)
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 3, ""}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"abcdef", 5, "abcd…"}, {strings.Repeat("x", 1<<20), 4, "xxx…"},
	} {
		if got := fit(tt.text, tt.width); got != tt.want {
			t.Errorf("fit(%.10q, %d) = %q, want %q", tt.text, tt.width, got, tt.want)
		}
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	if !mentions("", "") || !mentions("b c", "x", "A B C") || mentions("x\ny", "x", "y") {
		t.Error("mentions another text than it has")
	}
}
