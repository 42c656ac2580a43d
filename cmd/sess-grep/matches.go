package main

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/grep"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// An item is an entry to print, or the header.
type item struct {
	entry   session.Entry
	index   int   // -1 for the header
	line    int   // of the session
	offset  int64 // of the line
	rows    rows
	context bool // it stands beside a match
	on      spot
	depth   int
	before  []item // with --json
	after   []item
	key     uint64 // what copies of the entry have in common, 0 for none

	// What copies have in common of a message that was handed over, see [selection.Said]: of this session, and of those that
	// it was moved here from, whose entry it is; nil for none.
	moved []uint64
	from  []string // the origins of the latter
}

// A group are items that stand together: one, or those of a part of a path.
type group []item

// matches finds the entries to print, from the line at an offset on, and hands them on.
func (d *document) matches(ctx context.Context, r *result, offset int64) error {
	g := d.g
	if rows := g.headerRows(d.header); !g.context && rows.some() {
		if err := d.hit(ctx, r, item{index: -1, line: 1, rows: rows, on: onPath}); err != nil {
			return err
		}
	}
	self := map[string]bool{} // calls that ran sess-grep
	var hits []int
	err := d.candidates(ctx, offset, func(i int, e session.Entry) error {
		if g.sessions.NoSelf && isSelf(e, self) {
			return nil
		}
		if !g.selects(d.tree, i) {
			return nil
		}
		first, ok, err := g.match(ctx, e)
		if !ok || err != nil {
			return err
		}
		if g.contextual() {
			r.count++
			if hits = append(hits, i); r.count == g.most {
				return errEnough
			}
			return nil
		}
		if g.names || g.namesWithout || g.count {
			return d.hit(ctx, r, item{index: i})
		}
		return d.hit(ctx, r, d.item(i, e, first))
	})
	if len(hits) > 0 && (err == nil || errors.Is(err, errEnough)) {
		d.forget()
		return d.groups(ctx, r, hits)
	}
	return err
}

// selects reports whether the flags select an entry by its place.
func (g *search) selects(t *tree, i int) bool {
	switch {
	case g.onPath:
		return t.on[i] != onBranch
	case g.context:
		return t.on[i] == onPath
	}
	return true
}

// contextual reports whether rows are printed with entries around them.
func (g *search) contextual() bool {
	return g.before+g.after > 0 && !g.json && !g.entries && !g.quiet && !g.names && !g.namesWithout && !g.count
}

// item makes the item of an entry that has a match, the first one of which may be known.
func (d *document) item(i int, e session.Entry, first match) item {
	if len(e.Raw()) >= large { // while its rows are printed, garbage may not become as large
		debug.SetGCPercent(25)
	}
	it := item{
		entry: e, index: i, line: int(d.lines[i]), offset: d.offsets[i], rows: d.g.rows(e, first),
		key: d.src.Key(e), on: d.on[i],
	}
	if d.g.json {
		it.depth = d.depth(i)
	}
	if d.g.many && !d.g.dup {
		it.moved = append(it.moved, selection.Said(selection.Origin(d.src.Name), e))
		for _, m := range d.moves {
			if m.offset > it.offset {
				it.moved, it.from = append(it.moved, selection.Said(m.from, e)), append(it.from, m.from)
			}
		}
	}
	return it
}

// hit hands on an item with a match.
func (d *document) hit(ctx context.Context, r *result, it item) error {
	g := d.g
	r.count++
	switch {
	case g.names, g.namesWithout:
		return errEnough
	case g.count:
	default:
		if g.json && g.before+g.after > 0 && it.index >= 0 {
			up, down := d.around(it.index, g.before, g.after)
			var err error
			if it.before, err = d.beside(ctx, up); err != nil {
				return err
			}
			if it.after, err = d.beside(ctx, down); err != nil {
				return err
			}
		}
		if err := r.add(ctx, group{it}); err != nil {
			return err
		}
	}
	if r.count == g.most {
		return errEnough
	}
	return nil
}

// beside returns entries that stand beside a match, those with text.
func (d *document) beside(ctx context.Context, list []int) (items []item, err error) {
	for _, i := range list {
		e, err := d.entry(ctx, i)
		if err != nil {
			return nil, err
		}
		items = append(items, item{entry: e, index: i, line: int(d.lines[i]), rows: d.g.opening(e), context: true, on: d.on[i]})
	}
	return items, nil
}

// groups hands on matches with the entries around them. Groups that meet on a path are
// one.
func (d *document) groups(ctx context.Context, r *result, hits []int) error {
	isHit := map[int]bool{}
	for _, i := range hits {
		isHit[i] = true
	}
	done := map[int]bool{}
	for _, i := range d.downwards(hits) {
		if done[i] {
			continue
		}
		up, down := d.around(i, d.g.before, d.g.after)
		list, seen := append(append(up, i), down...), map[int]bool{}
		for _, i := range list {
			seen[i] = true
		}
		for last := len(list) - len(down); last < len(list); last++ { // of the group, the last match so far
			if lacks := last + 1 + d.g.after - len(list); isHit[list[last]] && lacks > 0 {
				list = append(list, d.below(list[len(list)-1], lacks, seen)...)
			}
		}
		gr, err := d.group(ctx, list, isHit, done)
		if err != nil {
			return err
		}
		if err := r.add(ctx, gr); err != nil {
			return err
		}
	}
	return nil
}

// group makes the group of a part of a path.
func (d *document) group(ctx context.Context, list []int, isHit, done map[int]bool) (gr group, err error) {
	for _, i := range list {
		if !isHit[i] || done[i] {
			items, err := d.beside(ctx, []int{i})
			if err != nil {
				return nil, err
			}
			gr = append(gr, items...)
			continue
		}
		done[i] = true
		e, err := d.entry(ctx, i)
		if err != nil {
			return nil, err
		}
		gr = append(gr, d.item(i, e, match{}))
	}
	return gr, nil
}

// isSelf reports whether an entry is the result of a call that ran this program, and
// takes note of such calls.
func isSelf(e session.Entry, calls map[string]bool) bool {
	m, ok := e.Message()
	if !ok {
		return false
	}
	switch m.Role() {
	case session.RoleAssistant:
		for _, call := range m.ToolCalls() {
			grep.Texts(e, func(t grep.Text) bool {
				if t.Call == call.ID && t.Field == grep.FieldCall && ran.Match(t.String()) {
					calls[call.ID] = true
				}
				return true
			})
		}
	case session.RoleToolResult:
		return calls[m.Str("toolCallId")]
	case session.RoleBashExecution:
		return ran.Match(js.Value(m.Get("command")).Str())
	}
	return false
}

// ran finds this program in a command.
var ran = grep.MustCompile([]string{`\bsess[- ]grep\b`}, grep.Options{})
