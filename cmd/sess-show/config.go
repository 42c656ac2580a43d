package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/readers/page"
	"github.com/sess-tools/sess/pkg/js"
)

// A form is what a session is shown as.
type form string

const (
	asPage     form = "html"
	asMarkdown form = "markdown"
	asText     form = "text"
	asANSI     form = "ansi"
)

type config struct {
	as                   string // a form, "" for the one that fits
	leaf                 string
	all, redact, noPager bool
	tools, thinking      string
	blobs                string
	dest                 address.Destination
	open                 bool
	summary, commits     bool
	gates                string
	secrets              *redact.Redactor // of --redact, nil: they stay
}

func (c *config) flags() []cli.Flag {
	return slices.Concat(
		cli.Group("Form",
			cli.Choice(&c.as, "as", []string{"", string(asPage), string(asMarkdown), string(asText), string(asANSI)}, "show the session as `FORM`"),
			cli.Bool(&c.summary, "summary", "print a summary of at most 40 lines of Markdown: what was asked, done and spent, and what failed"),
			cli.String(&c.gates, "gates", "", "add the gates of `FILE` to the summary: what sess-assert --json printed (- is standard input)"),
			cli.Output(&c.dest.File, "make `FILE`, and print its path; - is standard output; with --force also in place of one; in the form that its name ends with; or pages and an index in the directory FILE"),
			c.dest.ForceFlag(),
			address.SyncVariable(&c.dest.Sync),
			cli.Bool(&c.open, "open", "open the file in a browser"),
			cli.Bool(&c.noPager, "no-pager", "open no pager"),
		),
		cli.Group("What is shown",
			cli.String(&c.leaf, "leaf, l", "last", "the path ends at `REF`"),
			cli.Bool(&c.all, "branches", "take the entries of all branches, in a page"),
			cli.Choice(&c.tools, "calls", []string{"fold", "open", "names", "none"}, "`HOW` to show calls and results; in a text, names and none leave results out"),
			cli.Choice(&c.thinking, "thinking", []string{"fold", "open", "none"}, "`HOW` to show thinking"),
			address.BlobsVariable(&c.blobs),
			cli.Bool(&c.commits, "commits", "name the commits that the session led to, as sess-git finds them"),
			cli.Bool(&c.redact, "redact", "take secrets out of what is shown, as sess-redact does"),
		),
	)
}

// check refuses flags that contradict each other.
func (c *config) check(operands []string) error {
	if err := c.dest.CheckForce(); err != nil {
		return err
	}
	switch {
	case len(operands) > 1 && !c.directory():
		return cli.WithHint(cli.UsageError("unexpected operand %q", operands[1]), "several sessions are shown with -o DIR/")
	case c.summary && (c.as != "" && c.as != string(asMarkdown) || c.directory()):
		return cli.UsageError("--summary is Markdown, of one session")
	case c.gates != "" && !c.summary:
		return cli.UsageError("--gates goes with --summary")
	case c.open && c.dest.File == "":
		return cli.UsageError("--open goes with -o: a file is opened")
	case c.dest.Force && !c.directory() && !shownName(c.dest.File):
		return cli.WithHint(cli.UsageError("%s: --force replaces no such file", c.dest.File), "only a name that ends in .html, .md or .txt, so that no session is lost")
	case c.directory() && c.as != "" && c.as != string(asPage):
		return cli.UsageError("a directory is made of pages")
	case c.all && c.leaf != "last" && c.leaf != "":
		return cli.UsageError("--branches shows all of them, and --leaf one")
	}
	return nil
}

// obeyed refuses flags that a form does not obey: a part that a flag leaves out is not to be shown without a word.
func (c *config) obeyed(f form) error {
	if f == asPage {
		return nil
	}
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"--branches", c.all},
		{"--calls", c.tools != string(page.Folded) && c.summary},
		{"--thinking", c.thinking != string(page.Folded) && c.summary},
	} {
		if flag.given {
			what := "--as " + string(f)
			if c.summary {
				what = "--summary"
			}
			return cli.WithHint(cli.UsageError("%s is not for %s", flag.name, what), "it is for a page: -o FILE.html")
		}
	}
	return nil
}

// The sizes in bytes up to which a page shows an image, and a text.
const (
	maxImage  = 5_000_000
	maxResult = 64_000
)

// directory reports whether pages and an index are made in a directory.
func (c *config) directory() bool {
	if strings.HasSuffix(c.dest.File, "/") || strings.HasSuffix(c.dest.File, string(os.PathSeparator)) {
		return true
	}
	fi, err := os.Stat(c.dest.File)
	return err == nil && fi.IsDir()
}

// form is what a session is shown as.
func (c *config) form(terminal bool) (form, error) {
	switch {
	case c.summary:
		return asMarkdown, nil
	case c.as != "":
		return form(c.as), nil
	case c.dest.File == "" && terminal:
		return asANSI, nil
	case c.dest.File == "":
		return asText, nil
	}
	if f, ok := formOf(c.dest.File); ok {
		return f, nil
	}
	return "", cli.WithHint(cli.UsageError("%s: its name says no form", c.dest.File), "end it in .html, .md or .txt, or give --as")
}

// formOf is the form that the name of a file ends with.
func formOf(name string) (form, bool) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".html", ".htm":
		return asPage, true
	case ".md", ".markdown":
		return asMarkdown, true
	case ".txt":
		return asText, true
	}
	return "", false
}

func shownName(name string) bool {
	_, ok := formOf(name)
	return ok
}

// make makes a file of the content, or replaces one that is there.
func (c *config) make(file string, write content) error {
	d := c.dest
	d.File = file
	return d.Make(write)
}

// single are the options of a page that stands alone.
func (c *config) single(ctx context.Context, s *cli.Streams, d *document) (o page.Options, err error) {
	total, err := c.priced(ctx, s, d)
	if err != nil {
		return o, err
	}
	o = c.options(d, total)
	o.Children, err = c.children(ctx, s, d, nil)
	return o, err
}

// options are what a page shows, of a session with the total that sess-stat counts.
func (c *config) options(d *document, total js.Value) page.Options {
	used := usedText(total)
	if day, err := time.Parse(time.DateOnly, total.Get("prices", "date").Str()); err == nil && total.Get("computed").IsNumber() {
		used += ", at prices of " + day.Format("2 Jan 2006")
	}
	return page.Options{
		Used: used,
		All:  c.all, Tools: page.Fold(c.tools), Thinking: page.Fold(c.thinking),
		Commits: d.commits, MaxImage: maxImage, MaxResult: maxResult,
	}
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
as
summary: print what was asked, done and spent, as Markdown
gates: add what sess-assert --json printed to FILE
output: make FILE, in the form that its name ends with
open
no-pager
calls: show calls and their results: HOW
thinking
commits: name the commits that the session led to
redact
`
