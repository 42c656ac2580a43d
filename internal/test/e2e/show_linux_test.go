package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On a terminal sess-show opens the pager that the user has, less, or none.
func TestShowOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scripted(t, dir, `sess-new --cwd / | sess-append -t "$(printf 'a \033]8;;http://x\007needle\033[1m \033[2J')" | sess-append -r assistant -t 'an answer' > s.jsonl
	sess-new --cwd / > long.jsonl; for i in 1 2 3; do head -c 300000 /dev/zero | tr '\0' x | sess-append -q -f - long.jsonl; done`)
	path := "PATH=" + bin + ":$PATH"
	for script, want := range map[string]string{
		`SESS_PAGER='tr a-z A-Z' sess-show s.jsonl`:                       "AN ANSWER",
		`PAGER='sed s/answer/pager/' sess-show s.jsonl`:                   "an pager",
		`SESS_PAGER= PAGER='tr a-z A-Z' sess-show s.jsonl`:                "an answer",
		`SESS_PAGER=cat sess-show s.jsonl`:                                "an answer",
		`SESS_PAGER='tr a-z A-Z' sess-show --no-pager s.jsonl`:            "an answer",
		`SESS_PAGER='tr a-z A-Z' sess-show --as text s.jsonl`:             "an answer",
		`PATH=` + bin + ` sess-show s.jsonl`:                              "an answer", // no less
		`SESS_PAGER='head -c 5' sess-show long.jsonl 2>err; echo =$?`:     "=0",
		`SESS_PAGER=true sess-show long.jsonl 2>err; echo =$?`:            "=0",
		`SESS_PAGER=/no/such/pager sess-show s.jsonl 2>&1; echo =$?`:      "=5",
		`SESS_PAGER='cat; exit 3' sess-show s.jsonl 2>/dev/null;echo =$?`: "=5",
	} {
		text := onTerminal(t, dir, "sh", "-c", path+"; unset PAGER LESS; NO_COLOR=1; export NO_COLOR; "+script)
		if !strings.Contains(text, want) || strings.ContainsAny(text, "\x1b\x07") {
			t.Errorf("%s: %q", script, text[:min(len(text), 500)])
		}
	}
	if errs, err := os.ReadFile(filepath.Join(dir, "err")); err != nil || len(errs) > 0 {
		t.Errorf("a pager that ends early: %s %v", errs, err)
	}
	// In colours there are no sequences but ours.
	text := onTerminal(t, dir, "sh", "-c", path+"; unset NO_COLOR; TERM=xterm SESS_PAGER='cat -' sess-show --color always s.jsonl")
	for _, code := range []string{"\x1b[1;32m", "\x1b[1;34m", "\x1b[2m", "\x1b[0m"} {
		if !strings.Contains(text, code) {
			t.Errorf("no %q in %q", code, text)
		}
		text = strings.ReplaceAll(text, code, "")
	}
	if strings.ContainsAny(text, "\x1b\x07") || !strings.Contains(text, `\x1b[2J`) {
		t.Errorf("%q", text)
	}
}

// Without a pager the colours reach the terminal as colours, and nothing else does.
func TestShowInColoursWithoutAPager(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scripted(t, dir, `sess-new --cwd / | sess-append -t "$(printf 'q \033[1;32mforged\033[0m \302\2331m')" | sess-append -r assistant -t 'an answer' > s.jsonl`)
	for _, line := range []string{
		"sess-show --no-pager s.jsonl", "PAGER=cat sess-show s.jsonl", "SESS_PAGER= sess-show s.jsonl", "unset PAGER; PATH=" + bin + " sess-show s.jsonl", // no less
		"SESS_PAGER='cat -' sess-show s.jsonl", "sess-show --as ansi --color always --no-pager s.jsonl", "sess-show < s.jsonl --no-pager",
	} {
		text := shown(t, dir, line)
		for _, want := range []string{"\x1b[1;32myou\x1b[0m", "\n  q ", "\x1b[1;34massistant\x1b[0m", "\n  an answer", `x1b[1;32mforged`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in %q", line, want, text)
			}
		}
		if strings.Contains(text, "\x1b[1;32mforged") || acting(text) != "" {
			t.Errorf("%s: %q", line, text)
		}
	}
}

// With less there, a text that fits on the screen is shown and less is gone.
func TestShowWithLess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scripted(t, dir, `sess-new --cwd / | sess-append -t 'a question' > s.jsonl`)
	if r := runCommand(t, dir, "", "sh", "-c", "command -v less"); r.status != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("no less here")
		}
		t.Skip("no less here")
	}
	text := onTerminal(t, dir, "sh", "-c", "PATH="+bin+":$PATH; unset PAGER SESS_PAGER LESS; TERM=xterm; export TERM; sess-show s.jsonl")
	if !strings.Contains(text, "a question") {
		t.Errorf("%q", text)
	}
}
