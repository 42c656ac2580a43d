package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
)

// bench is one measurement of some goals.
type bench struct {
	size        int64 // of the large sessions, in bytes
	runs        int
	slow        time.Duration // slowPair
	full, quick bool
	core        string // the core that what is pinned is pinned to
	s           *cli.Streams

	work  string // temporary: binaries, home of what is run
	data  string // sessions
	peers string // programs from npm
}

// A skip is why a goal cannot be measured here.
type skip string

func (s skip) Error() string { return string(s) }

// prepare builds the tools and makes directories; done removes those that are
// temporary, and has to be called whatever the error.
func (b *bench) prepare(ctx context.Context, fetch bool) (done func(), err error) {
	b.work, err = os.MkdirTemp("", "sess-bench-")
	if err != nil {
		return func() {}, err
	}
	done = func() { _, _ = os.Remove(b.output()), os.RemoveAll(b.work) }
	b.data = filepath.Join(b.work, "data")
	if dir := os.Getenv("SESS_BENCH_DIR"); dir != "" {
		if b.data, err = absolute(dir); err != nil {
			return done, err
		}
	}
	for _, dir := range []string{b.data, filepath.Join(b.work, "bin")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return done, err
		}
	}
	if err := b.build(ctx); err != nil {
		return done, err
	}
	if fetch {
		b.fetchAll(ctx)
	}
	return done, nil
}

// peersDir is where the programs from npm are.
func peersDir() string {
	if dir := os.Getenv("SESS_PEERS"); dir != "" {
		return dir
	}
	home, _ := os.UserHomeDir() // without one there are no peers
	return filepath.Join(home, ".cache", "sess-peers")
}

// build builds the tools as scripts/install does, and what they are compared with.
// They are copied as it copies them: pages of a file that the linker has mapped and
// filled come one by one when it is run, those of a copy or of a file read from the
// disk in larger pieces. It is a tenth of what a tool takes to start.
func (b *bench) build(ctx context.Context) error {
	b.s.Notef("building")
	built := filepath.Join(b.work, "built")
	for dir, packages := range map[string][]string{".": {"./cmd/..."}, "scripts/bench.d": {"./noop", "./empty", "./bound", "./generate"}} {
		args := []string{"build", "-C", dir, "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false", "-ldflags=-s -w", "-tags", "urfave_cli_no_docs", "-o", built + string(filepath.Separator)}
		cmd := exec.CommandContext(ctx, "go", append(args, packages...)...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return unless(ctx, fmt.Errorf("building the tools: %w: %s", err, out))
		}
	}
	if err := os.CopyFS(filepath.Join(b.work, "bin"), os.DirFS(built)); err != nil {
		return fmt.Errorf("copying the tools: %w", err)
	}
	return nil
}

// measure measures the goals one after the other and prints their rows.
func (b *bench) measure(ctx context.Context, goals []goal) ([]row, error) {
	var all []row
	fmt.Fprint(b.s.Out, heading())
	for _, g := range goals {
		if err := b.s.Flush(); err != nil {
			return all, err
		}
		b.s.Notef("%s", g.name)
		rows, err := g.run(ctx, g.name)
		var reason skip
		switch {
		case ctx.Err() != nil:
			return all, ctx.Err()
		case errors.As(err, &reason):
			rows = append(rows, row{goal: g.name, skipped: "skipped: " + string(reason)})
		case err != nil:
			rows = append(rows, row{goal: g.name, skipped: "failed: " + err.Error()})
		}
		for _, r := range rows {
			fmt.Fprint(b.s.Out, r.text())
		}
		all = append(all, rows...)
	}
	return all, nil
}
