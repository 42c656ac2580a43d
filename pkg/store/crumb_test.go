package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestTerminalIDs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what, tty string
		env       map[string]string
		want      []string
	}{
		{"none", "", nil, nil},
		{"tty", "/dev/pts/3", nil, []string{"pts-3"}},
		{"macOS tty", "/dev/ttys003", nil, []string{"ttys003"}},
		{"tty and variable", "/dev/pts/3", map[string]string{"TMUX_PANE": "%7"}, []string{"pts-3", "tmux-%7"}},
		{"zellij", "", map[string]string{"ZELLIJ_PANE_ID": "1", "TMUX_PANE": "%7"}, []string{"zellij-1"}},
		{"zellij session", "", map[string]string{"ZELLIJ_PANE_ID": "1", "ZELLIJ_SESSION_NAME": `a/b\c d`}, []string{"zellij-a-b-c d-1"}},
		{"tmux before cmux", "", map[string]string{"TMUX_PANE": "%7", "CMUX_SURFACE_ID": "x"}, []string{"tmux-%7"}},
		{"cmux before kitty", "", map[string]string{"CMUX_SURFACE_ID": "x", "KITTY_WINDOW_ID": "2"}, []string{"cmux-x"}},
		{"kitty before wezterm", "", map[string]string{"KITTY_WINDOW_ID": "2", "WEZTERM_PANE": "3"}, []string{"kitty-2"}},
		{"wezterm before Terminal.app", "", map[string]string{"WEZTERM_PANE": "3", "TERM_SESSION_ID": "w0t0p0:A"}, []string{"wezterm-3"}},
		{"Terminal.app", "", map[string]string{"TERM_SESSION_ID": "w0t0p0:A", "WT_SESSION": "g"}, []string{"apple-w0t0p0:A"}},
		{"Windows Terminal", "", map[string]string{"WT_SESSION": "g"}, []string{"wt-g"}},
		{"empty is unset", "", map[string]string{"TMUX_PANE": "", "WT_SESSION": "g"}, []string{"wt-g"}},
		{"session alone", "", map[string]string{"ZELLIJ_SESSION_NAME": "s"}, nil},
		{"slash", "", map[string]string{"TMUX_PANE": "a/b"}, nil},
		{"parent directories", "", map[string]string{"TMUX_PANE": "/../../x"}, nil},
		{"slash in pane", "", map[string]string{"ZELLIJ_PANE_ID": "../x"}, nil},
		{"NUL", "", map[string]string{"TMUX_PANE": "a\x00b"}, nil},
		{"line feed", "", map[string]string{"TMUX_PANE": "a\nb"}, nil},
		{"escape", "/dev/pts/1", map[string]string{"TMUX_PANE": "\x1b[m"}, []string{"pts-1"}},
		{"too long", "", map[string]string{"TMUX_PANE": strings.Repeat("x", 256)}, nil},
		{"odd terminals", "/dev/..", nil, nil},
		{"no terminal", "/dev/", nil, nil},
	} {
		same(t, tt.what, TerminalIDs(tt.tty, func(name string) string { return tt.env[name] }), tt.want)
	}
}

func TestParseCrumb(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the paths are of Unix")
	}
	for _, tt := range []struct {
		data string
		want Crumb
	}{
		{"/w\n/s/a.jsonl\n", Crumb{"/w", "/s/a.jsonl"}},
		{"/w\n/s/a.jsonl", Crumb{"/w", "/s/a.jsonl"}},
		{"\n /w x \n/s/a b.jsonl \n\n", Crumb{"/w x ", "/s/a b.jsonl"}},
		// As oh-my-pi 13.19.0 and 18.2.3 write it.
		{
			"/srv/sample/proj\n/srv/sample/.omp/agent/sessions/-proj/2026-11-21T03-16-56-951Z_15d6542dfdffd6cc.jsonl\n",
			Crumb{"/srv/sample/proj", "/srv/sample/.omp/agent/sessions/-proj/2026-11-21T03-16-56-951Z_15d6542dfdffd6cc.jsonl"},
		},
		{"/w\n/s/a.jsonl\ncwdstat 65024 10592361\n", Crumb{"/w", "/s/a.jsonl"}},
		{"/w\n/s/a.jsonl\nfresh\ncwdstat 65024 10592361\n", Crumb{"/w", "/s/a.jsonl"}},
		{"", Crumb{}},
		{"/w\n", Crumb{}},
		{"w\n/s/a.jsonl\n", Crumb{}},
		{"/w\ns/a.jsonl\n", Crumb{}},
		{"/w\n\n/s/a.jsonl\n", Crumb{}},
		{"/w\n/s/\x00.jsonl\n", Crumb{}},
	} {
		got, ok := ParseCrumb([]byte(tt.data))
		if ok != (tt.want != Crumb{}) || ok && got != tt.want {
			t.Errorf("%q: %q, %v", tt.data, got, ok)
		}
	}
}

// What is written is read back as it was, or not written.
func FuzzCrumb(f *testing.F) {
	f.Add("/w", "/s/a.jsonl")
	f.Add("/w\n/x", "/s/a.jsonl")
	f.Add("/w", "/s/a.jsonl ")
	f.Add(" /w", "\xff")
	f.Fuzz(func(t *testing.T, cwd, path string) {
		c := Crumb{cwd, path}
		data, ok := c.Encode()
		if plain := filepath.IsAbs(cwd) && filepath.IsAbs(path) && !strings.ContainsAny(cwd+path, "\n\x00") &&
			strings.TrimSpace(cwd) == cwd && strings.TrimSpace(path) == path && len(cwd+path) < crumbLimit-2; plain && !ok {
			t.Errorf("%q is refused", c)
		}
		if back, parsed := ParseCrumb(data); ok && (!parsed || back != c) {
			t.Errorf("%q comes back as %q", c, back)
		}
	})
}

// An id either stays within the directory or is refused.
func FuzzTerminals(f *testing.F) {
	for _, s := range []string{"%7", "../x", "a/b", ".", "..", "", "a\x00", `a\b`} {
		f.Add(s, s, s)
	}
	f.Fuzz(func(t *testing.T, tty, pane, session string) {
		env := map[string]string{"ZELLIJ_PANE_ID": pane, "ZELLIJ_SESSION_NAME": session, "TMUX_PANE": tty}
		for _, id := range TerminalIDs(tty, func(name string) string { return env[name] }) {
			if path := filepath.Join("d", id); filepath.Dir(path) != "d" || filepath.Base(path) != id || strings.ContainsRune(id, 0) {
				t.Errorf("id %q", id)
			}
		}
	})
}

func TestWriteCrumb(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := Open(filepath.Join(root, "agent", "sessions"))
	a, b := Crumb{filepath.Join(root, "w"), filepath.Join(root, "a.jsonl")}, Crumb{filepath.Join(root, "v"), filepath.Join(root, "b.jsonl")}
	for _, c := range []Crumb{a, b} {
		if err := s.WriteCrumb("tmux-%7", c); err != nil {
			t.Fatal(err)
		}
		if got, _, err := s.readCrumb("tmux-%7"); got != c || err != nil {
			t.Errorf("got %q, %v; want %q", got, err, c)
		}
	}
	dir := filepath.Join(root, "agent", "terminal-sessions")
	if got := content(t, filepath.Join(dir, "tmux-%7")); got != b.CWD+"\n"+b.Path+"\n" {
		t.Errorf("content %q", got)
	}
	// Not through a symbolic link: what it leads to is somebody else's.
	victim := write(t, root, "victim", "theirs")
	symlink(t, victim, filepath.Join(dir, "tmux-%8"))
	if err := s.WriteCrumb("tmux-%8", a); err != nil || content(t, victim) != "theirs" {
		t.Errorf("through a link: %v, %q", err, content(t, victim))
	}
	for _, id := range []string{"", ".", "..", "../x", "a/b", ".x", "a\x00"} {
		if err := s.WriteCrumb(id, a); err == nil || !strings.Contains(err.Error(), "bad terminal id") {
			t.Errorf("WriteCrumb(%q): %v", id, err)
		}
		if _, _, err := s.readCrumb(id); err == nil || !strings.Contains(err.Error(), "bad terminal id") {
			t.Errorf("readCrumb(%q): %v", id, err)
		}
	}
	if err := s.WriteCrumb("x", Crumb{a.CWD + "\n", a.Path}); err == nil {
		t.Error("a line feed was written")
	}
	if err := os.Mkdir(filepath.Join(dir, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteCrumb("dir", a); err == nil {
		t.Error("a directory was replaced")
	}
	if _, _, err := s.readCrumb("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no crumb: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestContinue(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := Open(filepath.Join(root, "agent", "sessions"))
	cwd := filepath.Join(root, "w")
	if err := os.Mkdir(cwd, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "link")
	symlink(t, cwd, link)
	good := write(t, root, "good.jsonl", text("good", cwd, 1))
	other := write(t, root, "other.jsonl", text("other", cwd, 1))
	bad := write(t, root, "bad.jsonl", "words\n")
	crumb := func(id, content string, at int) {
		touch(t, write(t, filepath.Join(root, "agent", "terminal-sessions"), id, content), at)
	}
	crumb("good", cwd+"\n"+good+"\ncwdstat 1 2\n", 5)
	crumb("linked", link+"\n"+good+"\n", 5)
	crumb("newer", cwd+"\n"+other+"\n", 6)
	crumb("tie", cwd+"\n"+other+"\n", 5)
	crumb("bad", cwd+"\n"+bad+"\n", 9)
	crumb("gone", cwd+"\n"+filepath.Join(root, "gone.jsonl")+"\nfresh\n", 9)
	crumb("dir", cwd+"\n"+root+"\n", 9)
	crumb("elsewhere", root+"\n"+good+"\n", 9)
	crumb("words", "words", 9)
	for _, tt := range []struct {
		ids, cwd, want string
	}{
		{"good", cwd, good},
		{"good", link, good},
		{"linked", cwd, good},
		{"good", filepath.Join(cwd, "..", "w") + string(os.PathSeparator), good},
		{"good newer", cwd, other},
		{"newer good", cwd, other},
		{"good tie", cwd, good},
		{"tie good", cwd, other},
		{"none bad gone dir elsewhere words good", cwd, good},
		{"good", root, ""},
		{"good", "", ""},
		{"bad", cwd, ""},
		{"gone", cwd, ""},
		{"dir", cwd, ""},
		{"words", cwd, ""},
		{"../terminal-sessions/good", cwd, ""},
		{"", cwd, ""},
	} {
		got, ok := s.Continue(t.Context(), strings.Fields(tt.ids), tt.cwd)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("terminals %q, cwd %q: %q, %v; want %q", tt.ids, tt.cwd, got, ok, tt.want)
		}
	}
}

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
