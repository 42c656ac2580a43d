package operand

import (
	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/pkg/convo"
)

// A Harness says what becomes of the words that agents put into a conversation in the
// user's name: reminders, lists of skills, what hooks print.
type Harness string

// What can become of them.
const (
	DropHarness Harness = "drop"
	KeepHarness Harness = "keep"
)

// HarnessFlag is the flag that says what becomes of an agent's words in the user's name.
// It has the same name and meaning in every tool.
func HarnessFlag(dst *Harness) clikit.Flag {
	words := []string{string(DropHarness), string(KeepHarness)}
	return clikit.Choice((*string)(dst), "harness", words, "")
}

// Spoken returns what of a projection is to be shown, and says under -v what is left out
// of the session called name.
func (h Harness) Spoken(s *clikit.Streams, name string, projection []convo.Projected) []convo.Projected {
	if h == KeepHarness {
		return projection
	}
	spoken, notes := convo.WithoutHarness(projection)
	if notes.Count > 0 && s.Once("harness of "+name) {
		s.Notef("%s: %s left out", disk.Subject(name), notes)
	}
	return spoken
}
