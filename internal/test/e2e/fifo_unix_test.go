//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fifos are FIFOs where agents keep sessions and settings.
var fifos = []string{
	".claude/projects/-p/" + firstID + ".jsonl", ".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-" + firstID + ".jsonl",
	".pi/agent/sessions/--p--/1_" + firstID + ".jsonl", ".pi/agent/settings.json", ".omp/agent/sessions/--p--/1_" + firstID + ".jsonl",
	".gemini/tmp/x/chats/session-1.json", ".gemini/tmp/x/chats/session-2.jsonl", ".qwen/projects/-p/chats/" + firstID + ".jsonl",
	".copilot/session-state/" + firstID + "/events.jsonl", ".grok/sessions/%2Fp/" + firstID + "/updates.jsonl",
	".kimi/sessions/x/" + firstID + "/context.jsonl", ".local/share/opencode/opencode.db", "opencode.json", "store/--p--/" + firstID + ".jsonl",
}

// A FIFO among the sessions of agents, and in the place of their settings, holds no tool.
func TestFIFOInHomes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range fifos {
		path := filepath.Join(dir, filepath.FromSlash(name))
		check(t, os.MkdirAll(filepath.Dir(path), 0o700))
		check(t, syscall.Mkfifo(path, 0o600))
	}
	check(t, os.Mkdir(filepath.Join(dir, "logs"), 0o700))
	for _, args := range [][]string{
		{"sess-ls", "--agent", "all"},
		{"sess-ls", "--all"},
		{"sess-grep", "--agent", "all", "x"},
		{"sess-stat", "--usage", "--agent", "all"},
		{"sess-calls", "--agent", "all"},
		{"sess-history", "--agent", "all"},
		{"sess-assert", "--agent", "all", "--no-call", "x"},
		{"sess-redact", "--check", "--agent", "all"},
		{"sess-table", "--agent", "all", "-o", "table"},
		{"sess-path", "pi:"},
		{"sess-show", "claude:"},
		{"sess-handoff", "--to", "pi", "claude:"},
		{"sess-import", "claude", "--all", "--store", "--settled", "0s"},
		{"sess-import", "pi", "--all", "-n"},
		{"sess-import", "--homes"},
		{"sess-import", "--unread"},
		{"sess-sync", "push", "--agent", "all", "logs"},
	} {
		t.Run(args[0]+" "+args[1], func(t *testing.T) {
			t.Parallel()
			c := command(dir, args...)
			c.Env = append(c.Env, "HOME="+dir, "SESS_DIR="+filepath.Join(dir, "store"))
			check(t, c.Start())
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			select {
			case <-ended:
			case <-time.After(30 * time.Second):
				_ = c.Process.Kill()
				t.Errorf("%v hangs", args)
			}
		})
	}
}

// A signal ends a tool that waits for a writer of a pipe, and for what the writer says.
func TestSignalInPipe(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for _, writer := range []bool{false, true} {
			for _, args := range [][]string{{"sess-calls", "p"}, {"sess-watch", "p"}, {"sess-show", "p"}, {"sess-grep", "x", "p"}, {"sess-stat", "p"}, {"sess-check", "p"}} {
				t.Run(sig.String()+"/"+args[0], func(t *testing.T) {
					t.Parallel()
					dir := t.TempDir()
					check(t, syscall.Mkfifo(filepath.Join(dir, "p"), 0o600))
					if writer {
						f, err := os.OpenFile(filepath.Join(dir, "p"), os.O_RDWR, 0)
						check(t, err)
						defer f.Close()
					}
					c := command(dir, args...)
					c.Env = append(c.Env, "HOME="+dir)
					check(t, c.Start())
					ended := make(chan error, 1)
					go func() { ended <- c.Wait() }()
					time.Sleep(300 * time.Millisecond)
					check(t, c.Process.Signal(sig))
					select {
					case <-ended:
					case <-time.After(5 * time.Second): // a second, on a machine that is not busy
						_ = c.Process.Kill()
						t.Errorf("%v does not end", args)
					}
				})
			}
		}
	}
}

// A session that sess-mcp lists by its path is read by it, and no other file is.
func TestMCPReadsWhatItLists(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	token := "ghp" + "_u8jzPde0IgxQw4Er5Ty6Ui7Op8As9Df0Gh2J"
	listed := kept{".pi/agent/sessions/--x--/1_ID.jsonl", piText}.put(t, dir, firstID, "look at the repository and at what "+token+" may do there, and then go on", 1)
	other := kept{"other/1_ID.jsonl", piText}.put(t, dir, secondID, "another one", 1)
	ask := func(name, arguments string) string {
		return runCommand(t, dir, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"`+name+`","arguments":`+arguments+`}}
`, "sess-mcp").stdout
	}
	if out := ask("sessions", "{}"); !strings.Contains(out, listed) || strings.Contains(out, token[:9]) {
		t.Errorf("sessions: %s", out)
	}
	if out := ask("read", `{"session":"`+listed+`"}`); !strings.Contains(out, "look at the repository") || strings.Contains(out, token[:9]) {
		t.Errorf("what is listed: %s", out)
	}
	if out := ask("read", `{"session":"`+other+`"}`); strings.Contains(out, "another one") || !strings.Contains(out, "files are not read") {
		t.Errorf("what is not: %s", out)
	}
}
