package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/index"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/pkg/session"
)

// sparse returns the renderer of context and state for a large session, of which
// it reads the tail, the heads of all lines, and the few entries that set
// something. The error is [session.ErrWhole] if that does not tell.
func (c *config) sparse(ctx context.Context, s *clikit.Streams, in *operand.Input) (*renderer, error) {
	f, size, ok := in.Large(largeSession)
	if !ok {
		return nil, session.ErrWhole
	}
	src, tail, err := in.Recent(largeSession)
	if err != nil {
		return nil, err
	}
	x, err := index.New(f, size)
	if errors.Is(err, index.ErrNotPlain) {
		return nil, session.ErrWhole
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", in.Name, err)
	}
	leaf := x.Len() - 1
	if tail[len(tail)-1].Offset() != x.Offset(leaf) || !answered(tail) {
		return nil, session.ErrWhole
	}
	r := &renderer{config: c, ctx: ctx, streams: s, src: src, leaf: leaf, path: tail}
	return r, r.fill(f, x)
}

// answered reports whether there is a message that names the model.
func answered(path []session.Entry) bool {
	for _, e := range path {
		if e.Role() == session.RoleAssistant {
			return true
		}
	}
	return false
}

// fill puts what the index tells in the place of what reading all would.
func (r *renderer) fill(f *os.File, x *index.Index) error {
	var err error
	if r.src.Header, err = session.ReadHeader(io.NewSectionReader(f, 0, x.Offset(0))); err != nil {
		return err
	}
	spans, err := x.Spans(r.leaf)
	if err != nil {
		return session.ErrWhole
	}
	var before []session.Entry
	for _, n := range x.Others() {
		line, err := x.Line(n)
		if err != nil {
			return fmt.Errorf("reading %s: %w", r.src.Name, err)
		}
		e, err := session.ParseEntry(string(bytes.TrimSuffix(line, []byte("\n"))))
		if err != nil {
			return session.ErrWhole
		}
		r.src.Entries = append(r.src.Entries, e)
		if on(spans, n) && x.Offset(n) < r.path[0].Offset() {
			before = append(before, e)
		}
	}
	r.src.Session.Name = session.NameOf(r.src.Header, r.src.Entries)
	r.facts = &facts{leaf: r.path[len(r.path)-1].ID(), heads: []string{}}
	r.path = append(before, r.path...)
	for _, s := range spans {
		r.facts.entries += s.Last - s.First + 1
	}
	for _, n := range x.Heads() {
		line, err := x.Line(n)
		if err != nil {
			return fmt.Errorf("reading %s: %w", r.src.Name, err)
		}
		e, err := session.ParseEntry(string(line))
		if err != nil {
			return session.ErrWhole
		}
		r.facts.heads = append(r.facts.heads, e.ID())
	}
	return nil
}

// on reports whether entry n is on a path.
func on(path []index.Span, n int) bool {
	for _, s := range path {
		if s.First <= n && n <= s.Last {
			return true
		}
	}
	return false
}
