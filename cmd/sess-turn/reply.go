package main

import (
	"errors"
	"slices"
	"time"

	"github.com/sess-tools/sess/internal/command"
	"github.com/sess-tools/sess/internal/stream"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A reply is what is added behind what the user said.
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
		return reply{items: []*stream.Item{said(session.NewTextMessage(session.RoleAssistant, text))}}
	}
	var r reply
	r.items, r.unread = stream.Decode(printed, stream.Options{
		From: t.reply, Warn: t.streams.Warnf, Note: t.streams.Notef, Now: func() int64 { return time.Now().UnixMilli() },
	})
	isAnswer := func(i *stream.Item) bool {
		return i.Type == session.TypeMessage && i.Message.Role() == session.RoleAssistant
	}
	first := slices.IndexFunc(r.items, isAnswer)
	if first < 0 {
		r.items, r.failed = nil, errNoAnswer
		return r
	}
	// What a program says it was told is all of the conversation.
	r.items = slices.Concat(slices.DeleteFunc(slices.Clone(r.items[:first]), func(i *stream.Item) bool {
		return i.Type == session.TypeMessage && i.Message.Role() == session.RoleUser
	}), r.items[first:])
	for _, i := range slices.Backward(r.items) {
		if !isAnswer(i) {
			continue
		}
		if i.Failed() {
			r.failed = errors.New("the answer ended with stopReason " + i.Message.Str("stopReason"))
			if why := i.Message.Str("errorMessage"); why != "" {
				r.failed = errors.New("the answer ended with an error: " + why)
			}
		}
		break
	}
	return r
}

// said is the item of a message.
func said(m session.Message) *stream.Item {
	return &stream.Item{Type: session.TypeMessage, Message: m}
}

// fail adds to the reply of a command that failed why it did.
func (r *reply) fail(text string, why error) {
	content := "[]"
	if text != "" {
		content = "[" + session.TextBlock(js.Quote(text)) + "]"
	}
	r.items = append(r.items, said(session.NewMessage(js.Object(
		js.StringField("role", session.RoleAssistant), js.RawField("content", content),
		js.StringField("stopReason", "error"), js.StringField("errorMessage", why.Error()),
	))))
}
