//go:build unix

package command

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPrograms has a row for each way in which a program was seen to fail, and
// what follows from it: give up, run it again, or ask with less.
func TestPrograms(t *testing.T) {
	t.Parallel()
	const (
		forGood = "for good"
		again   = "run it again"
		less    = "ask with less"
	)
	tests := []struct {
		program, script string
		reason          Reason
		status          int
		then            string
	}{
		// no key
		{"pi, 401", `cat >/dev/null; echo '401 {"type":"authentication_error","message":"invalid x-api-key"}' >&2; exit 1`, Exited, 1, forGood},
		{"codex, 401", `cat >&2; echo 'ERROR: unexpected status 401 Unauthorized: Incorrect API key provided' >&2; exit 1`, Exited, 1, forGood},
		{"claude, 401", `cat >/dev/null; echo 'Invalid API key \302\267 Fix external API key'; exit 1`, Exited, 1, forGood},
		{"gemini, 401", `for i in 1 2 3; do echo "    at async f (file:///bundle/gemini.js:$i:1)" >&2; done; exit 1`, Exited, 1, again},
		{"opencode, 401", `printf '\033[91m\033[1mError: \033[0mIncorrect API key provided\n' >&2; exit 1`, Exited, 1, forGood},

		// more than the model takes
		{"pi, overflow", `cat >/dev/null`, Empty, 0, again},
		{"codex, overflow", `cat >&2; echo "ERROR: Codex ran out of room in the model's context window." >&2; exit 1`, Exited, 1, less},
		{"claude, overflow", `cat >/dev/null; echo 'Prompt is too long'; exit 1`, Exited, 1, less},
		{"gemini, overflow", `echo 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).' >&2; exit 1`, Exited, 1, less},
		{"opencode, overflow", `printf '\033[91m\033[1mError: \033[0mprompt is too long: 213000 tokens > 200000 maximum\n' >&2; exit 1`, Exited, 1, less},
		{"old claude, overflow", `echo 'API Error: 400 prompt is too long: 213000 tokens > 200000 maximum'`, Refused, 0, less},

		// more than the program takes
		{"codex, 12 MB", `echo 'Input exceeds the maximum length of 1048576 characters.' >&2; exit 1`, Exited, 1, less},
		{"claude, 12 MB", `echo 'Error: stdin input exceeds the 10 MB limit' >&2; exit 1`, Exited, 1, less},
		{"gemini, 12 MB", `head -c 20 >/dev/null; echo 'Hello! What can I do for you?'`, Refused, 0, forGood},

		// nothing to say
		{"pi, gemini and opencode, empty", `cat >/dev/null`, Empty, 0, again},
		{"codex and claude, empty", `cat >/dev/null; echo`, Empty, 0, again},
		{"claude, no input", `echo 'Error: Input must be provided' >&2; exit 1`, Exited, 1, again},

		// the provider's trouble
		{"pi, 500", `echo '500 {"error":{"message":"Internal server error"}}' >&2; exit 1`, Exited, 1, again},
		{"codex, 500", `cat >&2; echo 'ERROR: unexpected status 500 Internal Server Error' >&2; exit 1`, Exited, 1, again},
		{"claude, 500", `echo 'API Error: 500 {"type":"error","error":{"type":"api_error"}}'; exit 1`, Exited, 1, again},
		{"gemini and opencode, 500", `cat >/dev/null; echo 'retrying' >&2; exec sleep 60`, TimedOut, -1, forGood},
		{"old claude, 500", `echo 'API Error: 500 Internal server error'`, Refused, 0, again},
		{"pi, 429", `echo '429 {"error":{"type":"rate_limit_error","message":"exceeded the limit of 40,000 input tokens per minute"}}' >&2; exit 1`, Exited, 1, again},
		{"codex, 429", `cat >&2; echo 'ERROR: exceeded retry limit, last status: 429 Too Many Requests' >&2; exit 1`, Exited, 1, again},
		{"claude, 429", `echo 'API Error: 429 {"error":{"type":"rate_limit_error"}}'; exit 1`, Exited, 1, again},

		// the machine's trouble
		{"out of memory", `kill -9 $$`, Signaled, 137, again},
		{"out of memory in a pipeline", `sh -c 'kill -9 $$'; exit $?`, Exited, 137, again},
		{"not installed", `sess-no-such-command`, Exited, 127, forGood},
		{"not executable", `exec /`, Exited, 126, forGood},
		{"endless", `yes`, TooLong, -1, forGood},
	}
	for _, tt := range tests {
		t.Run(tt.program, func(t *testing.T) {
			t.Parallel()
			c := stub(t, tt.script)
			c.Check = checkGoal
			ctx := newDeadline(t)
			if tt.reason == TimedOut {
				c.Stderr = &when{word: "retrying", do: ctx.come}
			}
			_, err := c.Run(ctx, testPrompt)
			var e *Error
			if !errors.As(err, &e) || e.Reason != tt.reason || e.Status != tt.status {
				t.Fatalf("got %#v, want %v with status %d", err, tt.reason, tt.status)
			}
			then := forGood
			switch {
			case errors.Is(err, ErrOverflow):
				then = less
			case mayPass(err):
				then = again
			}
			if then != tt.then {
				t.Errorf("%v: %s, want %s", err, then, tt.then)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the secret is in %q", err)
			}
		})
	}
}

// TestOverflowStatus: an exit status can mean an overflow, 0 only that of a blank
// reply.
func TestOverflowStatus(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		want         bool
	}{
		{"listed", `exit 75`, true},
		{"listed, with words about something else", `echo 'no more' >&2; exit 75`, true},
		{"not listed", `exit 74`, false},
		{"blank (pi)", `echo`, true},
		{"no heading", `echo hello`, false},
		{"signal", `kill -9 $$`, false}, // 137 is listed
		{"status of a signal", `exit 137`, true},
		{"too long", `yes`, false},
		{"words", `echo 'prompt is too long'; exit 3`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := stub(t, tt.script)
			c.Check = checkGoal
			c.OverflowStatus = []int{0, 75, 137, -1}
			if _, err := c.Run(t.Context(), testPrompt); !errors.Is(err, ErrCommand) || errors.Is(err, ErrOverflow) != tt.want {
				t.Errorf("got %v, want an overflow: %v", err, tt.want)
			}
			c.OverflowStatus = nil
			if _, err := c.Run(t.Context(), testPrompt); errors.Is(err, ErrOverflow) != (tt.name == "words") {
				t.Errorf("without statuses: %v", err)
			}
		})
	}
}

// TestRetryCommand: a command that fails twice, each time in another way, and
// then answers.
func TestRetryCommand(t *testing.T) {
	t.Parallel()
	c := stub(t, `echo >>"$COUNT"
		case $(wc -l <"$COUNT" | tr -d ' ') in
		1) echo 'API Error: 529 overloaded'; exit 1 ;;
		2) ;;
		*) cat >/dev/null; echo '## Goal' ;;
		esac`)
	c.Check = checkGoal
	c.Env = []string{"COUNT=" + filepath.Join(t.TempDir(), "count")}
	var said []string
	r := Retry{
		Attempts: 5,
		Sleep:    func(context.Context, time.Duration) error { return nil },
		Report:   func(_ int, _ time.Duration, err error) { said = append(said, err.Error()) },
	}
	got, err := r.Run(t.Context(), func(ctx context.Context) (string, error) { return c.Run(ctx, testPrompt) })
	want := []string{
		"running sh: exit status 1: API Error: 529 overloaded",
		"running sh: the reply is blank and no error was printed; the prompt may be too long for the model",
	}
	if got != "## Goal" || err != nil || !slices.Equal(said, want) {
		t.Errorf("got %q, %v after %q, want the reply after %q", got, err, said, want)
	}
}

// TestLargeReply: 2 MB, where so much is allowed.
func TestLargeReply(t *testing.T) {
	t.Parallel()
	c := stub(t, `head -c 2000000 /dev/zero | tr '\0' x`)
	c.MaxReply = 2_000_000
	if got, err := c.Run(t.Context(), testPrompt); err != nil || got != strings.Repeat("x", 2_000_000) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}
