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
	"time"
)

// syncGoals are about a remote that is a directory. What is pushed and pulled is durable,
// so the copy that it is compared with is, too.
func (b *bench) syncGoals() []goal {
	size, name := b.part(10)
	return []goal{
		versus(b, "sess-sync push, "+name+" / cp, synced", 1.5, func(ctx context.Context) (ours, peer command, err error) {
			return b.shared(ctx, size, false, "push", func(r shared) []string { return []string{r.session.file} })
		}),
		versus(b, "sess-sync pull, "+name+" / cp, synced", 1.5, func(ctx context.Context) (ours, peer command, err error) {
			return b.shared(ctx, size, true, "pull", func(r shared) []string { return []string{r.id} })
		}),
		versus(b, "sess-sync pull, nothing new, "+name+" / no-op tool", 3, func(ctx context.Context) (ours, peer command, err error) {
			ours, _, err = b.shared(ctx, size, true, "pull", func(r shared) []string { return []string{"-q", r.session.file} })
			ours.before, ours.after = nil, nil
			ours.argv = []string{"/bin/sh", "-c", `"$@" || [ $? -eq 1 ]`, "sh", ours.argv[0], "pull", "-q", ours.argv[len(ours.argv)-1]}
			noop := b.ours("noop", "s.jsonl")
			peer = command{argv: append([]string{"/bin/sh", "-c", `"$@" || [ $? -eq 1 ]`, "sh"}, noop.argv...)}
			return ours, peer, err
		}),
	}
}

// A shared session lies in a remote, or is to.
type shared struct {
	session session
	id      string
	remote  string
}

// shared returns a command of sess-sync, in front of which the remote is empty or has the
// session, and a copy of the same bytes.
func (b *bench) shared(ctx context.Context, size int64, there bool, what string, operands func(shared) []string) (ours, peer command, err error) {
	s, err := b.session(ctx, linear, size)
	if err != nil {
		return ours, peer, err
	}
	header, err := firstID(s.file)
	if err != nil {
		return ours, peer, err
	}
	r := shared{s, header, filepath.Join(b.work, "remote")}
	stored, copied := filepath.Join(b.work, "stored"), filepath.Join(b.work, "copied")
	state := filepath.Join(filepath.Dir(s.file), "."+filepath.Base(s.file)+".sync")
	env := []string{"SESS_REMOTE=" + r.remote, "SESS_DIR=" + stored}
	sync := func(args ...string) error {
		cmd := exec.CommandContext(ctx, b.bin("sess-sync"), args...)
		cmd.Env = append(b.environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return unless(ctx, fmt.Errorf("sess-sync %s: %w: %s", args[0], err, out))
		}
		return nil
	}
	empty := func() error {
		err := errors.Join(os.RemoveAll(r.remote), os.RemoveAll(stored))
		if rerr := os.Remove(state); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
		return err
	}
	ours = b.ours("sess-sync", append([]string{what}, operands(r)...)...)
	ours.env = env
	ours.before = func() error {
		err := errors.Join(empty(), sync("init", r.remote))
		if there {
			old := time.Now().Add(-time.Hour) // what was written just now may still change
			err = errors.Join(err, os.Chtimes(s.file, old, old), sync("push", s.file))
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
