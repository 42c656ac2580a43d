package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/sess-tools/sess/internal/core/lazy"
)

// A word is one of a command.
type word struct {
	text    string // what the shell makes of it, as it is written if that is not known
	lead    string // its beginning, as far as that is known
	literal bool
	solid   bool   // it is one word, whatever the shell puts in
	base    string // its end behind the last slash, "" if that is not known
	feeds   bool   // it is the output of a command
}

func literalWord(text string) word { return word{text: text, lead: text, literal: true, solid: true} }

// maxBraces is how many words the braces of one may stand for.
const maxBraces = 256

// words reads words as the shell does. ok is false if there are too many.
func (r *reader) words(args []*syntax.Word) (out []word, ok bool) {
	ok = true
	for _, arg := range args {
		raw := r.line[min(len(r.line), int(arg.Pos().Offset())):min(len(r.line), int(arg.End().Offset()))]
		split := &syntax.Word{Parts: slices.Clone(arg.Parts)}
		if !strings.Contains(raw, "{") || !syntax.SplitBraces(split) {
			out = append(out, readWord(arg.Parts, raw))
			continue
		}
		n := 0
		for one, err := range expand.BracesSeq(nil, split) {
			if n++; err != nil || n > maxBraces {
				out = append(out, word{text: raw})
				ok = false
				break
			}
			out = append(out, readWord(one.Parts, raw))
		}
	}
	return out, ok
}

// readWord reads the parts of a word that is written as raw.
func readWord(parts []syntax.WordPart, raw string) word {
	text, ok := literal(parts, false)
	w := word{text: text, lead: text, literal: ok, solid: ok}
	if ok {
		return w
	}
	w.text, w.solid = raw, true
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			w.solid = w.solid && !strings.Contains(raw, "@")
		case *syntax.ProcSubst:
			w.feeds = p.Op == syntax.CmdIn
		default:
			w.solid = false
		}
	}
	if tail := tailOf(parts); w.solid && strings.Contains(tail, "/") {
		w.base = tail[strings.LastIndexByte(tail, '/')+1:]
	}
	return w
}

// tailOf is the literal text at the end of parts.
func tailOf(parts []syntax.WordPart) (tail string) {
	for i := len(parts) - 1; i >= 0; i-- {
		text, ok := literal(parts[i:i+1], false)
		if quoted, is := parts[i].(*syntax.DblQuoted); is && !ok {
			for j := len(quoted.Parts) - 1; j >= 0; j-- {
				if text, ok = literal(quoted.Parts[j:j+1], true); !ok {
					break
				}
				tail = text + tail
			}
			return tail
		}
		if !ok {
			return tail
		}
		tail = text + tail
	}
	return tail
}

// escapes are those of $'…' which bash reads otherwise than the library: characters of control, and numbers of more than a byte.
var escapes = lazy.Regexp(`\\(?:c|[4-7][0-7]{2})`)

// literal returns what the parts of a word stand for. ok is false if the shell puts something in, and then the text is
// the part in front of that.
func literal(parts []syntax.WordPart, quoted bool) (text string, ok bool) {
	var b strings.Builder
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if at := globs(p.Value); at >= 0 && !quoted {
				b.WriteString(unescaped(p.Value[:at], quoted))
				return b.String(), false
			}
			b.WriteString(unescaped(p.Value, quoted))
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				if escapes().MatchString(text) {
					return b.String(), false
				}
				text, _, _ = expand.Format(nil, text, nil)
				text, _, _ = strings.Cut(text, "\x00")
			}
			b.WriteString(text)
		case *syntax.DblQuoted:
			inner, ok := literal(p.Parts, true)
			b.WriteString(inner)
			if !ok {
				return b.String(), false
			}
		default:
			return b.String(), false
		}
	}
	return b.String(), true
}

// globs is where a text has its first character that the shell matches with names of files, -1 for none.
func globs(text string) int {
	if text == "[" || text == "[[" {
		return -1
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '*', '?':
			return i
		case '[':
			if strings.Contains(text[i:], "]") {
				return i
			}
		}
	}
	return -1
}

// unescaped removes the backslashes that a shell removes: in quotes only those in front of special
// characters.
func unescaped(text string, quoted bool) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0) {
			if i++; text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// join puts words together as ssh does. literal is false if one of them is not.
func join(all []word) word {
	out := word{literal: true}
	for i, w := range all {
		if i > 0 {
			out.text += " "
		}
		out.text += w.text
		out.literal = out.literal && w.literal
	}
	out.lead = out.text
	return out
}

// standardInput returns the here-document or the here-string of a command.
func standardInput(redirects []*syntax.Redirect) (word, bool) {
	for i := len(redirects) - 1; i >= 0; i-- {
		r := redirects[i]
		switch {
		case r.Op == syntax.WordHdoc:
			text, ok := literal(r.Word.Parts, false)
			return word{text: text, literal: ok}, true
		case r.Hdoc != nil:
			if _, quoted := literal(r.Word.Parts, false); quoted && r.Word.Lit() == "" {
				return word{text: raw(r.Hdoc), literal: true}, true
			}
			text, ok := literal(r.Hdoc.Parts, true)
			return word{text: text, literal: ok}, true
		}
	}
	return word{}, false
}

// raw returns a here-document in which nothing is special.
func raw(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		}
	}
	return b.String()
}
