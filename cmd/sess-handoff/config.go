package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/handoff"
	"github.com/sess-tools/sess/internal/agents/written"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/git"
	"github.com/sess-tools/sess/internal/core/proc"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

type config struct {
	to, leaf, cwd, losses                                 string
	budget                                                int64
	brief, exec, again, json, keepSecrets, strict, dryRun bool

	format formats.Format
	env    formats.Env
}

func (c *config) flags() []cli.Flag {
	return []cli.Flag{
		cli.String(&c.to, "to", "", "go on in `AGENT`: "+strings.Join(handoff.Targets(), ", ")),
		cli.String(&c.leaf, "leaf, l", "", "the path ends at `REF`"),
		cli.Tokens(&c.budget, "budget", 80_000, "hand over at most `TOKENS`"),
		cli.Bool(&c.brief, "brief", "begin with a brief of the whole session; without --to, print the brief and make nothing"),
		cli.String(&c.cwd, "cwd", "", "use `DIR` as the working directory of the new session, instead of that of the old one"),
		cli.Bool(&c.exec, "exec", "run the agent, instead of printing the command"),
		cli.Bool(&c.again, "again", "make another session, even if this one has been handed over already"),
		cli.Bool(&c.json, "json", "print a JSON object for the hand-off"),
		cli.Bool(&c.keepSecrets, "no-redact", "leave secrets in"),
		cli.String(&c.losses, "losses", "", "write each loss as a JSON object into `FILE`, which must not exist"),
		cli.Bool(&c.strict, "strict", "end with status 3 for a loss, and make nothing"),
		cli.Bool(&c.dryRun, "dry-run, n", "print what would be made, as --json does, and write nothing"),
	}
}

// check looks at the flags, and at operands for an agent that was to stand behind --to.
func (c *config) check(operands []string) error {
	home, _ := os.UserHomeDir() // who needs it complains
	c.env = formats.Env{Getenv: os.Getenv, Home: home}
	if c.to == "" && c.brief {
		return nil
	}
	if c.to == "" {
		err := cli.UsageError("no agent named: --to is one of %s", strings.Join(handoff.Targets(), ", "))
		if len(operands) > 0 && slices.Contains(handoff.Targets(), operands[0]) {
			return cli.WithHint(err, "sess-handoff --to %s", cli.ShellWords(operands))
		}
		return err
	}
	if !slices.Contains(handoff.Targets(), c.to) {
		err := cli.UsageError("no hand-off to %q", c.to)
		if closest, ok := cli.Value(c.to, handoff.Targets()); ok {
			return cli.WithHint(err, "did you mean %s?", closest)
		}
		return cli.WithHint(err, "--to is one of %s", strings.Join(handoff.Targets(), ", "))
	}
	c.format, _ = formats.Lookup(written.Formats(), c.to)
	return cli.Exclusive(cli.NameIf(c.exec, "--exec"), cli.NameIf(c.json, "--json"), cli.NameIf(c.dryRun, "--dry-run"))
}

// importer looks for opencode, whose own import makes the session, before anything is made.
func (c *config) importer() error {
	if c.to != "opencode" || c.dryRun {
		return nil
	}
	_, err := proc.Find("opencode")
	if err == nil {
		return nil
	}
	err = cli.CommandFailed(errors.New("handing over to opencode: opencode, which would import the session, is not in PATH"))
	return cli.WithHint(err, "sess-export --portable opencode -o FILE makes a file for opencode import")
}

// directory returns where the agent is to go on: the session's directory if it is here, else this
// one.
func (c *config) directory(ctx context.Context, s *cli.Streams, h session.Header) (string, error) {
	of := h.CWD
	if c.cwd != "" {
		dir, err := address.CWD(c.cwd)
		if err == nil && !formats.IsDir(dir) {
			err = cli.UsageError("--cwd %s is no directory here", c.cwd)
		}
		return dir, err
	}
	if filepath.IsAbs(of) && formats.IsDir(of) {
		return of, nil
	}
	here, err := os.Getwd()
	switch {
	case err != nil || of == "":
	case inRepo(ctx, here, h.Origin().Repo()):
		s.Notef("it continues in this directory, of the same repository: the session's directory, %s, does not exist here", of)
	default:
		s.Warnf("it continues in this directory: the session's directory, %s, does not exist here", of)
	}
	return here, err
}

// inRepo reports whether a directory is in a work tree that has a repository as a remote. Where git cannot tell, it is not.
func inRepo(ctx context.Context, dir, repo string) bool {
	if repo == "" {
		return false
	}
	remotes, err := git.Remotes(ctx, dir)
	return err == nil && slices.ContainsFunc(remotes, func(remote string) bool {
		return session.Origin{Git: session.Git(remote, "", "")}.Repo() == repo // as headers have it, without a user
	})
}

// model finds the model that opencode is to go on with.
func (c *config) model(s *cli.Streams, cwd string) (provider, model string) {
	if c.to != "opencode" {
		return "", ""
	}
	provider, model, ok := handoff.Model(c.env, cwd)
	if !ok {
		s.Warnf("opencode's configuration names no model: add -m PROVIDER/MODEL to the line")
	}
	return provider, model
}

// passing reports whether an operand is a session without a place at which it is found again.
func passing(name string) bool { return name == "-" || strings.HasPrefix(name, address.Remote+":") }

// lasting returns the address at which the source stays: one without goes into the store.
func lasting(src *address.Source, name string, dry bool) (string, error) {
	switch agent := address.AgentOf(name); {
	case agent != "":
		return agent + ":" + src.Header.ID, nil
	case !passing(name):
		return filepath.Abs(cmp.Or(src.Path, name))
	case dry:
		return name, nil
	}
	dir, err := address.StoreDir()
	if err != nil {
		return "", err
	}
	path, err := store.Open(dir).Create(src.Header.CWD, src.Header.Timestamp, src.Header.ID, src.Content(), false)
	if errors.Is(err, fs.ErrExist) {
		return src.Header.ID, nil // it is there already
	}
	return path, err
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
to
leaf
budget
brief: begin with a brief of the whole session
exec
dry-run: print what would be made
`
