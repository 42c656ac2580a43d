package store

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// ompScript has oh-my-pi's own functions write or read a breadcrumb.
const ompScript = `
const m = await import(process.argv[2] + "/src/session/session-paths.ts");
if (process.argv[3]) m.writeTerminalBreadcrumb(process.argv[3], process.argv[4], process.argv[5] === "fresh");
else console.log(JSON.stringify(await m.readTerminalBreadcrumbEntry()));
`

// TestOmpCrumbs has oh-my-pi 18 read what is written here, and the other way
// round. It needs bun and the package @oh-my-pi/pi-coding-agent 18.2.3, each
// installed by npm in a directory of its own in SESS_PEERS.
func TestOmpCrumbs(t *testing.T) {
	t.Parallel()
	peers := os.Getenv("SESS_PEERS")
	if peers == "" {
		home, _ := os.UserHomeDir()
		peers = filepath.Join(home, ".cache", "sess-peers")
	}
	bun := filepath.Join(peers, "bun", "node_modules", ".bin", "bun")
	omp := filepath.Join(peers, "omp-18", "node_modules", "@oh-my-pi", "pi-coding-agent")
	for _, path := range []string{bun, omp} {
		if _, err := os.Stat(path); err != nil {
			t.Skipf("oh-my-pi is not installed: %v", err)
		}
	}
	root := t.TempDir()
	cwd := filepath.Join(root, "w")
	if err := os.Mkdir(cwd, 0o700); err != nil {
		t.Fatal(err)
	}
	s := Open(filepath.Join(root, "agent", "sessions"))
	path := write(t, s.Dir(), "--w--/s.jsonl", text("s", cwd, 1))
	script := write(t, root, "crumb.ts", ompScript)
	env := map[string]string{"ZELLIJ_PANE_ID": "3", "ZELLIJ_SESSION_NAME": "a/b c"}
	ids := TerminalIDs("", func(name string) string { return env[name] })
	run := func(args ...string) []byte {
		t.Helper()
		c := exec.CommandContext(t.Context(), bun, append([]string{script, omp}, args...)...)
		c.Dir = cwd
		c.Env = []string{"HOME=" + root, "PATH=" + os.Getenv("PATH"), "PI_CODING_AGENT_DIR=" + filepath.Join(root, "agent")}
		for k, v := range env {
			c.Env = append(c.Env, k+"="+v)
		}
		out, err := c.Output()
		if err != nil {
			t.Skipf("oh-my-pi does not run: %v", err)
		}
		return out
	}

	if err := s.WriteCrumb(ids[0], Crumb{cwd, path}); err != nil {
		t.Fatal(err)
	}
	var theirs struct {
		CWD, SessionFile string
		Exists           bool
	}
	if err := json.Unmarshal(run(), &theirs); err != nil || theirs.CWD != cwd || theirs.SessionFile != path || !theirs.Exists {
		t.Errorf("oh-my-pi reads %+v, %v", theirs, err)
	}
	for _, fresh := range []string{"", "fresh"} {
		if err := s.WriteCrumb(ids[0], Crumb{root, root}); err != nil {
			t.Fatal(err)
		}
		run(cwd, path, fresh)
		if got, ok := s.Continue(t.Context(), ids, cwd); got != path || !ok {
			t.Errorf("fresh %q: %q, %v", fresh, got, ok)
		}
	}
}
