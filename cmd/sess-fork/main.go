// Sess-fork makes a new session from the path of another, or from all of it.
//
// Usage:
//
//	sess-fork [flags] [SESSION]
//
// It prints the new session, or with --store or -o makes a file and prints its
// path. See sess-fork(1).
package main

import (
	"context"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/pkg/session"
)

var tool = clikit.Tool{
	Name:    "sess-fork",
	Summary: "make a new session from a path of another",
	Args:    "[SESSION]",
	Examples: `sess-fork --at @before-refactor -o b.jsonl s.jsonl
sess-fork --at .^ s.jsonl | sess-append -r user -t 'try it otherwise' > c.jsonl
sess-fork --all --store --cwd . old.jsonl`,
	New: func() ([]cli.Flag, clikit.Action) {
		c := &config{}
		return []cli.Flag{
			clikit.String(&c.at, "at", "", "fork the path to `REF` instead of the leaf"),
			clikit.Bool(&c.all, "all", "take the whole session, every branch"),
			clikit.String(&c.cwd, "cwd", "", "the new session's working directory, `DIR`, instead of the old one's"),
			clikit.Optional(&c.title, "title", "name it `TITLE`, instead of the old name and \"(fork #N)\""),
			clikit.Bool(&c.dest.Store, "store", "make the file in the store and print its path"),
			clikit.String(&c.dest.File, "output, o", "", "make `FILE`, which must not exist, and print its path"),
			clikit.Choice(&c.dest.Sync, "sync", []string{"", "always", "never"}, "make the file durable before exit `WHEN`; in the store always, elsewhere never"),
			clikit.Bool(&c.dest.DryRun, "dry-run, n", "print the session and make nothing"),
		}, c.run
	},
}

func main() { clikit.Main(tool) }

type config struct {
	at, cwd string
	title   *string
	all     bool
	dest    operand.Destination
}

func (c *config) run(ctx context.Context, s *clikit.Streams, operands []string) error {
	name, err := operand.One(operands)
	if err != nil {
		return err
	}
	if c.all && c.at != "" {
		return clikit.UsageError("--all and --at exclude each other")
	}
	if err := c.dest.Check(); err != nil {
		return err
	}
	src, err := operand.Read(ctx, s, name)
	if err != nil {
		return err
	}
	entries, err := c.entries(src)
	if err != nil {
		return err
	}
	lines, err := c.lines(src, entries)
	if err != nil {
		return err
	}
	return c.dest.Write(s, lines)
}

// lines returns the new session: header, entries, and the name if it has one.
func (c *config) lines(src *operand.Source, entries []session.Entry) ([]string, error) {
	h, err := c.header(src)
	if err != nil {
		return nil, err
	}
	b := session.Batch{Now: time.Now().UnixMilli(), Known: knownIn(entries)}
	h.Time = b.Now
	if n := len(entries); n > 0 {
		b.Leaf = entries[n-1].ID()
	}
	if h.Title != "" {
		if _, err := b.Add(session.TypeSessionInfo, session.StringField("name", h.Title)); err != nil {
			return nil, err
		}
	}
	lines := []string{session.NewHeader(h)}
	for _, e := range append(entries, b.Entries...) {
		lines = append(lines, e.Raw())
	}
	return lines, nil
}

func (c *config) header(src *operand.Source) (h session.HeaderFields, err error) {
	if h.Title = session.ForkTitle(src.Session.Name); c.title != nil {
		h.Title = session.OneLine(*c.title)
	}
	if h.CWD = src.Header.CWD; h.CWD == "" || c.cwd != "" {
		if h.CWD, err = operand.CWD(c.cwd); err != nil {
			return h, err
		}
	}
	if h.ParentSession = src.Header.ID; src.Path != "" {
		if h.ParentSession, err = filepath.Abs(src.Path); err != nil {
			return h, err
		}
	}
	h.ID, err = session.NewSessionID()
	return h, err
}
