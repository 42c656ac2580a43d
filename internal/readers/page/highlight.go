package page

import (
	"embed"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

// The lexers are those of chroma, under the licence beside them.
//
//go:embed lexers/*.xml
var lexerFiles embed.FS

// maxCode is how much code of a page is coloured, in bytes: lexers take fifty times as long as
// the rest of a page.
const maxCode = 32 << 10

// lexers are made when the first code is coloured: most of a session has none.
var lexers = sync.OnceValue(func() *chroma.LexerRegistry {
	r := chroma.NewLexerRegistry()
	names, err := fs.Glob(lexerFiles, "lexers/*.xml")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		r.Register(chroma.MustNewXMLLexer(lexerFiles, name))
	}
	r.Register(golang())
	return r
})

// golang is a lexer for Go.
func golang() chroma.Lexer {
	words := func(list string) string { return `\b(?:` + strings.ReplaceAll(list, " ", "|") + `)\b` }
	return chroma.MustNewLexer(&chroma.Config{Name: "Go", Aliases: []string{"go", "golang"}, Filenames: []string{"*.go"}}, func() chroma.Rules {
		return chroma.Rules{"root": {
			{Pattern: `\s+`, Type: chroma.TextWhitespace},
			{Pattern: `//[^\n]*`, Type: chroma.CommentSingle},
			{Pattern: `/\*[\s\S]*?\*/`, Type: chroma.CommentMultiline},
			{Pattern: "`[^`]*`", Type: chroma.LiteralString},
			{Pattern: `"(?:[^"\\\n]|\\.)*"`, Type: chroma.LiteralString},
			{Pattern: `'(?:[^'\\\n]|\\[^\n]){1,12}'`, Type: chroma.LiteralStringChar},
			{Pattern: words("break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var"), Type: chroma.Keyword},
			{Pattern: words("true false iota nil"), Type: chroma.KeywordConstant},
			{Pattern: `\b(?:0[xXbBoO][0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9]+)?i?)\b`, Type: chroma.LiteralNumber},
			{Pattern: `[A-Za-z_]\w*(?=\()`, Type: chroma.NameFunction},
			{Pattern: `\w+`, Type: chroma.Name},
			{Pattern: `[^\w\s]`, Type: chroma.Punctuation},
		}}
	})
}

// code writes code. It is coloured by its language, or by the name of its file, and never by a
// guess.
func (m *markup) code(language, file, s string) {
	if language == "" && file == "" {
		m.text(s)
		return
	}
	if len(s) > m.colour.left {
		m.colour.unmet = min(m.colour.unmet, len(s))
		m.text(s)
		return
	}
	var lexer chroma.Lexer
	if language != "" {
		lexer = lexers().Get(language)
	} else {
		lexer = lexers().Match(path.Base(strings.ReplaceAll(file, `\`, "/")))
	}
	if lexer == nil {
		m.text(s)
		return
	}
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root", EnsureLF: false}, visible(s))
	if err != nil {
		m.text(s)
		return
	}
	m.colour.left -= len(s)
	last := constant("")
	for token := next(); token != chroma.EOF; token = next() {
		class := classOf(token.Type)
		if strings.TrimSpace(token.Value) == "" {
			class = last
		}
		if class != last {
			m.closing(last)
			if class != "" {
				m.raw(`<span class="`, class, `">`)
			}
			last = class
		}
		m.text(token.Value)
	}
	m.closing(last)
}

func (m *markup) closing(class constant) {
	if class != "" {
		m.raw("</span>")
	}
}

// classOf returns the class of a token: what says little has none.
func classOf(t chroma.TokenType) constant {
	switch {
	case t.InCategory(chroma.Keyword):
		return "k"
	case t.InCategory(chroma.Comment):
		return "c"
	case t.InSubCategory(chroma.LiteralString):
		return "s"
	case t.InSubCategory(chroma.LiteralNumber):
		return "n"
	case t == chroma.NameFunction || t == chroma.NameClass || t == chroma.NameTag || t == chroma.NameAttribute:
		return "f"
	case t == chroma.GenericInserted:
		return "a"
	case t == chroma.GenericDeleted:
		return "d"
	}
	return ""
}
