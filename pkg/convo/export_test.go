package convo

import "github.com/sess-tools/sess/pkg/session"

// Measure is the size of a context all of which is of now.
func Measure(messages []session.Message) ContextSize { return measured(messages, Estimate) }
