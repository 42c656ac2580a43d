//go:build unix

package e2e

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/js"
)

// handed makes a directory with a session of codex in it, and stand-ins for agents, which print how they were called.
func handed(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	scripted(t, dir, `
		mkdir -p bin .codex
		for agent in claude codex pi omp; do printf '#!/bin/sh\necho '$agent' "$@" in "$(pwd)"\n' > bin/$agent; chmod +x bin/$agent; done
		sess-new --cwd . -o s.jsonl >/dev/null
		{
			echo '{"role":"user","content":"look at the tokenizer, key AKIAQ3EGRFZTQ7J4ZP2M"}'
			echo '{"role":"assistant","provider":"x","model":"m","content":[{"type":"text","text":"Looking."},{"type":"toolCall","id":"a","name":"exec_command","arguments":{"cmd":"ls"}}]}'
			echo '{"role":"toolResult","toolCallId":"a","toolName":"exec_command","content":[{"type":"text","text":"lexer.go"}]}'
			echo '{"role":"assistant","provider":"x","model":"m","content":[{"type":"text","text":"There is a lexer."}]}'
		} | sess-append -q --entries s.jsonl >/dev/null
		sess-export -q codex -o .codex s.jsonl >/dev/null
		rm s.jsonl`)
	return dir
}

// sums are the contents of all files below a directory but those of the agent that a session goes to.
func sums(t *testing.T, dir, but string) map[string][32]byte {
	t.Helper()
	out := map[string][32]byte{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path, filepath.Join(dir, but)) {
			return err
		}
		out[path] = sha256.Sum256([]byte(readFile(t, path)))
		return nil
	})
	check(t, err)
	return out
}

// The newest session of the directory goes on in another agent: the line runs it, the second time nothing is made, and
// a session that went on there is left alone. The source stays as it is (NewestOfDirectory, Twice, Again, WentOn,
// SourceUntouched, RedactionCounted, SecondHandoff).
func TestHandoff(t *testing.T) {
	t.Parallel()
	dir := handed(t)
	before := sums(t, dir, ".pi")
	first := runCommand(t, dir, "", "sess-handoff", "--to", "pi")
	if first.status != 0 || !regexp.MustCompile(`^pi --session [0-9a-f-]{36}\n$`).MatchString(first.stdout) ||
		!strings.Contains(first.stderr, "taking codex:") || !strings.Contains(first.stderr, "  carried      ") || !strings.Contains(first.stderr, "  secrets      1 taken out") {
		t.Fatalf("%+v", first)
	}
	if after := sums(t, dir, ".pi"); len(after) != len(before) {
		t.Errorf("files: %d, and before %d", len(after), len(before))
	} else {
		for name, sum := range before {
			if after[name] != sum {
				t.Errorf("%s has changed", name)
			}
		}
	}
	id := strings.Fields(first.stdout)[2]
	text := scripted(t, dir, "sess-path --as text pi:"+id).stdout
	for _, want := range []string{"look at the tokenizer", "[redacted:", `call bash: {"command":"ls"}`, "lexer.go", "[Moved here by sess-handoff from codex:"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "AKIA") {
		t.Error("the secret is handed over")
	}
	codex := regexp.MustCompile(`codex:[0-9a-f]{8}`).FindString(first.stderr)
	again := runCommand(t, dir, "", "sess-handoff", "--to", "pi", codex)
	if again.stdout != first.stdout || !strings.Contains(again.stderr, "is there already; --again makes another") {
		t.Errorf("the second time: %+v", again)
	}
	scripted(t, dir, "f=$(sess-ls --paths --agent pi | sed 's/^pi://'); echo more | sess-append -q -r user $(sess-ls --json --agent pi | jq -r .path 2>/dev/null || ls .pi/agent/sessions/*/*.jsonl)")
	went := runCommand(t, dir, "", "sess-handoff", "--to", "pi", codex)
	if went.stdout != first.stdout || !strings.Contains(went.stderr, "and went on by 1 message") {
		t.Errorf("when it went on: %+v", went)
	}
	other := runCommand(t, dir, "", "sess-handoff", "--to", "pi", "--again", codex)
	if other.status != 0 || other.stdout == first.stdout {
		t.Errorf("another one: %+v", other)
	}
	run := scripted(t, dir, `PATH=$PWD/bin:$PATH; eval "$(sess-handoff -q --to pi `+codex+`)"; sess-handoff -q --exec --to pi `+codex)
	if !regexp.MustCompile(`^(pi --session [0-9a-f-]{36} in .*\n){2}$`).MatchString(run.stdout) {
		t.Errorf("run: %q", run.stdout)
	}
	home := runCommand(t, dir, "", "sess-handoff", "-q", "--to", "codex", "pi:"+id)
	if home.status != 0 {
		t.Fatalf("home: %+v", home)
	}
	text = scripted(t, dir, "sess-path --as text codex:"+strings.Fields(home.stdout)[2]).stdout
	if !strings.Contains(text, `exec_command: {"cmd":"ls"}`) || strings.Count(text, "[Moved here by sess-handoff") != 2 {
		t.Errorf("home again:\n%s", text)
	}
}

// What cannot be handed over ends with a status and a sentence, and leaves nothing behind (NoUserWords, NoOpencode,
// HalfWrittenSource, SummarizerFails, QuotedDirectory).
func TestHandoffRefuses(t *testing.T) {
	t.Parallel()
	dir := handed(t)
	scripted(t, dir, `sess-new --cwd . -o empty.jsonl; mkdir "a b"; f=$(find .codex -name '*.jsonl'); cp $f whole; printf '{"torn' >> $f; sess-path codex: > torn.jsonl 2>/dev/null; printf '{"torn' >> torn.jsonl`)
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--to", "pi", "empty.jsonl"}, 1, "no words of the user"},
		{[]string{"--to", "pi", "--cwd", "nowhere/at/all", "codex:"}, 2, "nowhere"},
		{[]string{"--to", "opencode", "codex:"}, 5, "handing over to opencode: opencode, which would import the session, is not in PATH"},
		{[]string{"--to", "emacs"}, 2, "--to is one of pi, omp, codex, opencode, claude"},
		{[]string{"codex:"}, 2, "no agent named: --to is one of"},
		{[]string{"pi", "codex:"}, 2, "hint: sess-handoff --to pi codex:"},
		{[]string{"--to", "pi", "--strict", "torn.jsonl"}, 3, "torn"},
	} {
		r := runCommand(t, dir, "", append([]string{"sess-handoff"}, test.args...)...)
		if r.status != test.status || !strings.Contains(r.stderr, test.want) || r.stdout != "" {
			t.Errorf("%v: %+v", test.args, r)
		}
	}
	for _, place := range []string{".pi", ".claude", ".omp", ".local"} {
		if _, err := os.Stat(filepath.Join(dir, place)); err == nil {
			t.Errorf("%s has been made", place)
		}
	}
	quoted := runCommand(t, dir, "", "sess-handoff", "--to", "claude", "--cwd", "a b", "--budget", "10", "codex:", "--", "false")
	if quoted.status != 0 || !regexp.MustCompile(`^cd '.*/a b' && claude --resume [0-9a-f-]{36}\n$`).MatchString(quoted.stdout) || !strings.Contains(quoted.stderr, "the brief has no summary") {
		t.Errorf("%+v", quoted)
	}
	none := runCommand(t, filepath.Join(dir, "a b"), "", "sess-handoff", "--to", "pi")
	if none.status != 1 || !strings.Contains(none.stderr, "no session of this directory") {
		t.Errorf("%+v", none)
	}
}

// Opencode's own import takes a session in, in the directory where it goes on; what it says when it fails is passed on, and
// an import that takes nothing in is noticed.
func TestHandoffOpencode(t *testing.T) {
	t.Parallel()
	dir := handed(t)
	importing := func(script string) result {
		write(t, dir, "bin/opencode", "#!/bin/sh\n"+script+"\n")
		return runCommand(t, dir, "", "sh", "-c", `chmod +x bin/opencode; mkdir -p on; PATH=$PWD/bin:$PATH; sess-handoff --to opencode --cwd on codex:`)
	}
	if r := importing("echo no such provider >&2; exit 1"); r.status != 5 || r.stdout != "" || !strings.Contains(r.stderr, "no such provider") {
		t.Errorf("it fails: %+v", r)
	}
	if r := importing("echo Imported session: ses_1"); r.status != 3 || r.stdout != "" || !strings.Contains(r.stderr, "it is not there") {
		t.Errorf("it takes nothing in: %+v", r)
	}
	const taken = `[ "$1" = import ] && pwd >../at && echo "$2" >../file && mkdir -p ../.local/share/opencode && cp "$2" ../.local/share/opencode/opencode.db && echo Imported`
	r := importing(taken)
	if r.status != 0 || !regexp.MustCompile(`^cd '?.*/on'? && opencode -s ses_[0-9A-Za-z]+\n$`).MatchString(r.stdout) {
		t.Fatalf("%+v", r)
	}
	if at := readFile(t, filepath.Join(dir, "at")); filepath.Base(strings.TrimSpace(at)) != "on" {
		t.Errorf("it was imported in %s", at)
	}
	if _, err := os.Stat(strings.TrimSpace(readFile(t, filepath.Join(dir, "file")))); err == nil {
		t.Error("the file that was imported is still there")
	}
	if twice := importing("exit 9"); twice.stdout != r.stdout || !strings.Contains(twice.stderr, "is there already") {
		t.Errorf("the second time: %+v", twice)
	}
}

// A session that has no address stays in the store, for the brief's addresses (RemoteOtherMachine), a budget cuts it, a
// command summarizes what was cut, and each entry that the brief names is there.
func TestHandoffBrief(t *testing.T) {
	t.Parallel()
	dir := handed(t)
	r := scripted(t, dir, `sess-path codex: | sess-handoff -q --to omp --budget 10 - -- sh -c 'cat >/dev/null; printf "## Original Request\nthe goal\n\n## Early Progress\n- none\n"'; sess-ls --paths; sess-ls --agent omp`)
	lines := strings.Split(r.stdout, "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "omp --resume ") || !strings.Contains(lines[2], "\tlook at the tokenizer") {
		t.Fatalf("%q", r.stdout)
	}
	text := scripted(t, dir, "sess-path --as text omp:"+strings.Fields(lines[0])[2]).stdout
	if !strings.Contains(text, "# Work handed over from Codex") || !strings.Contains(text, "> ## Original Request\n") || !strings.Contains(text, lines[1]) {
		t.Errorf("%s", text)
	}
	brief := scripted(t, dir, "sess-handoff -q --brief codex:").stdout
	ids := regexp.MustCompile(`(?m)\[([0-9a-f-]{8,})\]`).FindAllStringSubmatch(brief, -1)
	if len(ids) < 2 || len(brief) > 16_000 {
		t.Fatalf("%s", brief)
	}
	for _, id := range ids {
		if r := runCommand(t, dir, "", "sess-path", "--as", "text", "--entry", id[1], "codex:"); r.status != 0 || r.stdout == "" {
			t.Errorf("%s: %+v", id[1], r)
		}
	}
	m := js.Value(scripted(t, dir, "sess-handoff -q -n --to claude codex:").stdout)
	if m.Get("from", "agent").Str() != "codex" || m.Get("calls", "mapped").Int() != 1 || m.Get("redacted").Int() != 1 || m.Get("there") != "false" {
		t.Errorf("%s", m)
	}
}

// A session of a directory that is not here goes on in this one. That needs no warning in a work tree of its repository, which
// is the one whose remote has the address in the header, whoever logs in there.
func TestHandoffElsewhere(t *testing.T) {
	t.Parallel()
	const repo = "https://git.example/team/lexer.git"
	for _, tt := range []struct {
		name, header, tree string
		same               bool
	}{
		{"the same", `"git":{"remote":"` + repo + `"}`, "git init -q; git remote add upstream https://me:word@git.example/team/lexer.git", true},
		{"below it", `"git":{"remote":"` + repo + `"}`, "git init -q ..; git remote add origin " + repo, true},
		{"a second remote", `"git":{"remote":"` + repo + `"}`, "git init -q; git remote add a /nowhere; git remote add origin " + repo, true},
		{"another", `"git":{"remote":"` + repo + `"}`, "git init -q; git remote add origin https://git.example/team/parser.git", false},
		{"without a remote", `"git":{"remote":"` + repo + `"}`, "git init -q", false},
		{"no work tree", `"git":{"remote":"` + repo + `"}`, "true", false},
		{"a branch alone", `"git":{"branch":"main"}`, "git init -q; git remote add origin ''", false},
		{"no git", `"x":1`, "git init -q; git remote add origin " + repo, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", `{"type":"session","version":3,"id":"0198a1b2-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/nowhere/at/all",`+tt.header+`}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"look at the lexer","timestamp":1767323046000}}
`)
			scripted(t, dir, "mkdir tree; cd tree; "+tt.tree)
			r := scripted(t, dir, "cd tree; sess-handoff -v --to pi ../s.jsonl")
			got := regexp.MustCompile(`(?m)^sess-handoff: .*it continues in this directory.*: the session's directory, /nowhere/at/all, does not exist here$`).FindString(r.stderr)
			if want := strings.Contains(got, "directory, of the same repository: ") && !strings.Contains(got, "warning"); got == "" || want != tt.same || !tt.same && !strings.Contains(got, "warning") {
				t.Errorf("%q of %s", got, r.stderr)
			}
			if r := scripted(t, dir, "cd tree; sess-handoff --to pi ../s.jsonl"); strings.Contains(r.stderr, "does not exist here") == tt.same {
				t.Errorf("without -v: %s", r.stderr)
			}
		})
	}
}
