package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sess-tools/sess/internal/agent/stream"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/command"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A reply is what is added for a turn: what the user said, and what came back.
type reply struct {
	items  []*stream.Item
	failed error // why the turn failed although the command ended well, nil if it did not
	unread error // a part of what was printed could not be read
}

var errNoAnswer = errors.New("what it printed holds no answer")

// readReply makes a reply of what the command printed.
func (t *turn) readReply(printed []byte) reply {
	if t.reply == stream.Text {
		text, changed := command.Clean(string(printed))
		if changed {
			t.streams.Warnf("the answer has control characters, or bytes that are not UTF-8: they are not stored")
		}
		return reply{items: []*stream.Item{t.question(), said(session.NewTextMessage(session.RoleAssistant, text))}}
	}
	var r reply
	tally := clikit.NewTally(t.streams.Warnf)
	items, unread := stream.Decode(printed, stream.Options{
		From: t.reply, Note: t.streams.Notef, Now: func() int64 { return time.Now().UnixMilli() },
		Warn: func(format string, args ...any) { tally.Warnf(format, format, args...) },
	})
	tally.More("", "")
	r.items, r.unread = t.inserted(items), unread
	isAnswer := func(i *stream.Item) bool { return hasRole(i, session.RoleAssistant) }
	last := len(r.items) - 1
	for last >= 0 && !isAnswer(r.items[last]) {
		last--
	}
	switch {
	case last < 0:
		r.failed = errNoAnswer
	case r.items[last].Failed():
		m := r.items[last].Message
		r.failed = fmt.Errorf("the answer ended with stopReason %s: %s", m.Str("stopReason"), cmp.Or(m.Str("errorMessage"), "it does not say why"))
	}
	return r
}

// inserted puts what the user said among the items of a stream. A program that says what
// it was told says all of the conversation, so that is left out.
func (t *turn) inserted(items []*stream.Item) []*stream.Item {
	out, at := []*stream.Item{}, 0
	for n, i := range items {
		if hasRole(i, session.RoleAssistant) {
			out = append(out, items[n:]...)
			break
		}
		if hasRole(i, session.RoleUser) {
			at = len(out)
			continue
		}
		out = append(out, i)
	}
	return slices.Insert(out, at, t.question())
}

func hasRole(i *stream.Item, role string) bool {
	return i.Type == session.TypeMessage && i.Message.Role() == role
}

// question is the item of what the user said, when the turn began.
func (t *turn) question() *stream.Item {
	i := said(t.user)
	i.Time = t.began
	return i
}

// said is the item of a message.
func said(m session.Message) *stream.Item {
	return &stream.Item{Type: session.TypeMessage, Message: m}
}

// fail adds to the reply of a command that failed why it did. One that was stopped was aborted.
func (r *reply) fail(text string, why error) {
	stop := "error"
	if e, ok := errors.AsType[*command.Error](why); ok && (e.Reason == command.Signaled || e.Reason == command.TimedOut) {
		stop = "aborted"
	}
	content := "[]"
	if text != "" {
		content = "[" + session.TextBlock(js.Quote(text)) + "]"
	}
	r.items = append(r.items, said(session.NewMessage(js.Object(
		js.StringField("role", session.RoleAssistant), js.RawField("content", content),
		js.StringField("stopReason", stop), js.StringField("errorMessage", why.Error()),
	))))
}
