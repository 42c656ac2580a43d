package cli_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

func TestStatusAndMessage(t *testing.T) {
	t.Parallel()
	const help = "sess-demo: hint: see sess-demo -h\n"
	plain := errors.New("opening x: no")
	wrap := func(err error) error { return fmt.Errorf("x.jsonl:3: %w", err) }
	tests := []struct {
		name   string
		err    error
		status int
		stderr string
	}{
		{"nil", nil, 0, ""},
		{"any error", plain, 2, "sess-demo: opening x: no\n"},
		{"missing file", fs.ErrNotExist, 2, "sess-demo: file does not exist\n"},
		{"no", cli.No("nothing matched"), 1, "sess-demo: nothing matched\n"},
		{"no, silently", cli.No(""), 1, ""},
		{"usage", cli.UsageError("no session %q", "x"), 2, "sess-demo: no session \"x\"\n" + help},
		{"wrapped usage", wrap(cli.UsageError("no")), 2, "sess-demo: x.jsonl:3: no\n" + help},
		{"hint", cli.WithHint(plain, "try %d", 2), 2, "sess-demo: opening x: no\nsess-demo: hint: try 2\n"},
		{"hint under a wrap", wrap(cli.WithHint(plain, "try")), 2, "sess-demo: x.jsonl:3: opening x: no\nsess-demo: hint: try\n"},
		{"two hints", cli.WithHint(cli.WithHint(plain, "in"), "out"), 2, "sess-demo: opening x: no\nsess-demo: hint: out\nsess-demo: hint: in\n"},
		{"usage with a hint", cli.WithHint(cli.UsageError("no"), "do"), 2, "sess-demo: no\nsess-demo: hint: do\n"},
		{"hint keeps the status", cli.WithHint(cli.No("none"), "do"), 1, "sess-demo: none\nsess-demo: hint: do\n"},
		{"hint on nothing", cli.WithHint(nil, "do"), 0, ""},
		{"command", cli.CommandFailed(plain), 5, "sess-demo: opening x: no\n"},
		{"command on nothing", cli.CommandFailed(nil), 0, ""},
		{"command over malformed", cli.CommandFailed(session.ErrMalformed), 5, "sess-demo: malformed session\n"},
		{"interrupted", context.Canceled, 130, "sess-demo: interrupted\n"},
		{"cancelled", wrap(context.Canceled), 130, "sess-demo: interrupted\n"},
		{"deadline", context.DeadlineExceeded, 2, "sess-demo: context deadline exceeded\n"},
		{"malformed", wrap(session.ErrMalformed), 3, "sess-demo: x.jsonl:3: malformed session\n"},
		{"version", wrap(session.ErrVersion), 3, "sess-demo: x.jsonl:3: unsupported session version\n"},
		{"no session", wrap(session.ErrNotSession), 3, "sess-demo: x.jsonl:3: not a session\n"},
		{"torn", wrap(jsonl.ErrTorn), 3, "sess-demo: x.jsonl:3: last line is torn\n"},
		{"locked", wrap(jsonl.ErrLocked), 4, "sess-demo: x.jsonl:3: locked by another program\n"},
		{"changed", wrap(jsonl.ErrChanged), 4, "sess-demo: x.jsonl:3: another program is writing without the lock\n"},
		{"leaf moved", wrap(session.ErrLeafMoved), 4, "sess-demo: x.jsonl:3: the leaf moved\n"},
		{"not found", wrap(session.ErrNotFound), 2, "sess-demo: x.jsonl:3: no such entry\n"},
		{
			"joined", errors.Join(cli.No("none"), jsonl.ErrLocked, plain), 4,
			"sess-demo: none\nsess-demo: locked by another program\nsess-demo: opening x: no\n",
		},
		{
			"joined twice", errors.Join(errors.Join(cli.WithHint(plain, "a"), cli.No("")), cli.No("none")), 2,
			"sess-demo: opening x: no\nsess-demo: hint: a\nsess-demo: none\n",
		},
		{"joined alone", errors.Join(nil, errors.Join(plain, plain)), 2, "sess-demo: opening x: no\nsess-demo: opening x: no\n"},
		{"joined answers", errors.Join(cli.No("a"), cli.No("b")), 1, "sess-demo: a\nsess-demo: b\n"},
		{
			"joined further in", fmt.Errorf("creating x: %w", errors.Join(errors.New("full"), fmt.Errorf("removing y: %w", errors.Join(errors.New("a"), errors.New("b"))))), 2,
			"sess-demo: creating x: full; removing y: a; b\n",
		},
		{"one joined", errors.Join(nil, cli.No("a")), 1, "sess-demo: a\n"},
		{
			"several wrapped", fmt.Errorf("%w while %w", plain, session.ErrMalformed), 3,
			"sess-demo: opening x: no while malformed session\n",
		},
		{
			"detail", wrap(cli.WithHint(caret{}, "do")), 2,
			"sess-demo: x.jsonl:3: odd\nsess-demo:     a b\nsess-demo:       ^\\x1b\nsess-demo: hint: do\n",
		},
		{"line feed in a name", errors.New("a\nb\x1b"), 2, `sess-demo: a\nb\x1b` + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := cli.Status(tt.err); got != tt.status {
				t.Errorf("Status = %d, want %d", got, tt.status)
			}
			tool := demo(func(context.Context, *cli.Streams, []string) error { return tt.err })
			want := result{tt.status, "", tt.stderr}
			if got := run(t, tool, ""); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// What is returned must still be found by errors.Is.
func TestErrorsUnwrap(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	for _, err := range []error{cli.WithHint(cause, "x"), cli.CommandFailed(cause)} {
		if !errors.Is(err, cause) {
			t.Errorf("%T hides its cause", err)
		}
	}
}

type caret struct{}

func (caret) Error() string    { return "odd" }
func (caret) Detail() []string { return []string{"    a b", "      ^\x1b"} }
