//go:build unix

package command

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestReply has the answers that are accepted. What becomes of them is in TestPlain and TestClean.
func TestReply(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		script string
		want   string
	}{
		{"plain", `printf '## Goal\nship\n'`, "## Goal\nship"},
		{"no newline at the end", `printf '## Goal'`, "## Goal"},
		{"two newlines at the end (ollama)", `printf '## Goal\n\n'`, "## Goal"},
		{"colours", `printf '\033[1;32m## Goal\033[0m\nship\033[K\n'`, "## Goal\nship"},
		{"words on stderr (opencode)", `printf '\033[0m> build\n' >&2; echo '## Goal'`, "## Goal"},
		{"prompt echoed on stderr (codex)", `cat >&2; echo '## Goal'`, "## Goal"},
		{"stdin closed at once", `exec <&-; echo '## Goal'`, "## Goal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := stub(t, tt.script)
			c.Check = checkGoal
			got, err := c.Run(t.Context(), testPrompt)
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// TestLargePrompt: 12 MB, to commands that read all, some and nothing of it.
func TestLargePrompt(t *testing.T) {
	t.Parallel()
	prompt := strings.Repeat(testPrompt, 12<<20/len(testPrompt)+1)
	tests := []struct {
		name   string
		script string
		want   string
	}{
		{"reads all", `wc -c | tr -d ' '`, strconv.Itoa(len(prompt))},
		{"cuts it at 8 MiB (gemini)", `head -c 8388608 | wc -c | tr -d ' '`, "8388608"},
		{"reads nothing", `echo done`, "done"},
		{"answers before reading", `echo early; cat >/dev/null; echo late`, "early\nlate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := stub(t, tt.script).Run(t.Context(), prompt)
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestPromptReachesCommandUnchanged(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{"one", "## Goal\n\ttab \u00e9\u4e2d\U0001f600\nend", strings.Repeat("0123456789\n", 9000) + "."} {
		for _, c := range []Command{{Argv: []string{"cat"}}, {Shell: "cat"}} {
			if got, err := c.Run(t.Context(), prompt); err != nil || got != prompt {
				t.Errorf("%v: got %d bytes, %v, want the prompt of %d", c, len(got), err, len(prompt))
			}
		}
	}
}

func TestReplySize(t *testing.T) {
	t.Parallel()
	c := Command{Shell: "printf 12345678", MaxReply: 8}
	if got, err := c.Run(t.Context(), ""); err != nil || got != "12345678" {
		t.Errorf("reply of exactly MaxReply: %q, %v", got, err)
	}
	c.MaxReply = 7
	if got, err := c.Run(t.Context(), ""); err == nil {
		t.Errorf("reply one byte longer than MaxReply: %q, want an error", got)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	c := Command{
		Shell: `echo "$NO_COLOR $TERM $SESS_CHUNK $SESS_SUMMARIZING"; test -n "$PATH"`,
		Env:   []string{"SESS_CHUNK=2/3", Guard + "="}, Summarizes: true,
	}
	got, err := c.Run(t.Context(), "")
	if want := "1 dumb 2/3 1"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// TestStderr: forwarded raw and whole, and a writer that fails harms nobody.
func TestStderr(t *testing.T) {
	t.Parallel()
	c := stub(t, `printf '\033[1mone\n' >&2; echo '## Goal'; echo two >&2`)
	var w when
	c.Stderr = &w
	if got, err := c.Run(t.Context(), testPrompt); err != nil || got != "## Goal" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, want := w.seen.String(), "\x1b[1mone\ntwo\n"; got != want {
		t.Errorf("forwarded %q, want %q", got, want)
	}
	c.Stderr = broken{}
	if got, err := c.Run(t.Context(), testPrompt); err != nil || got != "## Goal" {
		t.Errorf("with a broken writer: %q, %v", got, err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, context.Canceled }

// TestLateOutput: a process that the command leaves behind is heard out while it
// writes, as behind a process substitution, and cut off when it is silent.
func TestLateOutput(t *testing.T) {
	t.Parallel()
	t.Run("writes on", func(t *testing.T) {
		t.Parallel()
		c := stub(t, `(for i in 1 2 3; do sleep 0.1; echo $i; done) & exit 0`)
		start := time.Now()
		got, err := c.Run(t.Context(), testPrompt)
		if want := "1\n2\n3"; err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		wantQuick(t, start)
	})
	t.Run("holds the pipe", func(t *testing.T) {
		t.Parallel()
		life, dead := lifeline(t)
		c := answering(t, `exec 9>"$LIFE"; sleep 60 &`)
		c.Env = append(c.Env, "LIFE="+life)
		start := time.Now()
		got, err := c.Run(t.Context(), testPrompt)
		if err != nil || got != "## Goal" {
			t.Errorf("got %q, %v", got, err)
		}
		wantQuick(t, start)
		wantDead(t, dead)
	})
}
