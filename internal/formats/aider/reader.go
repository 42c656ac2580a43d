package aider

import (
	"strings"
)

// A spoken message is one as aider's reader gives it.
type spoken struct {
	role role
	text string
}

// readers returns what aider's own reader makes of a chat history: the messages
// that --restore-chat-history shows the model, and the notes between them if tools
// is set (docs/formats/aider.md, the reader).
func readers(history string, tools bool) []spoken {
	var out []spoken
	var said [tool + 1]strings.Builder
	flush := func(roles ...role) {
		for _, r := range roles {
			if text := said[r].String(); strip(text) != "" && (tools || r != tool) {
				out = append(out, spoken{r, text})
			}
			said[r].Reset()
		}
	}
	for l, err := range lines(strings.NewReader(history), 1, 0) {
		switch {
		case err != nil: // memory does not fail
		case strings.HasPrefix(l.text, "# "):
		case strings.HasPrefix(l.text, "> "):
			flush(assistant, user)
			said[tool].WriteString(l.text[2:])
		case strings.HasPrefix(l.text, "#### "):
			flush(assistant, tool)
			said[user].WriteString(l.text[5:])
		default:
			flush(user, tool)
			said[assistant].WriteString(l.text)
		}
	}
	flush(assistant, user)
	return out
}

// faithful reports whether aider's reader gets text, said by r, out of what was
// written for it.
func faithful(r role, text, written string) bool {
	want := strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if r == user {
		want = strings.TrimRightFunc(want, isSpace)
	} else {
		want = strip(want)
	}
	if want == "" {
		return true
	}
	got := readers(written, true)
	return len(got) == 1 && got[0].role == r && unframed(r, got[0].text) == want
}

// saidIn returns what a message of r says that stands as raw in a file; ok is
// false if raw is not one message of r.
func saidIn(r role, raw string) (text string, ok bool) {
	n := 0
	c := cutter{give: func(p *piece) error {
		if n++; p.role == r {
			text, ok = p.text(), true
		}
		return nil
	}}
	for l, err := range lines(strings.NewReader(raw), 1, 0) {
		if err != nil || c.add(l, l.number) != nil {
			return "", false
		}
	}
	return text, c.end() == nil && ok && n == 1
}
