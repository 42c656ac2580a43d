package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/chat"
	"github.com/sess-tools/sess/internal/agents/exchange"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/losses"
	"github.com/sess-tools/sess/internal/agents/portable"
	"github.com/sess-tools/sess/internal/agents/written"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/internal/core/redact/rules"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/jsonl"
)

type config struct {
	version, output, blobs, losses, sync   string
	strict, dryRun, index, redact, replace bool
	portable, content                      bool
}

func (c *config) flags() []cli.Flag {
	return []cli.Flag{
		cli.String(&c.version, "for", "", "write a file for `VERSION` of the agent, instead of the newest known"),
		cli.Output(&c.output, "make `FILE`, and print its path; - is standard output; or a file in the directory FILE"),
		cli.Bool(&c.replace, "replace", "rename an existing file of the session, and print its new name"),
		cli.Bool(&c.index, "index", "add the session's name to the agent's index in the directory of --output"),
		address.BlobsVariable(&c.blobs),
		cli.String(&c.losses, "losses", "", "write each loss as a JSON object into `FILE`, which must not exist"),
		cli.Bool(&c.redact, "redact", "take secrets out of the session, as sess-redact does"),
		cli.Bool(&c.portable, "portable", "leave out what only one account, provider or model accepts: thinking, ids, tools that the other agent lacks"),
		cli.Bool(&c.content, "content", "also write texts, which otlp leaves out"),
		cli.Bool(&c.strict, "strict", "end with status 3 for a loss, and make nothing"),
		address.SyncVariable(&c.sync),
		cli.Bool(&c.dryRun, "dry-run, n", "print what would be made, and write nothing"),
	}
}

// exported are the formats: of agents, and for programs that are none.
func exported() []formats.Format { return append(written.Formats(), exchange.Formats()...) }

func names() string {
	list := formats.Names(exported())
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// readOnlyError returns the error of a format that is only read.
func readOnlyError(name string) error {
	err := cli.UsageError("%s: %v", name, formats.ErrReadOnly)
	if _, ok := formats.Lookup([]formats.Format{chat.Anthropic, chat.OpenAI}, name); ok {
		return cli.WithHint(err, "sess-path --as prints what APIs are sent")
	}
	if _, ok := formats.Lookup(exported(), name); !ok && known.IsAgent(name) {
		return cli.WithHint(err, "the formats are %s", names())
	}
	return nil
}

// operands returns the format and the name of the session.
func (c *config) operands(ctx context.Context, s *cli.Streams, operands []string) (formats.Format, string, error) {
	if len(operands) == 0 {
		return nil, "", cli.UsageError("no format named: one of %s", names())
	}
	if err := readOnlyError(operands[0]); err != nil {
		return nil, "", err
	}
	format, ok := formats.Lookup(exported(), operands[0])
	if !ok {
		err := cli.UsageError("no format %q", operands[0])
		if form, ok := cli.Another(operands[0], []string{"html", "markdown", "text"}); ok {
			return nil, "", cli.WithHint(err, "sess-show makes documents: %s", cli.ShellWords(append([]string{"sess-show", "--as", form}, operands[1:]...)))
		}
		if _, _, _, address := address.Address(operands[0]); address && len(operands) == 1 {
			return nil, "", cli.WithHint(err, "the format comes before the session: sess-export FORMAT %s", cli.ShellWords(operands))
		}
		if closest, ok := cli.Closest(operands[0], strings.Split(names(), ", ")); ok {
			return nil, "", cli.WithHint(err, "did you mean %s?", closest)
		}
		return nil, "", cli.WithHint(err, "the format comes before the session; the formats are %s", names())
	}
	about := format.About()
	switch {
	case c.content && !about.Content:
		return nil, "", cli.UsageError("%s always has the texts: --content is for otlp", about.Name)
	case c.index && !about.Index:
		return nil, "", cli.UsageError("%s keeps no names apart from its sessions", about.Name)
	case c.replace && c.output == "":
		return nil, "", cli.UsageError("--replace wants --output DEST")
	case c.index && c.output == "":
		return nil, "", cli.UsageError("--index wants --output DIR")
	case c.version == "" && len(about.Versions) > 0:
		c.version = about.Versions[0]
	case c.version != "" && len(about.Versions) == 0:
		return nil, "", cli.UsageError("%s is not written for %q: it has one form only", about.Name, c.version)
	case c.version != "" && !slices.Contains(about.Versions, c.version):
		return nil, "", cli.UsageError("%s is not written for %q: want %s", about.Name, c.version, strings.Join(about.Versions, ", "))
	}
	name, err := address.OneOrNewest(ctx, s, operands[1:])
	return format, name, err
}

func (c *config) target(s *cli.Streams, src *address.Source) (*formats.Target, *losses.Log, error) {
	losses, err := losses.Open(c.losses, false, s)
	if err != nil {
		return nil, nil, err
	}
	t := formats.NewTarget(func(l formats.Loss) { losses.Tell(src.Header.ID, l.Where, l) })
	home, _ := os.UserHomeDir() // who needs it complains
	t.Path, t.Out, t.Version, t.Blobs = c.output, s.Out, c.version, c.blobs
	t.Index, t.Replace, t.Content = c.index, c.replace, c.content
	t.Strict, t.DryRun, t.Sync = c.strict, c.dryRun, address.Destination{File: c.output, Sync: c.sync}.Durable()
	t.Env, t.Price = formats.Env{Getenv: os.Getenv, Home: home}, price
	return t, losses, nil
}

// price has sess-stat say what the calls of a session cost. A sum without the calls that have no price is an error.
func price(ctx context.Context, session jsonl.Content) (usd float64, err error) {
	lines := subprocess.Piped(session)
	defer lines.Close()
	rows, err := subprocess.Program{Name: "sess-stat", Args: []string{"--by", "session", "--json", "-q", "-"}, Stdin: lines, Say: func(subprocess.Message) {}}.Rows(ctx)
	switch {
	case err != nil:
		return 0, err
	case len(rows) == 0:
		return 0, errors.New("sess-stat counts no calls")
	}
	if n := rows[0].Get("unpriced").Int(); n > 0 {
		return 0, errors.New(tty.Count(int(n), "call has no price", "calls have no price"))
	}
	return rows[0].Get("cost").Float(), nil
}

// export writes the session.
func (c *config) export(ctx context.Context, f formats.Format, src *address.Source, t *formats.Target, losses *losses.Log) error {
	if c.portable {
		carried, err := portable.Make(src.Session, portable.Options{To: f.About().Name, From: address.AgentOf(src.Name)}, t).Session()
		if err != nil {
			return fmt.Errorf("exporting %s: %w", src.Name, err)
		}
		src.Session = carried
	} else {
		t.LeaveHarness(src.Session, f.About().Name)
	}
	src.Session.Header = src.Session.Header.Original()
	err := f.Export(ctx, src.Session, t)
	switch {
	case errors.Is(err, formats.ErrLossy):
		err = formats.Damaged("%s: %v; nothing was written", src.Name, err)
	case errors.Is(err, fs.ErrExist):
		err = cli.WithHint(err, "--replace moves it aside, and -o makes another one")
	case err != nil && ctx.Err() == nil:
		err = fmt.Errorf("exporting %s: %w", src.Name, err)
	}
	if cerr := losses.Close("NOT KEPT"); cerr != nil {
		err = errors.Join(err, cerr)
	}
	return err
}

// read reads the session, without its secrets if that is wanted.
func (c *config) read(ctx context.Context, s *cli.Streams, name string) (*address.Source, error) {
	ctx = address.Losses(ctx)
	if !c.redact {
		return address.ReadAny(ctx, s, name)
	}
	in, err := address.OpenAny(ctx, s, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r, err := rules.Configured(s)
	if err != nil {
		return nil, err
	}
	if err := in.Through(r.Session); err != nil {
		return nil, err
	}
	return in.Session()
}

// completing adds the formats that are written, and the versions of the one on the line.
func completing(ctx context.Context, at cli.Place, add func(cli.Candidate)) {
	switch at.Kind {
	case "FORMAT":
		for _, f := range exported() {
			about := f.About()
			at.Match(func(c cli.Candidate) { add(cli.Candidate{Value: c.Value, Text: about.Summary}) }, about.Name)
		}
	case "VERSION":
		if len(at.Operands) > 0 {
			if f, ok := formats.Lookup(exported(), at.Operands[0]); ok {
				at.Match(add, f.About().Versions...)
			}
		}
	default:
		complete.Reader(ctx, at, add)
	}
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
output: make FILE, and print its path; - is standard output
replace: move aside the file that has the session already
redact
portable: leave out what only one account or model accepts
strict
`
