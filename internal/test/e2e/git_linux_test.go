package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/screen"
)

// Neither sess-git nor git opens a file for writing, changes one or its name, or connects to another machine.
func TestGitWritesNothing(t *testing.T) {
	t.Parallel()
	w := newGitWorld(t)
	w.put("a.go", text("a", 5))
	w.commit(100, "Add the parser of lines\n\nSession: x")
	w.session(wrote(50, "a.go", text("a", 5)))
	check(t, os.Rename(filepath.Join(w.home, "store"), filepath.Join(w.repo, "store"))) // where a tool that is traced looks
	calls := "openat,open,creat,mkdir,mkdirat,unlink,unlinkat,rmdir,rename,renameat,renameat2,link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,utimensat,truncate,ftruncate,connect"
	for _, args := range [][]string{{"log", "-v"}, {"show", "--notes", "ai", "HEAD"}, {"blame", "a.go"}} {
		r, trace := traced(t, w.repo, []string{"-y", "-e", "trace=" + calls}, append([]string{"sess-git"}, args...)...)
		if r.status != 0 || !strings.Contains(r.stdout, "00000001-") || !strings.Contains(trace, ".git/objects") {
			t.Errorf("%v: %+v", args, r)
		}
		for line := range strings.Lines(trace) {
			_, call, _ := strings.Cut(line, " ")
			call = strings.TrimSpace(call)
			switch name, _, _ := strings.Cut(call, "("); {
			case !slices.Contains(strings.Split(calls, ","), name): // the end of one, a signal, or what strace read of a thread that was ending
			case strings.HasPrefix(name, "open") && !strings.Contains(call, "O_WRONLY") && !strings.Contains(call, "O_RDWR") && !strings.Contains(call, "O_CREAT"),
				strings.Contains(call, `"/dev/null"`), strings.Contains(call, "AF_UNIX"):
			default:
				t.Errorf("%v: %s", args, line)
			}
		}
	}
}

// On a terminal a commit stands above its sessions, and no row is wider than the terminal. A pipe gets what it got.
func TestGitScreens(t *testing.T) {
	t.Parallel()
	const ago = -180_000_000 // so that times are shown with their year
	w := newGitWorld(t)
	w.put("a.go", text("a", 5))
	first := w.commit(ago+100, "Add the parser of lines 👩‍💻 and of all the rest that a line may have, such as 表の行\n\nSession: x")
	w.session(wrote(ago+50, "a.go", text("a", 5)), ran(ago+100, ago+101, "git commit -qm 'Add the parser'", "[main "+first[:7]+"] Add"))
	w.put("b.go", "\tindented := \"\x1b[31m\" // and a long comment behind it that no terminal of eighty columns has room for\n")
	w.commit(ago+200, "Nobody's")
	check(t, os.Rename(filepath.Join(w.home, "store"), filepath.Join(w.repo, "store"))) // where a tool on a terminal looks
	const id = "00000001-0000-7000-8000-000000000000.jsonl"
	check(t, os.Rename(filepath.Join(w.repo, "store", "p", id), filepath.Join(w.repo, "store", "p", "2020-09-13T00-00-00-000Z_"+id)))
	for _, tt := range []struct{ args, piped, screen string }{
		{
			"log",
			first[:12] + "\tmade\tsure\tDIR/store/p/2020-09-13T00-00-00-000Z_" + id + "\t00000004\t-\n" +
				first[:12] + "\twrote\tsure\tDIR/store/p/2020-09-13T00-00-00-000Z_" + id + "\t00000002\t5/5\n" +
				first[:12] + "\tclaimed\tclaimed!\tx\t-\t-\n",
			first[:7] + "  Sep 13  2020  Add the parser of lines 👩‍💻 and of al…\n" +
				"  made, wrote         00000001  do it\n" +
				"  claimed by Session  x         evidence says otherwise\n",
		},
		{
			"show HEAD~1", "",
			first[:7] + "  Sep 13  2020  Add the parser of lines 👩‍💻 and of al…\n" +
				"  made, wrote    00000001  do it\n    do it\n       12:27:30  write   a.go\n" +
				"       12:28:20  run     git commit -qm 'Add the parser'\n" +
				"  claimed by Session  x  evidence says otherwise\n",
		},
		{"log -v", "", ""},
		{"blame a.go:1-2", "", ""},
		{"blame b.go", "", "-     1      indented := \"\\x1b[31m\" // and a long comment b…\n"},
	} {
		args := strings.Fields("sess-git " + tt.args)
		r := runCommand(t, w.repo, "", args...)
		if got := strings.ReplaceAll(r.stdout, w.repo, "DIR"); tt.piped != "" && got != tt.piped {
			t.Errorf("%s: a pipe gets\n%swant\n%s", tt.args, got, tt.piped)
		}
		for _, columns := range []int{40, 60, 80, 100, 140} {
			got := onColumns(t, w.repo, uint16(columns), "sh", "-c", "LC_ALL=C.UTF-8 TZ=UTC NO_COLOR=1 "+strings.Join(args, " ")+"; exit 0")
			if columns == 60 && tt.screen != "" && got != tt.screen {
				t.Errorf("%s:\n%swant\n%s", tt.args, got, tt.screen)
			}
			for row := range strings.Lines(got) {
				if n := screen.Columns(strings.TrimSuffix(row, "\n")); n > columns || strings.Contains(row, "\x1b") {
					t.Errorf("%s: a row of %d columns on %d: %q", tt.args, n, columns, row)
				}
			}
		}
	}
	if r := runCommand(t, w.repo, "", "sess-git", "log", "HEAD~1..HEAD"); r.status != 1 || r.stdout+r.stderr != "" {
		t.Errorf("a pipe gets %+v where nothing is found", r)
	}
	if got := onColumns(t, w.repo, 60, "sh", "-c", "sess-git log HEAD~1..HEAD 2>&1; echo $?"); got != "sess-git: no session of this commit; -v lists them\n1\n" {
		t.Errorf("where nothing is found: %q", got)
	}
}
