package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const evilTitle = `fix $(touch PWNED) ` + "`touch PWNED`" + ` \"x' \u001b]0;PWNED\u0007\u001b[31m\nnext; touch PWNED`

// completionStore makes a directory with sessions to complete.
func completionStore(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	header := func(id, more string) string {
		return `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-01-02T03:04:05.000Z","cwd":"` + dir + `"` + more + `}` + "\n"
	}
	project := filepath.Join(dir, "store", "--p--")
	check(t, os.MkdirAll(project, 0o700))
	for id, title := range map[string]string{"aaaa0001": evilTitle, "aaaa0002": "parse the flags", "bbbb0001": "another"} {
		write(t, project, "2026-01-02T03-04-05-000Z_"+id+".jsonl", header(id, "")+
			`{"type":"session_info","id":"i1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","name":"`+title+`"}`+"\n")
	}
	message := func(id, parent, text string) string {
		return `{"type":"message","id":"` + id + `","parentId":` + parent + `,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"` + text + `","timestamp":1}}` + "\n"
	}
	label := func(id, of, name string) string {
		return `{"type":"label","id":"` + id + `","parentId":"e1234567","timestamp":"2026-01-02T03:04:07.000Z","targetId":"` + of + `","label":"` + name + `"}` + "\n"
	}
	session := header("0000", "") + message("d7654321", "null", evilTitle) + message("e1234567", `"d7654321"`, "second") +
		label("f0000001", "e1234567", "evil $(touch PWNED) `touch PWNED` 'x' \\\"y") + label("f0000002", "d7654321", "plain") + label("f0000003", "f0000001", "bad\\nname")
	for _, name := range []string{"my file.jsonl", "-dash.jsonl", "codex:x.jsonl", "s.jsonl", "new\nline.jsonl"} {
		write(t, dir, name, session)
	}
	pi := filepath.Join(dir, ".pi", "agent", "sessions", "--p--")
	check(t, os.MkdirAll(pi, 0o700))
	write(t, pi, "2026-01-02T03-04-05-000Z_cccc0001.jsonl", header("cccc0001", "")+message("e1", "null", "asked of pi"))
	write(t, dir, "my-very-own-llm", "#!/bin/sh\n")
	check(t, os.Chmod(filepath.Join(dir, "my-very-own-llm"), 0o700))
	return dir
}

// What a line that ends in the key for completion becomes, in real shells. Names of
// anybody's writing arrive as one word, and nothing in them runs.
func TestCompletionInShells(t *testing.T) {
	t.Parallel()
	evil := "<@evil $(touch PWNED) `touch PWNED` 'x' \"y>"
	lines := []struct{ line, words, not string }{
		{"sess-path bb", "<sess-path><bbbb0001>", ""},
		{"sess-path parse", "<sess-path><aaaa0002>", "fish"}, // fish matches words alone
		{"sess-path pi:cc", "<sess-path><pi:cccc0001>", ""},
		{"sess-path op", "<sess-path><op", ""},
		{"sess-path --as=opena", "<sess-path><--as=openai>", ""},
		{"sess-path --as opena", "<sess-path><--as><openai>", ""},
		{"sess-path --no-h", "<sess-path><--no-header>", ""},
		{"sess-path s.jsonl --leaf e12", "<sess-path><s.jsonl><--leaf><e1234567>", ""},
		{"sess-path s.jsonl --leaf=e12", "<sess-path><s.jsonl><--leaf=e1234567>", ""},
		{"sess-path s.jsonl -l @pl", "<sess-path><s.jsonl><-l><@plain>", ""},
		{"sess-path s.jsonl -l @ev", "<sess-path><s.jsonl><-l>" + evil, ""},
		{"sess-path 'my file.jsonl' -l d7", "<sess-path><my file.jsonl><-l><d7654321>", ""},
		{"sess-path ./codex:x.jsonl -l d7", "<sess-path><./codex:x.jsonl><-l><d7654321>", ""},
		{"sess-path my\\ file.jsonl -l d7", "<sess-path><my file.jsonl><-l><d7654321>", ""},
		{`sess-path "$S" -l d7`, "<sess-path><s.jsonl><-l><d7654321>", "fish"},
		{"sess-path my", "<sess-path><my", ""},
		{"sess-path my\\ f", "<sess-path><my file.jsonl>", "bash without compopt"},
		{"sess-path ./-da", "<sess-path><./-dash.jsonl>", ""},
		{"sess-ls ./sto", "<sess-ls><./store", ""},
		{"sess-path -- -da", "<sess-path><--><-dash.jsonl>", ""},
		{"sess-path ./new", "<sess-path><./new\nline.jsonl>", ""},
		{"sess-export om", "<sess-export><omp>", ""},
		{"sess-import pi --session cc", "<sess-import><pi><--session><cccc0001>", ""},
		{"sess-append -r toolR", "<sess-append><-r><toolResult>", ""},
		{"sess-append --type session_inf", "<sess-append><--type><session_info>", ""},
		{"sess-compact --strategy keep-u", "<sess-compact><--strategy><keep-user>", ""},
		{"sess-compact s.jsonl -- my-very-own", "<sess-compact><s.jsonl><--><my-very-own-llm>", ""},
		{"sess-seg mig", "<sess-seg><migrate>", ""},
		{"sess pat", "<sess><path>", ""},
		{"sess path s.jsonl --leaf @pl", "<sess><path><s.jsonl><--leaf><@plain>", ""},
	}
	for name := range shells {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := completionStore(t)
			s := startShell(t, name, dir, "S=s.jsonl", "PATH="+bin+":"+dir+":/usr/local/bin:/usr/bin:/bin")
			for _, l := range lines {
				if l.not == name {
					continue
				}
				// A tool gives up after some milliseconds, which a busy machine may need: a person types Tab again.
				got, right := "", false
				for try := 0; try < 5 && !right; try++ {
					got = strings.ReplaceAll(s.completed(l.line), "\r\n", "\n")
					right = got == l.words || !strings.HasSuffix(l.words, ">") && strings.HasPrefix(got, l.words)
				}
				if !right {
					t.Errorf("%s: became %q, want %q", l.line, got, l.words)
				}
			}
			seen, titles := "", false
			for try := 0; try < 5 && !titles; try++ {
				seen = s.listed("sess-path aaaa000")
				titles = strings.Contains(seen, "fix $(touch PWNED)") && strings.Contains(seen, "parse the flags")
			}
			if !titles {
				t.Errorf("no titles: %q", seen)
			}
			if strings.Contains(seen, "\x1b]0;PWNED") || strings.Contains(seen, "\x1b[31m\n") {
				t.Errorf("a title reached the terminal as it is: %q", seen)
			}
			if _, err := os.Stat(filepath.Join(dir, "PWNED")); err == nil {
				t.Error("a title has run")
			}
		})
	}
}

// Whatever takes a session completes one: a new tool must not forget to.
func TestEveryToolCompletes(t *testing.T) {
	t.Parallel()
	dir := completionStore(t)
	tools, err := filepath.Glob(filepath.Join(bin, "sess*"))
	check(t, err)
	tried := 0
	for _, path := range tools {
		tool := filepath.Base(path)
		usage, _, _ := strings.Cut(runCommand(t, dir, "", tool, "--help").stdout, "\n")
		before, _, ok := strings.Cut(usage, "SESSION")
		if !ok {
			continue
		}
		tried++
		args := []string{tool, "--complete", "zsh", "--"}
		for _, word := range strings.Fields(before)[2:] {
			if name := strings.Trim(word, "[]."); name == "COMMAND" {
				args = append(args, map[string]string{"sess-seg": "cat", "sess-sync": "push"}[tool])
			} else if name != "" && name != "flags" {
				args = append(args, "x")
			}
		}
		const want = "\tfiles\nbbbb0001\tanother\n"
		r := runCommand(t, dir, "", append(args, "bbbb")...)
		for try := 1; try < 5 && r.stdout != want && r.stderr == ""; try++ { // it gives up after some milliseconds
			r = runCommand(t, dir, "", append(args, "bbbb")...)
		}
		if r.status != 0 || r.stdout != want || r.stderr != "" {
			t.Errorf("%q: status %d, %q, %s", args, r.status, r.stdout, r.stderr)
		}
	}
	if tried < 9 {
		t.Errorf("%d tools take a session", tried)
	}
}
