package page

import (
	"bytes"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/session"
)

var usual = Options{Tools: Folded, Thinking: Folded, MaxImage: 5e6, MaxResult: 64000}

func read(t testing.TB, name string) *session.Session {
	t.Helper()
	return corpus.ParseText(t, string(corpus.Session(t, name)))
}

func pathOf(s *session.Session) []int {
	leaf, ok := s.Leaf()
	if !ok {
		return nil
	}
	path, _ := s.PathIndex(leaf)
	return path
}

// written returns the page of a session, which is the same each time.
func written(t testing.TB, s *session.Session, o Options) string {
	t.Helper()
	var a, b bytes.Buffer
	stats, err := Write(&a, s, pathOf(s), o)
	if err != nil {
		t.Fatal(err)
	}
	if stats.Bytes != int64(a.Len()) {
		t.Errorf("%d bytes, not %d", stats.Bytes, a.Len())
	}
	if _, err := Write(&b, s, pathOf(s), o); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two pages of one session differ")
	}
	return a.String()
}

func message(role, content string) string {
	return fmt.Sprintf(`{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":%q,"content":%s}}`, role, content)
}

func texts(s string) string { return `[{"type":"text","text":` + corpus.Quote(s) + `}]` }

// elements are all that a page is made of, each with its attributes.
var elements = map[string][]string{
	"html": {"lang", "data-sess", "data-session", "data-leaf", "class"}, "head": nil, "meta": {"charset", "http-equiv", "content", "name"}, "title": nil, "style": nil, "body": {"class"},
	"nav": {"aria-label"}, "main": nil, "header": nil, "h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil, "p": {"class", "id", "hidden"}, "div": {"id", "hidden"}, "label": nil,
	"a": {"href", "class", "data-n", "hidden", "rel"}, "span": {"class"}, "input": {"class", "type", "id", "aria-label", "placeholder", "checked", "disabled"}, "output": nil,
	"article": {"class", "id"}, "time": {"datetime", "class"}, "details": {"class", "open", "id"}, "summary": nil, "b": nil, "pre": {"class"}, "code": nil,
	"img": {"loading", "decoding", "alt", "width", "height", "src"}, "ul": nil, "ol": {"start"}, "li": nil, "blockquote": nil, "table": nil, "thead": nil, "tbody": nil, "tr": nil,
	"th": {"align"}, "td": {"align"}, "em": nil, "strong": nil, "del": nil, "br": nil, "hr": nil, "script": nil,
}

// lawful reports what a page has that it must not have: other elements and attributes than
// those of this package, links that lead elsewhere, what is loaded, names that stand twice.
func lawful(t testing.TB, page string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	scripts := 0
	each(doc, func(n *html.Node) {
		if n.Type == html.CommentNode {
			t.Errorf("a comment: %q", n.Data)
		}
		if n.Type != html.ElementNode {
			return
		}
		attrs, ok := elements[n.Data]
		if !ok || n.Namespace != "" {
			t.Errorf("an element %s", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case !slices.Contains(attrs, a.Key):
				t.Errorf("%s has an attribute %s", n.Data, a.Key)
			case a.Key == "id" && names[a.Val]:
				t.Errorf("two elements are called %q", a.Val)
			case a.Key == "id":
				names[a.Val] = true
				if strings.ContainsAny(a.Val, " \"'<>\n") {
					t.Errorf("an element is called %q", a.Val)
				}
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#"):
				if u, err := url.Parse(a.Val); err != nil || !slices.Contains([]string{"http", "https", "mailto"}, u.Scheme) {
					t.Errorf("a link to %q", a.Val)
				}
			case a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/"):
				t.Errorf("loads %q", a.Val)
			}
		}
		switch n.Data {
		case "script":
			scripts++
			if n.FirstChild.Data != times+script {
				t.Error("another script")
			}
		case "style":
			if n.FirstChild.Data != style {
				t.Error("another style")
			}
		}
	})
	if scripts > 1 {
		t.Errorf("%d scripts", scripts)
	}
	return doc
}

func each(n *html.Node, visit func(*html.Node)) {
	visit(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		each(c, visit)
	}
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// content is the text of a node, without that of articles in it.
func content(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node, bool)
	walk = func(c *html.Node, top bool) {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
		if c.Type == html.ElementNode && c.Data == "article" && !top {
			return
		}
		for k := c.FirstChild; k != nil; k = k.NextSibling {
			walk(k, false)
		}
	}
	walk(n, true)
	return b.String()
}

// Hard case 1: markup in every field that a transcript has.
func TestHostile(t *testing.T) {
	t.Parallel()
	s := read(t, "show/xss.jsonl")
	for _, all := range []bool{false, true} {
		o := usual
		o.All = all
		doc := lawful(t, written(t, s, o))
		if got := articles(doc); len(got) != len(pathOf(s)) {
			t.Errorf("%d articles of %d entries", len(got), len(pathOf(s)))
		}
	}
}

func articles(doc *html.Node) map[string]*html.Node {
	out := map[string]*html.Node{}
	each(doc, func(n *html.Node) {
		if n.Data == "article" && n.Type == html.ElementNode {
			out[attr(n, "id")] = n
		}
	})
	return out
}

// letters are what is left of a text without marks and white space.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, s)
}

// A page has an article for each entry of the path, and in it what sess-path --as text has of
// its texts, letter by letter.
func TestFixtures(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "*", "*", "*.jsonl"))
	if err != nil || len(names) < 20 {
		t.Fatal(names, err)
	}
	seen := 0
	for _, name := range append(names, filepath.Join("..", "..", "..", "testdata", "show", "parser.jsonl")) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := session.Read(bytes.NewReader(data))
		if err != nil || len(s.Entries) == 0 {
			continue
		}
		seen++
		o := usual
		o.MaxResult = 0
		doc := lawful(t, written(t, s, o))
		list := articles(doc)
		ids := map[string]bool{}
		for _, i := range pathOf(s) {
			ids[s.Entries[i].ID()] = true
		}
		if len(list) != len(ids) {
			t.Errorf("%s: %d articles of %d entries", name, len(list), len(ids))
		}
		for _, i := range pathOf(s) {
			e := s.Entries[i]
			m, ok := e.Message()
			if !ok {
				continue
			}
			got := letters(content(list[anchor("e-", e.ID())]))
			for b := range m.Blocks() {
				if want := b.Str("text"); b.Type == "text" && !strings.ContainsAny(want, "\x1b\r[<&") && !strings.Contains(got, letters(visible(want))) {
					t.Errorf("%s: %s: no %q", name, e.ID(), want)
				}
			}
		}
		nodes := 0
		each(doc, func(n *html.Node) {
			if n.Data != "a" || n.Parent.Data != "nav" || strings.HasSuffix(attr(n, "class"), " dots") {
				return
			}
			k := 1
			fmt.Sscan(attr(n, "data-n"), &k)
			nodes += k
		})
		if want := treeSize(s); nodes != want {
			t.Errorf("%s: %d rows of the tree of %d entries", name, nodes, want)
		}
	}
	if seen < 20 {
		t.Errorf("only %d sessions", seen)
	}
}

func treeSize(s *session.Session) (n int) {
	seen := map[string]bool{}
	for _, e := range s.Entries {
		if e.ID() != "" && !seen[e.ID()] {
			seen[e.ID()] = true
			n++
		}
	}
	return n
}

// 2, 3, 9, 11, 12: shapes that other writers fell over.
func TestShapes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ line, want, not string }{
		"end of a script":        {message("user", texts("</script><!--<script>]]>\u2028")), "&lt;/script&gt;", "</script><!--"},
		"an id of quotes":        {strings.Replace(message("user", texts("x")), "a0000001", `\"' __proto__`, 1), `id="e-22`, `__proto__"`},
		"control and bidi":       {message("user", `[{"type":"text","text":"a\u202eb\u0000c\ud800d\u200fe"}]`), `a\u202eb`, "\u202e"},
		"a heading by a user":    {message("user", texts("# not a heading\n    code")), "# not a heading\n    code", "<h3>"},
		"a heading by a model":   {message("assistant", texts("# a heading")), "<h3>a heading</h3>", "# a"},
		"a command of an agent":  {message("user", texts("<command-name>/x</command-name>")), "&lt;command-name&gt;", "<command"},
		"a script link":          {message("assistant", texts("[x](javascript:alert(1))")), `<span class="note">x</span>`, "href=\"javascript"},
		"a link":                 {message("assistant", texts("[x](https://e.example/?a=1&b=2)")), `<a href="https://e.example/?a=1&amp;b=2" rel="noopener noreferrer nofollow">x</a>`, ""},
		"an image of the web":    {message("assistant", texts("![x](https://e.example/pixel.png)")), "[image: x https://e.example/pixel.png]", "<img"},
		"HTML by a model":        {message("assistant", texts("<details open>\nx\n</details>\n\na <b>c</b>")), "&lt;details open&gt;", "<b>c"},
		"CJK and emphasis":       {message("assistant", texts("**太字**は")), "<strong>太字</strong>は", "**"},
		"an orphan result":       {message("toolResult", texts("out")), "result of <b>(nameless)</b>", ""},
		"a call without result":  {message("assistant", `[{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"ls"}}]`), "no result", ""},
		"arguments of no object": {message("assistant", `[{"type":"toolCall","id":"c","name":"bash","arguments":[1,"x"]}]`), "<b>bash</b>", ""},
		"numbers for texts":      {message("assistant", `[{"type":"toolCall","id":"c","name":5,"arguments":{"path":7,"command":null}}]`), "(nameless)", ""},
		"an SVG":                 {message("user", `[{"type":"image","mimeType":"image/svg+xml","data":"PHN2Zz48L3N2Zz4="}]`), "not of a kind that is shown", "<img"},
		"a lie about a type":     {message("user", `[{"type":"image","mimeType":"image/png","data":"PHN2Zz48L3N2Zz4="}]`), "not of a kind that is shown", "<img"},
		"a blob":                 {message("user", `[{"type":"image","mimeType":"image/png","data":"blob:sha256:00"}]`), "kept outside of the session", "<img"},
		"no base64":              {message("user", `[{"type":"image","mimeType":"image/png","data":"\" onerror=\"x"}]`), "no base64", "<img"},
		"encrypted thinking":     {message("assistant", `[{"type":"redactedThinking","data":"x"}]`), "thinking that is encrypted", ""},
		"an unknown type":        {`{"type":"<b>new</b>","id":"a1","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z"}`, "&lt;b&gt;new&lt;/b&gt;", "<b>new"},
		"a failed reply":         {`{"type":"message","id":"a1","parentId":null,"message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"529 <b>"}}`, "529 &lt;b&gt;", ""},
	} {
		got := written(t, corpus.Parse(t, c.line), usual)
		lawful(t, got)
		got = got[strings.Index(got, "<main>"):strings.Index(got, "</main>")]
		if !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// 4: what a parser is slow on is shown as it is.
func TestBombs(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"quotes": strings.Repeat(">", 10000) + " x", "brackets": strings.Repeat("[", 10000), "stars": strings.Repeat("*", 1<<20), "cells": strings.Repeat("|a", 5000) + "|\n" + strings.Repeat("|-", 5000) + "|",
		"lists": strings.Repeat("- ", 5000) + "x", "ticks": strings.Repeat("`", 5000) + "x", "angles": strings.Repeat("<a ", 5000), "open brackets": strings.Repeat("![x](", 2500),
		"emphasis": strings.Repeat("*a ", 300), "deep": strings.Repeat("    ", 500) + "x",
	} {
		got := written(t, corpus.Parse(t, message("assistant", texts(s))), usual)
		doc := lawful(t, got)
		if name == "emphasis" || name == "deep" {
			continue // fit for a parser, or cut as code
		}
		if got := content(articles(doc)["e-a0000001"]); !strings.Contains(got, strings.TrimRight(s[:min(len(s), 30000)], "\n")) {
			t.Errorf("%s: it is not all there", name)
		}
		if parsable(s) {
			t.Errorf("%s: it is parsed", name)
		}
	}
	// A fence that is not closed ends with its message.
	got := written(t, corpus.Parse(t, message("assistant", texts("```\nopen")), strings.Replace(strings.Replace(message("user", texts("next")), "a0000001", "a0000002", 1), "null", `"a0000001"`, 1)), usual)
	if len(articles(lawful(t, got))) != 2 {
		t.Error("a fence reaches into the next entry")
	}
}

// 8: what programs print for a terminal.
func TestTerminal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain <b>":                        "plain &lt;b&gt;",
		"\x1b[31mred\x1b[0m x":             `<span class="f1 ">red</span> x`,
		"\x1b[1;4;92;41mx":                 `<span class="f10 b1 B U">x</span>`,
		"\x1b[38;5;196mx\x1b[39my":         `<span class="f9 ">x</span>y`,
		"\x1b[38;2;0;0;255mx":              `<span class="f12 ">x</span>`,
		"\x1b[7mx\x1b[27my":                `<span class=" R">x</span>y`,
		"\x1b]8;;javascript:x\x07y\x1b\\z": "yz",
		"\x1b]0;title\x1b\\x":              "x",
		"\x1b[2J\x1b[1;1Hx\x1b[?25l":       "x",
		"10%\r50%\r100%\ndone":             "100%\ndone",
		"a\r\nb":                           "a\nb",
		"\x1b[31mred\nred\x1b[m\nx":        "<span class=\"f1 \">red</span>\n<span class=\"f1 \">red</span>\nx",
		"x\x1b[31":                         "x",
		"x\x1b":                            "x",
		"\x1b(Bx\x1b=y":                    "xy",
		"\x1b\u00e9":                       "\u00e9",
		"\x1b]0;no end\x1b[31mx":           `<span class="f1 ">x</span>`,
		"a\bb":                             `a\x08b`,
	} {
		var b bytes.Buffer
		m := newMarkup(&b)
		m.terminalOutput(in)
		if err := m.w.Flush(); err != nil || strings.ReplaceAll(b.String(), "  ", " ") != want {
			t.Errorf("%q: %s, not %s", in, b.String(), want)
		}
	}
}

// Calls say what they do, changes are shown as such.
func TestCalls(t *testing.T) {
	t.Parallel()
	s := read(t, "show/parser.jsonl")
	got := written(t, s, usual)
	for _, want := range []string{
		`<summary><b>read</b> lexer.go<span class="s"> · 11 lines</span></summary>`, `<b>edit</b> lexer.go<span class="s"> · +1 −1</span>`,
		`<details class="err" open><summary><b>bash</b> go test ./lexer<span class="s"> · exit 1 · 3 lines</span></summary>`, `<span class="d">-`, `<span class="a">+`,
		" tokens for 15,902 · 8 entries above are not in the model’s context</summary>", `<span class="lab">@which</span>`, `data-n="6"`, "13 entries on this path, 21 in the file",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s", want)
		}
	}
	o := usual
	o.Tools, o.Thinking = None, None
	if got := written(t, s, o); strings.Contains(got, "go test") || strings.Contains(got, "never decremented") || len(articles(lawful(t, got))) != 13 {
		t.Error("calls and thinking are shown")
	}
	o.Tools = Opened
	if got := written(t, s, o); strings.Count(got, "<details open>") != 2 {
		t.Errorf("%d are open", strings.Count(got, "<details open>"))
	}
	o.Tools = Names
	if got := written(t, s, o); strings.Contains(got, "depth 2, want 1") || len(articles(lawful(t, got))) != 13 {
		t.Error("results are shown")
	}
	o = usual
	o.All = true
	if got := articles(lawful(t, written(t, s, o))); len(got) != len(s.Entries) {
		t.Errorf("%d articles of %d entries", len(got), len(s.Entries))
	}
}

// A long text is cut, and the page says by how much.
// What the user ran has its command, its status and its output, as a call has, under the user's heading.
func TestRan(t *testing.T) {
	t.Parallel()
	run := func(m string) string { return `{"type":"message","id":"m1","parentId":null,"message":` + m + `}` }
	for m, want := range map[string]string{
		`{"role":"bashExecution","command":"make test","output":"zebra\nis broken","exitCode":1}`: `<details class="err" open><summary><b>bash</b> make test<span class="s"> · exit 1 · 2 lines</span></summary><div><pre><code>zebra` + "\n" + `is broken</code>`,
		`{"role":"bashExecution","command":"ls","output":"a.txt","exitCode":0}`:                   `<details><summary><b>bash</b> ls<span class="s"></span></summary><div><pre><code>a.txt</code>`,
		`{"role":"pythonExecution","code":"print(7)","output":"7","exitCode":0}`:                  `<b>python</b> <span class="s"></span></summary><div><pre><code>print(7)</code></pre><pre><code>7</code>`,
	} {
		s := corpus.ParseText(t, corpus.Join(corpus.Head, run(m)))
		text := written(t, s, usual)
		if !strings.Contains(text, want) || !strings.Contains(text, `<article class="user"`) {
			t.Errorf("%s:\n%s", m, text)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("日本語", 10000)
	o := usual
	o.MaxResult = 1000
	got := written(t, corpus.Parse(t, message("toolResult", texts(long))), o)
	lawful(t, got)
	if !strings.Contains(got, " bytes are left out of this page …]") || strings.Contains(got, "\ufffd") || len(got) > 20000 {
		t.Error(len(got))
	}
}

// A compaction whose summary nobody can read says so, and copies of what was said are not shown again.
func TestNoSummary(t *testing.T) {
	t.Parallel()
	lines := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" +
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"said once"}}` + "\n" +
		`{"type":"compaction","id":"b","parentId":"a","timestamp":"2026-01-02T03:04:07.000Z","summary":"","firstKeptEntryId":"b","tokensBefore":1}` + "\n" +
		`{"type":"message","id":"c","parentId":"b","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"user","content":"said once"},"copy":true}` + "\n"
	got := written(t, corpus.Parse(t, lines), usual)
	lawful(t, got)
	if strings.Count(got, `<p class="t">said once`) != 1 || !strings.Contains(got, "the file has no summary") || strings.Contains(got, "the summary<") {
		_, main, _ := strings.Cut(got, "<main")
		t.Error(main)
	}
}

// The row of a reply that begins with a table has the heading of that, and no marks of Markdown.
func TestRowOfTable(t *testing.T) {
	t.Parallel()
	lines := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" +
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","content":[{"type":"text","text":"| name | use |\n|---|---|\n| x | y |"}]}}` + "\n"
	got := written(t, corpus.Parse(t, lines), usual)
	if lawful(t, got); !strings.Contains(got, "</span> name · use</a>") {
		_, nav, _ := strings.Cut(got, "<nav")
		t.Error(nav)
	}
}

// The parts of a large session have all entries together, and links to each other.
func TestParts(t *testing.T) {
	t.Parallel()
	s := read(t, "show/parser.jsonl")
	path := pathOf(s)
	n := 0
	for from := 0; from < len(path); from += 5 {
		o := usual
		o.From, o.To, o.Next = from, min(from+5, len(path)), "next.html"
		var b bytes.Buffer
		if _, err := Write(&b, s, path, o); err != nil {
			t.Fatal(err)
		}
		n += strings.Count(b.String(), "<article")
		if !strings.Contains(b.String(), `<a href="next.html">later entries</a>`) {
			t.Error("no link to the next part")
		}
	}
	if n != len(path) {
		t.Errorf("%d articles of %d entries", n, len(path))
	}
}

// The colours of the style differ enough from what is behind them.
func TestContrast(t *testing.T) {
	t.Parallel()
	blocks := 0
	for _, block := range strings.Split(style, "{--bg:")[1:] {
		blocks++
		colours := map[string][3]float64{}
		for _, decl := range strings.Split("--bg:"+strings.SplitN(block, "}", 2)[0], ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(decl), ":")
			if rgb, ok := parse(value); ok {
				colours[name] = rgb
			}
		}
		for name, rgb := range colours {
			if slices.Contains([]string{"--bg", "--card", "--line", "--add", "--del", "--code", "--mark"}, name) {
				continue
			}
			for _, back := range []string{"--bg", "--card", "--code"} {
				if c := contrast(rgb, colours[back]); c < 4.5 {
					t.Errorf("theme %d: %s on %s has %.2f", blocks, name, back, c)
				}
			}
		}
	}
	if blocks != 4 {
		t.Errorf("%d themes", blocks)
	}
}

func parse(s string) (rgb [3]float64, ok bool) {
	s, ok = strings.CutPrefix(s, "#")
	if !ok {
		return rgb, false
	}
	if len(s) == 3 {
		s = string([]byte{s[0], s[0], s[1], s[1], s[2], s[2]})
	}
	var v [3]int
	if _, err := fmt.Sscanf(s, "%02x%02x%02x", &v[0], &v[1], &v[2]); err != nil {
		return rgb, false
	}
	for i := range v {
		c := float64(v[i]) / 255
		rgb[i] = c / 12.92
		if c > 0.03928 {
			rgb[i] = math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return rgb, true
}

// contrast is that of WCAG 2.
func contrast(a, b [3]float64) float64 {
	l := func(c [3]float64) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] + 0.05 }
	return max(l(a), l(b)) / min(l(a), l(b))
}

// Markup of other places is not let in: a constant is not made of a text, and what a library
// writes comes in at one place.
func TestOnePlace(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	writes := 0
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for n, line := range strings.Split(string(data), "\n") {
			if strings.Contains(line, "constant(") && !strings.Contains(line, `constant("")`) {
				t.Errorf("%s:%d: makes a constant", name, n+1)
			}
			if name != "markup.go" {
				writes += strings.Count(line, "p.w.Write") + strings.Count(line, "m.w.Write")
			}
		}
	}
	if writes != 4 { // the style, the script, Markdown, and what was written beside
		t.Errorf("markup is written as it is in %d places", writes)
	}
}

// A text that is not harmless in Markdown is one that could be taken for more than it is.
func TestHarmless(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"plain": true, "### third": true, "a\n\n```\n## x\n```": true, "> ## quoted": false, "# first": false, "## second": false, "a\n---": false, "a\n===": false, "    ## code": true,
		"<!--": false, "<details>": false, "a <b>c</b>": false, "```\nopen": false, "~~~\nopen": false, "[a]: http://x": false, "- ## item": false, "* a\n\n  b": true, "```\n```\n```": false,
		"| a |\n|---|\n| b |": true, "&lt;": true, strings.Repeat(">", 100): false,
	} {
		if got := Harmless(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	s := read(t, "show/xss.jsonl")
	l := LinkTo(s, pathOf(s))
	l.File = "x.html"
	var b bytes.Buffer
	if err := Index(&b, []Link{l}); err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	each(doc, func(n *html.Node) {
		if n.Type == html.ElementNode && (n.Data == "img" || n.Data == "script" && n.FirstChild.Data != times+indexScript) {
			t.Errorf("an element %s", n.Data)
		}
	})
}

// Whatever a session says, its page is lawful and has what was said.
func FuzzPage(f *testing.F) {
	for _, s := range []string{"a", "# x\n\n- [ ] y\n", "<script>", "[a](http://b \"c\")", "| a |\n|-|\n", "\x1b[31mx", "```html\n<b>\n```", "&amp;<!-- -->", "http://a.example/\"onerror=x", "![](x\"y)"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, name, said string) {
		if len(said) > 4096 || len(name) > 256 {
			return
		}
		call := `[{"type":"text","text":` + corpus.Quote(said) + `},{"type":"toolCall","id":` + corpus.Quote(name) + `,"name":` + corpus.Quote(name) + `,"arguments":{` + corpus.Quote(name) + `:` + corpus.Quote(said) + `}}]`
		line := `{"type":"message","id":` + corpus.Quote(name) + `,"parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"assistant","model":` + corpus.Quote(name) + `,"content":` + call + `}}`
		s := corpus.Parse(t, line)
		lawful(t, written(t, s, usual))
	})
}
