package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/store"
)

// attention is how long the first screen waits for the counts of other agents' sessions.
const attention = time.Second

// most is how many sessions are named.
const most = 3

// A stock is what sessions there are of one agent, or of ours.
type stock struct {
	name      string
	here, all int64
	exact     bool // else there may be more here
}

// first lists the sessions of this machine, and commands to type next. It is for people: scripts get the list of
// commands.
func first(ctx context.Context, s *cli.Streams) error {
	cwd, err := address.CWD("")
	if err != nil {
		return err
	}
	var foreign []js.Value
	var known bool
	var asking sync.WaitGroup
	asking.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, attention)
		defer cancel()
		foreign, known = rowsOf(ctx, "sess-import", "--homes", "--list")
	})
	ours, newest, err := stored(ctx, cwd)
	if err != nil {
		return err
	}
	asking.Wait()
	all, newest := tally(ours, foreign), latest(append(newest, foreign...))
	sc := screen.On(s.Out, s.OutFile(), "")
	if len(all) == 0 {
		err = errors.Join(writeLine(sc, "No sessions on this machine yet. Looked for:"), writeLookedFor(ctx, sc))
	} else if err = writeStock(sc, all); err == nil {
		err = writeLatest(sc, newest)
	}
	if err == nil && !known {
		err = errors.Join(writeLine(sc, ""), sc.Foot("The sessions of other agents took longer than %v to count: sess ls --agent all has them.", attention))
	}
	if err == nil {
		err = writeNext(sc, next(newest, slices.ContainsFunc(all, func(s stock) bool { return s.here > 0 })))
	}
	return err
}

// named are the agents whose places are named where there is no session; the others are counted.
var named = []string{"claude", "codex"}

// writeLookedFor says where there is no session.
func writeLookedFor(ctx context.Context, sc *screen.Screen) error {
	var rows [][]string
	others := 0
	text, _ := subprocess.Output(ctx, address.Importer, "--homes", "--verbose") // without it our own place is left
	for line := range strings.Lines(text) {
		columns := strings.Split(strings.TrimSuffix(line, "\n")+"\tempty", "\t")
		if len(columns) < 3 || !slices.Contains(named, columns[0]) {
			others++
			continue
		}
		rows = append(rows, []string{tty.Clean(columns[0]), sc.Directory(columns[1], 60), columns[2]})
	}
	if root, err := address.StoreDir(); err == nil {
		state := "empty"
		if _, err := os.Stat(root); err != nil {
			state = "not there"
		}
		rows = append(rows, []string{program, sc.Directory(root, 60), state})
	}
	if others > 0 && len(rows) > 0 {
		rows[len(rows)-1][2] += fmt.Sprintf("        %s and %d more: sess-import --homes -v", sc.Marks.More, others)
	}
	return sc.Table(make([]screen.Col, 4), func(yield func([]screen.Cell) bool) {
		for _, row := range rows {
			if !yield([]screen.Cell{{}, {Text: row[0]}, {Text: row[1]}, {Text: row[2]}}) { // the first one is the indent
				return
			}
		}
	})
}

// stored counts our own sessions, without reading them, and lists the newest.
func stored(ctx context.Context, cwd string) (own stock, newest []js.Value, err error) {
	own.name, own.exact = program, true
	root, err := address.StoreDir()
	if err != nil {
		return own, nil, err
	}
	project := store.Open(root).Project(cwd) + string(filepath.Separator)
	type file struct {
		path    string
		written time.Time
	}
	var files []file
	for _, path := range store.Files([]string{root}, store.Options{Recursive: true, Warn: func(string, error) {}}) {
		fi, err := os.Stat(path)
		if err != nil {
			continue // it is gone
		}
		files = append(files, file{path, fi.ModTime()})
		if own.all++; strings.HasPrefix(path, project) {
			own.here++
		}
	}
	slices.SortStableFunc(files, func(a, b file) int { return b.written.Compare(a.written) })
	args := []string{"--json", "--"}
	for _, f := range files[:min(most, len(files))] {
		args = append(args, f.path)
	}
	if len(files) > 0 {
		newest, _ = rowsOf(ctx, "sess-ls", args...)
	}
	for i, r := range newest { // it is ours, whatever agent it was imported from
		newest[i] = r.With("agent", "null")
	}
	return own, newest, nil
}

// rowsOf returns what a tool lists; ok is false if it did not list all.
func rowsOf(ctx context.Context, tool string, args ...string) (rows []js.Value, ok bool) {
	rows, err := subprocess.Program{Name: tool, Args: append([]string{"-q"}, args...), Say: func(subprocess.Message) {}}.Rows(ctx)
	return rows, err == nil
}

// tally returns what there is of ours, and of each agent that has a row.
func tally(ours stock, rows []js.Value) (all []stock) {
	if ours.all > 0 {
		all = append(all, ours)
	}
	for _, r := range rows {
		if r.Get("kind").Str() == "home" {
			if n := r.Get("sessions").Int(); n > 0 {
				all = append(all, stock{r.Get("agent").Str(), r.Get("here").Int(), n, r.Get("exact") == "true"})
			}
		}
	}
	slices.SortFunc(all, func(a, b stock) int { return cmp.Or(cmp.Compare(b.all, a.all), strings.Compare(a.name, b.name)) })
	return all
}

// latest are the sessions that were modified last, without our copies of those that an agent has.
func latest(rows []js.Value) []js.Value {
	theirs := map[string]bool{}
	for _, r := range rows {
		theirs[r.Get("session").Str()] = theirs[r.Get("session").Str()] || r.Get("agent").Str() != ""
	}
	rows = slices.DeleteFunc(rows, func(r js.Value) bool {
		return r.Get("kind").Str() != "session" || r.Get("agent").Str() == "" && theirs[r.Get("session").Str()]
	})
	modified := func(r js.Value) string { return r.Get("modified").Str() } // in UTC, and of one length
	slices.SortStableFunc(rows, func(a, b js.Value) int { return strings.Compare(modified(b), modified(a)) })
	return rows[:min(most, len(rows))]
}

// writeLine prints a line as it is.
func writeLine(sc *screen.Screen, text string) error { return sc.Write(screen.Cell{Text: text}) }

func writeStock(sc *screen.Screen, all []stock) error {
	return sc.Table([]screen.Col{{Head: "SESSIONS"}, {Head: "HERE", Right: true}, {Head: "IN ALL", Right: true}}, func(yield func([]screen.Cell) bool) {
		for _, s := range all {
			here := screen.Count(s.here)
			if !s.exact {
				here += "+"
			}
			if !yield([]screen.Cell{{Text: s.name}, {Text: here}, {Text: screen.Count(s.all)}}) {
				return
			}
		}
	})
}

// shown is the name of a session for people, before it is shortened.
func shown(r js.Value) string {
	return address.Shown(r.Get("agent").Str(), r.Get("address").Str(), r.Get("session").Str())
}

// shorten returns the function that shortens the names of sessions.
func shorten(newest []js.Value) func(string) string {
	names := make([]string, len(newest))
	for i, r := range newest {
		names[i] = shown(r)
	}
	return screen.Short(names)
}

func writeLatest(sc *screen.Screen, newest []js.Value) error {
	if len(newest) == 0 {
		return nil
	}
	short := shorten(newest)
	if err := sc.Blank(); err != nil {
		return err
	}
	cols := []screen.Col{{Head: "NEWEST"}, {Head: "CHANGED", From: 50}, {Head: "DIRECTORY", Max: 14, From: 60}, {Head: "TITLE", Flex: true}}
	return sc.Table(cols, func(yield func([]screen.Cell) bool) {
		for _, r := range newest {
			at := ""
			if ms, ok := js.ParseTime(r.Get("modified").Str()); ok {
				at = screen.When(time.UnixMilli(ms), sc.Now)
			}
			if !yield([]screen.Cell{
				{Text: sc.Directory(short(shown(r)), 24), Style: tty.Cyan},
				{Text: at, Style: tty.Dim},
				{Text: screen.Base(r.Get("cwd").Str()), Style: tty.Dim},
				{Text: screen.OneLine(cmp.Or(r.Get("title").Str(), r.Get("session").Str())), Style: tty.Bold},
			}) {
				return
			}
		}
	})
}

// next are lines to type, which work as they are, each with its purpose. The newest session is named, unless there is one here,
// which the tools take by themselves.
func next(newest []js.Value, here bool) [][2]string {
	if len(newest) == 0 {
		return [][2]string{{"CLAUDE_CONFIG_DIR, CODEX_HOME and the like say where else", ""}, {"sess new --store --title 'a first one'", ""}, {"sess help", ""}}
	}
	name, which, other, where := "", "the newest one here", "codex", "--all"
	last := newest[0]
	if !here {
		name, which = " "+cli.ShellWords([]string{shorten(newest)(shown(last))}), "the newest one"
	}
	agent := last.Get("agent").Str()
	if agent == other {
		other = "claude"
	}
	if agent != "" {
		where = "--agent all"
	}
	lines := [][2]string{
		{"sess show" + name, "read " + which},
		{"sess handoff --to " + other + name, "continue it in " + other},
		{"sess grep " + where + " 'WORDS'", "find where something was said"},
		{"sess stat " + where + " --by day", "what it cost"},
		{"sess help", ""},
	}
	if resume := resumed(newest, here); resume != "" {
		lines = slices.Insert(lines, 1, [2]string{resume, "go on with it where it came from"})
	}
	return lines
}

// resumed is the line that goes on with the newest session in its own agent, "" if none is known. If there is one here it is
// that one.
func resumed(newest []js.Value, here bool) string {
	for _, r := range newest {
		if resume := r.Get("resume").Str(); !here || resume == "" || !strings.HasPrefix(resume, "cd ") {
			return tty.Clean(resume)
		}
	}
	return ""
}

// fits reports whether the purpose of a line to type has room behind it, if lines take so many columns.
func fits(sc *screen.Screen, width int, line [2]string) bool {
	return len("  ")+width+3+screen.Columns(line[1]) <= sc.Width
}

// writeNext prints lines to type, with their purpose if there is room.
func writeNext(sc *screen.Screen, lines [][2]string) error {
	if err := errors.Join(writeLine(sc, ""), writeLine(sc, "Next:")); err != nil {
		return err
	}
	width := 0
	for _, line := range lines {
		if w := screen.Columns(line[0]); line[1] != "" && fits(sc, w, line) {
			width = max(width, w)
		}
	}
	for _, line := range lines {
		text := []screen.Cell{{Text: "  " + line[0]}}
		if line[1] != "" && screen.Columns(line[0]) <= width && fits(sc, width, line) {
			text = []screen.Cell{{Text: "  " + sc.Pad(line[0], width) + "   "}, {Text: line[1], Style: tty.Dim}}
		}
		if err := sc.Write(text...); err != nil {
			return err
		}
	}
	return nil
}
