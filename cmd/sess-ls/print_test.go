package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// A message is quoted in pieces, and nobody sees where they meet.
func TestRowJSONOfLongMessages(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "<a> & \u2028 \"b\"\n", strings.Repeat("ä", 100_000), "x" + strings.Repeat("日本<", 50_000), strings.Repeat("xy", 64<<10)} {
		row := store.Row{Info: session.Info{FirstMessage: text, LastMessage: "last\xff" + text, Exact: true}}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		literal := string(quoted[1 : len(quoted)-1])
		want := `"messages":0,"firstMessage":"` + literal + `","lastMessage":"last\uFFFD` + literal + `","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"cost":0},"exact":true}`
		want = strings.Replace(want, `\uFFFD`, "\uFFFD", 1)
		if got := rowJSON(row); !strings.HasSuffix(got, want) || !json.Valid([]byte(got)) {
			t.Errorf("a message of %d bytes: %.300s", len(text), got)
		}
	}
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestRowIsNotWritten(t *testing.T) {
	t.Parallel()
	if err := writeRow(full{}, store.Row{}); !errors.Is(err, errFull) {
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
