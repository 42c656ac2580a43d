package screen

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/test/must"
)

var update = flag.Bool("update-screens", false, "write testdata/screens.txt")

// now is in a zone that is an hour ahead of UTC.
var now = time.Date(2026, 11, 25, 16, 50, 0, 0, time.FixedZone("", 3600))

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

// sample prints one of each kind of row.
func sample(sc *Screen) error {
	rows := [][]Cell{
		{{Text: "claude:4b1f20c7", Style: tty.Cyan}, {Text: When(at("2026-11-25T13:02:00Z"), now)}, {Text: "86"}, {Text: Size(319025)}, {Text: "lexer"}, {Text: "Fix the hang on unclosed brackets"}},
		{{Text: "codex:01a1fc13", Style: tty.Cyan}, {Text: When(at("2026-11-25T09:40:00Z"), now)}, {Text: "254"}, {Text: Size(1151480)}, {Text: "lexer"}, {Text: "Review the open pull requests and say which of them are stale or ready to merge", Tail: "  (2 times)"}},
		{{Text: "pi:01a1fb02", Style: tty.Cyan}, {Text: When(at("2026-11-24T17:12:00Z"), now)}, {Text: "31"}, {Text: Size(88412)}, {Text: "サイト"}, {Text: "トークン数の表を日本語にする、そして行の幅は変えないでください、お願いします"}},
		{{Text: "claude:9bdf5c9b", Style: tty.Cyan}, {Text: When(at("2026-03-03T08:20:00Z"), now)}, {Text: Count(1280)}, {Text: Size(11800000)}, {Text: "billing-service"}, {Text: "Move ✅ the 👨‍👩‍👧 invoices ❤️ to the 🇩🇪 schema שלום עולם مرحبا é and back again, twice\nand \x1b[31mon"}},
	}
	steps := []func() error{
		func() error {
			return sc.Table([]Col{{Head: "SESSION"}, {Head: "CHANGED"}, {Head: "MSGS", Right: true, From: 96}, {Head: "SIZE", Right: true, From: 110}, {Head: "DIRECTORY", Max: 14, From: 60}, {Head: "TITLE", Flex: true}}, slices.Values(rows))
		},
		func() error {
			return sc.Foot("4 sessions, 13 MB. %s", "No price: 189 calls (11.3M tokens) of gpt-5.3-codex-spark, which COST leaves out.")
		},
		func() error {
			return sc.Head(Heading{Address: "pi:01a1fb02", Modified: at("2026-11-24T17:12:00Z"), CWD: "/home/u/site", Title: " トークン数の表を\n日本語にする。そして行の幅は変えないでください、お願いします"})
		},
	}
	for _, m := range [][2]string{
		{`Fix the parser. It hangs on "[[" and on every unclosed bracket.`, "parser"},
		{"ok lexer/config 0.2s\n--- FAIL: TestParser (0.00s)\n    parser_test.go:41: depth 2, want 1\nFAIL", "parser"},
		{"Done. The loop is linear now: 1.9 s → 12 ms on the 4 MB file, and the parser gives up at a depth of 10,000 instead of growing its stack without any bound.", "parser"},
		{"表の行は parser が数えたトークンの数です。" + strings.Repeat("もっと", 30), "parser"},
		{strings.Repeat("はじめ", 30) + "表の行は parser が数えたトークンの数です。", "parser"},
		{strings.Repeat("👨‍👩‍👧", 40) + "parser" + strings.Repeat("❤️", 40), "parser"},
		{strings.Repeat("שלום ", 40) + "parser" + strings.Repeat(" עולם", 40), "parser"},
		{"x" + strings.Repeat("y", 200) + "z", "x" + strings.Repeat("y", 200)},
		{"no match here", ""},
	} {
		text, match := m[0], m[1]
		steps = append(steps, func() error {
			from := strings.Index(text, match)
			left := []Cell{{Text: "  a1b20000  ", Style: tty.Dim}, {Text: "assistant  "}}
			if match == "" {
				return sc.Line(left, Cell{Text: text, Tail: "  (3 times)"})
			}
			return sc.Line(left, Cell{Text: text}, Span{from, from + len(match)})
		})
	}
	steps = append(steps, sc.Blank, func() error {
		return sc.Write(Cell{Text: sc.Marks.Fork + sc.Marks.Branch + " "}, Cell{Text: sc.Bar(1, 3, sc.Width-4)}, Cell{Text: " " + sc.Marks.None})
	})
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// The rows on screens of all widths are those of testdata/screens.txt, and none is wider than its screen.
func TestScreens(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, ascii := range []bool{false, true} {
		for _, width := range []int{20, 40, 60, 80, 100, 140} {
			var b bytes.Buffer
			must.Do(t, sample(New(Screen{Out: &b, Width: width, Now: now}, ascii)))
			fmt.Fprintf(&got, "--- %d columns, ASCII %v\n%s", width, ascii, b.String())
			for line := range strings.Lines(b.String()) {
				line = strings.TrimSuffix(line, "\n")
				if n := Columns(line); n > max(width, Least) {
					t.Errorf("%d columns on %d: %s", n, width, line)
				}
				if strings.TrimRight(line, " ") != line {
					t.Errorf("a space at the end of %q", line)
				}
				if ascii && strings.ContainsAny(line, "…├╮█–") {
					t.Errorf("no ASCII: %s", line)
				}
			}
		}
	}
	var b bytes.Buffer
	must.Do(t, sample(New(Screen{Out: &b, Width: 80, Now: now, Color: true}, false)))
	got.WriteString("--- 80 columns, in colour\n" + strings.ReplaceAll(b.String(), "\x1b", "ESC"))
	name := filepath.Join("testdata", "screens.txt")
	if *update {
		must.Do(t, os.WriteFile(name, []byte(got.String()), 0o666))
	}
	want, err := os.ReadFile(name)
	must.Do(t, err)
	if string(want) != got.String() {
		t.Errorf("not as in %s; go test -update-screens writes it: see what git diff says\n%s", name, got.String())
	}
}

// Of more rows than are held the first ones say how wide the columns are.
func TestLongTable(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	rows := func(yield func([]Cell) bool) {
		for i := range mostHeld + 5 {
			text := "short"
			if i >= mostHeld {
				text = "a long text"
			}
			if !yield([]Cell{{Text: text}, {Text: "end"}}) {
				return
			}
		}
	}
	must.Do(t, New(Screen{Out: &b, Now: now}, false).Table([]Col{{}, {}}, rows))
	lines := strings.Split(b.String(), "\n")
	if len(lines) != mostHeld+6 || lines[0] != "short  end" || lines[mostHeld] != "a lo…  end" {
		t.Errorf("%d lines, %q, %q", len(lines), lines[0], lines[mostHeld])
	}
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestErrors(t *testing.T) {
	t.Parallel()
	sc := New(Screen{Out: full{}, Now: now}, false)
	long := func(yield func([]Cell) bool) {
		for range mostHeld + 1 {
			if !yield([]Cell{{Text: "x"}}) {
				return
			}
		}
	}
	for name, err := range map[string]error{
		"a table": sc.Table([]Col{{}}, long), "heads": sc.Table([]Col{{Head: "X"}}, slices.Values([][]Cell{{{}}})), "a heading": sc.Head(Heading{}),
		"a line": sc.Line(nil, Cell{Text: "x"}), "a sentence": sc.Foot("x"), "cells": sc.Write(Cell{Text: "x"}), "a blank line": sc.Blank(),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var b bytes.Buffer
	sc = New(Screen{Out: &b, Now: now}, false)
	if err := errors.Join(sc.Blank(), sc.Table([]Col{{Head: "X"}}, slices.Values([][]Cell{}))); err != nil || b.Len() > 0 {
		t.Errorf("nothing to print is %q, %v", b.String(), err)
	}
	if On(io.Discard, nil, "always") != nil {
		t.Error("no file is a screen")
	}
}

// No row is wider than the screen, and none is more than a line; the first match is in view, and nothing acts on the
// terminal.
func FuzzRows(f *testing.F) {
	f.Add("a text with a match in it", "left", 14, 19, 80)
	f.Add(strings.Repeat("あ", 100)+"x"+strings.Repeat("👨‍👩‍👧", 100), "claude:4b1f20c7", 300, 301, 40)
	f.Add("❤️"+strings.Repeat("e\u0301", 50), "1️⃣", 3, 9, 41)
	f.Add("🇩🇪🇩🇪🇩🇪", "👍🏽", 4, 8, 60)
	f.Add(" \n\t \xff\x1b[31m", "\u202e", 0, 3, 100)
	f.Add(strings.Repeat("\u0300", 9000), strings.Repeat("x", 300), 5, 7, 40)
	f.Fuzz(func(t *testing.T, text, left string, from, to, width int) {
		width = Least + max(width, -width, 0)%200
		from = max(from, -from, 0) % (len(text) + 1)
		to = from + max(to, -to, 0)%(len(text)-from+1)
		for _, ascii := range []bool{false, true} {
			var b bytes.Buffer
			sc := New(Screen{Out: &b, Width: width, Now: now}, ascii)
			lines := 0
			check := func(name string, err error) string {
				t.Helper()
				must.Do(t, err)
				out := b.String()
				b.Reset()
				for line := range strings.Lines(out) {
					lines++
					line = strings.TrimSuffix(line, "\n")
					if n := Columns(line); n > width {
						t.Fatalf("%s: %d columns of %d: %q", name, n, width, line)
					}
					if tty.Clean(line) != line && tty.CleanLines(line) != line {
						t.Fatalf("%s: acts: %q", name, line)
					}
				}
				return out
			}
			span := Span{from, to}
			cells := []Cell{{Text: left}, {Text: "  "}}
			row := check("Line", sc.Line(cells, Cell{Text: text, Tail: left}, span))
			if !shows(text, span, row) {
				t.Fatalf("Line: %q is not in view: %q", text[from:to], row)
			}
			check("Head", sc.Head(Heading{Address: left, Modified: now, CWD: text, Title: text}))
			lines = 0
			check("Table", sc.Table([]Col{{Head: "A"}, {Head: "B", Right: true}, {Head: "C", Flex: true}}, slices.Values([][]Cell{
				{{Text: left}, {Text: "12"}, {Text: text, Tail: "  (2 times)"}}, {{Text: text}, {Text: left}, {Text: left, Tail: text}},
			})))
			if lines != 3 {
				t.Fatalf("Table: %d lines", lines)
			}
			check("Foot", sc.Foot("%s", text))
			check("Write", sc.Write(Cell{Text: text}, Cell{Text: left}))
			if n := Columns(Truncate(tty.Clean(text), width, unicodeMarks.More)); n > width {
				t.Fatalf("Truncate: %d columns of %d", n, width)
			}
			if n := Columns(viewed(text, span, width)); n > width {
				t.Fatalf("View: %d columns of %d", n, width)
			}
		}
	})
}

// shows reports whether a row has the first characters of a match.
func shows(text string, m Span, row string) bool {
	match := OneLine(text[m.From:m.To])
	begin := []rune(match)
	return strings.Contains(row, string(begin[:min(len(begin), 3)]))
}
