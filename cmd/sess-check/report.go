package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/check"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/findings"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/session"
)

// names are the sessions to check; none named is standard input or, at a terminal, the newest session here.
func (c *config) names(ctx context.Context, s *cli.Streams, operands []string) ([]string, error) {
	if !c.nul {
		if len(operands) == 0 {
			name, err := address.OneOrNewest(ctx, s, nil)
			return []string{cmp.Or(name, "-")}, err
		}
		return operands, nil
	}
	data, err := io.ReadAll(s.In)
	if err != nil {
		return nil, fmt.Errorf("reading standard input: %w", err)
	}
	return strings.FieldsFunc(string(data), func(r rune) bool { return r == 0 }), nil
}

// checkOne checks one session and prints its findings.
func (c *config) checkOne(ctx context.Context, s *cli.Streams, name string) ([]check.Finding, error) {
	if err := address.RefuseEmpty(name); err != nil {
		return nil, err
	}
	in, err := address.Open(ctx, s, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	name = cmp.Or(in.File, name, "-")
	all, err := c.look(in)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	all = append(modes(in.File), elsewhere(in.File, all)...)
	if c.screen != nil {
		return all, c.screen.print(name, slices.DeleteFunc(slices.Clone(all), func(f check.Finding) bool { return c.silent(s, f) }))
	}
	p := findings.Printer{Out: s.Out}
	if c.json {
		p.Form = findings.Rows
	}
	for _, f := range all {
		if c.silent(s, f) {
			continue
		}
		if err := p.Print(found{f, name, in.Place("")}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// silent reports whether a finding is not to be printed.
func (c *config) silent(s *cli.Streams, f check.Finding) bool {
	return s.Quiet && f.Severity < check.Error && !(c.strict && f.Severity == check.Warning)
}

// elsewhere returns the one finding there is about a file of another agent, of which nothing else here is true.
func elsewhere(name string, all []check.Finding) []check.Finding {
	at := slices.IndexFunc(all, func(f check.Finding) bool { return f.Kind == session.NoHeader })
	if at < 0 || name == "" {
		return all
	}
	format := address.Format(name)
	if format == "" {
		return all
	}
	f := all[at]
	f.Text = fmt.Sprintf("not a session of this format but one of %s: %s %s %s makes one of it", known.ProgramName(format), address.Importer, format, cli.ShellWords([]string{name}))
	return []check.Finding{f}
}

// large is from how many bytes on a session is first looked at as if nothing were
// wrong with it: of a smaller one, finding out costs no more than that.
const large = 4 << 20

// look checks a session.
func (c *config) look(in *address.Input) ([]check.Finding, error) {
	if f, size, ok := in.Large(large); ok && c.blobs == "" {
		if sound, err := check.Sound(io.NewSectionReader(f, 0, size)); sound || err != nil {
			return nil, err
		}
	}
	var o check.Options
	if c.blobs != "" {
		o.Blob = func(sum string) (io.ReadCloser, error) { return disk.OpenRegular(filepath.Join(c.blobs, sum)) }
	}
	return check.Check(in, o)
}

// modes reports a session file that others may read or write.
func modes(path string) []check.Finding {
	fi, err := os.Stat(path)
	if path == "" || err != nil || !fi.Mode().IsRegular() || fi.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return []check.Finding{{Severity: check.Note, Problem: session.Problem{
		Kind: check.WideMode, Text: fmt.Sprintf("mode %04o lets other users in; sessions hold secrets, so use 0600", fi.Mode().Perm()),
	}}}
}

// found is a finding as it is printed.
type found struct {
	check.Finding
	name  string // of the session
	place row.Place
}

// Line is file, line, byte, severity, kind, id and text.
func (f found) Line() string {
	return fmt.Sprintf("%s:%d:%d: %s %s %s: %s", tty.Clean(f.name), f.Problem.Line, f.Offset, f.Severity, f.Kind, tty.Clean(cmp.Or(f.ID, "-")), tty.Clean(f.Text))
}

func (f found) Row() string {
	in := f.Problem.Line != 0 // it is not about the whole
	return row.JSON(findingRow{
		Address: f.place.Address, Path: f.place.Path, Entry: f.ID, Line: row.Known(f.Problem.Line, in), Offset: row.Known(f.Offset, in),
		Severity: f.Severity.String(), Problem: string(f.Kind), Text: f.Text,
	})
}

type config struct {
	json, strict, nul       bool
	repair, migrate, relink bool
	blobs                   string
	dest                    address.Destination

	screen *screened // nil if findings are for programs
}

func (c *config) flags() []cli.Flag {
	return []cli.Flag{
		cli.Bool(&c.json, "json", "print a JSON object for each finding"),
		cli.Bool(&c.strict, "strict", "end with status 3 for warnings, too"),
		cli.Bool(&c.nul, "null, 0", "end names and rows with a NUL, and read names from standard input"),
		cli.String(&c.blobs, "blobs", "", "check references to the blobs in `DIR`"),
		cli.Bool(&c.repair, "repair", "write every readable entry to --output, and the other bytes to that name with .rej appended"),
		cli.Bool(&c.relink, "relink", "with --repair, attach entries with a missing parent, or on a cycle, to the entry before them"),
		cli.Bool(&c.migrate, "migrate", "write a copy in version 3 to --output; a damaged session needs --repair too"),
		cli.String(&c.dest.File, "output, o", "", "make `FILE`, and print its path; - is standard output"),
		c.dest.ForceFlag(),
		address.SyncVariable(&c.dest.Sync),
		cli.Bool(&c.dest.DryRun, "dry-run, n", "print the copy of --repair or --migrate, and write nothing"),
	}
}

// check refuses flags that contradict each other.
func (c *config) check(operands []string) error {
	writes := c.repair || c.migrate
	if c.dest.File == "-" && writes {
		c.dest.File, c.dest.DryRun = "", true // which prints it
	}
	if err := c.dest.CheckForce(); err != nil {
		return err
	}
	switch {
	case writes && len(operands) > 1:
		return cli.UsageError("unexpected operand %q: one session is repaired at a time", operands[1])
	case writes && c.dest.File == "" && !c.dest.DryRun:
		return cli.WithHint(cli.UsageError("a copy needs a name"), "name it with --output; nothing is repaired in place")
	case !writes && (c.dest.File != "" || c.dest.DryRun):
		return cli.UsageError("--output and --dry-run go with --repair or --migrate")
	case c.relink && !c.repair:
		return cli.UsageError("--relink goes with --repair")
	case writes && c.nul:
		return cli.UsageError("-0 does not go with --repair or --migrate")
	case writes && (c.json || c.strict || c.blobs != ""):
		return cli.UsageError("--json, --strict and --blobs do not go with --repair or --migrate")
	case c.nul && len(operands) > 0:
		return cli.UsageError("-0 reads the names from standard input: unexpected operand %q", operands[0])
	}
	return nil
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
json
strict
repair: write every readable entry to --output
relink: with --repair, attach entries without a parent
migrate: write a copy in version 3 to --output
output
`
