//go:build unix

package e2e

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// known holds a table of flags to the help of a tool: every flag is in it, but those that are named.
func known(t *testing.T, dir, tool string, flags []string, others ...string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^ +(-\w)?,? *--([a-z-]+)`).FindAllStringSubmatch(runCommand(t, dir, "", tool, "--help").stdout, -1) {
		is := func(flag string) bool {
			name, _, _ := strings.Cut(flag, " ")
			return name == "--"+m[2] || name == m[1]
		}
		if !slices.ContainsFunc(flags, is) && !slices.Contains(append(others, "quiet", "verbose", "color", "help", "version"), m[2]) {
			t.Errorf("%s --%s is in no table", tool, m[2])
		}
	}
}

// Every form of sess-path and sess-export obeys a flag or refuses it: what is asked for is never passed over.
func TestFormsObeyOrRefuse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const usage = `"stopReason":"stop","usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15}`
	const image = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01"
	blob := fmt.Sprintf("%x", sha256.Sum256([]byte(image)))
	check(t, os.Mkdir(filepath.Join(dir, "blobs"), 0o755))
	write(t, dir, "blobs/"+blob, image)
	write(t, dir, "s.jsonl", header+`{"type":"message","id":"a0000000","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"system","content":"be brief","sections":[]}}
{"type":"message","id":"a0000001","parentId":"a0000000","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":[{"type":"text","text":"remind","harness":"claude"},{"type":"text","text":"first AKIAQ3EGRFZTQ7J4ZP2M"},{"type":"image","mimeType":"image/png","data":"blob:sha256:`+blob+`"}]}}
{"type":"message","id":"a0000002","parentId":"a0000001","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","content":[{"type":"text","text":"one"},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"}}],`+usage+`}}
{"type":"message","id":"a0000003","parentId":"a0000002","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"res"}],"isError":false}}
{"type":"message","id":"a0000004","parentId":"a0000003","timestamp":"2026-01-02T03:04:08.000Z","message":{"role":"user","content":[{"type":"text","text":"second"}]}}
{"type":"message","id":"a0000005","parentId":"a0000004","timestamp":"2026-01-02T03:04:09.000Z","message":{"role":"assistant","content":[{"type":"text","text":"two"}],`+usage+`}}
{"type":"message","id":"b0000004","parentId":"a0000003","timestamp":"2026-01-02T03:04:10.000Z","message":{"role":"user","content":[{"type":"text","text":"other"}]}}
{"type":"message","id":"b0000005","parentId":"b0000004","timestamp":"2026-01-02T03:04:11.000Z","message":{"role":"assistant","content":[{"type":"text","text":"three"}],`+usage+`}}
`)
	flags := []string{
		"--leaf a0000005", "--entry a0000002", "--branches", "--budget 9", "--last 1", "--turns 1", "--role user", "--with-system", "--harness keep",
		"--no-header", "--where '.id==\"a0000001\"'", "--jq .role", "-r", "--reinject after-summary",
	}
	known(t, dir, "sess-path", flags, "as", "strict") // nothing is wrong with the session
	// There is nothing that could be otherwise.
	already := map[string][]string{
		"--no-header":              {"context", "messages", "openai", "anthropic", "text", "markdown", "state"}, // none is printed
		"--with-system":            {"entries", "context", "messages"},                                          // it is there
		"--reinject after-summary": {"context", "messages", "openai", "anthropic", "text", "markdown"},          // no compaction
	}
	for _, form := range []string{"entries", "context", "messages", "openai", "anthropic", "text", "markdown", "state"} {
		plain := runCommand(t, dir, "", "sess-path", "-q", "--as", form, "s.jsonl")
		for _, flag := range flags {
			r := runCommand(t, dir, "", "sh", "-c", "sess-path -q --as "+form+" "+flag+" s.jsonl")
			switch {
			case r.status == 2 && r.stdout == "" && strings.HasPrefix(r.stderr, "sess-path: "):
			case r.status != 0 && r.status != 1:
				t.Errorf("%s %s: %+v", form, flag, r)
			case r.stdout == plain.stdout && !slices.Contains(already[flag], form):
				t.Errorf("%s passes over %s", form, flag)
			}
		}
	}
	kept := map[string][]string{
		"--redact": {"otlp"},
	}
	more := []string{"--content", "--portable", "--for pi-0.73", "--index", "--replace", "--redact"}
	known(t, dir, "sess-export", more, "output", "losses", "strict", "dry-run") // those say nothing about the text, or are tried elsewhere
	for _, format := range []string{"atif", "claude", "codex", "omp", "opencode", "otlp", "pi", "sft"} {
		plain := runCommand(t, dir, "", "sess-export", "-q", format, "s.jsonl")
		for _, flag := range more {
			r := runCommand(t, dir, "", "sh", "-c", "sess-export -q "+flag+" "+format+" s.jsonl")
			switch {
			case r.status == 2 && r.stdout == "" && strings.HasPrefix(r.stderr, "sess-export: "):
			case r.status != 0:
				t.Errorf("%s %s: %+v", format, flag, r)
			case r.stdout == plain.stdout && !slices.Contains(kept[flag], format) && !(format == "pi" && flag == "--for pi-0.73"):
				t.Errorf("%s passes over %s", format, flag)
			}
		}
	}
}
