// Package titles makes the titles of sessions, of what was asked in them.
package titles

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// Where a title comes from, as rows say it.
const (
	Stored = "stored" // the session has it
	Prompt = "prompt" // it is made of what was asked
)

// Of returns the title of a session on one line, and where it comes from: the one that is stored, else one that is
// made of the prompts, texts that the user typed, in their order. Both are "" if there is neither. A title that is made of
// a prompt takes at most 80 columns, and the title of a title is that title. The rules, of which the first that gives a
// title counts:
//
//   - A stored title counts, unless sess-handoff made it of its note.
//   - Notes of a hand-off, summaries of compactions and other words of programs are no prompts. A command without words and
//     an answer such as "ok" count if there is nothing else.
//   - A prompt that begins with a heading, or that asks to implement a plan, has the title of its first heading.
//   - Of others the first paragraph of prose counts: no fences, logs and lists, and no paragraph that is very short or
//     introduces what follows, unless there is no other. Behind a log it is the last paragraph.
//   - Its first sentences, as many as make 40 columns, are the title, without a polite beginning. Links are short.
func Of(stored string, prompts []string) (title, from string) {
	if name := oneLine(stored); name != "" && !typed.IsHandoff(name) {
		return name, Stored
	}
	weak := ""
	for _, prompt := range prompts {
		_, words, _ := typed.Framed(js.ValidText(prompt))
		text := strings.TrimSpace(words)
		if text == "" || typed.IsProgramText(text) {
			continue
		}
		if title := topic(text); title != "" && !isPassing(text) {
			return settled(title), Prompt
		}
		if weak == "" {
			weak = brief(text)
		}
	}
	if weak == "" {
		return "", ""
	}
	return settled(weak), Prompt
}

// OfSession is [Of] for a session that was read.
func OfSession(h session.Header, entries []session.Entry) (title, from string) {
	return OfCleaned(h, entries, func(text string) string { return text })
}

// OfCleaned is [OfSession] of texts that clean has made, such as without secrets. It gets them whole: a title has a part of a prompt.
func OfCleaned(h session.Header, entries []session.Entry, clean func(string) string) (title, from string) {
	if title, from = Of(clean(session.NameOf(h, entries)), nil); title != "" {
		return title, from
	}
	var prompts, tasks []string // an agent gives tasks to a sub-agent
	for _, e := range entries {
		if text, ok := typed.Prompt(e); ok {
			if prompts = append(prompts, clean(text)); len(prompts) == session.MostPrompts {
				break
			}
		} else if len(tasks) == 0 && e.Role() == session.RoleUser && !e.IsHarness() && !e.IsCopy() {
			tasks = append(tasks, clean(convo.Say(e)))
		}
	}
	if len(prompts) == 0 {
		prompts = tasks
	}
	return Of("", prompts)
}

// settled returns the title of a title, which is nearly always the same.
func settled(title string) string {
	for range 8 {
		next := topic(title)
		if next == "" {
			next = brief(title)
		}
		if next == title || typed.IsProgramText(next) {
			break
		}
		title = next
	}
	return title
}

var passing = lazy.Regexp(`(?i)^(?:/[\w:.-]+|\w|yes|ok|okay|go on|go ahead|continue|push|thanks|thank you)[.!]*$`)

// isPassing reports whether a prompt says nothing about its session: a command without words, or an answer.
func isPassing(text string) bool { return len(text) < 64 && passing().MatchString(text) }

var (
	section = lazy.Regexp(`\[\[ ## \w+ ## \]\]`)
	heading = lazy.Regexp(`(?m)^ {0,3}#{1,6}[ \t]+(\S.*)$`)
	kind    = lazy.Regexp(`(?i)^(?:implementation )?(?:plan|task)\s*:\s*`)
)

const (
	planIntro = "Implement the following plan:"
	userMark  = "@[User]:"
)

// topic returns the title that a prompt gives, "" if it has no prose.
func topic(text string) string {
	if strings.Contains(text, "[[ ## ") {
		text = section().ReplaceAllString(text, "\n\n")
	}
	if _, words, ok := strings.Cut(text, userMark); ok {
		text = words
	}
	text = strings.TrimSpace(text)
	rest, isPlan := strings.CutPrefix(text, planIntro)
	if rest = strings.TrimSpace(rest); rest == "" {
		isPlan, rest = false, text
	}
	if isPlan || strings.HasPrefix(text, "#") {
		for _, m := range heading().FindAllStringSubmatch(rest, 8) {
			if title := brief(kind().ReplaceAllString(strings.TrimRight(m[1], "# "), "")); title != "" {
				return title
			}
		}
	}
	return prose(rest)
}

// Columns that a paragraph takes at least to be taken before a later one, and one that ends in a colon.
const (
	leastWords = 16
	leastIntro = 30
)

// prose returns the title of the first paragraph that is a request, "" if there is none.
func prose(text string) string {
	pasted, short, last := false, "", ""
	for p, isPasted := range paragraphs(text) {
		if pasted, last = isPasted, p; pasted {
			continue
		}
		title, n := brief(p), columns(p)
		switch {
		case title == "":
		case n >= leastIntro, n >= leastWords && !strings.HasSuffix(p, ":"):
			return title
		case short == "":
			short = title
		}
	}
	if r, _ := utf8.DecodeRuneInString(last); pasted && unicode.IsLetter(r) {
		return brief(last)
	}
	return short
}

// mostOfParagraph is how many bytes of a paragraph are looked at, in whole lines: many times what a title takes.
const mostOfParagraph = 1 << 10

// paragraphs yields the paragraphs of a text, without fences, logs and lists, each on one line, and whether the text begins with a log.
func paragraphs(text string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		var lines []string
		first, fenced, pasted, size := true, false, false, 0
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			fence := strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
			switch {
			case len(lines) > 0 && (fence || line == ""):
				if !yield(strings.Join(lines, " "), pasted) {
					return
				}
				lines, size = lines[:0], 0
			case fence, fenced, line == "", size > mostOfParagraph:
			case output().MatchString(line):
				pasted = pasted || first
			default:
				lines, size = append(lines, line), size+len(line)
			}
			fenced, first = fenced != fence, first && line == ""
		}
		if len(lines) > 0 {
			yield(strings.Join(lines, " "), pasted)
		}
	}
}

// output is a line that is most likely pasted output of a program, the line of a shell or an item of a list.
var output = lazy.Regexp(`^(?:[❯➜$>%•✓✗│└|{]|[+-](?:[\s+-]|$)|@@|\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d?:\d\d[:\s]|\w+=|(?i:error|hint|fatal):|[^\s:]+:\d+:|[\w.-]+@[\w.-]+[:\s])`)

var (
	link   = lazy.Regexp(`\[([^\[\]]+)\]\([^()\s]+\)`)
	url    = lazy.Regexp(`https?://[^\s<>"'()\[\]]+`)
	ticket = lazy.Regexp(`^https?://github\.com/[^/]+/([^/]+)/(?:pull|issues)/(\d+)`)
	polite = lazy.Regexp(`(?i)^(?:(?:can|could) you(?: please)?|please|let['’]s)[\s,]+`)
)

// Columns of a title: the sentences that it has take at least so many, and it takes at most so many.
const (
	leastTitle = 40
	mostTitle  = 80
)

// brief returns the first sentences of a text on one line, within the columns of a title.
func brief(text string) string {
	line := oneLine(text)
	if strings.Contains(line, "](") {
		line = link().ReplaceAllString(line, "$1")
	}
	if strings.Contains(line, "://") {
		line = url().ReplaceAllStringFunc(line, address)
	}
	full := line
	for {
		rest := polite().ReplaceAllString(line, "")
		if rest == line || rest == "" {
			break
		}
		line = rest
	}
	if typed.IsProgramText(line) {
		line = full
	}
	for i, r := range line {
		end := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？':
		case '.', '!', '?':
			if end < len(line) && line[end] != ' ' {
				continue
			}
		default:
			continue
		}
		if title := strings.TrimSpace(line[:end]); columns(title) >= leastTitle {
			line = title
			break
		}
	}
	line = within(line, mostTitle)
	if title := strings.TrimRight(line, ".: "); title != "" {
		return title
	}
	return line
}

// address returns an address of the web in short: repo#12 for a pull request or an issue on GitHub, else the host and the
// last part of the path. What ends a sentence stays behind it.
func address(text string) string {
	target := strings.TrimRight(text, ".,;:!?")
	after := text[len(target):]
	if m := ticket().FindStringSubmatch(target); m != nil {
		return m[1] + "#" + m[2] + after
	}
	_, target, _ = strings.Cut(target, "://")
	target, _, _ = strings.Cut(target, "?")
	target, _, _ = strings.Cut(target, "#")
	parts := strings.Split(strings.Trim(target, "/"), "/")
	if len(parts) > 2 {
		parts = []string{parts[0], "…", parts[len(parts)-1]}
	}
	return strings.Join(parts, "/") + after
}

// oneLine returns a text on one line: white space is a single space.
func oneLine(text string) string { return strings.Join(strings.Fields(js.ValidText(text)), " ") }

// within returns the beginning of a line that takes at most so many columns, with a sign if that is not all: whole words,
// unless they are long.
func within(line string, width int) string {
	if columns(line) <= width {
		return line
	}
	n, end, word := 0, 0, 0
	for i, r := range line {
		if n += runeColumns(r); n > width-1 {
			break
		}
		end = i + utf8.RuneLen(r)
		if r == ' ' {
			word = i
		}
	}
	if end < len(line) && line[end] != ' ' && word > end*2/3 {
		end = word
	}
	return strings.TrimRight(line[:end], " ,;:.") + "…"
}

// columns is an upper bound of the columns that a text takes on a terminal.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

// runeColumns is 2 from the first blocks with characters that terminals show in two columns, and for all symbols.
func runeColumns(r rune) int {
	switch {
	case r < 0x1100, r >= 0x2000 && r < 0x2300:
		return 1
	case r >= 0x1160 && r < 0x2000:
		return 1
	}
	return 2
}
