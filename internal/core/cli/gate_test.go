package cli_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
)

// A gate ends by telling of the lines that it passed over, with -q, too, unless its error tells that not all was read; what is no
// gate does not.
func TestGate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		gate  bool
		lines map[string]int
		err   error
		want  string
	}{
		{false, map[string]int{"s.jsonl": 3}, nil, ""},
		{true, nil, nil, ""},
		{true, map[string]int{"s.jsonl": 0}, nil, ""},
		{true, map[string]int{"s.jsonl": 1}, nil, "sess-demo: … 1 damaged line of s.jsonl was not judged\n"},
		{true, map[string]int{"s.jsonl": 3}, cli.No("found"), "sess-demo: found\nsess-demo: … 3 damaged lines of s.jsonl were not judged\n"},
		{true, map[string]int{"a": 1, "b": 1}, cli.No(""), "sess-demo: … 2 damaged lines of 2 sessions were not judged\n"},
		{true, map[string]int{"s.jsonl": 3}, errors.New("not whole"), "sess-demo: not whole\n"},
	} {
		tool := demo(func(_ context.Context, s *cli.Streams, _ []string) error {
			if tt.gate {
				s.Gate()
			}
			for session, n := range tt.lines {
				for range n {
					s.Unjudged(session, 1)
				}
			}
			return tt.err
		})
		for _, flag := range []string{"-v", "-q"} {
			if got := run(t, tool, "", flag).stderr; got != tt.want {
				t.Errorf("%+v %s: %q", tt, flag, got)
			}
		}
	}
}
