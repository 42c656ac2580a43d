package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/listing"
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
	var b strings.Builder
	if len(all) == 0 {
		b.WriteString("No sessions on this machine yet. Looked for:\n" + lookedFor(ctx))
	} else {
		writeStock(&b, all)
		writeLatest(&b, newest)
	}
	if !known {
		fmt.Fprintf(&b, "\nThe sessions of other agents took longer than %v to count: sess-ls --agent all has them.\n", attention)
	}
	b.WriteString("\nNext:\n")
	for _, line := range next(newest) {
		b.WriteString("  " + line + "\n")
	}
	_, err = io.WriteString(s.Out, b.String())
	return err
}

// named are the agents whose places are named where there is no session; the others are counted.
var named = []string{"claude", "codex"}

// lookedFor says where there is no session.
func lookedFor(ctx context.Context) string {
	home, _ := os.UserHomeDir() // paths stay as they are without it
	sc := screen.New(screen.Screen{Home: home}, false)
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
	if len(rows) == 0 {
		return ""
	}
	if others > 0 {
		rows[len(rows)-1][2] += fmt.Sprintf("        … and %d more: sess-import --homes -v", others)
	}
	return cli.Table("  ", rows)
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
	return own, newest, nil
}

// rowsOf returns what a tool lists; ok is false if it did not list all.
func rowsOf(ctx context.Context, tool string, args ...string) (rows []js.Value, ok bool) {
	p, err := subprocess.Program{Name: tool, Args: append([]string{"-q"}, args...), Say: func(subprocess.Message) {}}.Start(ctx)
	if err != nil {
		return nil, false
	}
	defer p.Close()
	text, err := io.ReadAll(p)
	for line := range strings.Lines(string(text)) {
		rows = append(rows, js.Value(strings.TrimSpace(line)))
	}
	return rows, err == nil || cli.Status(err) == cli.ExitNo
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

// latest are the sessions that were modified last.
func latest(rows []js.Value) []js.Value {
	rows = slices.DeleteFunc(rows, func(r js.Value) bool { return r.Get("kind").Str() != "session" })
	modified := func(r js.Value) string { return r.Get("modified").Str() } // in UTC, and of one length
	slices.SortStableFunc(rows, func(a, b js.Value) int { return strings.Compare(modified(b), modified(a)) })
	return rows[:min(most, len(rows))]
}

func writeStock(b *strings.Builder, all []stock) {
	rows := [][]string{{"sessions", "here", "in all"}}
	for _, s := range all {
		here := strconv.FormatInt(s.here, 10)
		if !s.exact {
			here += "+"
		}
		rows = append(rows, []string{tty.Clean(s.name), here, strconv.FormatInt(s.all, 10)})
	}
	b.WriteString(cli.Table("", rows))
}

func writeLatest(b *strings.Builder, newest []js.Value) {
	var rows [][]string
	for _, r := range newest {
		when := ""
		if ms, ok := js.ParseTime(r.Get("modified").Str()); ok {
			when = listing.Ago(time.UnixMilli(ms), time.Now())
		}
		title := tty.Clean(cmp.Or(r.Get("title").Str(), r.Get("session").Str()))
		rows = append(rows, []string{when, tty.Clean(cmp.Or(r.Get("agent").Str(), program)), tty.Fit(title, 60)})
	}
	if len(rows) > 0 {
		b.WriteString("\nnewest\n" + cli.Table("", rows))
	}
}

// next are lines to type, which work as they are.
func next(newest []js.Value) []string {
	if len(newest) == 0 {
		return []string{"CLAUDE_CONFIG_DIR, CODEX_HOME and the like say where else", "sess-new --store --title 'a first one'", "sess help"}
	}
	last, where, other := newest[0], "--all", "codex"
	name := cli.ShellWords([]string{tty.Clean(last.Get("address").Str())})
	agent := last.Get("agent").Str()
	if agent != "" {
		where = "--agent all --all"
	}
	if agent == other {
		other = "claude"
	}
	lines := []string{"sess-show " + name, "sess-handoff --to " + other + " " + name}
	for word := range strings.FieldsSeq(last.Get("firstMessage").Str()) {
		if len(word) > 1 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			lines = append(lines, "sess-grep "+where+" "+word)
			break
		}
	}
	return append(lines, "sess-stat "+where+" --by day,model", "sess help")
}
