//go:build unix

package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/pkg/agent"
)

// specialPlaces are where agents and the tools keep sessions, settings and what they remember.
var specialPlaces = []string{
	".claude/projects/-p/" + firstID + ".jsonl", ".claude/history.jsonl", ".claude/settings.json", ".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-" + firstID + ".jsonl", ".codex/session_index.jsonl", ".codex/history.jsonl",
	".codex/config.toml", ".pi/agent/sessions/--p--/1_" + firstID + ".jsonl", ".pi/agent/settings.json", ".omp/agent/sessions/--p--/1_" + firstID + ".jsonl", ".omp/agent/history.db", ".omp/agent/config.yml",
	".gemini/tmp/x/chats/session-1.json", ".gemini/tmp/x/chats/session-2.jsonl", ".gemini/projects.json", ".qwen/projects/-p/chats/" + firstID + ".jsonl",
	".copilot/session-state/" + firstID + "/events.jsonl", ".copilot/session-state/" + firstID + "/workspace.yaml", ".grok/sessions/%2Fp/" + firstID + "/updates.jsonl", ".grok/sessions/%2Fp/" + firstID + "/summary.json",
	".kimi/sessions/x/" + firstID + "/context.jsonl", ".kimi/sessions/x/" + firstID + "/state.json", ".kimi/kimi.json", ".local/share/opencode/opencode.db", ".local/share/opencode/storage/session/info/ses_1.json", "opencode.json", ".aider.chat.history.md", ".aider.input.history",
	"store/--p--/" + firstID + ".jsonl", "store/--p--/." + secondID + ".jsonl.from", "store/--p--/." + secondID + ".jsonl.lock", "store/--p--/" + firstID + ".v2",
	"config/sess/redact.toml", ".config/sess/prices.json", ".config/sess/agents/mine.jq", ".local/share/sess/key", ".cache/sess/rows", "tables/sess-table.json", "tables/.sess-table.cache",
}

// specialKinds make what is no file in the place of one.
var specialKinds = map[string]func(path string) error{
	"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"socket": func(path string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0) },
	"zero":   func(path string) error { return os.Symlink("/dev/zero", path) },
}

// asked are requests to sess-mcp for sessions.
var asked = func() string {
	all := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	for i, call := range []string{`"sessions","arguments":{"anywhere":true}`, `"search","arguments":{"anywhere":true,"pattern":"x"}`, `"calls","arguments":{"anywhere":true}`, `"read","arguments":{"session":"claude:"}`} {
		all += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}`+"\n", i+2, call)
	}
	return all
}()

// A special is a command line of a tool in a home where all files are of a kind that is none.
type special struct{ kind, line, operand string }

// What is no regular file in the place of a session, of a setting or of what is remembered holds no tool; one that it is given as an
// operand refuses it by name.
func TestSpecialPlaces(t *testing.T) {
	t.Parallel()
	operands := []string{"--agent all", "--all", "."}
	for _, a := range agent.All() {
		operands = append(operands, a.Name+":")
	}
	var all []special
	homes := map[string]string{}
	lines := linesOfTools(t)
	for kind, create := range specialKinds {
		dir := t.TempDir()
		homes[kind] = dir
		for _, name := range append([]string{"special.jsonl"}, specialPlaces...) {
			path := filepath.Join(dir, filepath.FromSlash(name))
			check(t, os.MkdirAll(filepath.Dir(path), 0o700))
			check(t, create(path))
		}
		for _, name := range []string{".pi/agent/sessions/--p--/2_" + secondID + ".jsonl", "store/--p--/" + secondID + ".jsonl"} { // which are read
			write(t, dir, name, small)
		}
		check(t, os.Mkdir(filepath.Join(dir, "logs"), 0o700))
		for _, tool := range slices.Sorted(maps.Keys(lines)) {
			for _, operand := range operands {
				all = append(all, special{kind, strings.ReplaceAll(lines[tool], "ADDRESS", operand), ""})
			}
			// A pipe is waited for, and what sess-history and sess-new are given is no session that they read.
			if kind != "pipe" && strings.Contains(lines[tool], "ADDRESS") && tool != "sess-history" && tool != "sess-new" {
				all = append(all, special{kind, strings.ReplaceAll(lines[tool], "ADDRESS", "./special.jsonl"), "special.jsonl"})
			}
		}
		for _, line := range []string{
			"sess-import claude --all --store --settled 0s", "sess-import codex --all -n", "sess-import --homes", "sess-import --unread", "sess-import omp --history", "sess-sync push --agent all --remote logs", "sess-table --agent all -o tables",
			"sess-handoff --to codex -n pi:", "sess-handoff --to pi pi:", "sess-handoff --to codex pi:", "sess-stat --usage --svg special.jsonl store/--p--/" + secondID + ".jsonl", "XDG_CONFIG_HOME=$PWD/config sess-redact --check pi:", "sess-export codex -o .codex pi:",
		} {
			all = append(all, special{kind, line, ""})
		}
	}
	for _, c := range drawn.Third(t, all) {
		t.Run(c.kind+"/"+c.line, func(t *testing.T) {
			t.Parallel()
			r, late := ends(t, homes[c.kind], c.line)
			if late {
				t.Fatalf("it hangs: %s", r.stderr)
			}
			if c.operand != "" && !strings.Contains(r.stderr, c.operand) && !strings.Contains(r.stderr, "/dev/zero") {
				t.Errorf("status %d, and it says nothing of %s: %s%s", r.status, c.operand, r.stdout, r.stderr)
			}
		})
	}
}

// longestRun is how long a tool may take for next to nothing, on a machine that is busy.
const longestRun = 30 * time.Second

// ends runs a line of sh in a home. late says that it had to be killed. The limit of a processor's seconds keeps a tool that
// reads without an end from the memory of the machine.
func ends(t *testing.T, dir, line string) (r result, late bool) {
	t.Helper()
	c := command(dir, "sh", "-c", "ulimit -t 10; "+line)
	c.Stdin = strings.NewReader(asked)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := begin(t, c)
	timer := time.AfterFunc(longestRun, func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	r = end()
	return r, !timer.Stop()
}

// INT and TERM end every tool while it opens a pipe that nobody writes, reads one whose writer is silent, reads standard input, and
// writes what nobody reads.
func TestSignalInPipe(t *testing.T) {
	t.Parallel()
	type waiting struct {
		sig         syscall.Signal
		place, line string
	}
	var all []waiting
	lines := linesOfTools(t)
	lines["watch"], lines["record"], lines["text"] = "sess-watch ADDRESS", "sess-record --create made.jsonl", "sess-append -f ADDRESS s.jsonl"
	for _, tool := range slices.Sorted(maps.Keys(lines)) {
		for place, operand := range map[string]string{"open": "./p", "read": "./p", "stdin": "-", "write": "./big.jsonl"} {
			for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
				if tool == "record" && sig == syscall.SIGINT {
					continue // a filter reads to the end, as tee -i does
				}
				all = append(all, waiting{sig, place, strings.ReplaceAll(lines[tool], "ADDRESS", operand)})
			}
		}
	}
	big := small + strings.Repeat(strings.SplitAfter(small, "\n")[1], 3000)
	var waited atomic.Int32
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	check(t, err)
	defer null.Close()
	some := drawn.Third(t, all)
	t.Run("all", func(t *testing.T) {
		for _, w := range some {
			t.Run(w.sig.String()+"/"+w.place+"/"+w.line, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				write(t, dir, "big.jsonl", big)
				write(t, dir, "s.jsonl", small)
				check(t, syscall.Mkfifo(filepath.Join(dir, "p"), 0o600))
				c := command(dir, "sh", "-c", "trap 'exit 130' INT TERM; { "+w.line+"; } >&3") // which waits for the tool
				c.ExtraFiles = []*os.File{null}
				c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
				switch w.place {
				case "read":
					f, err := os.OpenFile(filepath.Join(dir, "p"), os.O_RDWR, 0)
					check(t, err)
					defer f.Close()
				case "stdin":
					in, _ := pipe(t)
					c.Stdin = in
				case "write":
					_, out := pipe(t)
					fillPipe(t, out)
					c.ExtraFiles = []*os.File{out}
				}
				check(t, c.Start())
				ended := make(chan error, 1)
				go func() { ended <- c.Wait() }()
				select {
				case <-ended:
					return // it does not wait there
				case <-time.After(300 * time.Millisecond):
				}
				waited.Add(1)
				check(t, syscall.Kill(-c.Process.Pid, w.sig))
				select {
				case <-ended:
				case <-time.After(10 * time.Second): // a second, on a machine that is not busy
					_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
					t.Errorf("it does not end")
				}
			})
		}
	})
	if n := int(waited.Load()); n < len(some)/3 && !t.Failed() {
		t.Errorf("of %d tools %d waited: the test shows nothing", len(some), n)
	}
}

// pipe makes a pipe, which is closed at the end of the test.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	check(t, err)
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return r, w
}

// fillPipe writes to a pipe until it takes no more.
func fillPipe(t *testing.T, w *os.File) {
	t.Helper()
	check(t, w.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
	for full := make([]byte, 1<<16); ; {
		if _, err := w.Write(full); err != nil {
			break
		}
	}
	check(t, w.SetWriteDeadline(time.Time{}))
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
`, "SESS_REMOTE="+filepath.Join(dir, "logs"), "sess-mcp").stdout
	}
	if out := ask("sessions", "{}"); !strings.Contains(out, listed) || strings.Contains(out, token[:9]) {
		t.Errorf("sessions: %s", out)
	}
	if out := ask("read", `{"session":"`+listed+`"}`); !strings.Contains(out, "look at the repository") || strings.Contains(out, token[:9]) {
		t.Errorf("what is listed: %s", out)
	}
	script(t, dir, `sess-sync init logs && sess-sync push --remote logs `+other)
	if out := ask("read", `{"session":"remote:`+secondID+`"}`); strings.Contains(out, "another one") || !strings.Contains(out, "files are not read") {
		t.Errorf("the remote, which is not listed: %s", out)
	}
	if out := ask("read", `{"session":"`+other+`"}`); strings.Contains(out, "another one") || !strings.Contains(out, "files are not read") {
		t.Errorf("what is not: %s", out)
	}
}
