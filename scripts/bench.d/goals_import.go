package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// rolloutSize is the size of a rollout, and of the session it is made of, in bytes.
const rolloutSize = 50_000

// importGoals are about all the sessions of another agent.
func (b *bench) importGoals() []goal {
	return []goal{{
		"sess-import --all codex, " + count(int64(b.sessions())) + " rollouts / cat, and cp of what it writes",
		b.importing(3, 64e6),
	}}
}

// importing measures reading every rollout of a store against doing no more than
// that, and writing every session against copying them.
func (b *bench) importing(limit float64, memory int64) func(context.Context, string) ([]row, error) {
	return func(ctx context.Context, name string) (_ []row, err error) {
		sh, err := b.need("sh")
		if err != nil {
			return nil, err
		}
		home, err := b.rollouts(ctx)
		if err != nil {
			return nil, err
		}
		// Each run has a directory of its own, and nothing is removed before the last:
		// for a minute or more after files were removed, new ones take longer to make.
		top, err := os.MkdirTemp(b.data, "imported-")
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(top)) }()
		made, copied := filepath.Join(top, "made"), filepath.Join(top, "copied")
		ours := b.ours("sess-import", "-q", "--all", "-o", made, "codex", home)
		ours.env = []string{"SESS_SYNC=never"}
		peer := command{argv: []string{sh, "-c", `find "$1" -name '*.jsonl' -exec cat {} + >/dev/null && cp -R "$2" "$3"`, "sh", home, made, copied}}
		if _, err := b.run(ctx, ours); err != nil { // what there is to copy
			return nil, err
		}
		runs := 0
		aside := func(dir string) func() error {
			return func() error {
				runs++
				return errors.Join(os.Rename(dir, filepath.Join(top, strconv.Itoa(runs))), b.flush(ctx))
			}
		}
		ours.before, peer.after = aside(made), aside(copied)
		ours.check = func() error { return sessionsIn(made, b.sessions()) }
		c, err := b.compare(ctx, ours, peer)
		if err != nil {
			return nil, err
		}
		return []row{ratioRow(name, c, limit), memoryRow(c.rss, memory)}, nil
	}
}

// sessionsIn says whether a directory has n sessions.
func sessionsIn(dir string, n int) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err == nil && len(names) != n {
		err = fmt.Errorf("made %d sessions of %d", len(names), n)
	}
	return err
}

// rollouts returns a home of codex with many rollouts, all of one session, and makes
// it if need be.
func (b *bench) rollouts(ctx context.Context) (string, error) {
	one := filepath.Join(b.data, "rollout.jsonl")
	if _, err := b.generated(ctx, one, []string{"--size", strconv.Itoa(rolloutSize), "--median", "300"}); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, b.bin("sess-export"), "-q", "codex", one)
	cmd.Env = b.environ()
	text, err := cmd.Output()
	if err != nil {
		return "", unless(ctx, fmt.Errorf("making a rollout: %w", err))
	}
	var first struct{ Payload struct{ ID string } }
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&first); err != nil || first.Payload.ID == "" {
		return "", errors.Join(errors.New("making a rollout: it has no id"), err)
	}
	id := []byte(first.Payload.ID)
	home := filepath.Join(b.data, "codex-"+strconv.Itoa(b.sessions()))
	done := filepath.Join(home, fmt.Sprintf("%x.done", sha256.Sum256(text)))
	if _, err := os.Stat(done); err == nil {
		return home, nil
	}
	b.s.Notef("writing %d rollouts", b.sessions())
	if err := os.RemoveAll(home); err != nil {
		return "", err
	}
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range b.sessions() {
		at := begun.Add(time.Duration(i) * 37 * time.Minute)
		dir := filepath.Join(home, "sessions", at.Format("2006/01/02"))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
		own := fmt.Sprintf("%08x-0000-7000-9000-%012x", i, i)
		name := filepath.Join(dir, "rollout-"+at.Format("2006-01-02T15-04-05")+"-"+own+".jsonl")
		if err := os.WriteFile(name, bytes.ReplaceAll(text, id, []byte(own)), 0o600); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		return "", err
	}
	return home, b.flush(ctx)
}
