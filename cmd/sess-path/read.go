package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/index"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// A need says how much of a session a run has to read.
type need int

const (
	all             need = iota // the whole session
	ranges                      // where the lines of the path begin and end
	contextOnly                 // the messages in the context of the last entry
	contextAndState             // these, and the entries that set something
)

// The sizes in bytes from which on less than all of a session is read. Below them
// all of it is, which takes some milliseconds and finds whatever is wrong with it.
const (
	recentSession = address.RecentSession // for a context
	largeSession  = 32 << 20              // for the rest
)

// need returns how much of the session the flags ask for. Each form lists the flags
// that it serves with less than all of a session; any other flag needs all of it.
func (c *config) need() need {
	other := c.settings // set to their defaults here: the flags that are served
	other.as, other.noHeader = c.defaults.as, c.defaults.noHeader
	last := c.leaf == c.defaults.leaf || c.leaf == "."
	var n need
	switch c.as {
	case "entries":
		other.leaf = c.defaults.leaf
		n = ranges
	case "messages", "openai", "anthropic", "text", "markdown":
		other.budget, other.jq, other.raw, other.harness = c.defaults.budget, c.defaults.jq, c.defaults.raw, c.defaults.harness
		n = contextOnly
	case "context", "state":
		other.jq, other.raw = c.defaults.jq, c.defaults.raw
		n = contextAndState
	}
	if last {
		other.leaf = c.defaults.leaf
	}
	if other != c.defaults {
		return all
	}
	return n
}

// A reading has the parts of a session that a run needs, or all of it.
type reading struct {
	name     string          // for messages
	path     []session.Entry // of it at least the entries that are needed
	problems []session.Problem
	utf8     bool // the session is known to be valid UTF-8

	// Known unless the need is contextOnly.
	header session.Header
	title  string // the session's name
	leaf   string // the id of the last entry of the path, "" without entries
	heads  []string
	labels []session.Label
	count  int // entries on the path

	lead []string // the lines in front of the entries, if all was read
}

// read reads the needed part of a session, and all of it if the part cannot be read by itself
// without.
func (c *config) read(in *address.Input) (*reading, error) {
	var r *reading
	err := session.ErrWhole
	switch c.need() {
	case contextOnly:
		var path []session.Entry
		var problems []session.Problem
		if path, problems, err = in.Recent(recentSession); err == nil {
			return &reading{name: in.Name, path: path, problems: problems}, nil
		}
	case contextAndState:
		r, err = sparse(in)
	case ranges, all: // ranges are copied, see [config.copyLarge], if that is possible
	}
	if errors.Is(err, session.ErrWhole) {
		return c.readWhole(in)
	}
	return r, err
}

// readWhole reads all of a session.
func (c *config) readWhole(in *address.Input) (*reading, error) {
	src, err := in.Session()
	if err != nil {
		return nil, err
	}
	leaf, err := src.Leaf(cmp.Or(c.entry, c.leaf))
	if err != nil {
		return nil, err
	}
	path, problems := src.PathTo(leaf)
	switch {
	case c.branches:
		path = src.Entries
	case c.entry != "" && leaf >= 0:
		path = withResults(src.Entries, leaf)
	}
	problems = slices.Concat(problems, c.resolve(src, path))
	if c.strict {
		if err := src.Strict(src.Problems, problems); err != nil {
			return nil, err
		}
	}
	r := &reading{
		name: src.Name, path: path, problems: src.Problems, utf8: c.blobs == "" && isUTF8(src.Problems),
		header: src.Header, title: src.Session.Name, heads: []string{}, labels: src.Labels(), count: len(path), lead: src.Lead(),
	}
	if leaf >= 0 {
		r.leaf = src.Entries[leaf].ID()
	}
	for _, h := range src.Heads() {
		r.heads = append(r.heads, src.Entries[h].ID())
	}
	return r, nil
}

// withResults returns an entry and behind it the first results of its calls.
func withResults(entries []session.Entry, at int) []session.Entry {
	out := entries[at : at+1 : at+1]
	m, ok := out[0].Message()
	if !ok {
		return out
	}
	open := map[string]int{}
	for _, c := range m.ToolCalls() {
		open[c.ID]++
	}
	for _, e := range entries[at+1:] {
		if m, ok := e.Message(); ok && m.Role() == session.RoleToolResult && open[m.Str("toolCallId")] > 0 {
			open[m.Str("toolCallId")]--
			out = append(out, e)
		}
	}
	return out
}

// isUTF8 reports whether a session is, that has been read whole and has these problems.
func isUTF8(problems []session.Problem) bool {
	return !slices.ContainsFunc(problems, func(p session.Problem) bool { return p.Kind == session.InvalidUTF8 })
}

// sparse reads the tail of a large session, the heads of all its lines, and the few
// entries that set something. The error is [session.ErrWhole] if these do not tell
// the context and the state.
func sparse(in *address.Input) (*reading, error) {
	f, size, ok := in.Large(largeSession)
	if !ok {
		return nil, session.ErrWhole
	}
	tail, problems, err := in.Recent(largeSession)
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
	answered := slices.ContainsFunc(tail, func(e session.Entry) bool { return e.Role() == session.RoleAssistant }) // which names the model
	if tail[len(tail)-1].Offset() != x.Offset(leaf) || !answered {
		return nil, session.ErrWhole
	}
	r := &reading{name: in.Name, header: x.Header(), problems: problems, leaf: tail[len(tail)-1].ID(), heads: []string{}}
	return r, r.fill(x, tail)
}

// fill takes from the index what the tail of the path does not tell.
func (r *reading) fill(x *index.Index, tail []session.Entry) error {
	spans, err := x.Spans(x.Len() - 1)
	if err != nil {
		return session.ErrWhole
	}
	for _, s := range spans {
		r.count += s.Last - s.First + 1
	}
	var settings []session.Entry
	for _, n := range x.Others() {
		e, err := r.entry(x, n)
		if err != nil {
			return err
		}
		settings = append(settings, e)
		onPath := slices.ContainsFunc(spans, func(s session.Stretch) bool { return s.First <= n && n <= s.Last })
		if onPath && x.Offset(n) < tail[0].Offset() {
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
func (r *reading) entry(x *index.Index, n int) (session.Entry, error) {
	e, err := x.Entry(n)
	if errors.Is(err, index.ErrNotPlain) {
		return e, session.ErrWhole
	}
	if err != nil {
		err = fmt.Errorf("reading %s: %w", r.name, err)
	}
	return e, err
}

// resolve puts the blobs of --blobs into the entries of the path. It warns of
// those that cannot be had and returns them.
func (c *config) resolve(src *address.Source, path []session.Entry) []session.Problem {
	if c.blobs == "" {
		return nil
	}
	var all []session.Problem
	for i, e := range path {
		var problems []session.Problem
		path[i], problems = convo.ResolveBlobs(e, store.OpenBlobs(c.blobs).Get)
		all = append(all, problems...)
	}
	src.Warn(all)
	return all
}

// copyLarge copies the path of a large session. It reports false, and has done
// nothing, if more is wanted than a copy, or if the session is not plain.
func (c *config) copyLarge(s *cli.Streams, in *address.Input) (bool, error) {
	if c.need() != ranges {
		return false, nil
	}
	f, size, ok := in.Large(largeSession)
	if !ok {
		return false, nil
	}
	x, err := index.New(f, size)
	if err != nil {
		return unlessOdd(in, err)
	}
	leaf := x.Len() - 1
	if c.leaf != "last" && c.leaf != "." {
		if leaf, ok = x.Find(c.leaf); !ok {
			return false, nil
		}
	}
	path, ended, err := x.Path(leaf)
	if err != nil {
		return unlessOdd(in, err)
	}
	if c.noHeader {
		path[0].Start = x.Start()
	}
	if n := x.Fragment(); n > 0 {
		s.Warnf("%s:%d: torn last line of %d bytes skipped", in.Name, x.Len()+2, n)
	}
	return true, c.copyRanges(s, in, f, path, ended)
}

// unlessOdd leaves a session that is not plain to the other way.
func unlessOdd(in *address.Input, err error) (bool, error) {
	if errors.Is(err, index.ErrNotPlain) {
		return false, nil
	}
	return false, fmt.Errorf("reading %s: %w", in.Name, err)
}

// copyRanges copies a path, and the line feed that its last line may lack.
func (c *config) copyRanges(s *cli.Streams, in *address.Input, f *os.File, path []index.Range, ended bool) error {
	var unread error
	err := s.Unbuffered(func(w io.Writer) error {
		err := index.Copy(w, f, path)
		if errors.Is(err, index.ErrSource) {
			unread, err = fmt.Errorf("%s: %w", in.Name, err), nil
		}
		return err
	})
	if err = errors.Join(unread, err); err == nil && !ended {
		_, err = io.WriteString(s.Out, "\n")
	}
	return err
}
