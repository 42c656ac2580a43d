package redact

import (
	"bytes"
	"fmt"
	"io"

	"github.com/sess-tools/sess/internal/guard/secret"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// Default makes a redactor of the default rules, for tools that have no more than --redact.
func Default() (*Redactor, error) {
	set, err := secret.New(secret.Options{Depth: secret.DefaultDepth})
	if err != nil {
		return nil, err
	}
	return New(Options{Set: set})
}

// Problem returns the problem of a finding that was kept.
func (f Found) Problem() session.Problem {
	return session.Problem{Kind: Kept, Line: f.Line, Text: fmt.Sprintf("%s in %s, which other entries refer to: it was not changed", f.Rule, f.Field)}
}

// Session returns a session without its secrets. The error is a [session.Problem] if one
// cannot be taken out, and else that of reading.
func (r *Redactor) Session(in io.Reader) (io.Reader, error) {
	var clean bytes.Buffer
	var kept error
	err := r.Run(jsonl.Lines(in), func(text string) error {
		clean.WriteString(text)
		return nil
	}, func(f Found) {
		if f.Structural && kept == nil {
			kept = f.Problem()
		}
	})
	if err == nil {
		err = kept
	}
	return &clean, err
}
