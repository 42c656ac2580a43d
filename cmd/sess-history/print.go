package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/listing"
	"github.com/sess-tools/sess/internal/tool/row"
	"github.com/sess-tools/sess/internal/tool/tty"
	"github.com/sess-tools/sess/pkg/js"
)

// print prints rows in the form wanted.
func (c *config) print(s *clikit.Streams, rows []line) error {
	out, form := s.Out, line.cells
	switch {
	case c.nul:
		out, form = s.Out, func(r line) string { return r.text + "\x00" }
	case c.json:
		out, form = s.Out, line.json
	case tty.IsTerminal(s.OutFile()):
		width, now := tty.Width(s.OutFile(), os.LookupEnv), time.Now()
		several := tty.Several(rows, func(r line) string { return r.cwd })
		home, _ := os.UserHomeDir()
		form = func(r line) string {
			dir := ""
			if several {
				dir = fmt.Sprintf("%-*s  ", dirWidth, tty.Directory(r.cwd, home, dirWidth))
			}
			return r.columns(now, width, dir)
		}
	}
	for _, r := range rows {
		if _, err := io.WriteString(out, form(r)); err != nil {
			return err
		}
	}
	return nil
}

// cells returns a row for programs: when it was said last, how often, in which session
// and entry, and the text, with tabs between.
func (r line) cells() string {
	at := "-"
	if r.time != 0 {
		at = stamp(r.time)
	}
	name := cmp.Or(r.Address, "-")
	return strings.Join([]string{at, strconv.Itoa(r.count), tty.Clean(name), cmp.Or(tty.Clean(r.entry), "-"), oneLine(r.text)}, "\t") + "\n"
}

// dirWidth is how many characters of a directory are shown, if there are several.
const dirWidth = 20

// columns returns a row for a terminal: the age, the directory if there are several, the text,
// and how often it was said.
func (r line) columns(now time.Time, width int, dir string) string {
	age := ""
	if r.time != 0 {
		age = listing.Ago(time.UnixMilli(r.time), now)
	}
	often := ""
	if r.count > 1 {
		often = fmt.Sprintf("  (%d times)", r.count)
	}
	room := max(width-12-utf8.RuneCountInString(dir)-len(often), 20)
	return fmt.Sprintf("%-10s  %s%s%s\n", age, dir, tty.Fit(oneLine(tty.Fit(r.text, room+1)), room), often)
}

// oneLine returns a text as one line without control characters.
func oneLine(text string) string {
	return tty.Clean(strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n"))
}

// stamp returns a time, given in milliseconds since the epoch, as JSON has it.
func stamp(ms int64) string { return js.FormatTime(ms) }

// json returns a row as JSON.
func (r line) json() string {
	return row.Object("prompt", append(r.Fields(),
		row.Entry(r.entry), row.Timestamp(r.time, r.time != 0), row.Text("agent", r.agent), row.Text("cwd", r.cwd),
		js.StringField("text", js.ValidText(r.text)), js.IntField("count", int64(r.count)))...) + "\n"
}
