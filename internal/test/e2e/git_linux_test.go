package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Neither sess-git nor git opens a file for writing, changes one or its name, or connects to another machine.
func TestGitWritesNothing(t *testing.T) {
	t.Parallel()
	w := newGitWorld(t)
	w.put("a.go", text("a", 5))
	w.commit(100, "Add the parser of lines\n\nSession: x")
	w.session(wrote(50, "a.go", text("a", 5)))
	if err := os.Rename(filepath.Join(w.home, "store"), filepath.Join(w.repo, "store")); err != nil { // where a tool that is traced looks
		t.Fatal(err)
	}
	calls := "openat,open,creat,mkdir,mkdirat,unlink,unlinkat,rmdir,rename,renameat,renameat2,link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,utimensat,truncate,ftruncate,connect"
	for _, args := range [][]string{{"log", "-v", "--notes", "ai"}, {"show", "HEAD"}, {"blame", "a.go"}} {
		r, trace := traced(t, w.repo, []string{"-y", "-e", "trace=" + calls}, append([]string{"sess-git"}, args...)...)
		if r.status != 0 || !strings.Contains(r.stdout, "00000001-") || !strings.Contains(trace, ".git/objects") {
			t.Errorf("%v: %+v", args, r)
		}
		for line := range strings.Lines(trace) {
			_, call, _ := strings.Cut(line, " ")
			call = strings.TrimSpace(call)
			switch name, _, _ := strings.Cut(call, "("); {
			case strings.HasPrefix(name, "open") && !strings.Contains(call, "O_WRONLY") && !strings.Contains(call, "O_RDWR") && !strings.Contains(call, "O_CREAT"),
				strings.Contains(call, `"/dev/null"`), strings.Contains(call, "AF_UNIX"), strings.HasPrefix(call, "<..."), strings.HasPrefix(call, "???"), !strings.Contains(call, "("):
			default:
				t.Errorf("%v: %s", args, line)
			}
		}
	}
}
