package clikit

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// writeHelp writes the text of --help: the usage line, what the tool does,
// examples, and the flags in two columns. Examples stand first because they are
// what most readers came for.
func writeHelp(w io.Writer, t Tool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s [flags]", t.Name)
	if len(t.Commands) > 0 {
		b.WriteString(" COMMAND")
	}
	if t.Args != "" {
		b.WriteString(" " + t.Args)
	}
	fmt.Fprintf(&b, "\n\n%s\n", t.Summary)
	if doc := strings.TrimSpace(t.Doc); doc != "" {
		fmt.Fprintf(&b, "\n%s\n", doc)
	}
	if ex := strings.Trim(t.Examples, "\n"); ex != "" {
		b.WriteString("\nExamples:\n")
		for line := range strings.Lines(ex) {
			b.WriteString("  " + strings.TrimSpace(line) + "\n")
		}
	}
	if len(t.Commands) > 0 {
		writeCommands(&b, t)
	}
	b.WriteString("\nFlags:\n")
	flags, _ := t.flags()
	writeFlags(&b, describe(framed(flags)))
	_, err := io.WriteString(w, b.String())
	return err
}

// gutter is the widest first column that still shares a line with the usage.
const gutter = 28

func writeFlags(b *strings.Builder, docs []FlagDoc) {
	width := 0
	for _, d := range docs {
		if n := utf8.RuneCountInString(d.synopsis()); n <= gutter {
			width = max(width, n)
		}
	}
	group := ""
	for _, d := range docs {
		if d.Group != group {
			group = d.Group
			fmt.Fprintf(b, "\n %s:\n", cmp.Or(group, "Every tool"))
		}
		left := d.synopsis()
		pad := width - utf8.RuneCountInString(left)
		if pad < 0 {
			left += "\n  "
			pad = width
		}
		fmt.Fprintf(b, "  %s%*s  %s\n", left, pad, "", d.remark())
	}
}

// synopsis is the first column: "-l, --leaf REF". A flag without a short name
// is indented as if it had one.
func (d FlagDoc) synopsis() string {
	var short, long []string
	for _, n := range d.Names {
		if utf8.RuneCountInString(n) == 1 {
			short = append(short, "-"+n)
		} else {
			long = append(long, "--"+n)
		}
	}
	text := strings.Join(append(short, long...), ", ")
	if len(short) == 0 {
		text = "    " + text
	}
	if d.TakesValue {
		text += " " + d.ValueName
	}
	return text
}

// remark is the second column: the usage, the words to choose from, the default.
func (d FlagDoc) remark() string {
	text := d.Usage
	if len(d.Words) > 0 {
		text += ": " + strings.Join(d.Words, ", ")
	}
	if d.Default != "" && d.Default != "0" && d.Default != "0s" {
		text += " (default " + d.Default + ")"
	}
	return text
}
