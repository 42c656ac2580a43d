package tree

import (
	"fmt"
	"io"
	"strings"

	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// Options say how a drawing or a list for people looks.
type Options struct {
	ASCII bool // draw with ASCII characters; text from the session stays as it is
	Full  bool // fold nothing
	Color bool
	Width int // of the terminal in columns; 0 for no terminal: nothing is cut or aligned
}

// A pen has the characters a drawing is made of.
type pen struct {
	branch, lastBranch string // in front of the first entry of a branch
	bar, space         string // in front of what follows
	fold, more         string
}

var (
	boxPen   = pen{"├─ ", "└─ ", "│  ", "   ", "┆", "…"}
	asciiPen = pen{"|- ", "`- ", "|  ", "   ", ":", "..."}
)

func (o Options) pen() pen {
	if o.ASCII {
		return asciiPen
	}
	return boxPen
}

// No more than maxLevels branch columns are drawn. Deeper down the outermost
// are left out, hiddenStep at a time, and their number stands in their place.
const (
	maxLevels  = 16
	hiddenStep = 8
)

// Draw prints the tree, a row a line:
//
//	  ├─ 0a1b2c3d user: Fix the bug  @start  12 tokens
//	  │  ┆ 12 entries, 3,400 tokens
//	* └─ 4e5f6a7b user: Leave it  3 tokens
//
// A row of the active path begins with an asterisk, any other one with a space;
// the columns of the branches follow. The error is that of w.
func Draw(w io.Writer, t *Tree, o Options) error {
	p := o.pen()
	l := line{color: o.Color, more: p.more, width: o.Width}
	for r := range t.Rows(o.Full) {
		if t.Active(r.Pos) {
			l.add(tty.Bold, "*")
			l.add(tty.Plain, " ")
		} else {
			l.add(tty.Plain, "  ")
		}
		l.add(tty.Dim, p.columns(r))
		if r.Hidden > 0 {
			l.add(tty.Dim, p.fold+" "+tty.Count(int64(r.Hidden), "entry", "entries")+tokens(", ", r.Tokens))
		} else {
			t.entry(&l, r, p)
		}
		if err := l.end(w); err != nil {
			return err
		}
	}
	return nil
}

// entry draws the entry of a row.
func (t *Tree) entry(l *line, r Row, p pen) {
	e := t.Session.Entries[r.Pos]
	id, kind := tty.Plain, tty.Plain
	if t.Active(r.Pos) {
		id = tty.Bold
	}
	switch e.Type() {
	case session.TypeCompaction, session.TypeBranchSummary:
		kind = tty.Magenta
	}
	l.add(id, tty.Clean(e.ID()))
	l.add(tty.Plain, " ")
	text := words(convo.Say(e), p.more)
	if text != "" {
		text = ": " + text
	}
	l.add(kind, words(convo.Kind(e), p.more))
	l.add(tty.Plain, text)
	if label := t.Label(r.Pos); label != "" {
		l.add(tty.Plain, "  ")
		l.add(tty.Yellow, "@"+words(label, p.more))
	}
	l.add(tty.Plain, tokens("  ", r.Tokens))
	if note := t.Note(r.Pos); note != "" {
		l.add(tty.Plain, "  ")
		l.add(tty.Red, "["+words(note, p.more)+"]")
	}
}

// columns are the branch columns of a row.
func (p pen) columns(r Row) string {
	var b strings.Builder
	hidden := 0
	if n := len(r.Last); n > maxLevels {
		hidden = (n - maxLevels + hiddenStep - 1) / hiddenStep * hiddenStep
		fmt.Fprintf(&b, "%d%s ", hidden, p.more)
	}
	for k, last := range r.Last[hidden:] {
		opens := r.Opens && hidden+k == len(r.Last)-1
		switch {
		case opens && last:
			b.WriteString(p.lastBranch)
		case opens:
			b.WriteString(p.branch)
		case last:
			b.WriteString(p.space)
		default:
			b.WriteString(p.bar)
		}
	}
	return b.String()
}

// Note says why entry i is a root although it names a parent, "" for all other
// entries. It is not clean.
func (t *Tree) Note(i int) string {
	e := t.Session.Entries[i]
	switch {
	case t.damage[i] == session.MissingParent:
		return "parent " + e.ParentID() + " is missing"
	case t.damage[i] == session.Cycle && e.ParentID() == e.ID():
		return "its own parent"
	case t.damage[i] == session.Cycle:
		return "cycle: its parent " + e.ParentID() + " is below it"
	}
	return ""
}

// tokens returns a number of tokens behind a separator, "" for none.
func tokens(separator string, n int64) string {
	if n == 0 {
		return ""
	}
	return separator + tty.Count(n, "token", "tokens")
}

// Dot prints the tree as a digraph for Graphviz. Nodes are named after the line their entry stands
// on, because an id may be anything. The active path is drawn in bold, compactions and branch
// summaries as folders, and folded runs dashed. The error is that of w.
func Dot(w io.Writer, t *Tree, o Options) error {
	d := dotter{w: w, t: t}
	d.printf("digraph session {\n\tnode [shape=box, fontname=\"sans-serif\"];\n")
	above := map[bool]string{false: "n", true: "f"}
	previous := Row{}
	for r := range t.Rows(o.Full) {
		name := d.name(above[r.Hidden > 0], r.Pos)
		if r.Hidden > 0 {
			d.node(name, tty.Count(int64(r.Hidden), "entry", "entries")+tokens("\n", r.Tokens), "style=dashed", t.Active(r.Pos))
		} else {
			d.node(name, t.dotText(r), nodeShape(t.Session.Entries[r.Pos]), t.Active(r.Pos))
		}
		switch {
		case previous.Hidden > 0: // a fold has one row below it, the next one
			d.edge(d.name("f", previous.Pos), name, t.Active(r.Pos))
		case r.Above >= 0:
			d.edge(d.name("n", r.Above), name, t.Active(r.Pos))
		}
		previous = r
		if d.err != nil {
			return d.err
		}
	}
	d.printf("}\n")
	return d.err
}

func nodeShape(e session.Entry) string {
	switch e.Type() {
	case session.TypeCompaction, session.TypeBranchSummary:
		return "shape=folder"
	}
	return ""
}

// dotText is what a node says. Its lines are clean.
func (t *Tree) dotText(r Row) string {
	e := t.Session.Entries[r.Pos]
	lines := []string{tty.Clean(e.ID()) + " " + words(convo.Kind(e), "…")}
	for _, s := range []string{words(convo.Say(e), "…"), words(atLabel(t.Label(r.Pos)), "…"), tokens("", r.Tokens), words(t.Note(r.Pos), "…")} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	return strings.Join(lines, "\n")
}

func atLabel(label string) string {
	if label == "" {
		return ""
	}
	return "@" + label
}

// A dotter prints until there is an error.
type dotter struct {
	w   io.Writer
	t   *Tree
	err error
}

func (d *dotter) printf(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, format, args...)
	}
}

func (d *dotter) name(kind string, pos int) string {
	return fmt.Sprintf("%s%d", kind, d.t.Session.Entries[pos].Line())
}

func (d *dotter) node(name, text, attribute string, active bool) {
	attributes := `label="` + dotEscape.Replace(text+"\n") + `"`
	if attribute != "" {
		attributes += ", " + attribute
	}
	if active {
		attributes += ", penwidth=2"
	}
	d.printf("\t%s [%s];\n", name, attributes)
}

func (d *dotter) edge(from, to string, active bool) {
	if active {
		to += " [penwidth=2]"
	}
	d.printf("\t%s -> %s;\n", from, to)
}

// dotEscape writes clean lines as the inside of a quoted label. A backslash
// would begin an escape and an ampersand an HTML entity; \l ends a line that is
// aligned left.
var dotEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;", "\n", `\l`)
