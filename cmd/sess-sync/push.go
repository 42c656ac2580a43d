package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/share/replica"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

var pushCommand = command("push", "[SESSION...]", "append to the remote what the sessions have more",
	`sess-sync push s.jsonl
sess-sync push -q --remote s3://ci-sessions s.jsonl || [ $? -eq 1 ]
sess-sync push --expect-leaf 0d6f9a51 s.jsonl
sess-sync push -a
sess-sync push -q --agent claude,codex || [ $? -eq 1 ]`,
	func(c *config) []cli.Flag {
		return append(append(c.changes(), c.collection.flags()...),
			cli.String(&c.expectLeaf, "expect-leaf", "", "push only if `REF` is the leaf; otherwise status 4"),
			cli.Bool(&c.reseed, "reseed", "append again what a restored remote lost"))
	},
	(*config).push)

func (c *config) push(ctx context.Context, s *cli.Streams, l remote.Log, operands []string) error {
	if err := c.collection.check(c.all || c.expectLeaf != "", operands); err != nil {
		return err
	}
	if dir, err := disk.CacheDir(); err == nil && !c.dryRun {
		remote.KeepNotes(l, dir)
	}
	if len(c.agents) > 0 {
		return c.collected(ctx, s, l)
	}
	if err := c.chosen(operands); err != nil {
		return err
	}
	if c.all {
		return c.pushStore(ctx, s, l)
	}
	paths, err := c.sessions(ctx, operands)
	if err != nil {
		return err
	}
	o := c.options(s, l)
	o.Listing, _ = remote.List(ctx, l, len(paths), nil)
	results, err := each(ctx, s, paths, func(ctx context.Context, path string, moved func(int)) (replica.Result, error) {
		o := o
		o.Moved = moved
		r, err := replica.Push(ctx, path, o)
		return r, named(err, path, l)
	}, func(path string, r replica.Result) { c.say(s, path, r) })
	return c.conclude(results, err, "nothing to push")
}

// pushStore pushes all sessions of the store.
func (c *config) pushStore(ctx context.Context, s *cli.Streams, l remote.Log) error {
	r, err := c.begin(ctx, l, "push")
	if err != nil {
		return err
	}
	list, err := r.files(ctx, s)
	if err == nil {
		list, err = r.due(ctx, list, true)
	}
	if err != nil {
		return err
	}
	results, err := r.push(ctx, s, list, c.options(s, l), func(f found, p replica.Result) { c.say(s, f.path, p) })
	return c.conclude(results, err, "nothing to push")
}

// push pushes some files, and ends the round.
func (r *round) push(ctx context.Context, s *cli.Streams, list []found, o replica.Options, tell func(found, replica.Result)) ([]replica.Result, error) {
	keys := map[string]bool{}
	for _, f := range list {
		keys[f.key] = true
	}
	o.Listing = r.listing(ctx, len(list), func(key string) bool { return keys[key] })
	results, err := each(ctx, s, list, func(ctx context.Context, f found, moved func(int)) (replica.Result, error) {
		o := o
		o.Moved = moved
		p, err := replica.Push(ctx, f.path, o)
		r.done(f.path, f.key, err)
		return p, named(err, f.path, r.log)
	}, tell)
	r.end(ctx, s)
	return results, err
}

// say tells what was done, or is to do, if anything.
func (c *config) say(s *cli.Streams, path string, r replica.Result) {
	if r.Nothing() {
		return
	}
	if c.dryRun {
		s.Infof("%s: %s to push, %s to pull", path, lines(r.Sent), lines(r.Got))
		return
	}
	s.Notef("%s: %s pushed, %s pulled, at part %d", path, lines(r.Sent), lines(r.Got), r.N)
}

func lines(n int) string { return tty.Count(n, "line", "lines") }

// conclude returns the error of a run, which is the answer no if there was nothing to
// do at all.
func (c *config) conclude(results []replica.Result, err error, none string) error {
	if err != nil {
		return err
	}
	for _, r := range results {
		if !r.Nothing() {
			return nil
		}
	}
	return cli.No("%s", none)
}

// sessions returns the files of the sessions that are named.
func (c *config) sessions(ctx context.Context, operands []string) (paths []string, err error) {
	for _, name := range operands {
		path, err := c.file(ctx, name)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// chosen refuses operands beside --all, and neither.
func (c *config) chosen(operands []string) error {
	switch {
	case c.all && len(operands) > 0:
		return cli.UsageError("--all takes no operands")
	case !c.all && len(operands) == 0:
		return cli.WithHint(cli.UsageError("no session is named"), "--all takes all sessions")
	case c.all && c.expectLeaf != "":
		return cli.UsageError("--expect-leaf is for one session")
	}
	return nil
}

// file returns the file of a session that is named by its path or id.
func (c *config) file(ctx context.Context, name string) (string, error) {
	if err := address.RefuseEmpty(name); err != nil {
		return "", err
	}
	path, err := address.Path(ctx, name)
	if err != nil {
		return "", err
	}
	if path != "" && path == store.Draft(name) {
		return "", fmt.Errorf("%s: a draft is not shared; sess-append publishes it with the first reply", name)
	}
	return path, c.plain(path)
}

// plain refuses a path that is no file of a session, or whose session has been replaced.
func (c *config) plain(path string) error {
	if path == "" {
		return cli.UsageError("standard input is not a session in a file")
	}
	seg := path
	if !address.Segmented(path) {
		var err error
		if seg, err = address.Stored(path); err != nil || seg == "" {
			return err
		}
	}
	return cli.WithHint(cli.UsageError("%s: a segmented store is not shared", seg), "sess-seg rollback makes it a file again")
}

// stored returns the sessions of the store but those of files to be skipped. Those in segmented stores are left out.
func stored(ctx context.Context, s *cli.Streams, skip func(path string) bool) ([]store.Row, error) {
	dir, err := address.StoreDir()
	if err != nil {
		return nil, err
	}
	tally := cli.NewTally(s.Warnf)
	rows, err := store.List(ctx, []string{dir}, store.Options{
		Recursive: true, Order: store.ByName, Skip: skip, Omit: session.LastMessage | session.Expenses,
		Warn: func(path string, err error) {
			if path != dir || !errors.Is(err, fs.ErrNotExist) { // there may be no store yet
				tally.Warnf("listing", "%s: %v", path, err)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	kept := rows[:0]
	for _, r := range rows {
		seg, err := address.Stored(r.Path)
		if err != nil || seg != "" {
			tally.Warnf("segmented", "%s: %v", r.Path, errors.Join(err, errors.New("a segmented store is not shared")))
			continue
		}
		kept = append(kept, r)
	}
	return kept, nil
}

var initCommand = cli.Tool{
	Name: "init", Args: "ADDRESS", Summary: "make a remote, or test one that is there",
	Examples: `sess-sync init /mnt/team/sessions`,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		flags := []cli.Flag{c.timeoutVariable()}
		return flags, func(ctx context.Context, s *cli.Streams, operands []string) error {
			if err := cli.Operands(operands, "ADDRESS"); err != nil {
				return err
			}
			return c.with(ctx, s, operands[0], true, func(l remote.Log) error {
				if err := l.Init(ctx); err != nil {
					return fmt.Errorf("%s: %w", l.Name(), err)
				}
				s.Notef("%s: ready", l.Name())
				return nil
			})
		}
	},
}

// workers is how many sessions are worked on at once.
const workers = 16

// each calls do for each of a list, several at a time, and returns the results, in order. A failure
// does not stop the others. Do calls moved with the number of bytes that it has pushed or pulled,
// as it goes on; tell prints the result of one, alone on its line.
func each[T, R any](ctx context.Context, s *cli.Streams, list []T, do func(ctx context.Context, t T, moved func(int)) (R, error), tell func(T, R)) ([]R, error) {
	p := s.Progress()
	defer p.Clear()
	var results []R
	var errs []error
	var done, bytes atomic.Int64
	show := func() {
		count := ""
		if len(list) > 1 {
			count = fmt.Sprintf("%d of %d sessions, ", done.Load(), len(list))
		}
		p.Showf("%s%.1f MB", count, float64(bytes.Load())/1e6)
	}
	moved := func(n int) {
		bytes.Add(int64(n))
		show()
	}
	for result, err := range parallel.MapErr(ctx, workers, slices.Values(list), func(ctx context.Context, t T) (R, error) { return do(ctx, t, moved) }) {
		p.Aside(func() { tell(list[len(results)], result) })
		results, errs = append(results, result), append(errs, err)
		done.Add(1)
		show()
	}
	return results, errors.Join(append(errs, ctx.Err())...)
}
