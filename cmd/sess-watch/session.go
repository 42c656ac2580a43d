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

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/grep"
	"github.com/sess-tools/sess/internal/readers/status"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A watched is a session that is watched.
type watched struct {
	src   selection.Source
	found string // the name by which it was found
	place row.Place
	path  string // of what changes when the session does, "" if that is not known
	stamp string // of path, when the session was read

	state   status.State
	entry   string // that decides the state
	what    string // the state is about: the call that is open, or what was said last
	parent  string // the session that it is a part of, "" for none
	cwd     string // its working directory
	shown   string // the state that was told last
	printed map[uint64]bool
	pending []pending
	stable  int // how many of those that are pending no later reading changes while the agent works
}

// A pending row is one of an entry that was not printed yet.
type pending struct {
	key         uint64
	entry, role string
	row         string // for people its text
}

var seed = maphash.MakeSeed()

// read takes in the session as it stands now. Of each entry that was not seen before a row is pending, which row makes, unless
// skip says that its entry counts as seen. A nil row makes none.
func (d *watched) read(whole *address.Source, row func(session.Entry) string, skip func(int) bool) {
	d.place = whole.Place() // nothing of it keeps the text of the session
	d.place.Session = strings.Clone(d.place.Session)
	entries := whole.Entries
	d.state = status.Of(entries, whole.Header.CWD)
	d.entry, d.parent, d.cwd = "", strings.Clone(whole.Header.ParentSession), strings.Clone(whole.Header.CWD)
	if d.state.Entry >= 0 {
		d.entry = strings.Clone(entries[d.state.Entry].ID())
	}
	c := d.state.Call
	d.state.Call = calls.Call{ToolCall: session.ToolCall{Name: strings.Clone(c.Name)}}
	d.what = strings.TrimSpace(c.Name + " " + session.OneLine(c.Target))
	for i := len(entries) - 1; d.what == "" && i >= 0; i-- {
		if role := entries[i].Role(); role == session.RoleAssistant || role == session.RoleUser {
			d.what = said(entries[i])
		}
	}
	d.what = tty.Fit(d.what, 200)
	if d.pending, d.stable = nil, 0; row == nil {
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
		switch e.Role() { // an importer may make the newest message anew, and those behind it
		case session.RoleUser, session.RoleAssistant, session.RoleToolResult:
			d.stable = len(d.pending)
		}
		d.pending = append(d.pending, pending{key, strings.Clone(e.ID()), strings.Clone(grep.Speaker(grep.Role(e))), row(e)})
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

// take takes out the rows that no later reading changes.
func (d *watched) take(working bool) []pending {
	n := len(d.pending)
	if working {
		n = d.stable
	}
	out := d.pending[:n]
	d.pending, d.stable = d.pending[n:], 0
	for _, p := range out {
		d.printed[p.key] = true
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
	if !ok || agent == address.Remote || id == "" {
		return nil
	}
	d.src.Name = d.place.Address // the session that was the newest one is meant from now on
	text, err := subprocess.Output(ctx, address.Importer, "-q", agent, "--list", "--session", id)
	if err != nil {
		return err
	}
	d.path = js.Value(text).Get("path").Str()
	return nil
}

// gone is the stamp of a file that is not there.
const gone = "gone"

// stampOf returns a short text that changes with a file or a directory: of a file its identity, size and time, of a
// directory those of the files in it. A database has a log beside it. changed is when the last of it did.
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
	b.WriteString(fi.Mode().Type().String()) // an empty directory has a stamp, too
	for _, name := range names {
		if name != path {
			if fi, err = os.Stat(name); err != nil {
				continue
			}
		}
		stamp := disk.StampOf(fi)
		fmt.Fprintln(&b, stamp)
		changed = max(changed, stamp.Mtime, stamp.Ctime)
	}
	return b.String(), changed
}

// name is what rows call a session.
func (d *watched) name() string { return tty.Clean(cmp.Or(d.place.Address, d.src.Label())) }
