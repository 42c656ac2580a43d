package page

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// titleOf names the deed of a call in some words, and its file: its command, its pattern and where
// it searches, or its file.
func titleOf(c session.ToolCall) (title, file string) {
	file = strings.TrimSpace(c.File())
	text := strings.TrimSpace(c.Command())
	if text == "" {
		text = strings.TrimSpace(c.Asks())
		if text != "" && file != "" {
			text += " in " + file
		}
	}
	if text = cmp.Or(text, file, strings.TrimSpace(c.Words())); text == "" {
		return "", ""
	}
	line, _, more := strings.Cut(text, "\n")
	if title = headOf(line, 100); more && title == line {
		title += "…"
	}
	return title, file
}

// maxOpenDiff is how many lines a change may have that is shown without being asked for.
const maxOpenDiff = 40

// call writes a call with its result: open if it failed, or if it is a small change.
func (p *page) call(c session.ToolCall, result int) {
	if p.o.Tools == None {
		return
	}
	var m session.Message
	if result >= 0 {
		m, _ = p.s.Entries[result].Message()
	}
	p.made(c, m, "", func() {
		if result >= 0 { // as an entry in that of its call
			p.place(result, "result")
			p.raw(">")
			p.blocks(m)
			p.raw("</article>")
		}
	})
	if p.o.Tools == Names && result >= 0 {
		p.place(result, "result")
		p.raw("></article>")
	}
}

// made writes a call with its result m, which has no role if there is none; by says who made it, and result writes
// what came of it.
func (p *page) made(c session.ToolCall, m session.Message, by string, result func()) {
	title, file := titleOf(c)
	failed, details := m.IsError(), js.Value(m.Get("details"))
	diff, isDiff := ChangeOf(js.Value(js.Trim(c.Arguments)), details)
	p.raw("<details")
	if failed {
		p.raw(` class="err"`)
	}
	small := isDiff && diff.Added+diff.Removed <= maxOpenDiff
	if p.o.Tools == Opened || (failed || small) && p.o.Tools != Names {
		p.raw(" open")
	}
	p.raw("><summary><b>")
	p.text(nameless(c.Name))
	p.raw("</b> ")
	if answers := calls.Answers(c, m); len(answers) > 0 {
		for i, answer := range answers { // decisions of the user are not folded
			if i > 0 {
				p.raw("<br>")
			}
			p.text(p.cut(answer))
		}
	} else {
		p.text(title)
	}
	p.raw(`<span class="s">`)
	p.text(by + p.aside(m, details, diff, isDiff))
	child, isChild := p.o.Children[calls.Started(m)]
	if isChild {
		p.text(" · ", child.About)
	}
	p.raw("</span></summary>")
	if p.o.Tools != Names {
		p.raw("<div>")
		if isDiff {
			p.diff(diff.Patch)
		} else {
			p.arguments(c, title, file)
		}
		if isChild {
			p.raw(`<p class="note">its session: `)
			p.child(child)
			p.raw("</p>")
			if child.Text != "" {
				p.raw(`<details class="think"><summary>what it did</summary><div><pre><code>`)
				p.terminalOutput(p.cut(child.Text))
				p.raw("</code></pre></div></details>")
			}
		}
		result()
		p.raw("</div>")
	}
	p.raw("</details>")
}

// child names another session, with a link to its page.
func (p *page) child(c Child) {
	if c.File != "" {
		p.raw("<a")
		p.attr("href", c.File)
		p.raw(">")
		p.text(c.Title)
		p.raw("</a>")
	} else {
		p.text(c.Title)
	}
	p.element(" <code>", c.Address, "</code>")
}

func nameless(name string) string {
	if name == "" {
		return "(nameless)"
	}
	return name
}

// aside says how much a call did.
func (p *page) aside(m session.Message, details js.Value, diff Change, isDiff bool) string {
	var parts []string
	if isDiff {
		parts = append(parts, fmt.Sprintf("+%d −%d", diff.Added, diff.Removed))
	}
	switch {
	case m.Role() == "":
		parts = append(parts, "no result")
	default:
		if code := details.Get("exitCode"); code.IsNumber() && code.Int() != 0 {
			parts = append(parts, fmt.Sprintf("exit %d", code.Int()))
		}
		text := m.Text("\n")
		if n := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1; !isDiff && n > 1 {
			parts = append(parts, tty.Count(int64(n), "line", "lines"))
		}
		if len(text) >= 1000 && !isDiff {
			parts = append(parts, convo.SizeText(int64(len(text))))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " · " + strings.Join(parts, " · ")
}

// arguments writes the arguments of a call, but for what its title says.
func (p *page) arguments(c session.ToolCall, title, file string) {
	arguments := js.Value(js.Trim(c.Arguments))
	rest := 0
	var only js.Value
	for _, v := range arguments.Members() {
		rest++
		only = v
	}
	switch {
	case rest == 0 || rest == 1 && only.Str() == title:
	case rest == 1 && only.IsString():
		p.pre("", "", p.cut(only.Str()))
	case arguments.Get("command").IsString() && rest <= 3:
		p.pre("bash", "", p.cut(arguments.Get("command").Str()))
	case arguments.Get("content").IsString():
		p.pre("", file, p.cut(arguments.Get("content").Str()))
	default:
		p.raw(`<pre><code>`)
		for name, v := range arguments.Members() {
			p.element(`<span class="f">`, name, "</span>: ")
			if v.IsString() {
				p.text(p.cut(v.Str()))
			} else {
				p.text(p.cut(js.Stringify(string(v))))
			}
			p.raw("\n")
		}
		p.raw("</code></pre>")
	}
}

// blocks writes the blocks of a result.
func (p *page) blocks(m session.Message) {
	for b := range m.Blocks() {
		switch b.Type {
		case session.BlockText:
			text := p.cut(b.Str("text"))
			p.raw("<pre><code>")
			p.terminalOutput(strings.TrimRight(text, "\n"))
			p.raw("</code></pre>")
		default:
			p.other(b)
		}
	}
	p.within(m)
}

// within writes the calls that a tool made.
func (p *page) within(m session.Message) {
	calls, more := m.NestedCalls()
	for _, c := range calls {
		title, file := titleOf(c.ToolCall)
		p.raw("<details")
		if c.Error != "" {
			p.raw(` class="err"`)
		}
		if p.o.Tools == Opened || c.Error != "" {
			p.raw(" open")
		}
		p.raw("><summary><b>")
		p.text(nameless(c.Name))
		p.raw("</b> ")
		p.text(title)
		p.raw(`<span class="s">`)
		p.text(c.Status)
		p.raw("</span></summary><div>")
		if c.Arguments == "" {
			p.raw(`<p class="note">[arguments that are not recorded]</p>`)
		}
		p.arguments(c.ToolCall, title, file)
		if c.Error != "" {
			p.raw("<pre><code>")
			p.terminalOutput(p.cut(c.Error))
			p.raw("</code></pre>")
		}
		p.raw("</div></details>")
	}
	if more {
		p.raw(`<p class="note">[more calls, which are not recorded]</p>`)
	}
}

// cut returns a text up to the limit, with a note of the length that is left out.
func (p *page) cut(s string) string {
	limit := p.o.MaxResult
	if limit <= 0 || int64(len(s)) <= limit {
		return s
	}
	p.stats.Cut++
	head, tail := int(limit/4*3), int(limit/4)
	for head > 0 && s[head]&0xc0 == 0x80 {
		head--
	}
	at := len(s) - tail
	for at < len(s) && s[at]&0xc0 == 0x80 {
		at++
	}
	return s[:head] + fmt.Sprintf("\n[… %s bytes are left out of this page …]\n", grouped(int64(at-head))) + s[at:]
}
