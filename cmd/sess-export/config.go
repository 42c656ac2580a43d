package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agent/chat"
	"github.com/sess-tools/sess/internal/agent/exchange"
	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/portable"
	"github.com/sess-tools/sess/internal/agent/report"
	"github.com/sess-tools/sess/internal/agent/written"
	"github.com/sess-tools/sess/internal/guard/redact"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/complete"
	"github.com/sess-tools/sess/internal/tool/operand"
)

type config struct {
	version, output, db, blobs, losses, sync string
	growth                                   int64
	strict, dryRun, index, redact, replace   bool
	portable, content                        bool
	harness                                  operand.Harness
}

func (c *config) flags() []clikit.Flag {
	return []clikit.Flag{
		clikit.String(&c.version, "for", "", "write a file for `VERSION` of the agent, instead of the newest known"),
		clikit.Output(&c.output, "; or a file in the directory FILE"),
		clikit.Bool(&c.replace, "replace", "move aside the file that has the session already, and print its new name"),
		clikit.Bool(&c.index, "index", "add the session's name to the agent's index in the directory of --output"),
		clikit.String(&c.db, "db", "", ": put the session into it; it must not be open elsewhere"),
		clikit.String(&c.blobs, "blobs", "", "replace references to images with"),
		clikit.String(&c.losses, "losses", "", ""),
		operand.HarnessFlag(&c.harness),
		clikit.Bool(&c.redact, "redact", "the session"),
		clikit.Bool(&c.portable, "portable", "leave out what only one account, provider or model accepts: thinking, ids, tools that the agent lacks"),
		clikit.Bool(&c.content, "content", "write what was said, too: otlp leaves it out"),
		clikit.Bool(&c.strict, "strict", "a loss, and make nothing"),
		clikit.Int(&c.growth, "max-ratio", 0, "allow an export of up to `TIMES` the size of the session, instead of 16 times or 64 MiB"),
		operand.SyncFlag(&c.sync),
		clikit.Bool(&c.dryRun, "dry-run, n", "what would be made"),
	}
}

// exported are the formats: of agents, and for programs that are none.
func exported() []formats.Format { return append(written.Formats(), exchange.Formats()...) }

func names() string {
	list := formats.Names(exported())
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// readOnly returns the error of a format that is only read.
func readOnly(name string) error {
	err := clikit.UsageError("%s: %v", name, formats.ErrReadOnly)
	if _, ok := formats.Lookup([]formats.Format{chat.Anthropic, chat.OpenAI}, name); ok {
		return clikit.WithHint(err, "sess-path --as prints what APIs are sent")
	}
	if _, ok := formats.Lookup(exported(), name); !ok && operand.IsAgent(name) {
		return clikit.WithHint(err, "the formats are %s", names())
	}
	return nil
}

// operands returns the format and the name of the session.
func (c *config) operands(operands []string) (formats.Format, string, error) {
	if len(operands) == 0 {
		return nil, "", clikit.UsageError("no format named: one of %s", names())
	}
	if err := readOnly(operands[0]); err != nil {
		return nil, "", err
	}
	format, ok := formats.Lookup(exported(), operands[0])
	if !ok {
		err := clikit.UsageError("no format %q", operands[0])
		if closest, ok := clikit.Closest(operands[0], strings.Split(names(), ", ")); ok {
			return nil, "", clikit.WithHint(err, "did you mean %s?", closest)
		}
		return nil, "", clikit.WithHint(err, "the format stands in front of the session; the formats are %s", names())
	}
	about := format.About()
	switch {
	case c.db != "" && !about.Database:
		return nil, "", clikit.UsageError("%s keeps no sessions in a database that others write to", about.Name)
	case c.db != "" && (c.output != "" || c.index):
		return nil, "", clikit.UsageError("--db is a place of its own: it goes with neither --output nor --index")
	case c.content && !about.Content:
		return nil, "", clikit.UsageError("%s has what was said: --content is for otlp", about.Name)
	case c.index && !about.Index:
		return nil, "", clikit.UsageError("%s keeps no names apart from its sessions", about.Name)
	case c.growth < 0:
		return nil, "", clikit.UsageError("--max-ratio wants a number above 0")
	case c.replace && c.output == "":
		return nil, "", clikit.UsageError("--replace wants --output DEST")
	case c.index && c.output == "":
		return nil, "", clikit.UsageError("--index wants --output DIR")
	case c.version == "" && len(about.Versions) > 0:
		c.version = about.Versions[0]
	case c.version != "" && !slices.Contains(about.Versions, c.version):
		return nil, "", clikit.UsageError("%s is not written for %q: %s", about.Name, c.version, choice(about.Versions))
	}
	name, err := operand.One(operands[1:])
	return format, name, err
}

func choice(versions []string) string {
	if len(versions) == 0 {
		return "it has one form only"
	}
	return "want " + strings.Join(versions, ", ")
}

// damage ends a strict run on a session that could not be read whole.
func (c *config) damage(src *operand.Source) error {
	if !c.strict {
		return nil
	}
	return src.Strict(src.Problems)
}

func (c *config) target(s *clikit.Streams, src *operand.Source) (*formats.Target, *report.Log, error) {
	losses, err := report.Open(c.losses, s.Warnf)
	if err != nil {
		return nil, nil, err
	}
	t := formats.NewTarget(func(l formats.Loss) { losses.Tell(src.Header.ID, l) })
	home, _ := os.UserHomeDir() // who needs it complains
	t.Path, t.DB, t.Out, t.Version, t.Blobs = c.output, c.db, s.Out, c.version, c.blobs
	t.Index, t.Growth, t.Replace, t.Content = c.index, c.growth, c.replace, c.content
	t.Strict, t.DryRun, t.Sync = c.strict, c.dryRun, operand.Destination{File: c.output, Sync: c.sync}.Durable()
	t.Env = formats.Env{Getenv: os.Getenv, Home: home}
	return t, losses, nil
}

// export writes the session.
func (c *config) export(ctx context.Context, f formats.Format, src *operand.Source, t *formats.Target, losses *report.Log) error {
	if c.portable {
		carried, err := portable.Make(src.Session, portable.Options{To: f.About().Name, From: operand.AgentOf(src.Name)}, t).Session()
		if err != nil {
			return fmt.Errorf("exporting %s: %w", src.Name, err)
		}
		src.Session = carried
	} else if c.harness == operand.DropHarness {
		t.LeaveHarness(src.Session, f.About().Name)
	}
	err := f.Export(ctx, src.Session, t)
	_, large := errors.AsType[*formats.GrowthError](err)
	switch {
	case errors.Is(err, formats.ErrLossy):
		err = formats.Damaged("%s: %v; nothing was written", src.Name, err)
	case large:
		err = clikit.WithHint(fmt.Errorf("exporting %s: %w", src.Name, err), "--max-ratio N allows N times, instead of %d", formats.MaxGrowth)
	case errors.Is(err, fs.ErrExist):
		err = clikit.WithHint(err, "--replace moves it aside, and -o makes another one")
	case err != nil && ctx.Err() == nil:
		err = fmt.Errorf("exporting %s: %w", src.Name, err)
	}
	if cerr := losses.Close(); cerr != nil {
		err = errors.Join(err, cerr)
	}
	return err
}

// read reads the session, without its secrets if that is wanted.
func (c *config) read(ctx context.Context, s *clikit.Streams, name string) (*operand.Source, error) {
	if !c.redact {
		return operand.Read(ctx, s, name)
	}
	in, err := operand.Open(ctx, s, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r, err := redact.Default()
	if err != nil {
		return nil, err
	}
	if err := in.Through(r.Session); err != nil {
		return nil, err
	}
	return in.Session()
}

// completing adds the formats that are written, and the versions of the one on the line.
func completing(ctx context.Context, at clikit.Place, add func(clikit.Candidate)) {
	switch at.Kind {
	case "FORMAT":
		for _, f := range exported() {
			about := f.About()
			at.Match(func(c clikit.Candidate) { add(clikit.Candidate{Value: c.Value, Text: about.Summary}) }, about.Name)
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
