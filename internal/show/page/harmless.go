package page

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

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
