package main

import (
	"cmp"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/grep"
	"github.com/sess-tools/sess/pkg/js"
)

type config struct {
	sessions     selection.Selection
	since, until string
	database     string
	ignoreCase   bool
	dup          bool
	limit        int
	json         bool
}

func (c *config) flags() []cli.Flag {
	c.sessions.Tells = true
	return slices.Concat(
		c.sessions.Flags(selection.All, selection.Agent, selection.CWD, selection.NoSelf),
		[]cli.Flag{
			cli.String(&c.database, "db", "", "also list the prompts in `FILE`, the history.db of oh-my-pi"),
			cli.Bool(&c.ignoreCase, "ignore-case, i", "ignore case in WORDs"),
			cli.String(&c.since, "since", "", "only prompts since `WHEN`: 90m, 12h, 7d, 2w, a date or a time"),
			cli.String(&c.until, "until", "", "only prompts before `WHEN`"),
			cli.Count(&c.limit, "limit, n", "print at most `N` prompts, the newest"),
			cli.Bool(&c.dup, "copies", "do not leave out copies of prompts: print each one in each session"),
			cli.Bool(&c.json, "json", "print a JSON object for each prompt"),
		},
	)
}

// A query says which prompts are wanted.
type query struct {
	words        []*grep.Pattern
	since, until int64 // in milliseconds since the epoch; 0 for any
}

// query makes the query of the flags and words. An empty word is in every prompt.
func (c *config) query(words []string, now time.Time) (*query, error) {
	if c.database == "-" {
		return nil, cli.UsageError("--db wants a file: a database is not read from a stream")
	}
	q := &query{}
	for _, w := range words {
		p, err := grep.Compile([]string{w}, grep.Options{Fixed: true, IgnoreCase: c.ignoreCase})
		if err != nil {
			return nil, cli.UsageError("%v", err)
		}
		q.words = append(q.words, p)
	}
	for flag, to := range map[string]*int64{"since": &q.since, "until": &q.until} {
		text := c.since
		if flag == "until" {
			text = c.until
		}
		at, err := listing.When(text, now)
		if err != nil {
			return nil, cli.UsageError("--%s: %v", flag, err)
		}
		if !at.IsZero() {
			*to = at.UnixMilli()
		}
	}
	c.sessions.Timed = c.limit > 0
	if q.since != 0 {
		c.sessions.WrittenSince = time.UnixMilli(q.since)
	}
	return q, nil
}

// wants reports whether a prompt is one of those wanted.
func (q *query) wants(p prompt) bool {
	if q.since != 0 && p.time < q.since || q.until != 0 && p.time >= q.until {
		return false
	}
	for _, w := range q.words {
		if !w.Match(p.text) {
			return false
		}
	}
	return true
}

// print prints rows in the form wanted.
func (c *config) print(s *cli.Streams, rows []line) error {
	out, form := s.Out, line.cells
	switch {
	case c.json:
		out, form = s.Out, line.json
	default:
		if sc := screen.On(s.Out, s.OutFile(), s.Color); sc != nil {
			return table(sc, rows)
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
		at = js.FormatTime(r.time)
	}
	name := cmp.Or(r.Address, "-")
	text := tty.Clean(strings.TrimRight(strings.ReplaceAll(r.text, "\r\n", "\n"), "\n"))
	return strings.Join([]string{at, strconv.Itoa(r.count), tty.Clean(name), cmp.Or(tty.Clean(r.entry), "-"), text}, "\t") + "\n"
}

// table prints rows for a terminal: the session, when a prompt was said, the directory if there are several, the text, and how often
// it was said.
func table(sc *screen.Screen, rows []line) error {
	cols := []screen.Col{{Max: 24}, {}, {Max: 14}, {Flex: true}}
	if sc.Width >= wideScreen {
		cols[2].Max = 30
	}
	if !screen.Several(rows, func(r line) string { return r.cwd }) {
		cols[2].From = math.MaxInt
	}
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = address.Shown(r.agent, r.Address, r.Session)
	}
	short := screen.Short(names)
	here, _ := os.Getwd()
	directory := func(cwd string) string {
		switch {
		case cwd == here: // as for most rows
			return ""
		case sc.Width < wideScreen:
			return screen.Base(cwd)
		}
		return sc.Directory(cwd, cols[2].Max)
	}
	return sc.Table(cols, func(yield func([]screen.Cell) bool) {
		for i, r := range rows {
			at := ""
			if r.time != 0 {
				at = screen.When(time.UnixMilli(r.time), sc.Now)
			}
			if !yield([]screen.Cell{
				{Text: sc.Directory(short(names[i]), cols[0].Max), Style: tty.Cyan},
				{Text: at, Style: tty.Dim},
				{Text: directory(r.cwd), Style: tty.Dim},
				{Text: screen.OneLine(r.text[:min(len(r.text), mostText)]), Tail: sc.Times(r.count)},
			}) {
				return
			}
		}
	})
}

// wideScreen is the width from which on a directory has more room.
const wideScreen = 110

// mostText is how many bytes of a prompt are laid out at most.
const mostText = 64 << 10

// json returns a row as JSON.
func (r line) json() string {
	return row.JSON(promptRow{
		Address: r.Address, Path: r.Path, Session: r.Session, Entry: r.entry, Timestamp: row.At(r.time, r.time != 0),
		Agent: r.agent, CWD: r.cwd, Text: r.text, Count: r.count,
	}) + "\n"
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
all
agent: only sessions of the agents NAME,NAME
cwd
ignore-case
since: only prompts since WHEN: 90m, 12h, 7d, a date
limit
json
`
