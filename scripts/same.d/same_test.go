//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/drawn"
)

// fake is a tool that does all that is compared: its output has two ids, a time
// and the beginning of a UUID that are others each time, also behind a time and escaped, a directory of a remote, and one
// id of the input.
const fake = `#!/bin/sh
fresh() { od -An -N4 -tx1 /dev/urandom | tr -d ' \n'; }
a=$(fresh) b=$(fresh)
now=$(date -u +%Y-%m-%dT%H:%M:%S.123Z)
echo "$a $b input aaaabbbb at $now, $(date +%s)"
echo "warning about $b" >&2
echo "$a under $b" >"file_$a"
echo "uuid 01234567-$(fresh | cut -c1-4)-7abc-89, and 01234567\\-$(fresh | cut -c1-4)\\-7abc" >>"file_$a"
echo "$(date -u +%Y-%m-%dT%H-%M-%S)-$a-$(fresh | cut -c1-4) and v1/s/$(fresh | cut -c1-2)" >>"file_$a"
ln -s "file_$a" link
exit 3
`

// found runs lines with the fake tool and one that is made of it by replacing
// old with new, and returns what differs.
func found(t *testing.T, u unit, old, changed string) []string {
	t.Helper()
	dir := t.TempDir()
	if !strings.Contains(fake, old) {
		t.Fatalf("the tool has no %q", old)
	}
	sets := [2]string{filepath.Join(dir, "old"), filepath.Join(dir, "new")}
	for i, text := range []string{fake, strings.Replace(fake, old, changed, 1)} {
		if err := put(filepath.Join(sets[i], "sess-fake"), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	all, count, err := compareAll(context.Background(), filepath.Join(dir, "base"), sets, []unit{u}, 1)
	if err != nil || count == 0 {
		t.Fatalf("%d command lines, %v", count, err)
	}
	var whats []string
	for _, d := range all {
		if !slices.Contains(whats, d.what) {
			whats = append(whats, d.what)
		}
	}
	return whats
}

func TestFinds(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, old, changed, want string }{
		{"nothing", "exit 3", "exit 3", ""},
		{"stdout", "input", "inpuT", "stdout"},
		{"stderr", "about", "of", "stderr"},
		{"status", "exit 3", "exit 1", "status"},
		{"a file's bytes", "under", "below", "files"},
		{"a file's name", `>"file_$a"`, `>"File_$a"`, "files"},
		{"a file's mode", "exit 3", `chmod 600 "file_$a"; exit 3`, "files"},
		{"a missing file", "ln -s", ": ln -s", "files"},
		{"a link", `ln -s "file_$a"`, `ln -s "file_$b"`, "files"},
		{"a directory more", "exit 3", "mkdir d; exit 3", "files"},
		{"swapped ids in a file", `$a under $b" >`, `$b under $a" >`, "files"},
		{"a shorter part of a UUID", "7abc-89", "7abc-8", "files"},
		{"swapped ids in the output", "$a $b input", "$b $a input", "stderr,files"},
		{"another fresh id", `about $b`, `about $(fresh)`, "stderr"},
		{"an id that is no longer fresh", "a=$(fresh)", "a=12345678", "stdout,files"},
		{"an id of the input that is made anew", "aaaabbbb", "$(fresh)", "stdout"},
		{"a longer id", "-N4", "-N5", "stdout,stderr,files"},
		{"a time that stands still", "now=$(date -u +%Y-%m-%dT%H:%M:%S.123Z)", "now=2026-01-02T03:04:05.123Z", "stdout"},
		{"a time that is not now", "date -u +%Y", "date -u +1999", "stdout"},
		{"a time of another form", ".123Z", "Z", "stdout"},
		{"a time with fewer digits", "date +%s", "date +%S", "stdout"},
	}
	for _, tt := range drawn.Third(t, tests) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			line := commands("", nil, "sess-fake")[0]
			got := strings.Join(found(t, line, tt.old, tt.changed), ",")
			for want := range strings.SplitSeq(tt.want, ",") {
				if !strings.Contains(got, want) || (got == "") != (tt.want == "") {
					t.Errorf("found %q, want %q", got, tt.want)
				}
			}
		})
	}
}

// Which of several writers wins a probe of a remote is drawn by lot, and each probe has a
// fresh name.
func TestProbes(t *testing.T) {
	t.Parallel()
	run := func(ids, winners [2]string) result {
		var r result
		for i, id := range ids {
			r.files = append(r.files, file{name: "remote/v1/probe/" + id + "/00", data: []byte("probe by writer " + winners[i] + "\n")})
		}
		return r
	}
	a := settled(run([2]string{"AAAABBBBCCCC", "DDDDEEEEFFFF"}, [2]string{"01", "07"}), run([2]string{"GGGGHHHHIIII", "JJJJKKKKLLLL"}, [2]string{"02", "03"}))
	b := settled(run([2]string{"ZZZZBBBBCCCC", "2222EEEEFFFF"}, [2]string{"05", "00"}), run([2]string{"MMMMHHHHIIII", "NNNNKKKKLLLL"}, [2]string{"04", "06"}))
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%v and %v", a, b)
	}
}

// The directories of a remote are called by two digits of a hash, so those of fresh ids may be equal in two runs.
func TestEqualHashes(t *testing.T) {
	t.Parallel()
	run := func(dir string) result { return result{files: []file{{name: "remote/v1/s/" + dir + "/x"}}} }
	if a, b := settled(run("ab"), run("ab")), settled(run("cd"), run("ef")); !reflect.DeepEqual(a, b) {
		t.Errorf("%v and %v", a, b)
	}
}

// A file may get the number that one had that is gone, in one of two runs or in both.
func TestInodes(t *testing.T) {
	t.Parallel()
	run := func(inode string) result {
		return result{files: []file{{name: "s", data: []byte(`{"a":"{\"inode\":` + inode + `}"}`)}}}
	}
	if a, b := settled(run("10002897"), run("10002897")), settled(run("10002488"), run("10002489")); !reflect.DeepEqual(a, b) {
		t.Errorf("%v and %v", a, b)
	}
}

// Commands inside scripts are compared as well, even where the script does not
// look at what they print.
func TestFindsInScripts(t *testing.T) {
	t.Parallel()
	const script = "! exec sess-fake\nstdout 'what it does not print'\n! exec sess-fake\n"
	root := t.TempDir()
	if err := put(filepath.Join(root, "cmd/sess-fake/testdata/a.txtar"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	units, err := scriptUnits(root)
	if err != nil || len(units) != 1 {
		t.Fatalf("%d scripts, %v", len(units), err)
	}
	units = append(units, example("example", "sess-fake >/dev/null 2>&1 || sess-fake | cat >/dev/null\n"))
	for _, u := range units {
		for changed, want := range map[string]string{"exit 3": "", "exit 4": "status", "echo more; exit 3": "stdout", "echo >&2; exit 3": "stderr"} {
			t.Run(filepath.Base(u.name)+"/"+changed, func(t *testing.T) {
				t.Parallel()
				if got := strings.Join(found(t, u, "exit 3", changed), ","); got != want {
					t.Errorf("found %q, want %q", got, want)
				}
			})
		}
	}
}

func TestExceptions(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "differences")
	text := "# why\n\n^sess-ls \tstdout,stderr\tdates are longer\n^sess-new\tstatus\tnever happens\n"
	if err := put(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	es, err := readExceptions(name)
	if err != nil {
		t.Fatal(err)
	}
	left := es.drop([]difference{{line: "sess-ls d", what: "stdout"}, {line: "sess-ls d", what: "files"}, {line: "sess-path", what: "stdout"}})
	if len(left) != 2 || left[0].what != "files" || left[1].line != "sess-path" {
		t.Errorf("left %v", left)
	}
	if unused := es.unused(); len(unused) != 1 || !strings.HasPrefix(unused[0], "^sess-new") {
		t.Errorf("unused %q", unused)
	}
	for _, bad := range []string{"a", "a\tstdout", "a\tstdout\t", "a\tout\twhy", "(\tstdout\twhy", "a\tstdout\twhy\tmore"} {
		if err := put(name, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readExceptions(name); err == nil {
			t.Errorf("%q is an exception", bad)
		}
	}
}

// The units are many, each with a name of its own, and the samples that the
// matrix names are there.
func TestUnits(t *testing.T) {
	t.Parallel()
	s, err := unpack("../../testdata", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := scriptUnits("../..")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := exampleUnits("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(scripts) < 60 || len(examples) < 40 {
		t.Errorf("%d scripts, %d examples", len(scripts), len(examples))
	}
	names := map[string]bool{}
	all := slices.Concat(scripts, examples, matrix(s))
	for _, u := range all {
		names[u.name] = true
	}
	if len(names) != len(all) || len(all) < 3000 {
		t.Errorf("%d names of %d units", len(names), len(all))
	}
	for name := range names {
		for _, m := range strings.Split(name, "  [")[1:] {
			_, from, _ := strings.Cut(strings.TrimSuffix(m, "]"), ": ")
			if _, err := os.Stat(filepath.Join(s.dir, from)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestShortDiff(t *testing.T) {
	t.Parallel()
	tests := []struct{ a, b, want string }{
		{"one\ntwo\nthree\n", "one\ntwO\nthree\n", "  line 2\n  -two\n  +twO\n"},
		{"one\n", "one\ntwo\n", "  line 2\n  -(the end)\n  +two\n"},
		{"a\xff", "a\xfe", "  line 1\n  -a\\xff\n  +a\\xfe\n"},
	}
	for _, tt := range tests {
		if got := shortDiff(tt.a, tt.b); got != tt.want {
			t.Errorf("got\n%swant\n%s", got, tt.want)
		}
	}
}

// What hangs is a status of its own, and is gone, with what it has started.
func TestTimeout(t *testing.T) {
	t.Parallel()
	r, err := shell(context.Background(), t.TempDir(), "", "sleep 1000 | cat", 100*time.Millisecond)
	if err != nil || !strings.HasPrefix(r.status, "timed out") {
		t.Errorf("status %q, %v", r.status, err)
	}
}
