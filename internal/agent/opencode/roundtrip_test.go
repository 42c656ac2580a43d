package opencode

import (
	"testing"

	"github.com/sess-tools/sess/internal/agent/formatstest"
)

// export exports a session.
func export(t testing.TB, r formatstest.Result) (string, []string) {
	t.Helper()
	out, losses := formatstest.Export(t, Format, r.Session(t), "")
	var said []string
	for _, l := range losses {
		said = append(said, l.String())
	}
	return out, said
}
