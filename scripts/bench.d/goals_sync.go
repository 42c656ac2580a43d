package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// syncGoals are about a remote that is a directory, and one that is a bucket. What is
// pulled is durable, and what is pushed to a directory, so the copy that it is compared
// with is, too.
func (b *bench) syncGoals() []goal {
	size, name := b.part(10)
	push := func(r shared) []string { return []string{"push", r.session.file} }
	pull := func(r shared) []string { return []string{"pull", r.id} }
	goals := []goal{
		versus(b, "sess-sync push, "+name+" / cp, synced", 1.5, func(ctx context.Context) (ours, peer command, err error) {
			return b.shared(ctx, b.directory(), size, false, push)
		}),
		versus(b, "sess-sync pull, "+name+" / cp, synced", 1.5, func(ctx context.Context) (ours, peer command, err error) {
			return b.shared(ctx, b.directory(), size, true, pull)
		}),
		b.inBucket("sess-sync push to a bucket, "+name+" / curl -T", 1.5, size, false, push),
		b.inBucket("sess-sync pull from a bucket, "+name+" / curl, synced", 1.5, size, true, pull),
		versus(b, "sess-sync pull, nothing new, "+name+" / no-op tool", 3, func(ctx context.Context) (ours, peer command, err error) {
			ours, _, err = b.shared(ctx, b.directory(), size, true, func(r shared) []string { return []string{"pull", "-q", r.session.file} })
			ours.before, ours.after = nil, nil
			ours.argv = append([]string{"/bin/sh", "-c", `"$@" || [ $? -eq 1 ]`, "sh"}, ours.argv...)
			noop := b.ours("noop", "s.jsonl")
			peer = command{argv: append([]string{"/bin/sh", "-c", `"$@" || [ $? -eq 1 ]`, "sh"}, noop.argv...)}
			return ours, peer, err
		}),
		versus(b, "sess-sync ls, "+count(int64(b.sessions()))+" sessions / cat of their cards", 3, b.cards),
	}
	for _, writers := range []int{1, 8, 32} {
		goals = append(goals, b.appends(writers))
	}
	return goals
}

// A place is where a remote is.
type place struct {
	address string
	dir     string // where its objects are, to be removed
	env     []string
}

func (b *bench) directory() place {
	dir := filepath.Join(b.work, "remote")
	return place{address: dir, dir: dir}
}

// A shared session lies in a remote, or is to.
type shared struct {
	session session
	id      string
}

// sync runs sess-sync for what is not measured.
func (b *bench) sync(ctx context.Context, p place, args ...string) error {
	cmd := exec.CommandContext(ctx, b.bin("sess-sync"), args...)
	cmd.Env = append(b.environ(), append(p.env, "SESS_REMOTE="+p.address)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return unless(ctx, fmt.Errorf("sess-sync %s: %w: %s", args[0], err, out))
	}
	return nil
}

// shared returns a command of sess-sync, in front of which the remote is empty or has the
// session, and a copy of the same bytes.
func (b *bench) shared(ctx context.Context, p place, size int64, there bool, args func(shared) []string) (ours, peer command, err error) {
	s, err := b.session(ctx, linear, size)
	if err != nil {
		return ours, peer, err
	}
	header, err := firstID(s.file)
	if err != nil {
		return ours, peer, err
	}
	stored, copied := filepath.Join(b.work, "stored"), filepath.Join(b.work, "copied")
	state := filepath.Join(filepath.Dir(s.file), "."+filepath.Base(s.file)+".sync")
	empty := func() error {
		err := errors.Join(os.RemoveAll(p.dir), os.RemoveAll(stored))
		if rerr := os.Remove(state); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
		return err
	}
	ours = b.ours("sess-sync", args(shared{s, header})...)
	ours.env = slices.Concat(p.env, []string{"SESS_REMOTE=" + p.address, "SESS_DIR=" + stored})
	ours.before = func() error {
		err := errors.Join(empty(), b.sync(ctx, p, "init", p.address))
		if there {
			old := time.Now().Add(-time.Hour) // what was written just now may still change
			err = errors.Join(err, os.Chtimes(s.file, old, old), b.sync(ctx, p, "push", s.file))
		}
		return err
	}
	ours.after = empty
	if there {
		err = ours.before() // for a goal that does not repeat it
	}
	peer = command{
		argv:   []string{"/bin/sh", "-c", `cp "$1" "$2" && sync "$2"`, "sh", s.file, copied},
		before: func() error { return os.RemoveAll(copied) },
	}
	return ours, peer, err
}

// firstID returns the id in the first line of a session.
func firstID(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var h struct{ ID string }
	err = json.NewDecoder(f).Decode(&h)
	return h.ID, err
}
