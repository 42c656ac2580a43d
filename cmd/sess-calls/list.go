package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/gate"
	"github.com/sess-tools/sess/pkg/session"
)

// spare is how many bytes are taken and never used. The collector waits until as much as is alive was made again, which
// beside a few small sessions is little: it would run for each of them.
const spare = 16 << 20

// list prints the rows of the calls of all sessions.
func (c *config) list(ctx context.Context, s *cli.Streams, found selection.Found) error {
	r := &reader{config: c, single: found.Single}
	var sc *screened
	if term := screen.On(s.Out, s.OutFile(), s.Color); term != nil && !c.plain && !c.json && !c.count && !c.quiet {
		sc = &screened{term, map[string]int{}, map[string]int{}}
		r.screen, r.short = term, found.Short()
	}
	defer runtime.KeepAlive(make([]byte, spare))
	all, reading := selection.Read(address.Copied(ctx), s, found, c.sessions.Subagents, calls.Cut, r.read)
	rows := 0
	for part := range all {
		if c.limit > 0 {
			part.cut(c.limit - rows)
		}
		if rows += part.rows; c.quiet && rows > 0 {
			return nil
		}
		if sc != nil {
			if err := sc.print(part); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(s.Out, part.text); err != nil {
			return err
		}
		if rows == c.limit && rows > 0 {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if sc != nil {
		if err := sc.foot(); err != nil {
			return err
		}
	}
	if c.count {
		fmt.Fprintln(s.Out, rows)
	}
	if err := reading.Err(); err != nil || rows > 0 {
		return err
	}
	return cli.No("")
}

// A reader makes the rows of sessions, of several at once.
type reader struct {
	*config
	single bool
	mu     sync.Mutex // a filter is for one at a time

	screen *screen.Screen      // that rows are laid out for; nil for none
	short  func(string) string // shortens addresses for it
}

// A part are the rows of one session.
type part struct {
	text string
	rows int

	heading screen.Heading // for a screen
	shown   []shown
}

// cut leaves at most n rows.
func (p *part) cut(n int) {
	if p.rows <= n {
		return
	}
	p.rows, p.shown = n, p.shown[:min(n, len(p.shown))]
	if rows := strings.SplitAfterN(p.text, "\n", n+1); len(rows) > n {
		p.text = strings.Join(rows[:n], "")
	}
}

// read makes the rows of one session.
func (r *reader) read(ctx context.Context, src selection.Source, whole *address.Source) (p part, err error) {
	entries, onPath, err := r.entries(whole)
	if err != nil {
		return p, err
	}
	var b strings.Builder
	short := func(id string) string { return id }
	if r.screen != nil {
		short = shortIDs(whole)
	}
	for n, call := range calls.Of(entries, whole.Header.CWD) {
		if !r.wants(&call) {
			continue
		}
		d := gate.Deed{Call: call}
		if r.pattern != nil || r.simple || r.json || r.expr != nil { // parsing takes as long as all the rest
			d = gate.Read(call)
		}
		if r.pattern != nil && !r.pattern.Match(&d) {
			continue
		}
		text := ""
		if r.json || r.expr != nil {
			text = object(src, whole, entries, n, &d, onPath)
		}
		if r.expr != nil {
			if ok, err := r.matches(ctx, text); err != nil {
				return p, err
			} else if !ok {
				continue
			}
		}
		if r.secrets != nil {
			if err := r.clean(&d); err != nil {
				return p, err
			}
			if r.json {
				text = object(src, whole, entries, n, &d, onPath)
			}
		}
		p.rows += r.write(&b, src, entries, &d, text, func(line gate.Line) { p.shows(r.screen, entries, &d, line, short) })
	}
	p.text = b.String()
	if len(p.shown) > 0 {
		p.heading, err = src.HeadingOf(whole, r.short)
	}
	return p, err
}

// shortIDs returns the function that shortens the ids of the entries of a session.
func shortIDs(whole *address.Source) func(string) string {
	ids := make([]string, len(whole.Entries))
	for i, e := range whole.Entries {
		ids[i] = e.ID()
	}
	return screen.Short(ids)
}

// words are those of the simple commands of a deed.
func words(d *gate.Deed) (all [][]string) {
	for _, c := range d.Commands {
		all = append(all, c.Words)
	}
	return all
}

// clean takes secrets out of what rows say of a deed.
func (r *reader) clean(d *gate.Deed) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var failed error
	clean := func(text string) string {
		out, err := r.secrets.Text(text)
		failed = cmp.Or(failed, err)
		return out
	}
	d.Target, d.Command = clean(d.Target), clean(d.Command)
	for i, name := range d.Paths {
		d.Paths[i] = clean(name)
	}
	for i := range d.Commands {
		words := d.Commands[i].Words
		for j, word := range words {
			words[j] = clean(word)
		}
		line := d.Commands[i].String()
		if cleaned := clean(line); cleaned != line { // a secret that its neighbours tell
			d.Commands[i].Words = strings.Split(cleaned, " ")
		}
	}
	return failed
}

// matches reports whether --where selects a row.
func (r *reader) matches(ctx context.Context, text string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ok, err := r.expr.Match(ctx, text)
	if err != nil {
		err = cli.UsageError("--where: %v", err)
	}
	return ok, err
}

// entries are those whose calls are meant, and whether each is on the path to the leaf.
func (c *config) entries(whole *address.Source) ([]session.Entry, func(int) bool, error) {
	leaf, err := whole.Leaf("last")
	if err != nil {
		return nil, nil, err
	}
	if !c.branches {
		path, _ := whole.PathTo(leaf)
		return path, func(int) bool { return true }, nil
	}
	on := map[int]bool{}
	path, problems := whole.PathIndex(leaf)
	whole.Warn(problems)
	for _, i := range path {
		on[i] = true
	}
	return whole.Entries, func(i int) bool { return on[i] }, nil
}

// write prints the row of a call, or those of its commands, and returns how many there are. Those for a screen go to show.
func (r *reader) write(b *strings.Builder, src selection.Source, entries []session.Entry, d *gate.Deed, object string, show func(gate.Line)) int {
	lines := []gate.Line{{Text: cmp.Or(d.Target, d.Name), Ending: d.Ending, Known: true}} // a call about nothing is one of its tool
	if r.simple && d.Command != "" {
		lines = d.Lines()
	}
	for _, line := range lines {
		switch {
		case r.count, r.quiet:
			continue
		case r.screen != nil:
			show(line)
			continue
		case r.json:
			b.WriteString(object + "\n")
			return 1
		case !r.plain:
			if !r.single {
				b.WriteString(tty.Clean(src.Label()) + ":")
			}
			b.WriteString(tty.Clean(entries[d.Entry].ID()) + ":")
		}
		ended := "null"
		if line.Known {
			ended = line.Ending.String()
		}
		b.WriteString(strings.Join([]string{d.Kind, ended, tty.Clean(line.Text)}, ":") + "\n")
	}
	return len(lines)
}

// object is the row of a call as JSON.
func object(src selection.Source, whole *address.Source, entries []session.Entry, n int, d *gate.Deed, onPath func(int) bool) string {
	e := entries[d.Entry]
	out := callRow{
		Kind: d.Kind, Place: whole.Place(), Agent: cmp.Or(src.Owner(), whole.Header.Origin().Harness), Entry: e.ID(), Timestamp: row.At(e.Timestamp()), Number: n + 1, By: d.By,
		Tool: d.Name, CallID: d.ID, In: d.In, Target: d.Target, Paths: d.Paths, Command: d.Command, Simple: words(d),
		Opaque: d.Opaque, Unparsed: d.Unparsed, Status: row.Known(d.Status, d.Known), Outcome: d.Outcome, On: "branch",
	}
	if d.Result >= 0 {
		out.Result, out.Ended = entries[d.Result].ID(), row.At(entries[d.Result].Timestamp())
	}
	if onPath(d.Entry) {
		out.On = "path"
	}
	return row.JSON(out)
}
