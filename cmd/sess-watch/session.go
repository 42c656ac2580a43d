package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/calls"
	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/internal/find/grep"
	"github.com/sess-tools/sess/internal/state"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/internal/tool/row"
	"github.com/sess-tools/sess/internal/tool/sibling"
	"github.com/sess-tools/sess/internal/tool/sources"
	"github.com/sess-tools/sess/internal/tool/tty"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A watched is a session that is watched.
type watched struct {
	src   sources.Source
	place row.Place
	path  string // of what changes when the session does, "" if that is not known
	stamp string // of path, when the session was read

	state   state.State
	entry   string // that decides the state
	last    string // the line of what was said last
	parent  string // the session that it is a part of, "" for none
	shown   string // the state that was told last
	printed map[uint64]bool
	pending []entry // that are not printed yet
}

// An entry is one to print.
type entry struct {
	id, role, text, raw string
	timestamp           int64
	timed               bool
	key                 uint64
}

var seed = maphash.MakeSeed()

// read takes in what a session says now. Entries that were not seen before wait to be printed, if prints is
// set, but for those that skip counts as seen.
func (d *watched) read(whole *operand.Source, prints bool, skip func(int) bool) {
	d.place = whole.Place()
	entries := whole.Entries
	d.state = state.Of(entries, whole.Header.CWD)
	d.entry, d.parent = "", strings.Clone(whole.Header.ParentSession)
	if d.state.Entry >= 0 {
		d.entry = strings.Clone(entries[d.state.Entry].ID())
	}
	c := d.state.Call // without the text of the session
	d.state.Call = calls.Call{Kind: c.Kind, Target: strings.Clone(c.Target), ToolCall: session.ToolCall{Name: strings.Clone(c.Name)}}
	d.last = ""
	for _, e := range slices.Backward(entries) {
		if text := said(e); text != "" && (e.Role() == session.RoleAssistant || e.Role() == session.RoleUser) {
			d.last = text
			break
		}
	}
	d.pending = nil
	if !prints {
		return
	}
	first := d.printed == nil
	if first {
		d.printed = map[uint64]bool{}
	}
	for i, e := range entries {
		key := maphash.String(seed, e.ID())
		if d.printed[key] || first && skip(i) {
			d.printed[key] = true
			continue
		}
		at, timed := e.Timestamp()
		d.pending = append(d.pending, entry{strings.Clone(e.ID()), grep.Role(e), said(e), strings.Clone(e.Raw()), at, timed, key})
	}
}

// said is the first line of what an entry says, "" for one that says nothing.
func said(e session.Entry) (line string) {
	grep.Texts(e, func(t grep.Text) bool {
		if !t.Quiet && slices.Contains(grep.Usual(), t.Field) {
			line = strings.Clone(t.Line())
		}
		return line == ""
	})
	return line
}

// stable returns the entries that no later reading changes, and keeps the others: an importer may make the last ones
// anew while a turn goes on.
func (d *watched) stable(working bool) (out []entry) {
	behind := 0
	if working {
		for behind = len(d.pending); behind > 0; {
			if behind--; d.pending[behind].role == session.RoleUser || d.pending[behind].role == session.RoleAssistant || d.pending[behind].role == session.RoleToolResult {
				break
			}
		}
		out, d.pending = d.pending[:behind:behind], d.pending[behind:]
	} else {
		out, d.pending = d.pending, nil
	}
	for _, e := range out {
		d.printed[e.key] = true
	}
	return out
}

// locate finds what changes when the session does: its file, the directory of its store, or what its agent keeps
// it in, which the importer knows. A draft has none yet.
func (d *watched) locate(ctx context.Context) error {
	if d.place.Path != "" {
		if _, err := os.Stat(d.place.Path); err == nil {
			d.path = d.place.Path
		}
		return nil
	}
	agent, id, ok := strings.Cut(d.place.Address, ":")
	if !ok || agent == operand.Remote || id == "" {
		return nil
	}
	d.src.Name = d.place.Address // the session that was the newest one is meant from now on
	text, err := sibling.Output(ctx, operand.Importer, "-q", agent, "--list", "--session", id)
	if err != nil {
		return err
	}
	d.path = js.Value(text).Get("path").Str()
	return nil
}

// gone is the stamp of what is not there.
const gone = "gone"

// stampOf says in short what stands in a place: of a file its identity, size and time, of a directory those of the
// files in it. A database has a log beside it. changed is when the last of it did.
func stampOf(path string) (stamp string, changed int64) {
	names := []string{path}
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gone, 0
	case err != nil:
		return err.Error(), 0
	case fi.IsDir():
		names, _ = filepath.Glob(filepath.Join(path, "*"))
	case filepath.Ext(path) != ".jsonl":
		names = append(names, path+"-wal")
	}
	var b strings.Builder
	for _, name := range names {
		if name != path {
			if fi, err = os.Stat(name); err != nil {
				continue
			}
		}
		number, at := disk.Identity(fi)
		fmt.Fprintln(&b, number, at, fi.Size(), fi.ModTime().UnixNano())
		changed = max(changed, at, fi.ModTime().UnixNano())
	}
	return b.String(), changed
}

// what is what a state is about: the call that is open, or what was said last.
func (d *watched) what() string {
	if c := d.state.Call; c.Name != "" {
		return strings.TrimSpace(c.Name + " " + session.OneLine(c.Target))
	}
	return d.last
}

// name is what rows call a session.
func (d *watched) name() string { return tty.Clean(cmp.Or(d.place.Address, d.src.Label())) }
