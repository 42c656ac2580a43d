//go:build unix && !solaris && !aix

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// gitScript runs a script with git as nobody in particular.
func gitScript(t *testing.T, dir, text string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	return script(t, dir, `export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
git config --global init.defaultBranch main
git config --global advice.detachedHead false
driver() { git config merge.sess.driver 'sess-merge --git -- %O %A %B %P'; }
`+text)
}

// clones makes two clones of a repository with a session.
const clones = `git init -q a; cd a; driver; sess-new --cwd /w > s.jsonl
for n in 1 2 3; do sess-append -q -r user -t "question $n" s.jsonl; sess-append -q -r assistant -t "answer $n" s.jsonl; done > id
rm id; echo '*.jsonl merge=sess' > .gitattributes; git add .; git commit -qm base; cd ..
git clone -q a b; cd b; driver; cd ..
`

// goesOn has each clone append, branch, label, name and compact, and commits it.
const goesOn = `for d in a b; do
	cd $d
	{ ask=$(sess-append -q -r user -t "$d asks" s.jsonl); sess-append -q -r assistant -t "$d is answered" s.jsonl
	sess-append -q -r assistant -t "$d is answered otherwise" --parent "$ask" s.jsonl
	sess-append -q --label from-$d --at "$ask" s.jsonl
	echo "the summary of $d" | sess-compact --keep 5 --no-require --summary-file - s.jsonl || [ $? -eq 1 ]
	sess-append -q --type session_info --set name="name of $d" s.jsonl
	sess-append -q -r user -t "$d ends" s.jsonl; } > ../ids.$d
	git commit -qam "$d"; cd ..
done
`

// Two clones go on with a session and merge each other: git has no conflict, and both
// have the same bytes.
func TestMergeGit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gitScript(t, dir, clones+goesOn+`
cp a/s.jsonl ours.jsonl; cp b/s.jsonl theirs.jsonl
(cd a; git fetch -q ../b main:theirs); (cd b; git fetch -q ../a main:theirs)
for d in a b; do (cd $d; git merge -q --no-edit theirs); done
cmp a/s.jsonl b/s.jsonl
sess-merge ours.jsonl theirs.jsonl | cmp - a/s.jsonl
sess-check --strict -q a/s.jsonl
`)
	merged := readFile(t, filepath.Join(dir, "a", "s.jsonl"))
	var want []string
	for _, side := range []string{"ours.jsonl", "theirs.jsonl"} {
		want = append(want, strings.SplitAfter(readFile(t, filepath.Join(dir, side)), "\n")...)
	}
	slices.Sort(want)
	got := strings.SplitAfter(merged, "\n")
	slices.Sort(got)
	if want = slices.Compact(want); !slices.Equal(got, want) {
		t.Errorf("%d lines, want the %d of both", len(got), len(want))
	}
	// What each side's leaf saw, it still sees.
	for _, side := range []string{"ours.jsonl", "theirs.jsonl"} {
		leaf := strings.TrimSpace(script(t, dir, "sess-path --as state --jq .leaf -r "+side))
		script(t, dir, fmt.Sprintf("sess-path --as context %s > 1; sess-path --as context --leaf %s a/s.jsonl > 2; cmp 1 2", side, leaf))
	}
	if labels := script(t, dir, "sess-tree --labels a/s.jsonl"); !strings.Contains(labels, "from-a") || !strings.Contains(labels, "from-b") {
		t.Errorf("labels %q", labels)
	}
}

// Merges go back and forth: replicas stay equal once they have met.
func TestMergeGitGossip(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gitScript(t, dir, clones+strings.Repeat(goesOn+`(cd a; git pull -q --no-rebase --no-edit ../b main); (cd b; git pull -q --no-rebase --no-edit ../a main)
cmp a/s.jsonl b/s.jsonl
`, 3)+"sess-check --strict -q a/s.jsonl\n")
}

// A conflict leaves ours as it was, and the path unmerged. What one side has redacted does
// not come back by itself.
func TestMergeGitConflict(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := gitScript(t, dir, clones+`
(cd a; sed -i 's/answer 1/REDACTED/' s.jsonl; git commit -qam redacted)
(cd b; sed -i 's/answer 1/other words/' s.jsonl; git commit -qam other)
cd a; cp s.jsonl ../before
git pull -q --no-rebase --no-edit ../b main >/dev/null 2>../errors || echo "status $?"
git ls-files -u | wc -l | tr -d ' '
cmp s.jsonl ../before
git merge --abort
git pull -q --no-rebase --no-edit -X ours ../b main >/dev/null 2>>../errors || echo "status $?"
git merge --abort
cd ../b; sess-append -q -r user -t 'goes on' s.jsonl >../id; git commit -qam on
git checkout -q -b clean HEAD~2; sess-append -q -r user -t 'goes on' s.jsonl >../id; git commit -qam on
cd ../a; git pull -q --no-rebase --no-edit ../b clean >/dev/null
grep -c 'answer 1' s.jsonl || true
grep -c -e REDACTED -e 'goes on' s.jsonl
`)
	if out != "status 1\n3\nstatus 1\n0\n2\n" {
		t.Errorf("got %q", out)
	}
	if errors := readFile(t, filepath.Join(dir, "errors")); !strings.Contains(errors, "has other bytes") || !strings.Contains(errors, "sess-merge: hint: ") {
		t.Errorf("standard error %q", errors)
	}
}

// The trap: a driver that is named and not configured. Git merges by lines, and says no
// more than that there is a conflict; sess-check names it.
func TestMergeGitUnconfigured(t *testing.T) {
	t.Parallel()
	out := gitScript(t, t.TempDir(), clones+goesOn+`
cd a; git config --unset merge.sess.driver
git pull -q --no-rebase --no-edit ../b main >../out 2>&1 || echo "status $?"
sess-check s.jsonl | grep -c conflict-marker
sess-doctor --offline | grep -c 'warn *git'
`)
	if out != "status 1\n1\n1\n" {
		t.Errorf("got %q", out)
	}
}

// Both branches have added the file: the base is empty.
func TestMergeGitBothAdded(t *testing.T) {
	t.Parallel()
	out := gitScript(t, t.TempDir(), `git init -q a; cd a; driver; echo '*.jsonl merge=sess' > .gitattributes; git add .; git commit -qm base
sess-new --cwd /w > ../s.jsonl
for d in x y; do
	git checkout -q -b $d main; cp ../s.jsonl .; sess-append -q -r user -t "from $d" s.jsonl >../id; git add .; git commit -qm $d
done
git merge -q --no-edit x >/dev/null
grep -c -e 'from x' -e 'from y' s.jsonl
`)
	if out != "2\n" {
		t.Errorf("got %q", out)
	}
}

// Many merges into one file, and appends to it at the same time: no line is lost, none
// doubled.
func TestMergeWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", longSession())
	const copies, appends = 6, 6
	want := map[string]bool{}
	var wg sync.WaitGroup
	for k := range copies {
		name := fmt.Sprintf("m%d.jsonl", k)
		write(t, dir, name, strings.ReplaceAll(diverged(), "bbbb0005", fmt.Sprintf("bbbb%04d", k)))
		want[fmt.Sprintf("bbbb%04d", k)] = true
		wg.Go(func() {
			if r := runCommand(t, dir, "", "sess-merge", "--into", "--wait", "2m", "s.jsonl", name); r.status != 0 {
				t.Errorf("%+v", r)
			}
		})
	}
	var mu sync.Mutex
	for k := range appends {
		wg.Go(func() {
			r := runCommand(t, dir, "", "sess-append", "--wait", "2m", "-r", "user", "-t", fmt.Sprint("text ", k), "s.jsonl")
			if r.status != 0 {
				t.Errorf("%+v", r)
			}
			mu.Lock()
			defer mu.Unlock()
			want[strings.TrimSpace(r.stdout)] = true
		})
	}
	wg.Wait()
	got := readFile(t, filepath.Join(dir, "s.jsonl"))
	for id := range want {
		if n := strings.Count(got, `"id":"`+id+`"`); n != 1 {
			t.Errorf("%s is there %d times", id, n)
		}
	}
	if n := strings.Count(got, "\n"); n != 21+copies+appends {
		t.Errorf("%d lines", n)
	}
}

// A merge that is killed leaves the old file or the new one, and the next one works.
func TestMergeKilled(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 5))
	outcomes := map[string]int{}
	for range size(25, 100) {
		dir := t.TempDir()
		before := longSession()
		write(t, dir, "s.jsonl", before)
		write(t, dir, "m.jsonl", diverged())
		after := runCommand(t, dir, "", "sess-merge", "s.jsonl", "m.jsonl").stdout
		killed(t, dir, "", time.Duration(r.Int64N(int64(12*time.Millisecond))), "sess-merge", "--into", "s.jsonl", "m.jsonl")
		switch readFile(t, filepath.Join(dir, "s.jsonl")) {
		case before:
			outcomes["old"]++
		case after:
			outcomes["new"]++
		default:
			t.Fatal("neither the old file nor the new one")
		}
		if r := runCommand(t, dir, "", "sess-merge", "--into", "s.jsonl", "m.jsonl"); r.status > 1 || r.stderr != "" {
			t.Fatalf("%+v", r)
		}
		if readFile(t, filepath.Join(dir, "s.jsonl")) != after {
			t.Fatal("the next merge made something else")
		}
	}
	t.Log(outcomes)
}

// A segmented store is read, and added to where the order allows it.
func TestMergeSegmented(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := segSession(6)
	lines := strings.SplitAfter(text, "\n")
	write(t, dir, "s.jsonl", strings.Join(lines[:4], ""))
	write(t, dir, "longer.jsonl", text)
	if r := runCommand(t, dir, "", "sess-seg", "migrate", "s.jsonl"); r.status != 0 {
		t.Fatalf("%+v", r)
	}
	if r := runCommand(t, dir, "", "sess-merge", "s.v2", "longer.jsonl"); r.status != 0 || r.stdout != text {
		t.Errorf("as an input: %+v", r)
	}
	if r := runCommand(t, dir, "", "sess-merge", "--into", "s.jsonl", "longer.jsonl"); r.status != 0 || r.stderr != "" {
		t.Errorf("added to: %+v", r)
	}
	if r := runCommand(t, dir, "", "sess-seg", "cat", "s.v2"); r.stdout != text {
		t.Errorf("it has %q", r.stdout)
	}
	if r := runCommand(t, dir, "", "sess-merge", "--into", "s.v2", "longer.jsonl"); r.status != 1 {
		t.Errorf("once more: %+v", r)
	}
	between := strings.Join(lines[:3], "") + strings.Replace(lines[3], `"a0000003"`, `"b0000003"`, 1)
	write(t, dir, "between.jsonl", between)
	r := runCommand(t, dir, "", "sess-merge", "--into", "s.v2", "between.jsonl")
	checkRun(t, r, 2, "sess-merge", "only grows at its end")
	if r := runCommand(t, dir, "", "sess-seg", "cat", "s.v2"); r.stdout != text {
		t.Errorf("after the refusal it has %q", r.stdout)
	}
	if _, err := os.Stat(filepath.Join(dir, ".s.jsonl.new")); err == nil {
		t.Error("a temporary file is left")
	}
}
