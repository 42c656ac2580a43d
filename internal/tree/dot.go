package tree

import (
	"fmt"
	"io"
	"strings"

	"github.com/sess-tools/sess/internal/tty"
	"github.com/sess-tools/sess/pkg/session"
)

// Dot prints the tree as a digraph for Graphviz. Nodes are named after the line
// their entry stands on, because an id may be anything. The active path is
// drawn in bold, compactions and branch summaries as folders, and what is
// folded dashed. The error is that of w.
func Dot(w io.Writer, t *Tree, o Options) error {
	d := dotter{w: w, t: t}
	d.printf("digraph session {\n\tnode [shape=box, fontname=\"sans-serif\"];\n")
	above := map[bool]string{false: "n", true: "f"}
	previous := Row{}
	for r := range t.Rows(o.Full) {
		name := d.name(above[r.Hidden > 0], r.Pos)
		if r.Hidden > 0 {
			d.node(name, count(int64(r.Hidden), "entry", "entries")+tokens("\n", r.Tokens), "style=dashed", t.Active(r.Pos))
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
	lines := []string{tty.Clean(e.ID()) + " " + words(Kind(e), "…")}
	for _, s := range []string{words(Text(e), "…"), words(atLabel(t.Label(r.Pos)), "…"), tokens("", r.Tokens), words(t.Note(r.Pos), "…")} {
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
