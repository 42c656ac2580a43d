package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/findings"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/secret"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// filter writes a session without its secrets.
func (c *config) filter(ctx context.Context, s *cli.Streams, r *redact.Redactor, operands []string) error {
	name, err := address.OneOrNewest(ctx, s, operands)
	if err != nil {
		return err
	}
	in, err := address.Open(ctx, s, name)
	if err != nil {
		return err
	}
	defer in.Close()
	count := &counted{kinds: map[string]int{}}
	out := &output{ctx: ctx, c: c, r: r, in: in, count: count}
	c.dest.Read = []string{in.Path()}
	if c.dest.File == "" {
		err = out.to(s.Out)
	} else if err = c.dest.Make(out); err == nil {
		_, err = fmt.Fprintln(s.Out, c.dest.File)
	}
	if err != nil {
		return err
	}
	if c.dest.File != "" && count.total > 0 {
		s.Infof("%s", count.taken())
	}
	s.Notef("%s", count.summary(1))
	return nil
}

// An output is a session as it is written.
type output struct {
	ctx   context.Context
	c     *config
	r     *redact.Redactor
	in    *address.Input
	count *counted
}

// WriteTo writes the session for [address.Destination].
func (o *output) WriteTo(w io.Writer) (int64, error) {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := o.to(b); err != nil {
		return 0, err // the buffer has it, too, if it is that of a write
	}
	return 0, b.Flush()
}

// to writes the session. It fails at the end if something was found that is not changed:
// what was written is not to be taken for clean.
func (o *output) to(w io.Writer) error {
	var kept []redact.Found
	emit := func(text string) error {
		_, err := io.WriteString(w, text)
		return err
	}
	err := o.c.scan(o.ctx, o.r, o.in, emit, func(f redact.Found) {
		o.count.add(f)
		if f.Structural {
			kept = append(kept, f)
		}
	})
	if err != nil || len(kept) == 0 {
		return err
	}
	err = address.Locate(o.in.Name, kept[0].Problem())
	return cli.WithHint(err, "--skip %s says that it is no secret", kept[0].Rule)
}

// scan looks at an open session.
func (c *config) scan(ctx context.Context, r *redact.Redactor, in *address.Input, emit func(string) error, report func(redact.Found)) error {
	src, whole := io.Reader(disk.Reader{Ctx: ctx, R: in}), in.Whole()
	if !c.rawJSONL {
		var head bytes.Buffer
		if _, err := session.ReadHeader(io.TeeReader(src, &head)); err != nil {
			return cli.WithHint(address.Locate(in.Name, err), "--raw-jsonl reads JSON Lines of any kind")
		}
		src = io.MultiReader(&head, src)
	}
	var failed error // of writing
	write := emit
	if emit != nil {
		write = func(text string) error {
			failed = emit(text)
			return failed
		}
	}
	c.broken = nil
	err := r.Run(jsonl.Lines(src), whole, write, report)
	if failed != nil || err == nil {
		return failed
	}
	p, _ := session.AsProblem(err)
	err = address.Locate(in.Name, err)
	if p.Kind == redact.Damaged {
		return cli.WithHint(err, "--damaged drop puts a marker in its place; sess-check --repair repairs what it can")
	}
	return err
}

// form returns how findings are printed.
func (c *config) form() findings.Form {
	switch {
	case c.json:
		return findings.Rows
	case c.sarif:
		return findings.Sarif
	case c.github:
		return findings.GitHub
	}
	return findings.Lines
}

// Line is FILE:ENTRY:FIELD:KIND:COUNT.
func (r found) Line() string {
	kind := r.Rule
	if r.Structural {
		kind += " (structural)"
	}
	return fmt.Sprintf("%s:%s:%s:%s:%d", r.src.Label(), tty.Clean(r.Entry), r.Field, kind, r.count)
}

// minShownLen is how long a secret has to be for its length to be told, in bytes.
const minShownLen = 12

func (r found) Row() string {
	entry := r.Entry
	if entry == "-" || entry == fmt.Sprintf("L%d", r.Found.Line) {
		entry = "" // it is in none, or in one without an id
	}
	long := r.Len() >= minShownLen
	return row.JSON(findingRow{
		Address: r.place.Address, Path: r.place.Path, Entry: entry, Line: r.Found.Line, Field: r.Field, Rule: r.Rule, Count: r.count,
		Start: r.From, End: row.Known(r.To, long), Bytes: row.Known(r.Len(), long), Decoded: r.Encodings,
		Structural: r.Structural, Damaged: r.Damaged, Fingerprint: r.fingerprint,
	})
}

func (r found) Report() findings.Finding {
	return findings.Finding{
		Session: r.src.Label(), File: r.src.File(), Line: r.Found.Line, Rule: r.Rule, About: "a secret: " + r.Rule,
		Message: fmt.Sprintf("%s in %s of entry %s", r.Rule, r.Field, tty.Clean(r.Entry)),
	}
}

// row is the row of all that was found.
func (n *counted) row(sessions, rules int) string {
	out := totalRow{Findings: n.total, Entries: n.entries, Sessions: sessions, Rules: n.kinds}
	out.Ruleset.Source, out.Ruleset.Version, out.Ruleset.Enabled = "gitleaks", secret.GitleaksVersion, rules
	return row.JSON(out)
}
