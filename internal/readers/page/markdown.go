package page

import (
	"bufio"
	"bytes"
	"net/url"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The limits of Markdown that is shown as such: parsers are slow on longer texts.
const (
	maxMarkdown = 256 << 10
	maxNesting  = 32
	maxRun      = 200  // of one mark
	maxCells    = 200  // bars in a line
	maxBrackets = 2000 // in a text
)

// markdown writes a text of a model: as Markdown without HTML, or as it is if it is not fit
// for a parser.
func (m *markup) markdown(s string) {
	if s = visible(s); !parsable(s) {
		m.raw(`<p class="t">`)
		m.text(s)
		m.raw("</p>")
		return
	}
	var b bytes.Buffer
	if err := m.md.Convert([]byte(s), &b); err != nil {
		m.raw(`<p class="t">`)
		m.text(s)
		m.raw("</p>")
		return
	}
	m.w.Write(b.Bytes()) // the one place where markup comes from a library
}

// converter is goldmark with tables and the like, and without HTML.
func converter(colour *colouring) goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList,
			extension.NewCJK(extension.WithEastAsianLineBreaks(extension.EastAsianLineBreaksSimple))),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(wholeRows{}, 1))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(nodes{colour}, 1))),
	)
}

// wholeRows keeps the words of table rows that have more cells than the heading, as a bar inside of code makes: the specification
// of tables drops them, and a page of a transcript must not. They stand at the end of the last cell.
type wholeRows struct{}

func (wholeRows) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	source := reader.Source()
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		row, ok := n.(*table.TableRow)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		cell := row.LastChild()
		if cell == nil || cell.Lines().Len() == 0 {
			return ast.WalkSkipChildren, nil
		}
		rest := source[cell.Lines().At(cell.Lines().Len()-1).Stop:]
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			rest = rest[:end]
		}
		rest = bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(rest), []byte("|")), []byte("|")))
		if len(rest) > 0 {
			cell.AppendChild(cell, ast.NewString([]byte(" | "+string(rest))))
		}
		return ast.WalkSkipChildren, nil
	})
}

// parsable reports whether a text has nothing that a parser is slow on.
func parsable(s string) bool {
	if len(s) > maxMarkdown || strings.Count(s, "[")+strings.Count(s, "]") > maxBrackets {
		return false
	}
	for line := range strings.Lines(s) {
		if strings.Count(line, "|") > maxCells || strings.Count(line, "<") > maxCells || nesting(line) > maxNesting {
			return false
		}
		run := 0
		for i := range len(line) {
			if i > 0 && line[i] == line[i-1] && strings.IndexByte("*_`~[]()!\\", line[i]) >= 0 {
				if run++; run > maxRun {
					return false
				}
			} else {
				run = 0
			}
		}
	}
	return true
}

// nesting returns how many quotes and lists a line may be in.
func nesting(line string) (n int) {
	rest := line
	for {
		trimmed := strings.TrimLeft(rest, " \t")
		n += (len(rest) - len(trimmed)) / 4
		if trimmed == "" || strings.IndexByte(">-*+", trimmed[0]) < 0 {
			return n
		}
		rest = trimmed[1:]
		n++
	}
}

// nodes writes what goldmark's own renderer would write in another way.
type nodes struct{ colour *colouring }

// markup is a writer of ours that writes into that of the renderer.
func (r nodes) markup(w util.BufWriter) *markup {
	return &markup{w: bufio.NewWriterSize(w, 512), colour: r.colour}
}

func (r nodes) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindRawHTML, r.rawHTML)
	to.Register(ast.KindHTMLBlock, r.block(func(m *markup, source []byte, n ast.Node) {
		m.raw(`<p class="t">`)
		m.text(strings.TrimRight(lines(source, n), "\n"))
		if b := n.(*ast.HTMLBlock); b.HasClosure() {
			m.text("\n" + string(b.ClosureLine.Value(source)))
		}
		m.raw("</p>")
	}))
	to.Register(ast.KindFencedCodeBlock, r.block(func(m *markup, source []byte, n ast.Node) {
		m.pre(string(n.(*ast.FencedCodeBlock).Language(source)), "", lines(source, n))
	}))
	to.Register(ast.KindCodeBlock, r.block(func(m *markup, source []byte, n ast.Node) { m.pre("", "", lines(source, n)) }))
	to.Register(ast.KindHeading, r.heading)
	to.Register(ast.KindLink, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		return ast.WalkContinue, r.link(w, string(n.(*ast.Link).Destination), entering)
	})
	to.Register(ast.KindAutoLink, r.autoLink)
	to.Register(ast.KindImage, r.image)
}

// rawHTML writes tags as text.
func (r nodes) rawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	m := r.markup(w)
	segments := n.(*ast.RawHTML).Segments
	for i := range segments.Len() {
		s := segments.At(i)
		m.text(string(s.Value(source)))
	}
	return ast.WalkSkipChildren, m.w.Flush()
}

// autoLink writes an address that is a link.
func (r nodes) autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	l := n.(*ast.AutoLink)
	target := string(l.URL(source))
	if l.AutoLinkType == ast.AutoLinkEmail {
		target = "mailto:" + target
	}
	if err := r.link(w, target, true); err != nil {
		return ast.WalkStop, err
	}
	m := r.markup(w)
	m.text(string(l.Label(source)))
	if err := m.w.Flush(); err != nil {
		return ast.WalkStop, err
	}
	return ast.WalkContinue, r.link(w, target, false)
}

// image writes a picture that a text names as text. It is not loaded: its server would learn that
// the page is read.
func (r nodes) image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	m := r.markup(w)
	if entering {
		m.raw(`<span class="note">[image: `)
	} else {
		m.raw(" ")
		m.text(string(n.(*ast.Image).Destination))
		m.raw("]</span>")
	}
	return ast.WalkContinue, m.w.Flush()
}

// block makes a renderer of what has no children to be written.
func (r nodes) block(write func(m *markup, source []byte, n ast.Node)) renderer.NodeRendererFunc {
	return func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		m := r.markup(w)
		write(m, source, n)
		return ast.WalkSkipChildren, m.w.Flush()
	}
}

// heading writes a heading below those of the page.
func (r nodes) heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	levels := [...][2]constant{{"<h3>", "</h3>"}, {"<h4>", "</h4>"}, {"<h5>", "</h5>"}, {"<h6>", "</h6>"}}
	tags := levels[min(n.(*ast.Heading).Level, len(levels))-1]
	m := r.markup(w)
	if entering {
		m.raw(tags[0])
	} else {
		m.raw(tags[1])
	}
	return ast.WalkContinue, m.w.Flush()
}

// lines returns the text of a block.
func lines(source []byte, n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		b.Write(s.Value(source))
	}
	return b.String()
}

// pre writes code as a block.
func (m *markup) pre(language, file, s string) {
	m.raw("<pre><code>")
	m.code(language, file, strings.TrimRight(s, "\n"))
	m.raw("</code></pre>")
}

// link writes the begin or the end of a link. What leads elsewhere than to a page or to a
// letter is a text.
func (r nodes) link(w util.BufWriter, target string, entering bool) error {
	m := r.markup(w)
	switch ok := linkable(target); {
	case entering && ok:
		m.raw("<a")
		m.attr("href", target)
		m.raw(` rel="noopener noreferrer nofollow">`)
	case entering:
		m.raw(`<span class="note">`)
	case ok:
		m.raw("</a>")
	default:
		m.raw("</span>")
	}
	return m.w.Flush()
}

// linkable reports whether a link leads to a page or to a letter.
func linkable(target string) bool {
	u, err := url.Parse(target)
	if err != nil || strings.ContainsAny(target, "\t\n\r\\") {
		return false
	}
	switch u.Scheme {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return true
	}
	return false
}

// Harmless reports whether a text may stand in a Markdown document below a heading of the second
// level: it has no heading of that level or above, no HTML, no definition of links, and no
// block that goes on behind its end.
func Harmless(s string) bool {
	if !parsable(s) {
		return false
	}
	// What a block swallows that is not closed: a paragraph behind the text says.
	const probe = "probe"
	source := []byte(s + "\n\n## " + probe + "\n")
	doc := converter(nil).Parser().Parse(text.NewReader(source))
	last, ok := doc.LastChild().(*ast.Heading)
	if !ok || last.Level != 2 || string(last.Lines().Value(source)) != probe {
		return false
	}
	harmless := true
	_ = ast.Walk(doc, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			harmless = harmless && (n == last || n.Level > 2)
		case *ast.HTMLBlock, *ast.RawHTML, *ast.LinkReferenceDefinition:
			harmless = false
		}
		return ast.WalkContinue, nil
	})
	return harmless && !definesLinks(s)
}

// definesLinks reports whether a line may define a link, which would change other messages.
func definesLinks(s string) bool {
	for line := range strings.Lines(s) {
		if line = strings.TrimLeft(line, " \t>"); strings.HasPrefix(line, "[") && strings.Contains(line, "]:") {
			return true
		}
	}
	return false
}

// InlineText returns a text as it may stand in a line of Markdown: with nothing that means
// something there.
func InlineText(s string) string {
	var b strings.Builder
	for _, r := range visible(strings.ReplaceAll(s, "\n", " ")) {
		if strings.ContainsRune("\\`*_{}[]<>()#+-.!|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
