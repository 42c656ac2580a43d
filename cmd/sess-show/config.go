package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/internal/page"
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
	html, markdown, text, ansi   bool
	leaf, title                  string
	all, system, redact          bool
	harness                      operand.Harness
	tools, thinking, images      string
	theme                        string
	maxImage, maxResult          int64
	noScript, noPager, userMarks bool
	blobs, color                 string
	dest                         operand.Destination
	open, force                  bool
}

func (c *config) flags() []clikit.Flag {
	return slices.Concat(
		clikit.Group("Form",
			clikit.Bool(&c.html, "html", "write a page that needs nothing but itself"),
			clikit.Bool(&c.markdown, "markdown", "write Markdown"),
			clikit.Bool(&c.text, "text", "write text (the default in a pipe)"),
			clikit.Bool(&c.ansi, "ansi", "write text in colours, into a pager on a terminal (the default there)"),
			clikit.String(&c.dest.File, "output, o", "", "make `FILE`, which must not exist without --force, in the form that its name ends with; or pages and an index in the directory FILE"),
			clikit.Bool(&c.force, "force", "make the file or pages in the place of those that are there"),
			operand.SyncFlag(&c.dest.Sync, "file"),
			clikit.Bool(&c.open, "open", "open the file in a browser"),
			clikit.Bool(&c.noPager, "no-pager", "open no pager"),
			clikit.Choice(&c.color, "color", []string{"auto", "always", "never"}, "colour --ansi `WHEN`"),
		),
		clikit.Group("What is shown",
			clikit.String(&c.leaf, "leaf, at", "last", "the path to `REF`"),
			clikit.Bool(&c.all, "all", "in a page, the entries of all branches, too"),
			clikit.Choice(&c.tools, "tools", []string{"fold", "open", "names", "none"}, "`HOW` calls and their results are shown in a page"),
			clikit.Choice(&c.thinking, "thinking", []string{"fold", "open", "none"}, "`HOW` thinking is shown in a page"),
			clikit.Bool(&c.system, "system", "open the system prompt in a page"),
			operand.HarnessFlag(&c.harness),
			clikit.Choice(&c.images, "images", []string{"inline", "note"}, "`HOW` images are shown in a page"),
			clikit.Tokens(&c.maxImage, "max-image", 5_000_000, "a note stands in a page for an image of more than `BYTES`"),
			clikit.Tokens(&c.maxResult, "max-result", 64_000, "a text of more than `BYTES` is cut in a page; 0 is no limit"),
			clikit.String(&c.blobs, "blobs", "", "replace references to images with the blobs in `DIR`"),
			clikit.Bool(&c.redact, "redact", "take out secrets as sess-redact does"),
		),
		clikit.Group("The page",
			clikit.String(&c.title, "title", "", "the title is `TITLE`"),
			clikit.Choice(&c.theme, "theme", []string{"auto", "light", "dark"}, "the colours are `THEME`"),
			clikit.Bool(&c.userMarks, "user-markdown", "what users typed is Markdown"),
			clikit.Bool(&c.noScript, "no-script", "no script: no search in folded parts"),
		),
	)
}

// check refuses flags that contradict each other.
func (c *config) check(operands []string) error {
	forms := []string{clikit.Given(c.html, "--html"), clikit.Given(c.markdown, "--markdown"), clikit.Given(c.text, "--text"), clikit.Given(c.ansi, "--ansi")}
	switch {
	case len(operands) > 1 && !c.directory():
		return clikit.WithHint(clikit.UsageError("unexpected operand %q", operands[1]), "several sessions are shown with -o DIR/")
	case c.open && c.dest.File == "":
		return clikit.UsageError("--open goes with -o: a file is opened")
	case c.force && c.dest.File == "":
		return clikit.UsageError("--force goes with -o: a file is replaced")
	case c.force && !c.directory() && !shownName(c.dest.File):
		return clikit.WithHint(clikit.UsageError("%s: --force replaces no such file", c.dest.File), "only a name that ends in .html, .md or .txt, so that no session is lost")
	case c.directory() && (c.markdown || c.text || c.ansi):
		return clikit.UsageError("a directory is made of pages")
	case c.all && c.leaf != "last" && c.leaf != "":
		return clikit.UsageError("--all shows all branches, and --leaf one")
	}
	return clikit.Exclusive(forms...)
}

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
	case c.html:
		return asPage, nil
	case c.markdown:
		return asMarkdown, nil
	case c.text:
		return asText, nil
	case c.ansi:
		return asANSI, nil
	case c.dest.File == "" && terminal:
		return asANSI, nil
	case c.dest.File == "":
		return asText, nil
	}
	if f, ok := formOf(c.dest.File); ok {
		return f, nil
	}
	return "", clikit.WithHint(clikit.UsageError("%s: its name says no form", c.dest.File), "end it in .html, .md or .txt, or give --html, --markdown or --text")
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

// make makes a file of what is written, or puts it in the place of one that is there.
func (c *config) make(file string, write content) error {
	d := operand.Destination{File: file, Sync: c.dest.Sync}
	if c.force {
		return d.Remake(write)
	}
	err := d.Make(write)
	if errors.Is(err, fs.ErrExist) {
		return clikit.WithHint(err, "--force makes it again")
	}
	return err
}

// options are what a page shows.
func (c *config) options() page.Options {
	return page.Options{
		Title: c.title, All: c.all, Tools: page.Fold(c.tools), Thinking: page.Fold(c.thinking), Images: page.Images(c.images),
		MaxImage: c.maxImage, MaxResult: c.maxResult, System: c.system, Harness: c.harness == operand.KeepHarness, Theme: page.Theme(c.theme), Script: !c.noScript, UserMarkdown: c.userMarks,
	}
}
