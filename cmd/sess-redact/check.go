package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/sess-tools/sess/internal/guard/redact"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/row"
	"github.com/sess-tools/sess/internal/tool/sources"
	"github.com/sess-tools/sess/internal/tool/tty"
)

// checkAll prints where secrets are in sessions.
func (c *config) checkAll(ctx context.Context, s *clikit.Streams, r *redact.Redactor, operands []string) error {
	var err error
	if c.base, err = c.openBaseline(s); err != nil {
		return err
	}
	all, err := c.sessions.Find(ctx, s, operands)
	if err != nil {
		return err
	}
	rep := c.reporter(s)
	count := &counted{kinds: map[string]int{}}
	checked, failed := 0, all.Failed
	for _, src := range all.List {
		switch err := c.checkOne(ctx, s, r, src, rep, count); {
		case errors.Is(err, sources.ErrNotHere):
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			failed = errors.Join(failed, err) // and go on with the others
		}
		checked++
	}
	if err := rep.end(count, checked, len(c.set.Rules())); err != nil {
		return err
	}
	s.Notef("%s", count.summary(checked))
	if failed != nil {
		return failed
	}
	if c.newBaseline != "" {
		return c.base.write(c.newBaseline)
	}
	if count.total > 0 {
		return clikit.No("")
	}
	return nil
}

// checkOne prints where secrets are in a session.
func (c *config) checkOne(ctx context.Context, s *clikit.Streams, r *redact.Redactor, src sources.Source, rep reporter, count *counted) error {
	in, err := src.Open(ctx, s)
	if err != nil {
		return err
	}
	defer in.Close()
	count.session()
	place := in.Place("")
	src.Name, place.Address, place.Path = c.shown(src.Name), c.shown(place.Address), c.shown(place.Path) // in rows
	var failed error
	var group *found
	flush := func() {
		if group != nil && failed == nil {
			failed = rep.row(*group)
		}
		group = nil
	}
	err = c.scan(ctx, r, in, nil, func(f redact.Found) {
		mark := c.base.fingerprint(f)
		if c.base.knows(mark) {
			return
		}
		c.base.add(mark, f)
		count.add(f)
		next := found{src: src, place: place, Found: f, count: 1, fingerprint: mark}
		if group != nil && !c.json && group.same(next) {
			group.count++
			return
		}
		flush()
		group = &next
	})
	flush()
	return errors.Join(err, failed)
}

// A found secret is a finding as it is printed, or several of one kind in one place.
type found struct {
	redact.Found
	src         sources.Source
	place       row.Place
	count       int
	fingerprint string
}

func (r found) same(o found) bool {
	return r.src.Name == o.src.Name && r.Line == o.Line && r.Entry == o.Entry && r.Field == o.Field && r.Rule == o.Rule && r.Structural == o.Structural
}

// counted is how much was found.
type counted struct {
	total   int
	entries int
	kinds   map[string]int
	last    string // entry
}

// session says that what comes is of another session.
func (n *counted) session() { n.last = "" }

func (n *counted) add(f redact.Found) {
	n.total++
	n.kinds[f.Rule]++
	if f.Entry != n.last {
		n.entries++
		n.last = f.Entry
	}
}

func (n *counted) summary(sessions int) string {
	return fmt.Sprintf("%s in %s of %s (%s)", tty.Count(n.total, "finding", "findings"), tty.Count(n.entries, "entry", "entries"),
		tty.Count(sessions, "session", "sessions"), tty.Count(len(n.kinds), "kind", "kinds"))
}
