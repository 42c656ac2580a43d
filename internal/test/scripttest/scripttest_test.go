package scripttest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sess-tools/sess/internal/test/must"
)

func TestMain(m *testing.M) {
	Main(m, map[string]func(){
		"copy": func() { io.Copy(os.Stdout, os.Stdin) },
		"exit": func() {
			fmt.Fprintln(os.Stderr, "leaving with", os.Args[1])
			os.Exit(int(os.Args[1][0] - '0'))
		},
		"die": func() {
			self, _ := os.FindProcess(os.Getpid())
			self.Signal(syscall.SIGKILL)
			select {}
		},
	})
}

func TestScript(t *testing.T) {
	t.Parallel()
	extra := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(extra, "only-here"), []byte("#!/bin/sh\necho found\n"), 0o700))
	Run(t, "testdata", extra)
}

// A script command that cannot fail proves nothing.
func TestCommandsFail(t *testing.T) {
	t.Parallel()
	tests := []struct{ script, want string }{
		{"status 0 exit 3", "exit status 3, want 0"},
		{"status 3 exit 0", "exit status 0, want 3"},
		{"status 1 no-such-command", "running no-such-command: "},
		{"status x exit 0", "is no number"},
		{"status 0", "usage: status"},
		{"! status 0 exit 0", "usage: status"},
		{"sh 'exit 3 | true; false'", "sh: exit status 1"},
		{"sh 'false; true'", "sh: exit status 1"},
		{"! sh true", "unexpected success"},
		{"sh", "usage: [!] sh"},
		{`bytes f '\q'`, "bad escape"},
		{`bytes f '\'`, "bad escape"},
		{`bytes f '\"'`, "bad escape"},
		{"bytes", "usage: bytes"},
		{"bytes a x\ncp a b\n! cmpsame a b", "a and b are the same"},
		{"bytes a x\nbytes b xy\ncmpsame a b", "a and b differ at byte 1"},
		{"bytes a 1x2\nbytes b '1x\\x002'\ncmpsame a b", "a and b differ at byte 2"},
		{"cmpsame a", "usage: [!] cmpsame"},
		{"bytes a x\nchop a", "does not end with a line feed"},
		{"chop missing", "no such file"},
		{"copy", "RequireExplicitExec"},
		{"[nonsense] stop", "unknown condition"},
	}
	for _, tt := range tests {
		t.Run(tt.script, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "fails.txtar")
			must.Do(t, os.WriteFile(file, []byte(tt.script+"\n"), 0o600))
			p := Params()
			p.Files = []string{file}
			rec := &recorder{}
			rec.Run("", func(rt testscript.T) { testscript.RunT(rt, p) })
			if !rec.failed || !strings.Contains(rec.log.String(), tt.want) {
				t.Errorf("failed %t, want %q in\n%s", rec.failed, tt.want, rec.log.String())
			}
		})
	}
}

// A recorder is a testscript.T that notes a failure instead of passing it on.
type recorder struct {
	failed bool
	log    strings.Builder
}

type stopped struct{}

func (r *recorder) Skip(...any)     { panic(stopped{}) }
func (r *recorder) Fatal(a ...any)  { r.Log(a...); r.FailNow() }
func (r *recorder) Parallel()       {}
func (r *recorder) Log(args ...any) { fmt.Fprintln(&r.log, args...) }
func (r *recorder) FailNow()        { r.failed = true; panic(stopped{}) }
func (r *recorder) Verbose() bool   { return false }
func (r *recorder) Run(_ string, f func(testscript.T)) {
	defer func() {
		if v := recover(); v != nil && v != (stopped{}) {
			panic(v)
		}
	}()
	f(r)
}

func TestBuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.Do(t, Build(dir, "sess-new"))
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 || files[0].Name() != "sess-new" {
		t.Errorf("%v, %v", files, err)
	}
	if err := Build(dir, "sess-nothing"); err == nil {
		t.Error("built a tool that does not exist")
	}
}

// A directory of PATH in which tools are installed has its other programs alone; another directory stays.
func TestOthers(t *testing.T) {
	t.Parallel()
	plain, installed, links := t.TempDir(), t.TempDir(), t.TempDir()
	for _, program := range []string{filepath.Join(plain, "jq"), filepath.Join(installed, "sh"), filepath.Join(installed, "sess"), filepath.Join(installed, "sess-ls")} {
		must.Do(t, os.WriteFile(program, nil, 0o700))
	}
	paths := filepath.SplitList(others(plain+string(os.PathListSeparator)+installed, links))
	if len(paths) != 2 || paths[0] != plain || paths[1] == installed {
		t.Fatalf("%q", paths)
	}
	left, err := os.ReadDir(paths[1])
	if err != nil || len(left) != 1 || left[0].Name() != "sh" {
		t.Errorf("%v, %v", left, err)
	}
}
