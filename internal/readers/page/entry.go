package page

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// run writes entries of the path: those in a row that are words of an agent as one note.
func (p *page) run(list []int) {
	for n := 0; n < len(list); n++ {
		if !p.s.Entries[list[n]].IsHarness() {
			p.entry(list[n])
			continue
		}
		end := n
		for end < len(list) && p.s.Entries[list[end]].IsHarness() {
			end++
		}
		p.harness(list[n:end])
		n = end - 1
	}
}

// harness writes a note of what an agent said in the user's name.
func (p *page) harness(list []int) {
	var notes convo.Notes
	for _, i := range list {
		_, own := convo.Spoken(convo.EntryMessages(p.s.Entries[i]))
		notes.Plus(own)
	}
	p.beginNotes(notes)
	for _, i := range list {
		p.place(i, "custom")
		p.raw(">")
		for _, m := range convo.EntryMessages(p.s.Entries[i]) {
			p.literal(p.cut(m.Text("\n")))
		}
		p.raw("</article>")
	}
	p.raw("</div></details>")
}

func (p *page) beginNotes(notes convo.Notes) {
	p.raw(`<details class="think"><summary>`)
	p.text(notes.String())
	p.raw("</summary><div>")
}

// A speech is a row of replies that follow each other, but for the results of their calls: they have one heading.
type speech struct {
	last   int   // the entry that ends it
	tokens int64 // output of all
}

// rows finds the rows of replies among entries that stand one below the other.
func (p *page) rows(list []int) {
	first := -1
	for _, i := range list {
		m, ok := p.s.Entries[i].Message()
		switch {
		case p.nested[i] || ok && p.o.Tools == None && m.Role() == session.RoleToolResult:
			continue
		case !ok || m.Role() != session.RoleAssistant:
			first = -1
			continue
		case first < 0:
			first = i
		default:
			p.goesOn[i] = true
		}
		r := p.replies[first]
		r.last = i
		if u, ok := m.Usage(); ok {
			r.tokens += u.Output
		}
		p.replies[first] = r
	}
}

// place begins an article: without its closing bracket.
func (p *page) place(i int, class constant) {
	p.stats.Entries++
	p.raw(`<article class="`, class, `"`)
	p.attr("id", p.anchor(i))
}

// entry writes an entry, unless it stands in another one.
func (p *page) entry(i int) {
	if p.nested[i] && p.o.Tools != None {
		return
	}
	e := p.s.Entries[i]
	m, ok := e.Message()
	switch {
	case e.Type() == session.TypeCompaction:
		p.compaction(i)
	case !ok:
		if result, is := e.AsResult(); is {
			p.orphan(i, result)
			return
		}
		p.otherEntry(i)
	case m.Role() == session.RoleUser:
		p.turn(i, "user", m)
	case m.Role() == session.RoleAssistant:
		p.turn(i, "assistant", m)
	case m.Role() == session.RoleToolResult:
		p.orphan(i, m)
	case m.Role() == session.RoleSystem || m.Role() == "developer":
		p.system(i, m)
	case m.Role() == session.RoleBashExecution || m.Role() == session.RolePythonExecution:
		p.ran(i, m)
	default:
		p.turn(i, "custom", m)
	}
}

// heading writes the line above a turn: of a row of replies, above the first.
func (p *page) heading(i int, words string) {
	if p.goesOn[i] && p.tree.Label(i) == "" {
		return
	}
	p.raw("<h2><a")
	p.attr("href", "#"+p.anchor(i))
	p.raw(">")
	p.text(words)
	p.raw("</a>")
	if label := p.tree.Label(i); label != "" {
		p.element(` <span class="lab">@`, label, "</span>")
	}
	row, ok := p.replies[i]
	if !ok {
		row.last = i
	}
	p.when(i, row.last)
	if row.tokens > 0 {
		p.raw(`<span class="tok">`)
		p.text(grouped(row.tokens), " tokens")
		p.raw("</span>")
	}
	p.raw("</h2>")
}

// when writes the time of an entry, and that of the last of its row, each with its day if that is another than before.
func (p *page) when(i, last int) {
	write := func(i int) {
		ms, ok := p.s.Entries[i].Timestamp()
		if !ok {
			return
		}
		t, layout := time.UnixMilli(ms).UTC(), time.TimeOnly
		day := dayOf(t)
		if p.zone != "" && p.zone != day {
			layout = dayLayout + " " + layout
		}
		p.zone, p.timed = day, true
		p.time("", t, layout)
	}
	p.raw(`<span class="at">`)
	if write(i); last != i {
		p.raw(" – ")
		write(last)
	}
	p.raw("</span>")
}

// turn writes a message.
func (p *page) turn(i int, class constant, m session.Message) {
	if p.goesOn[i] {
		class += " more"
	}
	p.place(i, class)
	p.raw(">")
	p.heading(i, m.Role())
	said := p.content(i, m)
	p.notes(m)
	if text := m.Str("errorMessage"); text != "" {
		p.element(`<p class="t err">`, text, "</p>")
	} else if reason := m.Str("stopReason"); reason == "aborted" {
		p.raw(`<p class="note">aborted</p>`)
	}
	if !said && class == "custom" {
		p.literal(convo.Say(p.s.Entries[i]))
	}
	p.raw("</article>")
}

// ran writes a command that the user ran, and its output, as a call of the tool is written.
func (p *page) ran(i int, m session.Message) {
	p.place(i, "user")
	p.raw(">")
	p.heading(i, session.RoleUser)
	call := session.ToolCall{Name: "bash", Arguments: js.Object(js.StringField("command", m.Str("command")))}
	if m.Role() == session.RolePythonExecution {
		call = session.ToolCall{Name: "python", Arguments: js.Object(js.StringField("code", m.Str("code")))}
	}
	result := session.NewMessage(js.Object(
		js.StringField("role", session.RoleToolResult), js.RawField("content", js.Quote(m.Str("output"))),
		js.RawField("isError", strconv.FormatBool(calls.End(m).Outcome == calls.Fail)),
		js.RawField("details", js.Object(js.RawField("exitCode", cmp.Or(m.Get("exitCode"), "null"))))))
	p.made(call, result, "", func() { p.blocks(result) })
	p.raw("</article>")
}

// content writes the blocks of a message, and reports whether there was a text.
func (p *page) content(i int, m session.Message) (said bool) {
	calls, at := m.ToolCalls(), 0
	for b := range m.Blocks() {
		if b.Harness() != "" {
			continue
		}
		switch b.Type {
		case session.BlockText:
			said = true
			if text := p.cut(b.Str("text")); m.Role() == session.RoleAssistant {
				p.markdown(text)
			} else {
				p.literal(text)
			}
		case session.BlockThinking:
			p.thinking(b)
		case session.BlockToolCall:
			result := -1
			if list := p.results[i]; at < len(list) {
				result = list[at]
			}
			if at < len(calls) {
				p.call(calls[at], result)
			}
			at++
		default:
			p.other(b)
		}
	}
	return said
}

// notes writes the words of an agent that stand beside others in a message.
func (p *page) notes(m session.Message) {
	_, notes := convo.Spoken([]session.Message{m})
	if notes.Count == 0 {
		return
	}
	p.beginNotes(notes)
	for b := range m.Blocks() {
		if b.Harness() != "" {
			p.literal(p.cut(b.Str("text")))
		}
	}
	p.raw("</div></details>")
}

func (p *page) literal(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	p.element(`<p class="t">`, strings.TrimRight(text, "\n"), "</p>")
}

// thinking writes a block of thinking, of which there may be nothing to read.
func (p *page) thinking(b session.Block) {
	if _, ok := b.Encrypted(); ok {
		p.encrypted()
		return
	}
	text := b.Str("thinking")
	if p.o.Thinking == None || text == "" {
		return
	}
	p.raw(`<details class="think"`)
	if p.o.Thinking == Opened {
		p.raw(" open")
	}
	p.raw("><summary>thinking · ")
	p.text(tty.Count(int64(len(strings.Fields(text))), "word", "words"))
	p.raw(`</summary><div>`)
	p.markdown(p.cut(text))
	p.raw("</div></details>")
}

func (p *page) encrypted() { p.raw(`<p class="note">[thinking that is encrypted]</p>`) }

// other writes a block that is neither text nor thinking nor a call.
func (p *page) other(b session.Block) {
	switch b.Type {
	case session.BlockImage:
		p.image(b)
	case session.BlockEncrypted:
		p.encrypted()
	default:
		if made, ok := b.Provided(); ok {
			if p.o.Tools != None { // a result that stands apart from its call has no arguments
				p.made(made.ToolCall, made.Result, " · by the provider", func() { p.blocks(made.Result) })
			}
			return
		}
		p.element(`<p class="note">[a block of type `, b.Type, "]</p>")
	}
}

// orphan writes a result whose call is not above it.
func (p *page) orphan(i int, m session.Message) {
	if p.o.Tools == None {
		p.place(i, "result")
		p.raw("></article>")
		return
	}
	p.place(i, "result")
	p.raw("><details")
	if m.IsError() {
		p.raw(` class="err" open`)
	} else if p.o.Tools == Opened {
		p.raw(" open")
	}
	p.raw("><summary>result of <b>")
	p.text(nameless(m.Str("toolName")))
	p.raw(`</b></summary><div>`)
	for b := range m.Blocks() {
		if b.Type == session.BlockText {
			p.raw("<pre><code>")
			p.terminalOutput(strings.TrimRight(p.cut(b.Str("text")), "\n"))
			p.raw("</code></pre>")
		} else {
			p.other(b)
		}
	}
	p.within(m)
	p.raw("</div></details></article>")
}

// system writes a system message, which most readers do not ask for.
func (p *page) system(i int, m session.Message) {
	p.place(i, "system")
	p.raw("><details><summary>")
	p.text(m.Role(), " prompt")
	p.raw(`</summary><div>`)
	text := m.Text("\n")
	if text == "" {
		text = convo.Say(p.s.Entries[i])
	}
	p.literal(p.cut(text))
	p.raw("</div></details></article>")
}

// compaction writes the border that a compaction is.
func (p *page) compaction(i int) {
	e := p.s.Entries[i]
	p.place(i, "border")
	p.raw(`><details class="think"><summary>◆ summary`)
	if before := js.Value(e.Get("tokensBefore")); before.IsNumber() {
		p.text(", ", grouped(convo.EntryTokens(e)), " tokens for ", grouped(before.Int()))
	}
	switch n := p.gone[i]; {
	case !p.on[i]:
	case n == 1:
		p.text(" · 1 entry above is not in the model’s context")
	default:
		p.text(" · ", grouped(int64(n)), " entries above are not in the model’s context")
	}
	p.raw("</summary><div>")
	if summary := e.Str("summary"); strings.TrimSpace(summary) != "" {
		p.markdown(p.cut(summary))
	} else {
		p.raw(`<p class="note">`, NoSummary, "</p>")
	}
	p.raw("</div></details></article>")
}

// NoSummary is said where a compaction has none that can be read.
const NoSummary = "the file has no summary"

// otherEntry writes an entry that is no message.
func (p *page) otherEntry(i int) {
	e := p.s.Entries[i]
	if messages := convo.EntryMessages(e); len(messages) > 0 && e.Type() != session.TypeBranchSummary {
		p.place(i, "custom")
		p.raw(">")
		p.heading(i, nameless(convo.Kind(e)))
		for _, m := range messages {
			p.literal(p.cut(m.Text("\n")))
		}
		p.raw("</article>")
		return
	}
	p.place(i, "about")
	p.raw(`><p class="note">`)
	p.text(nameless(words(convo.Kind(e))))
	if text := session.OneLine(convo.Say(e)); e.Type() != session.TypeBranchSummary && text != "" {
		p.text(": ", js.Head(text, 300))
	}
	p.raw("</p>")
	if e.Type() == session.TypeBranchSummary {
		p.raw(`<details class="think"><summary>what the branch that was left came to</summary><div>`)
		p.markdown(p.cut(e.Str("summary")))
		p.raw("</div></details>")
	}
	p.raw("</article>")
}

// words returns a type of entries as people say it.
func words(kind string) string {
	switch kind {
	case session.TypeModelChange:
		return "model"
	case session.TypeSessionInfo:
		return "title"
	case session.TypeBranchSummary:
		return "back from another branch"
	}
	return strings.ReplaceAll(strings.TrimSuffix(kind, "_change"), "_", " ")
}
