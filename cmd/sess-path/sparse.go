package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/walk"
)

// sparse reads the tail of a large session, the heads of all its lines, and the few
// entries that set something. The error is [session.ErrWhole] if these do not tell
// the context and the state.
func sparse(in *operand.Input) (*reading, error) {
	f, size, ok := in.Large(largeSession)
	if !ok {
		return nil, session.ErrWhole
	}
	tail, problems, err := in.Recent(largeSession)
	if err != nil {
		return nil, err
	}
	x, err := walk.NewIndex(f, size)
	if errors.Is(err, walk.ErrOdd) {
		return nil, session.ErrWhole
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", in.Name, err)
	}
	leaf := x.Len() - 1
	if tail[len(tail)-1].Offset() != x.Offset(leaf) || !answered(tail) {
		return nil, session.ErrWhole
	}
	r := &reading{name: in.Name, problems: problems, leaf: tail[len(tail)-1].ID(), heads: []string{}}
	if r.header, err = session.ReadHeader(io.NewSectionReader(f, 0, x.Offset(0))); err != nil {
		return nil, err
	}
	return r, r.fill(x, tail)
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

// fill takes from the index what the tail of the path does not tell.
func (r *reading) fill(x *walk.Index, tail []session.Entry) error {
	spans, err := x.Spans(x.Len() - 1)
	if err != nil {
		return session.ErrWhole
	}
	for _, s := range spans {
		r.count += s.Last - s.First + 1
	}
	var settings []session.Entry
	for _, n := range x.Rare() {
		e, err := r.entry(x, n)
		if err != nil {
			return err
		}
		settings = append(settings, e)
		if on(spans, n) && x.Offset(n) < tail[0].Offset() {
			r.path = append(r.path, e)
		}
	}
	r.path = append(r.path, tail...)
	r.title, r.labels = session.NameOf(r.header, settings), session.LabelsOf(settings)
	for _, n := range x.Heads() {
		e, err := r.entry(x, n)
		if err != nil {
			return err
		}
		r.heads = append(r.heads, e.ID())
	}
	return nil
}

// entry reads entry n of an index.
func (r *reading) entry(x *walk.Index, n int) (session.Entry, error) {
	line, err := x.Line(n)
	if err != nil {
		return session.Entry{}, fmt.Errorf("reading %s: %w", r.name, err)
	}
	e, err := session.ParseEntry(string(bytes.TrimSuffix(line, []byte("\n"))))
	if err != nil {
		return session.Entry{}, session.ErrWhole
	}
	return e, nil
}

// on reports whether entry n is on a path.
func on(path []walk.Span, n int) bool {
	for _, s := range path {
		if s.First <= n && n <= s.Last {
			return true
		}
	}
	return false
}
