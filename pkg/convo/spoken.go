package convo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/session"
)

// Notes are words that agents put into a conversation in the user's name, counted. The
// zero value is none.
type Notes struct {
	Count  int   // messages that are nothing else, and messages with such blocks
	Bytes  int64 // of their texts
	agents []string
}

// Add counts what an agent said, of so many bytes.
func (n *Notes) Add(agent string, size int64) {
	n.Plus(Notes{Count: 1, Bytes: size, agents: []string{agent}})
}

// Plus counts other notes as well.
func (n *Notes) Plus(others Notes) {
	n.Count += others.Count
	n.Bytes += others.Bytes
	for _, agent := range others.agents {
		if !slices.Contains(n.agents, agent) {
			n.agents = append(n.agents, agent)
		}
	}
}

// Agents returns whose words they are, each agent once.
func (n Notes) Agents() []string { return n.agents }

// String returns the notes for people, as "9 notes of Claude Code, 11.5 kB".
func (n Notes) String() string {
	names := make([]string, len(n.agents))
	for i, agent := range n.agents {
		names[i] = session.AgentName(agent)
	}
	noun := "notes"
	if n.Count == 1 {
		noun = "note"
	}
	return fmt.Sprintf("%d %s of %s, %s", n.Count, noun, strings.Join(names, " and "), SizeText(n.Bytes))
}

// SizeText returns a number of bytes for people, in powers of 1000: "11.5 kB".
func SizeText(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// WithoutHarness returns what a projection shows to anybody but the agent that it is of:
// without the words that agents put in. Entries that said nothing else have no messages
// in it. The projection given stays as it is.
func WithoutHarness(projection []Projected) ([]Projected, Notes) {
	var notes Notes
	out := projection
	for i, p := range projection {
		messages, own := Spoken(p.Messages)
		if own.Count == 0 {
			continue
		}
		if notes.Count == 0 {
			out = slices.Clone(projection)
		}
		notes.Plus(own)
		out[i].Messages = messages
	}
	return out, notes
}

// Spoken returns messages without the words that agents put in, and what these were.
// The messages given stay as they are.
func Spoken(messages []session.Message) ([]session.Message, Notes) {
	var notes Notes
	out := messages
	for i, m := range messages {
		said, agent, left := m.Said()
		if agent == "" {
			if notes.Count > 0 {
				out = append(out, m)
			}
			continue
		}
		if notes.Count == 0 {
			out = slices.Clone(messages[:i])
		}
		if notes.Add(agent, left); m.Harness() == "" {
			out = append(out, said)
		}
	}
	return out, notes
}
