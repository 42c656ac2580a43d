//go:build unix

package command

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

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
