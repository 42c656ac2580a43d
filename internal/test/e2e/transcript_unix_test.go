//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A transcript of another agent is a session for every tool that reads, by its file; tools that write refuse it and say
// how it is imported, and what was read stays as it was.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"codex": `{"timestamp":"2026-09-01T10:00:01.000Z","type":"session_meta","payload":{"id":"019b0000-0000-7000-8000-000000000001","timestamp":"2026-09-01T10:00:01.000Z","cwd":"/w/p","originator":"codex_exec","cli_version":"0.169.0"}}` + "\n" +
			`{"timestamp":"2026-09-01T10:00:02.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"the needle"}]}}` + "\n" +
			`{"timestamp":"2026-09-01T10:00:03.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}` + "\n",
		"claude": `{"parentUuid":null,"isSidechain":false,"cwd":"/w/p","sessionId":"11111111-1111-4111-8111-111111111111","version":"2.1.330","type":"user","message":{"role":"user","content":"the needle"},"uuid":"00000001-0000-4000-8000-000000000000","timestamp":"2026-09-01T10:00:01.000Z"}` + "\n" +
			`{"parentUuid":"00000001-0000-4000-8000-000000000000","isSidechain":false,"cwd":"/w/p","sessionId":"11111111-1111-4111-8111-111111111111","version":"2.1.330","type":"assistant","message":{"model":"claude-opus-4-6","id":"m1","type":"message","role":"assistant","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":5}},"uuid":"00000002-0000-4000-8000-000000000000","timestamp":"2026-09-01T10:00:02.000Z"}` + "\n",
		"openai": `{"model":"gpt-5.5","messages":[{"role":"user","content":"the needle"},{"role":"assistant","content":"done"}]}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "t.json", text)
			for line, want := range map[string]string{
				"sess-path --as text t.json":                              "user: the needle\n\nassistant: done\n",
				"sess-show --as text t.json":                              "user: the needle\n\nassistant: done\n",
				"sess-show --as markdown t.json":                          "the needle",
				"sess-show --summary t.json":                              "needle",
				"sess-grep -c needle t.json":                              "1\n",
				"sess-ls t.json":                                          "the needle",
				"sess-ls --json t.json":                                   `"messages":2`,
				"sess-tree t.json":                                        "user: the needle",
				"sess-stat t.json":                                        "total",
				"sess-stat --json t.json":                                 `"kind"`,
				"sess-watch --once t.json":                                "answered",
				"sess-export sft t.json":                                  "the needle",
				"sess-redact --check t.json && echo clean":                "clean\n",
				"sess-assert --max-calls 0 t.json && echo holds":          "holds\n",
				"sess-calls -c t.json || echo none":                       "0\nnone\n",
				"sess-compact --if-needed -n --window 99999 t.json; true": `"kind":"size"`,
				"sess-compact --plan t.json 2>&1 || true":                 "nothing to compact",
				"sess-compact --report t.json 2>&1 || true":               "nothing to compact",
			} {
				r := runCommand(t, dir, "", "sh", "-c", line)
				if r.status != 0 || !strings.Contains(r.stdout, want) {
					t.Errorf("%s: %+v, want %q", line, r, want)
				}
			}
			if r := runCommand(t, dir, "", "sess-path", "-v", "--as", "text", "t.json"); !strings.Contains(r.stderr, "t.json: read as a session of ") {
				t.Errorf("-v says %q", r.stderr)
			}
			for _, line := range []string{
				"sess-append -t x t.json", "sess-turn -t x t.json -- cat", "sess-record t.json -- echo x", "sess-compact --extract t.json",
				"sess-redact t.json", "sess-merge t.json", "sess-fork t.json", "sess-path --as text < t.json",
			} {
				if r := runCommand(t, dir, "", "sh", "-c", line); r.status != 3 && r.status != 2 || r.stdout != "" {
					t.Errorf("%s: %+v", line, r)
				}
			}
			if r := runCommand(t, dir, "", "sess-append", "-t", "x", "t.json"); !strings.Contains(r.stderr, "hint: it looks like one of "+name+": sess-import "+name+" t.json\n") {
				t.Errorf("sess-append says %q", r.stderr)
			}
			r := runCommand(t, dir, "", "sess-check", "t.json")
			if r.status != 1 || strings.Count(r.stdout, "\n") != 1 || !strings.Contains(r.stdout, "sess-import "+name+" t.json makes one of it") {
				t.Errorf("sess-check: %+v", r)
			}
			if got := readFile(t, filepath.Join(dir, "t.json")); got != text {
				t.Errorf("it was changed to %s", got)
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
				t.Errorf("%v: %v", files, err)
			}
		})
	}
}
