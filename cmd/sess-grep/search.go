package main

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"os"
	"runtime"
	"sync"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/jq"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/grep"
	"github.com/sess-tools/sess/pkg/session"
)

// A search is what to look for and where to put it. It is used concurrently.
type search struct {
	*config
	streams *cli.Streams
	pattern *grep.Pattern
	fields  map[grep.Field]bool
	roles   map[string]bool // nil for all
	expr    *jq.Filter      // nil for none
	exprMu  sync.Mutex      // a filter is for one at a time

	// unfiltered says that lines without a match matter.
	unfiltered bool
	// spans says that all matches of a row matter, and not only the first.
	spans bool
	// many says that there are several sessions, which may have the same entries.
	many bool
	// term is standard output if that is a terminal, and screen if rows are laid out for it.
	term, screen *screen.Screen
}

func (c *config) search(s *cli.Streams, p *grep.Pattern) (*search, error) {
	g := &search{config: c, streams: s, pattern: p}
	var err error
	if g.fields, err = c.fields(); err != nil {
		return nil, err
	}
	if g.expr, err = jq.Flag("--where", c.where); err != nil {
		return nil, err
	}
	if words := cli.Words(c.role); len(words) > 0 {
		g.roles = map[string]bool{}
		for _, w := range words {
			g.roles[w] = true
		}
	}
	c.before, c.after = max(c.before, c.around), max(c.after, c.around)
	if c.maxTokens >= 0 {
		c.sessions.NoSelf, c.sessions.Rows = true, len(c.sessions.Agents) > 0
	}
	g.term = screen.On(s.Out, s.OutFile(), s.Color)
	g.screen = c.onScreen(g.term)
	g.unfiltered = c.invert || c.sessions.NoSelf
	g.spans = c.only || c.json || tty.Color(s.Color, s.OutFile(), os.LookupEnv)
	return g, nil
}

// A result is what came of one source.
type result struct {
	src          selection.Source
	groups       chan group // of entries with a match
	count        int        // entries, once groups is closed
	err          error
	place        row.Place
	cwd, harness string              // as the header has them
	sure         bool                // it is a session, of the right place
	info         session.Info        // for a screen
	short        func(string) string // shortens ids of entries for a screen
}

// buffered is how many groups a result holds before it is its turn.
const buffered = 16

// run searches sources and prints the matches in their order.
func (g *search) run(ctx context.Context, all selection.Found) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	g.many = len(all.List) > 1
	p := g.printer(all)
	defer p.close()
	show := &cli.Progress{}
	if len(all.List) > 1 {
		show = g.streams.Progress()
	}
	defer show.Clear()
	failed, first, done := 0, error(nil), 0
	for r, n := range g.results(ctx, all.List) {
		done += n
		show.Showf("%d of %d sessions", done, len(all.List))
		if r == nil {
			continue
		}
		for group := range r.groups {
			show.Clear()
			if err := p.group(r, group); err != nil {
				return err
			}
			switch {
			case g.quiet:
				return nil
			case p.full():
				return g.answer(p, all, failed, first)
			}
		}
		switch {
		case errors.Is(r.err, selection.ErrNotHere):
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case r.err != nil && len(all.List) > 1:
			show.Clear()
			g.streams.Warn(cli.Unseen, "%v", r.err)
		}
		if r.err != nil {
			failed, first = failed+1, cmp.Or(first, r.err)
			if r.count == 0 {
				continue
			}
		}
		show.Clear()
		if err := p.end(r); err != nil {
			return err
		}
		delete(p.coming, selection.Origin(r.src.Name))
		if g.quiet && r.count > 0 {
			return nil
		}
		if p.full() {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return g.answer(p, all, failed, first)
}

// answer is the status: found, not found, or that something was not searched.
func (g *search) answer(p *printer, all selection.Found, failed int, first error) error {
	if err := p.release(); err != nil {
		return err
	}
	if err := p.later.flush(p); err != nil {
		return err
	}
	if err := p.recalled(); err != nil {
		return err
	}
	if err := p.rows.foot(all); err != nil {
		return err
	}
	if p.copies > 0 && !p.quiet {
		p.streams.Infof("%s of these entries in other places not shown; --copies shows them", tty.Count(p.copies, "copy", "copies"))
	}
	switch {
	case failed > 0 && len(all.List) == 1:
		return first
	case failed > 0, all.Failed != nil:
		if g.streams.Quiet {
			return cli.CommandStatus(cli.ExitUsage)
		}
		return errors.Join(all.Failed, g.streams.Unread(failed, len(all.List), cli.ExitUsage))
	case !p.found:
		return cli.No("")
	}
	return nil
}

// A batch has the results of sources that follow each other. Sources whose raw lines cannot match are left
// out.
type batch struct {
	results []*result
	total   int
	ready   chan struct{} // closed when the rest is known
}

// mostInBatch is how many sources a batch has at most: one alone hardly takes longer
// than handing it on.
const mostInBatch = 32

// results gives the results of sources in their order while they are searched, some at
// once. With each it gives how many sources it stands for.
func (g *search) results(ctx context.Context, list []selection.Source) iter.Seq2[*result, int] {
	workers := 2 * runtime.GOMAXPROCS(0)
	queue := make(chan *batch, workers)
	turns := make(chan struct{}, workers)
	go func() {
		defer close(queue)
		for at := 0; at < len(list); {
			n := min(1+at/4, mostInBatch, len(list)-at)
			b := &batch{total: n, ready: make(chan struct{})}
			select {
			case turns <- struct{}{}:
			case <-ctx.Done():
				return
			}
			go func(part []selection.Source) {
				defer func() { <-turns }()
				g.batch(ctx, b, part)
			}(list[at : at+n])
			at += n
			select {
			case queue <- b:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func(yield func(*result, int) bool) {
		for b := range queue {
			<-b.ready
			for i, r := range b.results {
				stands := 1
				if i == 0 {
					stands += b.total - len(b.results)
				}
				if !yield(r, stands) {
					return
				}
			}
			if len(b.results) == 0 && !yield(nil, b.total) {
				return
			}
		}
	}
}

// batch searches sources, one after the other.
func (g *search) batch(ctx context.Context, b *batch, part []selection.Source) {
	quick := !g.unfiltered && !g.count && !g.namesWithout
	ctx = address.Copied(ctx)
	if quick && !g.fields[grep.FieldCustom] && !g.streams.Judges() { // what an importer keeps for itself has ids that it made
		ctx = address.Having(ctx, g.pattern.Words())
	}
	var scanner *grep.Scanner
	for _, src := range part {
		if quick && src.Plain {
			if scanner == nil {
				scanner = g.pattern.Scanner(false)
			}
			if g.nothing(ctx, src, scanner) {
				continue
			}
		}
		b.results = append(b.results, &result{src: src, groups: make(chan group, buffered)})
	}
	close(b.ready)
	for _, r := range b.results {
		if err := g.open(ctx, r); !errors.Is(err, errEnough) {
			r.err = err
		}
		close(r.groups)
	}
}

// errEnough ends the search of a source early.
var errEnough = errors.New("enough")

// add adds a group to a result.
func (r *result) add(ctx context.Context, gr group) error {
	select {
	case r.groups <- gr:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
