package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/tty"
)

// A page is the text of help that is being made, for a width in columns.
type page struct {
	strings.Builder
	width int
}

// widest is how many columns the text of help takes at most: longer lines are hard to read.
const widest = 100

// helpPage returns an empty page as wide as standard output.
func (s *Streams) helpPage() *page {
	return &page{width: min(tty.Width(s.OutFile(), os.LookupEnv), widest)}
}

// fill writes a text that begins in the column at, broken between words. Lines behind the first begin in the column
// hang. A word that is wider than a line stands alone in one.
func (p *page) fill(text string, at, hang int) {
	first := true
	for word := range strings.SplitSeq(text, " ") {
		switch n := columns(word); {
		case first:
			at += n
		case at+1+n > p.width:
			p.WriteString("\n" + strings.Repeat(" ", hang))
			at = hang + n
		default:
			p.WriteString(" ")
			at += 1 + n
		}
		p.WriteString(word)
		first = false
	}
	p.WriteString("\n")
}

// message is fill for a message after a name of front columns. The command line at the end of a hint is not broken, so that it can be
// copied: if the hint does not fit in one line, the command has its own line.
func (p *page) message(text string, front int) {
	at := strings.LastIndex(text, ": sess")
	if front+columns(text) <= p.width || at < 0 || !strings.ContainsAny(text[at+len(": sess"):], " ") || !strings.HasPrefix(text, "hint: ") {
		p.fill(text, front, front)
		return
	}
	p.fill(text[:at+1], front, front)
	p.WriteString(strings.Repeat(" ", front) + text[at+2:] + "\n")
}

// columns is how many columns of a terminal a word takes at most: a character of scripts that may be wide counts twice.
func columns(word string) (n int) {
	for _, r := range word {
		n++
		if r >= '\u1100' && (r < '\u2000' || r > '\u27ff') {
			n++
		}
	}
	return n
}

// usage writes the line of the usage.
func (p *page) usage(t Tool) {
	text := "usage: " + t.Name + " [flags]"
	if len(t.Commands) > 0 {
		text += " COMMAND"
	}
	if t.Args != "" {
		text += " " + t.Args
	}
	p.fill(text, 0, len("usage: "))
}

// examples writes the first of the examples, a command line each.
func (p *page) examples(lines []string) {
	for _, line := range lines {
		p.WriteString("  ")
		p.fill(line, 2, 6)
	}
}

// commands writes the commands of a tool that has several, and which flag describes one.
func (p *page) commands(t Tool, flag string) {
	var rows [][]string
	for _, c := range t.Commands {
		rows = append(rows, []string{c.Name, c.Summary})
	}
	p.table(rows)
	p.WriteString("\n")
	p.fill(t.Name+" COMMAND "+flag+" describes one command.", 0, 0)
}

// gutter is the widest first column that still shares a line with the second, and narrow the fewest columns for that.
const (
	gutter = 28
	narrow = 30
)

// table writes rows of two columns. Where there is too little room the second stands below the first.
func (p *page) table(rows [][]string) {
	width := 0
	for _, row := range rows {
		if n := utf8.RuneCountInString(row[0]); n <= gutter {
			width = max(width, n)
		}
	}
	at := 2 + width + 2
	below := p.width-at < narrow
	if below {
		at = 8
	}
	for _, row := range rows {
		n := utf8.RuneCountInString(row[0])
		if n > width || below {
			p.WriteString("  ")
			p.fill(row[0], 2, 6)
			p.WriteString(strings.Repeat(" ", at))
		} else {
			p.WriteString("  " + row[0] + strings.Repeat(" ", width-n+2))
		}
		p.fill(row[1], at, at)
	}
}

// writeHelp writes the text of --help: the usage line, what the tool does,
// examples, and the flags in two columns. Examples stand first because they are
// what most readers came for.
func (s *Streams) writeHelp(t Tool) error {
	p := s.helpPage()
	p.usage(t)
	p.WriteString("\n")
	p.fill(t.Summary, 0, 0)
	if doc := strings.TrimSpace(t.Doc); doc != "" {
		p.WriteString("\n")
		for _, sentence := range sentences(doc) {
			p.fill(sentence, 0, 0)
		}
	}
	if examples := t.examples(); len(examples) > 0 {
		p.WriteString("\nExamples:\n")
		p.examples(examples)
	}
	if len(t.Commands) > 0 {
		p.WriteString("\nCommands:\n")
		p.commands(t, "--help")
	}
	p.WriteString("\nFlags:\n")
	flags, _ := t.flags()
	p.flags(describe(framed(flags)))
	_, err := io.WriteString(s.Out, p.String())
	return err
}

// sentences returns the lines of a text in which a line that ends within a sentence goes on in the next.
func sentences(text string) (out []string) {
	line := ""
	for part := range strings.SplitSeq(text, "\n") {
		if line += part; strings.HasSuffix(line, ".") {
			out = append(out, line)
			line = ""
		} else {
			line += " "
		}
	}
	if line = strings.TrimSpace(line); line != "" {
		out = append(out, line)
	}
	return out
}

// flags writes all flags by their groups, and behind them the words that are many.
func (p *page) flags(docs []FlagDoc) {
	var lists []FlagDoc
	for first := true; len(docs) > 0; first = false {
		group, n := docs[0].Group, 0
		var rows [][]string
		for ; n < len(docs) && docs[n].Group == group; n++ {
			rows = append(rows, []string{docs[n].synopsis(), docs[n].remark()})
			if docs[n].many() {
				lists = append(lists, docs[n])
			}
		}
		if group != "" || !first {
			fmt.Fprintf(p, "\n %s:\n", cmp.Or(group, "Every tool"))
		}
		p.table(rows)
		docs = docs[n:]
	}
	for _, d := range lists {
		fmt.Fprintf(p, "\n%s:\n  ", several(d.Names[0]))
		p.fill(strings.Join(d.Words, ", "), 2, 2)
	}
}

// several is the heading of the words of a flag: "Agents" for "agent", and "Replies" for "reply".
func several(name string) string {
	name = strings.ToUpper(name[:1]) + name[1:]
	if stem, ok := strings.CutSuffix(name, "y"); ok {
		return stem + "ies"
	}
	return name + "s"
}

// many reports whether the words of a flag are too many to stand behind it.
func (d FlagDoc) many() bool { return len(d.Words) > 12 }

// examples are the command lines that help shows.
func (t Tool) examples() (lines []string) {
	for line := range strings.Lines(strings.Trim(t.Examples, "\n")) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
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
	if len(d.Words) > 0 && !d.many() {
		text += ": " + strings.Join(d.Words, ", ")
	}
	if d.Default != "" && d.Default != "0" && d.Default != "0s" {
		text += " (default " + d.Default + ")"
	}
	if d.Variable != "" {
		text += " ($" + d.Variable + ")"
	}
	return text
}

// A common flag, or a few that share a line, is one that most people use.
type common struct {
	names []string
	text  string // in place of the one of --help, unless it is ""
}

type commons []common

// common are the flags of Common, and all of them if it is empty, as that of a command with few flags.
func (t Tool) common(own []FlagDoc) (list commons) {
	if t.Common == "" {
		for _, d := range own {
			list = append(list, common{names: d.Names[:1]})
		}
	}
	for line := range strings.Lines(strings.Trim(t.Common, "\n")) {
		names, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if names != "" {
			list = append(list, common{strings.Fields(names), text})
		}
	}
	return list
}

// at is the place of a flag among them, and their number for another flag.
func (c commons) at(d FlagDoc) int {
	for i, one := range c {
		if slices.Contains(one.names, d.Names[0]) {
			return i
		}
	}
	return len(c)
}

// rows are the rows of -h: what a flag is called, and its text, with the words of its value where there is room.
func (c commons) rows(docs []FlagDoc) (rows [][]string) {
	for _, one := range c {
		var calls []string
		var last FlagDoc
		for _, name := range one.names {
			if i := slices.IndexFunc(docs, func(d FlagDoc) bool { return d.Names[0] == name }); i >= 0 {
				last = docs[i]
				calls = append(calls, last.synopsis())
			}
		}
		if len(calls) > 1 { // one line: letters alone
			for i, call := range calls {
				calls[i], _, _ = strings.Cut(call, ",")
			}
			calls = []string{strings.TrimRight(strings.Join(calls, ", ")+" "+last.ValueName, " ")}
		}
		if len(calls) == 0 {
			continue // a flag of another command
		}
		rows = append(rows, []string{strings.Join(calls, ", "), one.text, last.Usage, last.remark()})
	}
	width := 0
	for _, row := range rows {
		width = max(width, utf8.RuneCountInString(row[0]))
	}
	for i, row := range rows {
		text := row[1]
		switch {
		case text != "":
		case width+4+utf8.RuneCountInString(row[3]) <= tty.DefaultWidth:
			text = row[3]
		default:
			text = row[2]
		}
		rows[i] = []string{row[0], text}
	}
	return rows
}

// frame writes the flags of every tool in one line.
func (p *page) frame(docs []FlagDoc) {
	var calls []string
	for _, name := range []string{"quiet", "verbose", "color", "version"} {
		if i := slices.IndexFunc(docs, func(d FlagDoc) bool { return d.Names[0] == name }); i >= 0 {
			calls = append(calls, strings.TrimSpace(docs[i].synopsis()))
		}
	}
	p.WriteString("  ")
	p.fill(strings.Join(calls, "   "), 2, 2)
}

// Of the text of -h: the lines of a terminal, and those of them that are blank or there in each tool.
const (
	screenLines  = 24
	fixedLines   = 7
	mostExamples = 4
)

// writeShortHelp writes the text of -h: one screen.
func (s *Streams) writeShortHelp(t Tool) error {
	p := s.helpPage()
	p.usage(t)
	p.fill(t.Summary, 0, 0)
	flags, _ := t.flags()
	own := describe(flags)
	docs := describe(framed(flags))
	rows := t.common(own).rows(docs)
	if examples := t.examples(); len(examples) > 0 {
		p.WriteString("\n")
		p.examples(examples[:max(min(len(examples), mostExamples, screenLines-fixedLines-len(rows)-len(t.Commands)), 0)])
	}
	p.WriteString("\n")
	if len(t.Commands) > 0 {
		p.commands(t, "-h")
	} else {
		p.table(rows)
		p.frame(docs)
		p.WriteString("\n")
		more := fmt.Sprintf("--help has all %d flags", len(own))
		if len(rows) == len(own) {
			more = "--help says more"
		}
		p.fill(more+"; man "+s.name+" has examples", 0, 0)
	}
	_, err := io.WriteString(s.Out, p.String())
	return err
}
