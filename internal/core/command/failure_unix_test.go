//go:build unix

package command

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestFailure has one stub for each way in which the measured programs fail, and what follows from it. The words that tell
// are those of TestOverflows and TestOutlook.
func TestFailure(t *testing.T) {
	t.Parallel()
	const (
		forGood = "for good"
		again   = "run it again"
		less    = "ask with less"
		blank   = "the reply is blank and no error was printed; the prompt may be too long for the model"
	)
	tests := []struct {
		name   string
		script string
		reason Reason
		status int
		text   string // the whole error after "running sh: "; what ends in ":" is its beginning
		then   string
	}{
		{"no output, status 0 (pi overflow; empty replies)", `cat >/dev/null`, Empty, 0, blank, again},
		{"newline, status 0 (codex, claude)", `echo`, Empty, 0, blank, again},
		{"invisible reply", `printf ' \t\r\n\033[0m\342\200\213\n'`, Empty, 0, blank, again},
		{"blank reply and a word on stderr", `echo 'no model' >&2`, Empty, 0, "the reply is blank: no model", again},
		{"error on stderr (pi 401)", `echo '401 invalid x-api-key' >&2; exit 1`, Exited, 1, "exit status 1: 401 invalid x-api-key", forGood},
		{"error on stdout (claude 401)", `echo 'Invalid API key'; echo more; exit 1`, Exited, 1, "exit status 1: Invalid API key", forGood},
		{"blank stderr and error on stdout", `echo >&2; echo; echo 'Invalid API key'; exit 1`, Exited, 1, "exit status 1: Invalid API key", forGood},
		{"several lines", `printf 'one\r\ntwo\n' >&2; exit 3`, Exited, 3, "exit status 3:\n\tone\n\ttwo", again},
		{"escape sequences (opencode)", `printf '\033[91m\033[1mError: \033[0mno key\007\n' >&2; exit 1`, Exited, 1, "exit status 1: Error: no key", forGood},
		{"good reply with a status", `echo '## Goal'; exit 7`, Exited, 7, "exit status 7: ## Goal", again},
		{"overflow on stdout (claude)", `echo 'Prompt is too long'; exit 1`, Exited, 1, "exit status 1: Prompt is too long", less},
		{
			"overflow on stderr after the echo (codex)",
			`echo banner >&2; cat >&2; echo 'ERROR: your input exceeds the context window of this model' >&2; exit 1`, Exited, 1,
			"exit status 1:\n\tbanner\n\t[prompt left out]\n\tERROR: your input exceeds the context window of this model", less,
		},
		{"prompt echoed and nothing else", `cat >&2; exit 1`, Exited, 1, "exit status 1: [prompt left out]", again},
		{"prompt echoed on stderr, error on stdout", `cat >&2; echo refused; exit 1`, Exited, 1, "exit status 1: refused", again},
		{"prompt echoed on stdout", `cat; exit 1`, Exited, 1, "exit status 1: [prompt left out]", again},
		{
			"echo indented and cut short", `sed 's/^/  | /' | head -c 110 >&2; echo >&2; echo oops >&2; exit 1`, Exited, 1,
			"exit status 1:\n\t  | [prompt left out]\n\t  | \n\t  | [prompt left out]\n\t  |\n\toops", again,
		},
		{
			"error text with status 0 (old claude)", `echo 'API Error: 500 overloaded'`, Refused, 0,
			"the answer lacks the heading \"## Goal\": it begins: API Error: 500 overloaded", again,
		},
		{
			"overflow with status 0", `echo 'warning' >&2; echo 'prompt is too long: 213000 tokens > 200000'`, Refused, 0,
			"the answer lacks the heading \"## Goal\":\n\tit begins: prompt is too long: 213000 tokens > 200000\n\twarning", less,
		},
		{
			"no answer, of a prompt read in part (gemini)", `head -c 20 >/dev/null; echo 'Hello!'`, Refused, 0,
			"the answer lacks the heading \"## Goal\": it begins: Hello!", forGood,
		},
		{"prompt echoed instead of a reply", `cat`, Refused, 0, "the answer repeats the prompt: it begins: [prompt left out]", forGood},
		{"no input (claude)", `test -n "$(head -c 1000000)" && { echo 'error: no input' >&2; exit 1; }`, Exited, 1, "exit status 1: error: no input", again},
		{"killed by a signal", `echo working >&2; kill -9 $$`, Signaled, 137, "ended by signal 9 (killed): working", again},
		{"killed in a pipeline", `sh -c 'kill -9 $$'; exit $?`, Exited, 137, "exit status 137:", again},
		{"not installed", `sess-no-such-command`, Exited, 127, "exit status 127:", forGood},
		{"not executable", `exec /`, Exited, 126, "exit status 126:", forGood},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := stub(t, tt.script)
			c.Check = checkGoal
			got, err := c.Run(t.Context(), testPrompt)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %q, %v, want an *Error", got, err)
			}
			if e.Reason != tt.reason || e.Status != tt.status {
				t.Errorf("got reason %v, status %d, want %v, %d", e.Reason, e.Status, tt.reason, tt.status)
			}
			want := "running sh: " + tt.text
			if text := err.Error(); text != want && !(strings.HasSuffix(want, ":") && strings.HasPrefix(text, want[:len(want)-1])) {
				t.Errorf("got  %q\nwant %q", err, want)
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
			if !errors.Is(err, ErrCommand) {
				t.Error("not an ErrCommand")
			}
			if strings.Contains(err.Error(), secret) || got != "" {
				t.Errorf("the error has the secret, or there is a reply: %q", got)
			}
		})
	}
}

// TestRefusedPrompt: more than the command accepts (codex, claude), to one that
// reads nothing of it and one that echoes its beginning.
func TestRefusedPrompt(t *testing.T) {
	t.Parallel()
	prompt := strings.Repeat(testPrompt, 1<<20/len(testPrompt)+1)
	for _, script := range []string{
		`echo 'Input exceeds the maximum length of 1048576 characters.' >&2; exit 1`,
		`head -c 1000 >&2; echo 'Error: input exceeds the 1MB limit' >&2; exit 1`,
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			_, err := stub(t, script).Run(t.Context(), prompt)
			if !errors.Is(err, ErrOverflow) || !errors.Is(err, ErrCommand) || strings.Contains(err.Error(), secret) {
				t.Errorf("got %v, want an ErrOverflow without the prompt", err)
			}
		})
	}
}

// TestLongNotes: of much standard error the end is shown, in whole lines, and an
// echo of which only the end was kept is still recognized.
func TestLongNotes(t *testing.T) {
	t.Parallel()
	t.Run("stack trace (gemini)", func(t *testing.T) {
		t.Parallel()
		c := stub(t, `i=0; while [ $i -lt 3000 ]; do echo "    at frame number $i of a long trace"; i=$((i+1)); done >&2; exit 1`)
		_, err := c.Run(t.Context(), testPrompt)
		var e *Error
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		if len(e.Detail) > detailMax || len(e.Detail) < detailMax-100 {
			t.Errorf("detail of %d bytes, want about %d", len(e.Detail), detailMax)
		}
		if !strings.HasPrefix(e.Detail, "    at frame") || !strings.HasSuffix(e.Detail, " 2999 of a long trace") {
			t.Errorf("detail is not the end in whole lines: %q", e.Detail)
		}
	})
	t.Run("echo of a long prompt", func(t *testing.T) {
		t.Parallel()
		prompt := strings.Repeat(testPrompt, 3*notesKept/len(testPrompt))
		_, err := stub(t, `cat >&2; exit 1`).Run(t.Context(), prompt)
		if want := "running sh: exit status 1: " + promptMark; err == nil || err.Error() != want {
			t.Errorf("got %.300v, want %s", err, want)
		}
	})
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		`head -c 2000000 /dev/zero | tr '\0' x`,
		`head -c 2000000 /dev/zero | tr '\0' x; exec sleep 60`,
		`trap '' TERM; yes endless; sleep 60`,
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			life, dead := lifeline(t)
			c := stub(t, `exec 9>"$LIFE"; `+script)
			c.Env = []string{"LIFE=" + life}
			start := time.Now()
			_, err := c.Run(t.Context(), testPrompt)
			if !errors.Is(err, ErrTooLong) || !errors.Is(err, ErrCommand) || errors.Is(err, ErrOverflow) {
				t.Errorf("got %v, want ErrTooLong", err)
			}
			if want := "running sh: the reply is longer than 1048576 bytes; the command was stopped"; err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			wantQuick(t, start)
			wantDead(t, dead)
		})
	}
}
