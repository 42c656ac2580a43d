package main

import (
	"errors"
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

func TestMentions(t *testing.T) {
	t.Parallel()
	row := store.Row{Info: session.Info{ID: "abc", FirstMessage: "Look at\nthe LEXER", Prompts: []string{"Look at the LEXER"}}}
	if !mentions("lexer", row) || !mentions("at the", row) || !mentions("bc", row) || mentions("bclook", row) {
		t.Error("mentions another text than it has")
	}
}
