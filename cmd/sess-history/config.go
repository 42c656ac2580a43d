package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/row"
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
	json, nul    bool
}

func (c *config) flags() []cli.Flag {
	c.sessions.Tells = true
	return slices.Concat(
		c.sessions.Places(),
		[]cli.Flag{
			cli.String(&c.database, "db", "", "use the agent's database `FILE`: list the prompts of oh-my-pi's history.db, too"),
			cli.Bool(&c.ignoreCase, "ignore-case, i", "ignore case in WORDs"),
			cli.String(&c.since, "since", "", "only prompts since `WHEN`: 90m, 12h, 7d, 2w, a date or a time"),
			cli.String(&c.until, "until", "", "only prompts before `WHEN`"),
			cli.Count(&c.limit, "limit", "print at most `N` prompts, the newest"),
			cli.Bool(&c.dup, "copies", "take copies, too: each prompt, and not those that say the same once"),
			cli.Bool(&c.json, "json", "print a JSON object for each prompt"),
			cli.Bool(&c.nul, "null, 0", "names and rows end with a NUL, and prompts are printed whole"),
		},
	)
}

// A query says which prompts are wanted.
type query struct {
	words        []*grep.Pattern
	since, until int64 // in milliseconds since the epoch; 0 for any
	subagents    selection.Subagents
}

// query makes the query of the flags and words. An empty word is in every prompt.
func (c *config) query(words []string, now time.Time) (*query, error) {
	if err := cli.Exclusive(cli.NameIf(c.json, "--json"), cli.NameIf(c.nul, "-0")); err != nil {
		return nil, err
	}
	if c.database == "-" {
		return nil, cli.UsageError("--db wants a file: a database is not read from a stream")
	}
	q := &query{subagents: c.sessions.Subagents}
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
		at = js.FormatTime(r.time)
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

// json returns a row as JSON.
func (r line) json() string {
	return row.JSON(promptRow{
		Address: r.Address, Path: r.Path, Session: r.Session, Entry: r.entry, Timestamp: row.At(r.time, r.time != 0),
		Agent: r.agent, CWD: r.cwd, Text: r.text, Count: r.count,
	}) + "\n"
}
