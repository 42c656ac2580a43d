package e2e

import (
	"strings"
	"testing"
)

// long is a session with enough in it to be compacted.
func long() string {
	var b strings.Builder
	b.WriteString(header)
	parent := "null"
	for i := range 20 {
		id := "cccc00" + string(rune('a'+i/10)) + string(rune('0'+i%10))
		b.WriteString(`{"type":"message","id":"` + id + `","parentId":` + parent + `,"timestamp":"2026-01-02T03:05:00.000Z","message":{"role":"user","content":[{"type":"text","text":"turn ` +
			id + " " + strings.Repeat("words ", 60) + `"}],"timestamp":1767323100000}}` + "\n")
		parent = `"` + id + `"`
	}
	return b.String()
}

const goodReply = `printf '## Goal\n- the goal\n'`

func TestCompactWithCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", long())
	out := script(t, dir, `
sess-compact --keep 200 s.jsonl -- sh -c 'cat >prompt; echo "$SESS_LEAF" >leaf; `+strings.ReplaceAll(goodReply, "'", `'\''`)+`' >id
sess-path --as messages --jq '.content[0].text' s.jsonl | head -1
tail -1 s.jsonl | grep -c "\"id\":\"$(cat id)\""
grep -c 'turn cccc00a0' prompt
cat leaf
`)
	for _, want := range []string{"the goal", "\n1\n1\ncccc00b9\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q lacks %q", out, want)
		}
	}
	if got := readFile(t, dir+"/s.jsonl"); !strings.HasPrefix(got, long()) {
		t.Error("a line before the compaction changed")
	}
	if r := runCommand(t, dir, "", "sess-compact", "--keep", "200", "s.jsonl"); r.status != 1 {
		t.Errorf("compacted twice: status %d, %s", r.status, r.stderr)
	}
}

// Whatever the command does wrong, the session stays as it is.
func TestCompactFailures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, command string
		status        int
		stderr        string
	}{
		{"fails", "cat >/dev/null; echo boom >&2; exit 3", 5, "boom"},
		{"says nothing", "cat >/dev/null", 5, "sess-compact: "},
		{"no summary", "cat >/dev/null; echo I cannot do that", 5, "sess-compact: "},
		{"not smaller", "cat >/dev/null; " + goodReply + "; head -c 20000 /dev/zero | tr '\\0' x", 5, "would not make the context smaller"},
		{"does not read", goodReply, 0, ""},
		{"adds an entry", `cat >/dev/null; sess-append -q -t moved "$SESS_FILE" >/dev/null; ` + goodReply, 0, ""},
		{"leaves the branch", `cat >/dev/null; sess-append -q --parent cccc00a0 -t moved "$SESS_FILE" >/dev/null; ` + goodReply, 4, "the leaf moved"},
		{"hangs", "sleep 60", 5, "sess-compact: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := write(t, dir, "s.jsonl", long())
			args := []string{"sess-compact", "--keep", "200", "--timeout", "20s", "s.jsonl", "--", "sh", "-c", tt.command}
			if tt.name == "hangs" {
				args[4] = "300ms"
			}
			r := runCommand(t, dir, "", args...)
			if r.status != tt.status || !strings.Contains(r.stderr, tt.stderr) {
				t.Errorf("status %d, want %d: %s", r.status, tt.status, r.stderr)
			}
			after, lines := readFile(t, path), 0
			switch {
			case tt.name == "adds an entry":
				lines = 2
			case tt.status == 0, tt.status == 4:
				lines = 1
			}
			if !strings.HasPrefix(after, long()) || strings.Count(after, "\n") != strings.Count(long(), "\n")+lines {
				t.Errorf("session of %d lines", strings.Count(after, "\n"))
			}
			if strings.Contains(tt.command, "sess-append") && !strings.Contains(after, "moved") {
				t.Error("the other writer's entry is gone")
			}
		})
	}
}

func TestCompactInPipes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", long())
	out := script(t, dir, `
sess-compact --print-prompt --keep 200 s.jsonl | { cat >prompt; `+goodReply+`; } | sess-compact --summary-file - --keep 200 s.jsonl >id
sess-path --as messages s.jsonl | wc -l
sess-compact --keep 200 <prompt 2>&1 || echo status $?
head -22 s.jsonl | sess-compact --keep 100 | tail -1 | cut -c1-21
head -2 s.jsonl | sess-compact | wc -l
`)
	for _, want := range []string{"not a session", "status 3", `{"type":"compaction",`} {
		if !strings.Contains(out, want) {
			t.Errorf("%q lacks %q", out, want)
		}
	}
	if r := runCommand(t, dir, good, "sess-compact"); r.status != 1 || r.stdout != good {
		t.Errorf("nothing to do: status %d, %d bytes of %d", r.status, len(r.stdout), len(good))
	}
}

// A command from the environment, and the built-in one.
func TestCompactSummarizers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a.jsonl", long())
	write(t, dir, "b.jsonl", long())
	out := script(t, dir, `
SESS_SUMMARIZER="cat >/dev/null; printf '## Goal\n- from the environment\n'" sess-compact --keep 200 --json a.jsonl
sess-compact --keep 200 --json b.jsonl
`)
	for _, want := range []string{"from the environment", `"summarizer":"command"`, `"summarizer":"extractive"`} {
		if !strings.Contains(out, want) {
			t.Errorf("%q lacks %q", out, want)
		}
	}
}
