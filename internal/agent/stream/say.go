package stream

import (
	"strings"

	"github.com/sess-tools/sess/pkg/session"
)

// hear takes a piece of what the assistant says, before the message is whole.
func (r *recorder) hear(text string) {
	if r.o.Say == nil || text == "" {
		return
	}
	r.aloud = text
	r.o.Say(text)
}

// say takes a message that is whole. What was heard of it is not said again. Messages end
// with a line feed.
func (r *recorder) say(m session.Message) {
	if r.o.Say == nil {
		return
	}
	text, heard := m.Text("\n\n"), r.aloud
	r.aloud = ""
	if heard == "" {
		heard = text
		r.speak(text)
	}
	if heard != "" && !strings.HasSuffix(heard, "\n") {
		r.speak("\n")
	}
}

func (r *recorder) speak(text string) {
	if text != "" {
		r.o.Say(text)
	}
}
