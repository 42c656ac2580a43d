package zeroclaw

import "strings"

// A Route says where a message came from, as ZeroClaw's channels do.
type Route struct {
	Channel      string
	ChatType     string // "group", "channel", "supergroup", or anything else
	Conversation string // id of the chat
	Thread       string // id of the thread in it, "" for none
	Sender       string
}

// Key returns the key under which the fork keeps a route's sessions: a thread before a
// group before a talk with one sender.
func (r Route) Key() string {
	switch strings.ToLower(r.ChatType) {
	case "group", "channel", "supergroup":
		if r.Thread == "" {
			return "group:" + r.Channel + ":" + r.Conversation
		}
	}
	if r.Thread != "" {
		return "thread:" + r.Channel + ":" + r.Conversation + ":" + r.Thread
	}
	return "direct:" + r.Channel + ":" + r.Sender
}

// splitKey takes a key apart at its first two colons. What is behind those may have
// more, which nothing escapes.
func splitKey(key string) (kind, channel, peer string, ok bool) {
	kind, rest, _ := strings.Cut(key, ":")
	channel, peer, ok = strings.Cut(rest, ":")
	switch kind {
	case "thread", "group", "direct", "channel":
		return kind, channel, peer, ok
	}
	return "", "", "", false
}
