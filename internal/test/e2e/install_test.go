//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// buildEnv is env for scripts that build: what Go has in the home of the user
// stays in reach, and no state of a repository is asked for.
func buildEnv(t *testing.T, home string) []string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE").Output()
	check(t, err)
	dirs := strings.Split(strings.TrimSpace(string(out)), "\n")
	return append(env(home), "PATH="+filepath.Join(dirs[0], "bin")+":/usr/local/bin:/usr/bin:/bin", "GOPATH="+dirs[1],
		"GOCACHE="+dirs[2], "GOMODCACHE="+dirs[3], "GOFLAGS=-buildvcs=false", "GOPROXY=off", "GOTOOLCHAIN=local")
}

// What is installed is every tool, every page and three completions a tool,
// all of it printed, and it runs.
func testInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds every tool once more")
	}
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	check(t, err)
	dir := t.TempDir()
	prefix := filepath.Join(dir, "my tools")
	path := filepath.Join(root, "scripts", "install")
	if _, err := os.Stat(path); err != nil { // go test looks again when it changes
		t.Fatal(err)
	}
	c := exec.Command("sh", path)
	c.Dir, c.Env = dir, append(buildEnv(t, dir), "PREFIX=my tools")
	r := wait(t, c)
	if r.status != 0 || !strings.Contains(r.stderr, prefix+"/bin is not in PATH") {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	// The largest tool carries the libraries of servers.
	if fi, err := os.Stat(filepath.Join(prefix, "bin", "sess-sync")); err != nil || fi.Size() > 16e6 {
		t.Errorf("sess-sync: %v, %v", fi, err)
	}
	var want []string
	for _, source := range glob(t, filepath.Join(root, "cmd", "*", "main.go")) {
		tool := filepath.Base(filepath.Dir(source))
		want = append(want, "bin/"+tool, "share/bash-completion/completions/"+tool,
			"share/zsh/site-functions/_"+tool, "share/fish/vendor_completions.d/"+tool+".fish")
	}
	for _, source := range glob(t, filepath.Join(root, "docs", "man", "*.[157]")) {
		page := filepath.Base(source)
		want = append(want, "share/man/man"+page[len(page)-1:]+"/"+page)
	}
	want = append(want, "bin/sess-chat", "share/sess/skills/sess/SKILL.md", "share/sess/skills/sess/AGENTS.md", "share/sess/.claude-plugin/plugin.json", "share/sess/.claude-plugin/marketplace.json")
	for i := range want {
		want[i] = filepath.Join(prefix, want[i])
	}
	slices.Sort(want)
	got := strings.Split(strings.TrimSuffix(r.stdout, "\n"), "\n")
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("printed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	checkInstalled(t, prefix, want)
	for _, step := range []string{"install: building ", "install: making completions", "install: installing into " + prefix, "fpath=(" + prefix + "/share/zsh/site-functions "} {
		if !strings.Contains(r.stderr, step) {
			t.Errorf("it does not say %q: %s", step, r.stderr)
		}
	}
	out, err := exec.Command(filepath.Join(prefix, "bin", "sess-new"), "--cwd", "/p").Output()
	if err != nil || !strings.HasPrefix(string(out), `{"type":"session","version":3,`) {
		t.Errorf("the installed tool: %v, %q", err, out)
	}
	// What was installed is what is taken away, and nothing else.
	write(t, filepath.Join(prefix, "bin"), "sess-mine", "of the user")
	c = exec.Command("sh", path, "--uninstall")
	c.Dir, c.Env = dir, append(env(dir), "PREFIX=my tools")
	r = wait(t, c)
	got = strings.Split(strings.TrimSuffix(r.stdout, "\n"), "\n")
	slices.Sort(got)
	if r.status != 0 || !slices.Equal(got, want) {
		t.Errorf("uninstall: status %d, %s\n%s", r.status, r.stderr, r.stdout)
	}
	if left := glob(t, filepath.Join(prefix, "bin", "*")); len(left) != 1 || filepath.Base(left[0]) != "sess-mine" {
		t.Errorf("left: %q", left)
	}
}

// checkInstalled wants the files of paths below prefix, and no others.
func checkInstalled(t *testing.T, prefix string, paths []string) {
	t.Helper()
	var found []string
	err := filepath.WalkDir(prefix, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		if d.IsDir() {
			if fi.Mode().Perm() != 0o755 {
				t.Errorf("%s: mode %v", path, fi.Mode())
			}
			return nil
		}
		found = append(found, path)
		want := os.FileMode(0o644)
		if strings.HasPrefix(path, filepath.Join(prefix, "bin")) {
			want = 0o755
		}
		if fi.Mode() != want || fi.Size() == 0 {
			t.Errorf("%s: mode %v, %d bytes", path, fi.Mode(), fi.Size())
		}
		return nil
	})
	slices.Sort(found)
	if err != nil || !slices.Equal(found, paths) {
		t.Errorf("installed %v (%v), want %v", found, err, paths)
	}
}
