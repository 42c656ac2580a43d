package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/command"
	"github.com/sess-tools/sess/internal/core/pager"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/page"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// A document is a session that is shown, and the path to the leaf.
type document struct {
	src   *address.Source
	agent string // whose session it is, "" for ours
	path  []int  // positions

	commits []string // that it led to, if that is to be told
}

// read reads a session.
func (c *config) read(ctx context.Context, s *cli.Streams, name string) (*document, error) {
	in, err := address.OpenAny(ctx, s, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	// How much garbage there may be: a small session is shown before a collection is worth its time, a large one is kept whole.
	percent := 400
	if _, _, ok := in.Large(large); ok {
		percent = 20
	}
	debug.SetGCPercent(percent)
	if c.secrets != nil {
		if err := in.Through(c.secrets.Session); err != nil {
			return nil, err
		}
	}
	d := &document{agent: address.AgentOf(name)}
	if d.src, err = in.Session(); err != nil {
		return nil, err
	}
	address.TellOutputs(ctx, s, false, "not shown", d.src.Place().Address)
	if len(d.src.Entries) > 0 {
		leaf, err := d.src.Leaf(c.leaf)
		if err != nil {
			return nil, err
		}
		var problems []session.Problem
		d.path, problems = d.src.Session.PathIndex(leaf)
		d.src.Warn(problems)
	}
	if c.blobs != "" {
		blobs := store.OpenBlobs(c.blobs)
		var all []session.Problem
		for i, e := range d.src.Entries {
			var problems []session.Problem
			d.src.Entries[i], problems = convo.ResolveBlobs(e, blobs.Get)
			all = append(all, problems...)
		}
		d.src.Warn(all)
	}
	if c.commits {
		return d, c.readCommits(ctx, s, d)
	}
	return d, nil
}

// large is from which size on, in bytes, memory is worth more than time.
const large = 16 << 20

// entries are those of the path.
func (d *document) entries() (list []session.Entry) {
	for _, i := range d.path {
		list = append(list, d.src.Entries[i])
	}
	return list
}

// show writes a session in its form.
func (c *config) show(ctx context.Context, s *cli.Streams, d *document) error {
	out := s.OutFile()
	terminal := out != nil && tty.IsTerminal(out)
	f, err := c.form(terminal)
	if err == nil {
		err = c.obeyed(f)
	}
	if err != nil {
		return err
	}
	if f == asPage && c.dest.File != "" {
		o, err := c.single(ctx, s, d)
		if err != nil {
			return err
		}
		made, err := c.makePages(s, d, c.dest.File, o)
		if err != nil {
			return err
		}
		for _, name := range made {
			if _, err := fmt.Fprintln(s.Out, name); err != nil {
				return err
			}
		}
		return c.opened(s, made[0])
	}
	write := func(w io.Writer) error { return c.write(ctx, s, w, d, f, c.colored(s.Color, out)) }
	if sc := screen.On(s.Out, out, s.Color); sc != nil && f == asANSI && c.dest.File == "" {
		write = func(w io.Writer) error {
			sc.Out = w
			return c.onScreen(sc, d)
		}
	}
	if c.dest.File != "" {
		if err := c.make(c.dest.File, write); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(s.Out, c.dest.File); err != nil {
			return err
		}
		return c.opened(s, c.dest.File)
	}
	if f == asANSI && terminal && !c.noPager {
		if p, ok := pager.Find(); ok {
			if err := s.Flush(); err != nil {
				return err
			}
			err := p.Show(out, s.ErrFile(), func(w io.Writer, _ <-chan struct{}) error {
				shown := tty.Visible(w)
				return errors.Join(write(shown), shown.Flush())
			})
			return cli.CommandFailed(err)
		}
	}
	if f == asPage {
		return write(s.Out)
	}
	return write(s.Text())
}

// colored reports whether text is written in colours.
func (c *config) colored(when string, out *os.File) bool {
	return when == "always" || c.as == string(asANSI) && when == "auto" && out == nil || tty.Color(when, out, os.LookupEnv)
}

// content is what a write writes, for a file.
type content func(io.Writer) error

func (c content) WriteTo(w io.Writer) (int64, error) { return 0, c(w) }

// write writes a session in a form.
func (c *config) write(ctx context.Context, s *cli.Streams, w io.Writer, d *document, f form, colored bool) error {
	switch f {
	case asPage:
		o, err := c.single(ctx, s, d)
		if err != nil {
			return err
		}
		stats, err := page.Write(w, d.src.Session, d.path, o)
		s.Notef("%s", stats.Describe())
		return err
	case asMarkdown:
		if c.summary {
			return c.writeSummary(ctx, s, w, d)
		}
		// No message can make a heading of the second level, or reach into the next: one that might is written as a quotation.
		return buffered(w, func(b *bufio.Writer) error {
			d.heading(b)
			list(b, "Commits", d.commits, len(d.commits))
			note := func(notes convo.Notes) error {
				_, err := b.WriteString("\n_" + notes.String() + "_\n")
				return err
			}
			return c.eachSaid(d.entries(), note, func(e session.Entry, m session.Message) error { return markdownMessage(b, e, m) })
		})
	}
	return c.writeText(w, d, colored && f == asANSI)
}

// opened opens a file in a browser, if that is wanted.
func (c *config) opened(s *cli.Streams, name string) error {
	if !c.open {
		return nil
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	argv := []string{"xdg-open", path}
	switch runtime.GOOS {
	case "darwin":
		argv[0] = "open"
	case "windows": // not cmd, which would read the name as a command
		argv = []string{"rundll32", "url.dll,FileProtocolHandler", path}
	}
	if err := s.Flush(); err != nil {
		return err
	}
	return cli.CommandFailed(command.Open(argv, s.Err))
}

// buffered calls write with a buffer in front of w.
func buffered(w io.Writer, write func(*bufio.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}
