package typed

import (
	"strings"

	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/session"
)

// How the texts begin that sess-handoff writes: the note behind the messages that it carried, in brackets and before the
// address of the source, and the heading of the brief of those that it did not carry.
const (
	MovedHere  = "Moved here by sess-handoff from "
	HandedOver = "Work handed over from "
)

// moved is the note, as it begins.
var moved = lazy.Regexp(`^\s*\[` + MovedHere + `(?s:(.+?)), \d+ messages?\.`)

// Moved returns the address of the session that an entry says was handed over: the messages in front of the entry are
// copies of messages of that session. ok is false for any other entry.
func Moved(e session.Entry) (from string, ok bool) {
	if !strings.Contains(e.Raw(), MovedHere) { // all entries of many sessions are asked
		return "", false
	}
	m, isMessage := e.Message()
	if !isMessage || m.Role() != session.RoleUser {
		return "", false
	}
	found := moved().FindStringSubmatch(m.Text("\n"))
	if found == nil {
		return "", false
	}
	return strings.Clone(found[1]), true
}

// IsBrief reports whether a message is the brief of a session that was handed over.
func IsBrief(m session.Message) bool {
	return strings.HasPrefix(strings.TrimLeft(m.Text("\n"), "# "), HandedOver)
}

// IsHandoff reports whether a text begins as those that sess-handoff writes.
func IsHandoff(text string) bool {
	text = strings.TrimLeft(text, "# [")
	return strings.HasPrefix(text, strings.TrimSpace(MovedHere)) || strings.HasPrefix(text, HandedOver)
}
