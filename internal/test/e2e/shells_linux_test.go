package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/scripttest"
)

// Shells in which completion is tried, with the words that start each one at a terminal.
// A start file defines show, which prints its arguments one by one: what a command line
// came to be.
var shells = map[string]struct {
	start string // a shell command, in which @DIR@ is a directory of the shell's own
	file  string // below @DIR@
	setup string
}{
	"bash": {
		start: "bash --noprofile --rcfile @DIR@/bashrc -i", file: "bashrc",
		setup: "PS1='READY> '\nbind 'set bell-style none'\nshow() { printf '<BEG''IN>'; printf '<%s>' \"$@\"; printf '<EN''D>\\n'; }\nfor t in TOOLS; do eval \"$($t --completion bash)\"; done\n",
	},
	"bash without compopt": { // as bash 3.2 is
		start: "bash --noprofile --rcfile @DIR@/bashrc -i", file: "bashrc",
		setup: "enable -n compopt\nPS1='READY> '\nbind 'set bell-style none'\nshow() { printf '<BEG''IN>'; printf '<%s>' \"$@\"; printf '<EN''D>\\n'; }\nfor t in TOOLS; do eval \"$($t --completion bash)\"; done\n",
	},
	"zsh": {
		start: "ZDOTDIR=@DIR@ zsh -d -i", file: ".zshrc",
		setup: "PS1='READY> '; unsetopt BEEP PROMPT_SP\nbindkey -e\nautoload -Uz compinit && compinit -u -D\nshow() { printf '<BEG''IN>'; printf '<%s>' \"$@\"; printf '<EN''D>\\n'; }\n" +
			"mkdir -p @DIR@/f; for t in TOOLS; do $t --completion zsh >@DIR@/f/_$t; done; fpath=(@DIR@/f $fpath)\ncompinit -u -D\n",
	},
	"fish": {
		start: "fish --no-config -C 'source @DIR@/start.fish' -i", file: "start.fish",
		setup: "set -g fish_greeting\nset -g fish_autosuggestion_enabled 0\nfunction fish_prompt; printf 'READY> '; end\nfunction show; printf '<BEG''IN>'; printf '<%s>' $argv; printf '<EN''D>\\n'; end\n" +
			"for t in TOOLS; $t --completion fish | source; end\n",
	},
}

// A shell is one that somebody types into.
type shell struct{ *scripttest.Person }

// startShell starts a shell at a terminal of its own, in the directory dir.
func startShell(t *testing.T, name, dir string, vars ...string) *shell {
	t.Helper()
	program, _, _ := strings.Cut(name, " ")
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("no %s: .ci/run installs it", program)
		}
		t.Skipf("no %s", program)
	}
	of := shells[name]
	tools, err := filepath.Glob(filepath.Join(bin, "sess*"))
	if err != nil || len(tools) == 0 {
		t.Fatalf("no tools: %v", err)
	}
	for i := range tools {
		tools[i] = filepath.Base(tools[i])
	}
	own := t.TempDir()
	setup := strings.NewReplacer("TOOLS", strings.Join(tools, " "), "@DIR@", own)
	write(t, own, of.file, setup.Replace(of.setup))

	c := exec.Command("sh", "-c", "exec env "+setup.Replace(of.start))
	c.Dir, c.Env = dir, append(append(env(dir), "TERM=xterm", "LC_ALL=C.UTF-8", "XDG_CONFIG_HOME="+own, "XDG_DATA_HOME="+own), vars...)
	s := &shell{scripttest.StartAtTerminal(t, c, 60, 400)}
	s.Until("READY> ")
	return s
}

// completed types the beginning of a command line and the key that completes it, and
// returns the words it came to be: show, put in front of it, prints them.
func (s *shell) completed(line string) string {
	s.Type(line + "\t\x01show \n")
	seen := s.Until("<END>")
	s.Until("READY> ")
	_, words, _ := strings.Cut(seen, "<BEGIN>")
	words, _, _ = strings.Cut(words, "<END>")
	return words
}

// listed types the beginning of a command line and twice the key that completes it, takes the line away, and returns
// all that the shell has shown until then.
func (s *shell) listed(line string) string {
	s.Type(line + "\t\t\x15show \n")
	seen := s.Until("<END>")
	s.Until("READY> ")
	return seen
}
