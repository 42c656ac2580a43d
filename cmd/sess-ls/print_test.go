package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/session"
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
	if err := writeCells(full{}, []string{"a", "b"}); !errors.Is(err, errFull) {
		t.Errorf("cells: %v", err)
	}
}

// Ids are as short as they tell rows apart, and hold the time in a UUID.
func TestShortest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		ids  []string
		want int
	}{
		{nil, 13},
		{[]string{"a"}, 13},
		{[]string{"019b0000-0000-7000-8000-000000000001", "019b0000-0001-7000-8000-000000000001"}, 13},
		{[]string{"019b0000-0000-7111-8000-000000000001", "019c0000-0001-7000-8000-000000000001", "019b0000-0000-7112-8000-000000000001"}, 18},
		{[]string{"019b0000-0000-7000-8000-000000000001", "019b0000-0000-7000-8000-000000000001"}, 13},
		{[]string{strings.Repeat("x", 50) + "a", strings.Repeat("x", 50) + "b"}, 36},
	} {
		var rows []store.Row
		for _, id := range tt.ids {
			rows = append(rows, store.Row{Info: session.Info{ID: id}})
		}
		if got := shortest(rows); got != tt.want {
			t.Errorf("%q: %d, want %d", tt.ids, got, tt.want)
		}
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	if !mentions("", "") || !mentions("b c", "x", "A B C") || mentions("x\ny", "x", "y") {
		t.Error("mentions another text than it has")
	}
}
