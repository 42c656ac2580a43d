package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/storev2"
	"github.com/sess-tools/sess/pkg/session"
)

// A config is the flags of all commands. Each command has some of them.
type config struct {
	json, dryRun, extended, source, list, force, hold bool
	sync                                              string
	segment                                           int64
	wait                                              time.Duration
}

// commonFlags are those that -h of a command prints, see [cli.Tool].
const commonFlags = `
json: print JSON objects
source: also compare the file with what was migrated
list
leave-behind
dry-run
`

// command makes one command. Its flags store into a config that its action gets.
func command(name, args, summary, examples string, flags func(*config) []cli.Flag, run func(*config, context.Context, *cli.Streams, []string) error) cli.Tool {
	return cli.Tool{
		Name: name, Args: args, Summary: summary, Examples: examples, Common: commonFlags,
		New: func() ([]cli.Flag, cli.Action) {
			c := &config{}
			return flags(c), func(ctx context.Context, s *cli.Streams, operands []string) error {
				if err := cli.Operands(operands, strings.Fields(args)...); err != nil {
					return err
				}
				return explained(run(c, ctx, s, operands), operands[len(operands)-1])
			}
		},
	}
}

func waitVariable(c *config) cli.Flag { return address.WaitVariable(&c.wait) }

func jsonFlag(c *config, usage string) cli.Flag { return cli.Bool(&c.json, "json", usage) }

// segmentFlag is for tests, which want several segments of a small session.
func segmentFlag(c *config) cli.Flag {
	return cli.Private(cli.Int(&c.segment, "segment", 64<<20, "limit segments to `BYTES`"))[0]
}

// extendedVariable has in a variable that a store may hold what the format cannot, which pi does not read then.
func extendedVariable(c *config) cli.Flag {
	return cli.Variable("SESS_EXTENDED", cli.Bool(&c.extended, "extended", "store what the format cannot hold under schema ids that pi does not read"))
}

func (c *config) options() storev2.Options {
	o := storev2.Options{Extended: c.extended, DryRun: c.dryRun, MaxSegment: c.segment, Wait: c.wait, NoSync: c.sync == "never", Force: c.force}
	if o.Wait == 0 {
		o.Wait = -1 // no wait at all
	}
	return o
}

// source returns the JSONL file of the session that an operand names, which may be
// missing if its store is there.
func source(ctx context.Context, name string) (string, error) {
	if isStore(name) {
		return storev2.Source(strings.TrimRight(name, string(os.PathSeparator))), nil
	}
	if name == "" || name == "-" {
		return "", cli.UsageError("a segmented store is a directory: standard input is none")
	}
	path, err := address.Path(ctx, name)
	if err != nil {
		if _, serr := os.Stat(storev2.Dir(name)); serr == nil && !strings.ContainsRune(name, ':') {
			return name, nil
		}
		return "", err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the store stands beside the file itself
	}
	return path, nil
}

// isStore reports whether an operand names a store itself.
func isStore(name string) bool {
	fi, err := os.Stat(name)
	return err == nil && fi.IsDir() || err != nil && strings.EqualFold(filepath.Ext(name), ".v2")
}

// open opens the store of the session that an operand names.
func (c *config) open(ctx context.Context, name string) (*storev2.Store, error) {
	dir := strings.TrimRight(name, string(os.PathSeparator))
	if !isStore(name) {
		path, err := source(ctx, name)
		if err != nil {
			return nil, err
		}
		dir = storev2.Dir(path)
	}
	s, err := storev2.Open(dir, c.options())
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, storev2.ErrNotStore) {
		return nil, cli.WithHint(err, "sess-seg migrate makes a store of a session")
	}
	return s, err
}

// reader is open for those who print entries or add to them.
func (c *config) reader(ctx context.Context, s *cli.Streams, name string) (*storev2.Store, error) {
	store, err := c.open(ctx, name)
	if err == nil {
		err = warnForeign(ctx, s, store)
	}
	return store, err
}

// warnForeign warns of entries that another program added to the JSONL file beside a
// segmented store: no tool reads them.
func warnForeign(ctx context.Context, s *cli.Streams, store *storev2.Store) error {
	f, err := store.Foreign(ctx)
	if err != nil || len(f.IDs) == 0 {
		return err
	}
	const most = 5
	names := strings.Join(f.IDs[:min(most, len(f.IDs))], ", ")
	if n := len(f.IDs) - most; n > 0 {
		names += fmt.Sprintf(" and %d more", n)
	}
	s.Warnf("%s has entries that %s, which is the session, has not: %s; sess-seg migrate %s takes them in", f.Path, store.Dir(), names, f.Path)
	return nil
}

// printRow prints a row of JSON.
func printRow(s *cli.Streams, r any) error {
	_, err := fmt.Fprintln(s.Out, row.JSON(r))
	return err
}

// explained gives the errors of the store their statuses, and says what to do.
func explained(err error, name string) error {
	hint := func(format string, args ...any) error {
		return cli.WithHint(cli.WithStatus(err, cli.ExitMalformed), format, args...)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, storev2.ErrNarrow):
		return hint("SESS_EXTENDED=true stores it all the same, in a store that pi does not read")
	case errors.Is(err, storev2.ErrDuplicate):
		return hint("an entry has one id; sess-append makes new ones")
	case errors.Is(err, storev2.ErrContract):
		return hint("sess-check %s finds what is wrong with a session", name)
	case errors.Is(err, storev2.ErrUnsaved):
		return hint("sess-seg rollback --leave-behind %s leaves them behind, in the store that is kept", name)
	case errors.Is(err, storev2.ErrNoTarget):
		return hint("put the file back as it was, or keep the entries with sess-seg cat %s", name)
	case errors.Is(err, storev2.ErrCorrupt):
		return hint("sess-seg verify %s lists what is wrong, sess-seg recover %s repairs what it can", name, name)
	case errors.Is(err, storev2.ErrState):
		return hint("sess-seg status %s says what happened to it", name)
	case errors.Is(err, storev2.ErrNotStore):
		return cli.WithStatus(err, cli.ExitMalformed)
	}
	return err
}

// entryOf returns the entry that a reference names, as in all other tools.
// A whole id and the last entry are found by the index; for anything else the session
// is read, by the function given.
func entryOf(store *storev2.Store, ref string, resolve func(*session.Session) (int, error)) (storev2.Entry, error) {
	if ref == "." {
		last, err := store.Tail(1)
		if err != nil {
			return storev2.Entry{}, err
		}
		if len(last) > 0 {
			return last[0], nil
		}
	}
	e, err := store.Get(ref)
	if err == nil || !errors.Is(err, storev2.ErrNotFound) {
		return e, err
	}
	r, w := io.Pipe()
	go func() {
		_, err := store.WriteTo(w)
		w.CloseWithError(err)
	}()
	all, err := session.Read(r)
	if err != nil {
		return e, err
	}
	i, err := resolve(all)
	if err == nil && i < 0 {
		err = fmt.Errorf("%s names no entry: %w", ref, storev2.ErrNotFound)
	}
	if err != nil {
		return e, fmt.Errorf("%s: %w", store.Dir(), err)
	}
	return store.Get(all.Entries[i].ID())
}
