package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/proc"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/share/replica"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A collection says which sessions of agents are brought up to date in the store, and then pushed.
type collection struct {
	agents []string
	redact bool
}

func (c *collection) flags() []cli.Flag {
	return []cli.Flag{
		cli.ChoicesOr(&c.agents, "agent", append(known.Names(), address.EveryAgent), known.IsAgent,
			"only sessions of the agents `NAME,NAME`, where they keep them: bring those in the store up to date first, as sess-import --all --store does"),
		cli.Bool(&c.redact, "redact", "take secrets out of the copies of --agent, as sess-redact does"),
	}
}

// check refuses flags that contradict each other.
func (c *collection) check(all bool, operands []string) error {
	switch {
	case len(c.agents) == 0 && c.redact:
		return cli.WithHint(cli.UsageError("--redact goes with --agent"), "sess-redact -o FILE makes a copy without secrets to push")
	case len(c.agents) == 0:
		return nil
	case all || len(operands) > 0:
		return cli.WithHint(cli.UsageError("--agent takes neither operands nor --all"), "--agent all takes the sessions of all agents, --all those of the store")
	}
	return nil
}

// collected pushes the sessions of agents, which are brought up to date before. A session that can be neither read nor pushed
// does not keep the others from being pushed.
func (c *config) collected(ctx context.Context, s *cli.Streams, l remote.Log) error {
	paths, fate, err := c.collect(ctx, s)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if fate.All() > 0 {
		s.Infof("%v", fate)
	}
	pushed, perr := c.pushAll(ctx, s, l, paths)
	switch err := errors.Join(err, perr); {
	case err != nil:
		return err
	case fate.All() == 0:
		return cli.No("no session")
	case !pushed && fate[listing.New]+fate[listing.Grown]+fate[listing.Merged] == 0:
		return cli.No("nothing to push")
	}
	return nil
}

// pushAll pushes sessions of the store that were collected. It reports whether there was anything to push or to take.
func (c *config) pushAll(ctx context.Context, s *cli.Streams, l remote.Log, paths []string) (some bool, err error) {
	if len(paths) == 0 {
		return false, nil
	}
	r, err := c.begin(ctx, l, fmt.Sprintf("push --agent %s redact %t", strings.Join(c.agents, ","), c.redact))
	if err != nil {
		return false, err
	}
	var rows []found
	for _, path := range paths {
		if !r.mark.Same(path) {
			key, _ := replica.Key(path) // the push tells the error
			rows = append(rows, found{path, key})
		}
	}
	list, err := r.due(ctx, r.beside(rows), true)
	if err != nil {
		return false, err
	}
	o := c.options(s, l)
	o.Collected = true
	results, err := r.push(ctx, s, list, o, func(f found, p replica.Result) {
		c.say(s, f.path, p)
		if p.Differ > 0 {
			s.Notef("%s: the remote has %s that another program or other rules wrote; it keeps them", f.path, lines(p.Differ))
		}
	})
	sent, failed := 0, int(r.failed.Load())
	for _, p := range results {
		if !p.Nothing() {
			sent++
		}
	}
	same := len(paths) - sent - failed
	s.Infof("%d pushed, %d same, %d failed", sent, same, failed)
	return sent > 0, err
}

// collect brings the sessions of the agents up to date, and returns the files that the import made or found. The error is that of the
// agents of which not all could be read.
func (c *config) collect(ctx context.Context, s *cli.Streams) (paths []string, fate listing.Fate, err error) {
	agents := c.agents
	if slices.Contains(agents, address.EveryAgent) {
		if agents, err = homes(ctx, s); err != nil {
			return nil, nil, err
		}
	}
	seen := map[string]bool{}
	fate = listing.Fate{}
	for _, agent := range agents {
		aerr := c.collectOne(ctx, s, agent, func(what, path string) {
			fate[what]++
			there := what != listing.New || !c.dryRun
			if path != "" && !seen[path] && there {
				paths = append(paths, path)
			}
			seen[path] = true
		})
		if aerr != nil && cli.Status(aerr) != cli.ExitNo {
			err = errors.Join(err, fmt.Errorf("%s: %w", agent, aerr))
		}
	}
	return paths, fate, err
}

// collectOne runs the program that reads the sessions of an agent.
func (c *config) collectOne(ctx context.Context, s *cli.Streams, agent string, take func(what, path string)) error {
	args := []string{"--all", "--store", "--json", "--no-losses"}
	if c.dryRun {
		args = append(args, "--dry-run")
	}
	if c.redact {
		args = append(args, "--redact")
	}
	p, err := importer(ctx, s, append(args, "--", agent)...)
	if err != nil {
		return err
	}
	defer p.Close()
	for line, err := range jsonl.Lines(p) {
		if err != nil {
			return err
		}
		r := js.Value(line.Text())
		take(r.Get("what").Str(), r.Get("path").Str())
	}
	return nil
}

// homes returns the agents that have sessions on this machine. Of two that keep them in one place it is the first.
func homes(ctx context.Context, s *cli.Streams) (agents []string, err error) {
	p, err := importer(ctx, s, "--homes")
	if err != nil {
		return nil, err
	}
	defer p.Close()
	seen := map[string]bool{}
	for line, err := range jsonl.Lines(p) {
		if cli.Status(err) == cli.ExitNo {
			break
		} else if err != nil {
			return nil, err
		}
		name, place, _ := strings.Cut(line.Text(), "\t")
		if !seen[place] {
			agents = append(agents, name)
		}
		seen[place] = true
	}
	return agents, nil
}

// importer runs the program that knows agents. Its warnings are ours.
func importer(ctx context.Context, s *cli.Streams, args ...string) (*proc.Reader, error) {
	return subprocess.Program{Name: address.Importer, Args: args, Say: func(m subprocess.Message) {
		if m.Warning {
			s.Warnf("%s", m.Text)
		}
	}}.Start(ctx)
}
