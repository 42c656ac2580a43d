package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/internal/guard/redact"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// filter writes a session without its secrets.
func (c *config) filter(ctx context.Context, s *clikit.Streams, r *redact.Redactor, operands []string) error {
	name, err := operand.One(operands)
	if err != nil {
		return err
	}
	in, err := operand.Open(ctx, s, name)
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
		return clikit.No("")
	}
	return nil
}

// An output is a session as it is written.
type output struct {
	ctx   context.Context
	c     *config
	r     *redact.Redactor
	in    *operand.Input
	count *counted
}

// WriteTo writes the session for [operand.Destination].
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
	err = operand.Locate(o.in.Name, kept[0].Problem())
	return clikit.WithHint(err, "--skip %s says that it is no secret", kept[0].Rule)
}

// scan looks at an open session.
func (c *config) scan(ctx context.Context, r *redact.Redactor, in *operand.Input, emit func(string) error, report func(redact.Found)) error {
	src := io.Reader(disk.Reader{Ctx: ctx, R: in})
	if !c.rawJSONL {
		var head bytes.Buffer
		if _, err := session.ReadHeader(io.TeeReader(src, &head)); err != nil {
			return clikit.WithHint(operand.Locate(in.Name, err), "--raw-jsonl reads JSON Lines of any kind")
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
	err = operand.Locate(in.Name, err)
	if p.Kind == redact.Damaged {
		return clikit.WithHint(err, "--damaged drop puts a marker in its place; sess-check --repair mends what can be mended")
	}
	return err
}
