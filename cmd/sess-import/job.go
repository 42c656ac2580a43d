package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/report"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/internal/tool/tty"
)

// bufferSize is the size of the buffer of a file in bytes.
const bufferSize = 64 << 10

// A job is one run of importing.
type job struct {
	streams  *clikit.Streams
	name     string // of the format
	own      bool   // what the agent keeps in its place is read: addresses name its sessions
	native   bool   // its sessions are files that every tool reads
	dest     operand.Destination
	strict   bool
	many     bool                  // every session, each into a file of its own
	here     func(cwd string) bool // whether sessions of a working directory are wanted
	losses   *report.Log
	progress *clikit.Progress
}

func (c *config) job(s *clikit.Streams, f formats.Format) (*job, error) {
	here, err := c.here(f.About())
	if err != nil {
		return nil, err
	}
	losses, err := report.Open(c.losses, s.Warnf)
	if err != nil {
		return nil, err
	}
	progress := &clikit.Progress{}
	if out := s.OutFile(); c.all && (out == nil || !tty.IsTerminal(out)) { // else the paths say it
		progress = s.Progress(0)
	}
	return &job{
		streams: s, name: f.About().Name, native: f.About().Native, own: c.own, dest: c.dest, strict: c.strict, many: c.all, here: here, losses: losses,
		progress: progress,
	}, nil
}

// errLossy is the error of a session that lost something in a strict run.
func errLossy(n int) error {
	what := "something"
	if n > 1 {
		what = fmt.Sprintf("%d things", n)
	}
	return formats.Damaged("lost %s, and nothing was made of it", what)
}

// choose returns the session that was asked for, or the only one there is.
func (c *config) choose(ctx context.Context, j *job, a formats.Archive) (formats.Info, error) {
	switch {
	case c.session != "":
		info, err := formats.Find(ctx, a, c.session)
		if errors.Is(err, formats.ErrNotFound) {
			err = clikit.WithHint(err, "--list lists those that are there")
		}
		return info, err
	case c.recent:
		return c.newest(ctx, j, a)
	}
	return j.only(ctx, a)
}

// one imports one session.
func (j *job) one(ctx context.Context, a formats.Archive, info formats.Info) error {
	k := j.sink(bufio.NewWriterSize(nil, bufferSize))
	path, err := k.publish(k.convert(ctx, a, info, func(l formats.Loss) { j.losses.Tell(k.id, l) }))
	if errors.Is(err, errThere) {
		return clikit.WithHint(fmt.Errorf("creating %s: %w", path, fs.ErrExist), "--force replaces it")
	}
	if err != nil || path == "" {
		return named(info, err)
	}
	_, err = fmt.Fprintln(j.streams.Out, path)
	return err
}

// only returns the session of an archive that has but one that can be read.
func (j *job) only(ctx context.Context, a formats.Archive) (formats.Info, error) {
	var found []formats.Info
	var broken error
	for info, err := range a.List(ctx, formats.Query{}) {
		if err != nil {
			if broken != nil {
				j.streams.Warnf("%v", broken)
			}
			broken = err
			continue
		}
		if found = append(found, info); len(found) > maxCandidates {
			break
		}
	}
	if broken != nil && len(found) == 0 {
		return formats.Info{}, broken
	}
	if broken != nil {
		j.streams.Warnf("%v", broken)
	}
	switch len(found) {
	case 0:
		return formats.Info{}, clikit.No("no session")
	case 1:
		return found[0], nil
	}
	return formats.Info{}, clikit.WithHint(
		clikit.UsageError("several sessions: %s", formats.IDs(found)), "choose with --session ID, or take --all")
}

// maxCandidates is how many sessions only looks at.
const maxCandidates = 8

// named puts the session in front of an error that does not say whose it is.
func named(info formats.Info, err error) error {
	if info.ID == "" || err == nil || info.Path != "" && strings.Contains(err.Error(), info.Path) {
		return err
	}
	return fmt.Errorf("session %s: %w", info.ID, err)
}
