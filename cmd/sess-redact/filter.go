package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/findings"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/secret"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// filter writes a session without its secrets.
func (c *config) filter(ctx context.Context, s *cli.Streams, r *redact.Redactor, operands []string) error {
	name, err := address.One(operands)
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
	s.Notef("%s", count.summary(1))
	if c.failOnFind && count.total > 0 {
		return cli.No("")
	}
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
	src := io.Reader(disk.Reader{Ctx: ctx, R: in})
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
	err := r.Run(jsonl.Lines(src), write, report)
	if failed != nil || err == nil {
		return failed
	}
	p, _ := session.AsProblem(err)
	err = address.Locate(in.Name, err)
	if p.Kind == redact.Damaged {
		return cli.WithHint(err, "--damaged drop puts a marker in its place; sess-check --repair mends what can be mended")
	}
	return err
}

// A reporter prints findings.
type reporter interface {
	row(r found) error
	end(n *counted, sessions, rules int) error
}

func (c *config) reporter(s *cli.Streams) reporter {
	switch {
	case c.json:
		return &jsonReport{out: s.Out}
	case c.sarif:
		return &sarifReport{out: s.Out, run: findings.SARIF{Tool: "sess-redact", Version: secret.GitleaksVersion}}
	case c.github:
		return &githubReport{out: s.Out}
	}
	return &textReport{out: s.Out}
}

// A textReport prints FILE:ENTRY:FIELD:KIND:COUNT.
type textReport struct{ out io.Writer }

func (t *textReport) row(r found) error {
	kind := r.Rule
	if r.Structural {
		kind += " (structural)"
	}
	_, err := fmt.Fprintf(t.out, "%s:%s:%s:%s:%d\n", r.src.Label(), tty.Clean(r.Entry), r.Field, kind, r.count)
	return err
}

func (t *textReport) end(*counted, int, int) error { return nil }

// A jsonReport prints an object for each finding, and one of all.
type jsonReport struct{ out io.Writer }

// minShownLen is how long a secret has to be for its length to be told, in bytes.
const minShownLen = 12

func (t *jsonReport) row(r found) error {
	end, size := row.Null("end"), row.Null("bytes")
	if r.Len() >= minShownLen {
		end, size = js.IntField("end", int64(r.To)), js.IntField("bytes", int64(r.Len()))
	}
	_, err := fmt.Fprintln(t.out, row.Object("finding", append(r.place.Fields()[:2],
		row.Entry(entryID(r)), js.IntField("line", int64(r.Line)), row.Text("field", r.Field), js.StringField("rule", r.Rule),
		js.IntField("count", int64(r.count)), js.IntField("start", int64(r.From)), end, size, row.Texts("decoded", r.Encodings),
		row.Bool("structural", r.Structural), row.Bool("damaged", r.Damaged), row.Text("fingerprint", r.fingerprint))...))
	return err
}

// entryID is the id of the entry, "" if what was found is in none, or in one without an id.
func entryID(r found) string {
	if r.Entry == "-" || r.Entry == fmt.Sprintf("L%d", r.Line) {
		return ""
	}
	return r.Entry
}

func (t *jsonReport) end(n *counted, sessions, rules int) error {
	var kinds []js.Field
	for _, kind := range slices.Sorted(maps.Keys(n.kinds)) {
		kinds = append(kinds, js.IntField(kind, int64(n.kinds[kind])))
	}
	source := js.Object(js.StringField("source", "gitleaks"), js.StringField("version", secret.GitleaksVersion), js.IntField("enabled", int64(rules)))
	_, err := fmt.Fprintln(t.out, row.Object("total", js.IntField("findings", int64(n.total)), js.IntField("entries", int64(n.entries)),
		js.IntField("sessions", int64(sessions)), js.RawField("rules", js.Object(kinds...)), js.RawField("ruleset", source)))
	return err
}

// finding is what was found, for other programs.
func (r found) finding() findings.Finding {
	return findings.Finding{
		Session: r.src.Label(), File: r.src.File(), Line: r.Line, Rule: r.Rule,
		Message: fmt.Sprintf("%s in %s of entry %s", r.Rule, r.Field, tty.Clean(r.Entry)),
	}
}

// A githubReport prints annotations.
type githubReport struct{ out io.Writer }

func (t *githubReport) row(r found) error {
	_, err := io.WriteString(t.out, findings.GitHub(r.finding()))
	return err
}

func (t *githubReport) end(*counted, int, int) error { return nil }

// A sarifReport prints one run of SARIF.
type sarifReport struct {
	out io.Writer
	run findings.SARIF
}

func (t *sarifReport) row(r found) error {
	t.run.Add(r.finding(), "a secret: "+r.Rule)
	return nil
}

func (t *sarifReport) end(*counted, int, int) error {
	_, err := fmt.Fprintln(t.out, &t.run)
	return err
}
