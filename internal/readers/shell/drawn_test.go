package shell_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sess-tools/sess/internal/readers/shell"
	"github.com/sess-tools/sess/internal/test/drawn"
)

// A drawer writes random programs of the shell's grammar around commands that say that they ran: probe NAME STATUS.
type drawer struct {
	*rand.Rand
	n int
}

func (d *drawer) of(all ...string) string { return all[d.IntN(len(all))] }

// probe is a command with a known status, in one of the ways in which it is spelled.
func (d *drawer) probe() string {
	d.n++
	name, status := fmt.Sprintf("p%d", d.n), d.of("0", "0", "0", "0", "0", "0", "1", "3")
	return d.of(
		"probe "+name+" "+status, "probe "+name+" "+status, `"probe" `+name+" "+status, `pro\be `+name+" "+status, `$'pro\x62e' `+name+" "+status,
		"env A=b probe "+name+" "+status, "nice -n 3 probe "+name+" "+status, "timeout -k 1 20 probe "+name+" "+status, "command probe "+name+" "+status, "{probe,"+name+"} "+status,
		"time probe "+name+" "+status, "nohup probe "+name+" "+status, "x=probe; $x "+name+" "+status, "echo "+name+" "+status+" | xargs probe", "find . -maxdepth 0 -exec probe "+name+" "+status+` \;`,
		"eval 'probe "+name+" "+status+"'", `eval "$(echo probe `+name+" "+status+`)"`, "echo 'probe "+name+" "+status+"' | bash", "{\nbash <<'E'\nprobe "+name+" "+status+"\nE\n}", "source <(echo probe "+name+" "+status+")",
		"bash <<< 'probe "+name+" "+status+"'", "sh -c '$0 "+name+" "+status+"' probe", "p? "+name+" "+status, "A=1 probe "+name+" "+status, "probe "+name+" "+status+" > /dev/null", "env -S 'probe "+name+" "+status+"'",
		"xargs -I% probe % "+status+" <<< "+name, "builtin command probe "+name+" "+status, "exec -a x probe "+name+" "+status, "git -c alias.a='!probe "+name+" "+status+"' a",
	)
}

// list is a program of at most so many levels.
func (d *drawer) list(deep int) string {
	var b strings.Builder
	for range 1 + d.IntN(2) {
		s := d.statement(deep)
		b.WriteString(s)
		if !strings.HasSuffix(s, "\n") {
			b.WriteString(d.of("\n", "\n", "\n", "\n", "\n", "\n", "\n", "&\nwait\n"))
		}
	}
	return b.String()
}

// statement is one of at most so many levels.
func (d *drawer) statement(deep int) string {
	if deep == 0 {
		if d.IntN(7) > 0 {
			return d.probe()
		}
		return d.of("true", "true", "true", "false", ":", "exit 0", "exit 2", "set -e", "set +e", "set -o pipefail", "set +o pipefail", "set -euo pipefail", "exit", "return 0", "x=1", "cd .", "trap 'exit 0' EXIT", "trap : EXIT", "true ${x?}", "shopt -s nullglob", "(exit 3)")
	}
	one := func() string { return d.statement(d.IntN(deep)) }
	line := func() string { return strings.TrimSuffix(one(), "\n") }
	block := func() string { return "{\n" + d.list(d.IntN(deep)) + "}" }
	switch d.IntN(19) {
	case 0, 1:
		return block() + " && " + block()
	case 2:
		return block() + " || " + block()
	case 3:
		return block() + " || " + d.of("exit 1", "{ echo x; exit 2; }", "true", "false", "exit 0", "return 1")
	case 4, 5:
		return block() + d.of(" | ", " |& ") + block()
	case 6:
		return "! " + block()
	case 7:
		return "if " + block() + "; then\n" + d.list(d.IntN(deep)) + d.of("", "else\n"+d.list(d.IntN(deep))) + "fi"
	case 8:
		return "(" + "\n" + d.list(d.IntN(deep)) + ")"
	case 9:
		return "for i in 1 2; do\n" + d.list(d.IntN(deep)) + "done"
	case 10:
		return "case a in " + d.of("a", "b") + ")\n" + d.list(d.IntN(deep)) + ";; esac"
	case 11:
		return d.of("f", "g", "probe", "set") + d.of("() ", "() ", "() ") + block() + d.of("", "\nf", "\ng")
	case 12:
		return d.of("x=", "echo ", ": ") + "$(\n" + d.list(d.IntN(deep)) + ")"
	case 13:
		return d.of("bash -c ", "bash -ec ", "bash -euo pipefail -c ", "bash -o pipefail -c ", "bash +e -c ", "timeout 20 bash -c ", "eval ") + quoted(d.list(d.IntN(deep)))
	case 14:
		return "cat <(\n" + d.list(d.IntN(deep)) + ")"
	case 15:
		return d.of("set -o pipefail", "set -e", "set -eo pipefail", "cd .") + d.of(" && ", "; ", "\n") + block() + " | " + d.of("cat", "tail -5", block())
	case 16:
		return "until true; do\n" + d.list(d.IntN(deep)) + "done"
	case 17:
		return "while\n" + d.list(d.IntN(deep)) + "false; do :; done"
	}
	return line()
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Whatever a real shell ran of a random program is seen, or it is said that something is hidden; and a status that is told is
// the real one.
func TestDrawnPrograms(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here, which says what programs really run")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("probe", "#!/bin/sh\necho \"$1 $2\" >> \"$PROBED\"\nexit \"$2\"\n")
	write("pz", "#!/bin/sh\nexec probe \"$@\"\n")
	claimed, ran, hidden := 0, 0, 0
	for n, lots := range drawn.Cases(t, 10_000) {
		d := &drawer{Rand: lots}
		text := d.list(1 + lots.IntN(4))
		file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
		if err != nil {
			t.Fatalf("%d: %v in\n%s", n, err, text)
		}
		var printed bytes.Buffer
		if err := syntax.NewPrinter().Print(&printed, file); err != nil {
			t.Fatal(err)
		}
		line := printed.String()
		log := filepath.Join(dir, fmt.Sprintf("log%d", n)) // and not that of one before, which may still run
		if err := os.WriteFile(log, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		limit, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		cmd := exec.CommandContext(limit, bash, "-c", line)
		cmd.WaitDelay = time.Second
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+dir, "PROBED="+log, "FUNCNEST=2")
		_ = cmd.Run()
		late := limit.Err()
		if cancel(); late != nil {
			continue // what it ran in the end is not known
		}
		status := cmd.ProcessState.ExitCode()
		s, ok := shell.Parse(line)
		if !ok {
			t.Fatalf("%d: not parsed:\n%s", n, line)
		}
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		did := map[string][]string{}
		for one := range strings.Lines(string(data)) {
			name, ended, _ := strings.Cut(strings.TrimSpace(one), " ")
			did[name] = append(did[name], ended)
		}
		hides := s.Opaque
		for _, c := range s.Commands {
			hides = hides || c.Hides("probe p")
		}
		for name := range did {
			ran++
			seen := false
			for _, c := range s.Commands {
				seen = seen || len(c.Words) > 1 && c.Words[0] == "probe" && c.Words[1] == name
			}
			if !seen && !hides {
				t.Fatalf("%d: %s ran, and is neither seen nor hidden, in\n%s", n, name, line)
			}
			if !seen {
				hidden++
			}
		}
		for _, c := range s.Commands {
			if len(c.Words) < 3 || c.Words[0] != "probe" || c.Ends == shell.Unknown || c.Ends == shell.Zero && status != 0 {
				continue
			}
			claimed++
			ended := did[c.Words[1]]
			if status == 0 && len(ended) == 0 {
				t.Fatalf("%d: %s is said to have ended with 0, and never ran, in\n%s", n, c.Words[1], line)
			}
			if len(ended) > 0 && ended[len(ended)-1] != fmt.Sprint(status) {
				t.Fatalf("%d: %s is said to have ended with %d, and ended with %s, in\n%s", n, c.Words[1], status, ended, line)
			}
		}
	}
	t.Logf("%d commands ran, of which %d were hidden; %d statuses were told", ran, hidden, claimed)
}
