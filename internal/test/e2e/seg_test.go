package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// segLine is a message for a segmented store.
func segLine(id, parent string) string {
	if parent != "null" {
		parent = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-02T03:05:00.000Z","message":{"role":"user","content":"some words about %s"}}`+"\n", id, parent, id)
}

// longSession is a session of some 30 kB that can be compacted.
func longSession() string {
	var b strings.Builder
	b.WriteString(header)
	parent := "null"
	for i := range 20 {
		id := fmt.Sprintf("aaaa%04d", i)
		fmt.Fprintf(&b, `{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-02T03:05:00.000Z","message":{"role":"user","content":[{"type":"text","text":"question %d %s"}],"timestamp":1767323100000}}`+"\n",
			id, parent, i, strings.Repeat("word ", 300))
		parent = `"` + id + `"`
	}
	return b.String()
}

// segSession is a session of n entries, each the child of the one before.
func segSession(n int) string {
	var b strings.Builder
	b.WriteString(header)
	parent := "null"
	for i := range n {
		id := fmt.Sprintf("a%07d", i+1)
		b.WriteString(segLine(id, parent))
		parent = id
	}
	return b.String()
}

// segmented makes a store of a session, and puts the file out of the way.
func segmented(t *testing.T, dir, content string) {
	t.Helper()
	write(t, dir, "s.jsonl", content)
	if r := runCommand(t, dir, "", "sess-seg", "migrate", "s.jsonl"); r.status != 0 || r.stdout != "s.v2\n" || r.stderr != "" {
		t.Fatalf("%+v", r)
	}
}

// leftovers returns the stores in a directory, those on their way in or out too.
func leftovers(dir string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, "s.v2*")) // the pattern is a good one
	return found
}

// Every tool takes the directory of a store for a session, and says of it what it
// says of the file.
func TestSegmentedOperand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	segmented(t, dir, longSession())
	for _, args := range [][]string{
		{"sess-path", "FILE"},
		{"sess-path", "--as", "messages", "FILE"},
		{"sess-path", "--as", "state", "FILE"},
		{"sess-path", "--leaf", ".~3", "--no-header", "FILE"},
		{"sess-tree", "FILE"},
		{"sess-check", "FILE"},
		{"sess-compact", "--plan", "--keep", "100", "FILE"},
		{"sess-compact", "--if-needed", "-n", "--window", "20000", "FILE"},
		{"sess-export", "pi", "FILE"},
		{"sess-append", "--dry-run", "--type", "label", "--set", "targetId=aaaa0001", "--set", "label=x", "FILE"},
	} {
		want := runCommand(t, dir, "", operands(args, "s.jsonl")...)
		got := runCommand(t, dir, "", operands(args, "s.v2")...)
		same := func(r result) string {
			return newIDs.ReplaceAllString(fmt.Sprint(r.status, r.stdout, r.stderr), "*")
		}
		if strings.ReplaceAll(same(got), "s.v2", "s.jsonl") != same(want) || want.status > 1 {
			t.Errorf("%v:\n%+v\nwant\n%+v", args, got, want)
		}
	}
	fork := runCommand(t, dir, "", "sess-fork", "--branches", "s.v2")
	if want := `"parentSession":"` + filepath.Join(dir, "s.v2") + `"`; fork.status != 0 || !strings.Contains(fork.stdout, want) || strings.Count(fork.stdout, "\n") != 21 {
		t.Errorf("%+v", fork)
	}
	for _, args := range [][]string{{"s.v2"}, {".", "s.v2"}, {"--recent", "s.v2"}} {
		ls := runCommand(t, dir, "", append([]string{"sess-ls", "--json"}, args...)...)
		if ls.status != 0 || ls.stderr != "" || !strings.Contains(ls.stdout, `"path":"s.v2"`) || !strings.Contains(ls.stdout, fmt.Sprintf(`"size":%d`, len(longSession()))) {
			t.Errorf("%v: %+v", args, ls)
		}
	}
	if ls := runCommand(t, dir, "", "sess-ls", "--all", "--json", "."); strings.Count(ls.stdout, "\n") != 1 || ls.stderr != "" {
		t.Errorf("a store is not listed beside its file: %+v", ls)
	}
	must := script(t, dir, "sess-new --from s.v2")
	if !strings.Contains(must, `"parentSession":"`+filepath.Join(dir, "s.v2")+`"`) {
		t.Errorf("parent: %s", must)
	}
}

var newIDs = regexp.MustCompile(`"id":"[0-9a-f-]+"|"timestamp":"[^"]*"|"(created|modified)":"[^"]*"`)

// What appends does so under the lock of the store, and says what does not fit.
func TestSegmentedAppend(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	segmented(t, dir, longSession())
	one := script(t, dir, `sess-append -t one s.v2`)
	branch := script(t, dir, `sess-append --parent .~2 -t branch s.v2/`)
	script(t, dir, `sess-append --expect-leaf `+strings.TrimSpace(branch)+` --sync=never -t two s.v2`)
	if r := runCommand(t, dir, "", "sess-append", "--expect-leaf", strings.TrimSpace(one), "-t", "x", "s.v2"); r.status != 4 {
		t.Errorf("the leaf moved: %+v", r)
	}
	script(t, dir, `sess-compact --keep 100 s.v2`)
	r := runCommand(t, dir, "", "sess-append", "--type", "mode_change", "--force-type", "--set", "mode=plan", "s.v2")
	checkRun(t, r, 3, "sess-append", `has the type "mode_change"`)
	if !strings.Contains(r.stderr, "hint: SESS_EXTENDED=true") {
		t.Errorf("no hint: %s", r.stderr)
	}
	cat := script(t, dir, `sess-seg verify s.v2; sess-seg cat s.v2`)
	if rest, ok := strings.CutPrefix(cat, longSession()); !ok || strings.Count(rest, "\n") != 4 || !strings.Contains(rest, `"type":"compaction"`) {
		t.Errorf("the store holds %q", rest)
	}
	if readFile(t, filepath.Join(dir, "s.jsonl")) != longSession() {
		t.Error("the file was changed")
	}
}

// Damage to a store is told by whoever meets it, with where it is.
func TestSegmentedDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	segmented(t, dir, longSession())
	file := filepath.Join(dir, "s.v2", "segments", "0000000000000001.seg")
	write(t, filepath.Dir(file), filepath.Base(file), strings.Replace(readFile(t, file), "question 7", "question 8", 1))
	for tool, args := range readers {
		r := runCommand(t, dir, "", operands(args, "s.v2")...)
		switch {
		case tool == "sess-append": // it reads the last entry alone
			if r.status != 0 {
				t.Errorf("%+v", r)
			}
		default:
			checkRun(t, r, 3, tool, "s.v2: segment 1, line 8: store is damaged: checksum mismatch at entry 8")
		}
	}
	check(t, os.Remove(filepath.Join(dir, "s.v2", "manifest.json")))
	check(t, os.RemoveAll(filepath.Join(dir, "s.v2", "index")))
	checkRun(t, runCommand(t, dir, "", "sess-path", "s.v2"), 2, "sess-path", "reading s.v2: is a directory")
}

// What needs an entry or the last ones reads no more of a large store than of a
// small one: a thousand bytes for each it prints, and a bit of the index.
func TestSegmentedBoundedReading(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/io"); err != nil {
		t.Skip("no /proc/self/io here")
	}
	const bound = 2 << 20 // the tools themselves are mapped, not read
	n := 100_000
	if testing.Short() {
		n = 20_000
	}
	dir := t.TempDir()
	segmented(t, dir, segSession(n))
	write(t, dir, "new", segLine("n1", fmt.Sprintf("a%07d", n)))
	for _, args := range [][]string{
		{"sess-seg", "tail", "100", "s.v2"},
		{"sess-seg", "get", fmt.Sprintf("a%07d", n-9), "s.v2"},
		{"sess-seg", "status", "s.v2"},
		{"sess-seg", "checkpoint", "s.v2"},
		{"sess-append", "-t", "hello", "s.v2"},
	} {
		c := exec.Command("sh", "-c", `"$@" <new >out && cat /proc/$$/io`, "sh", filepath.Join(bin, args[0]))
		c.Args = append(c.Args, args[1:]...)
		c.Dir, c.Env = dir, env(dir)
		r := wait(t, c)
		var read int64
		if _, err := fmt.Sscanf(r.stdout, "rchar: %d", &read); err != nil || r.status != 0 {
			t.Fatalf("%v: status %d, %s%s", args, r.status, r.stdout, r.stderr)
		}
		if t.Logf("%v: %d bytes", args, read); read > bound || read == 0 {
			t.Errorf("%v: %d bytes were read", args, read)
		}
	}
	out := script(t, dir, `sess-seg append s.v2 <new >/dev/null; sess-seg tail 1 s.v2; sess-append --sync=never -t more s.v2 >/dev/null; sess-seg tail 1 s.v2`)
	if !strings.HasPrefix(out, segLine("n1", fmt.Sprintf("a%07d", n))) || !strings.Contains(out, `"parentId":"n1"`) {
		t.Errorf("%s", out)
	}
}

// What a tool and the sess-seg that holds a store for it say to each other: the end of the
// store, answers about ids, and entries that count once an empty line follows them.
func TestSegmentedHold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := segSession(3)
	segmented(t, dir, text)
	lines := strings.SplitAfter(text, "\n")
	end := lines[0] + lines[3] + "\n"
	entry := segLine("n1", "a0000003")
	for name, tt := range map[string]struct {
		input, output string
		status        int
	}{
		"nothing":                    {"", end, 1},
		"questions":                  {`"a0000002"` + "\n" + `"n1"` + "\n", end + "true\nfalse\n", 1},
		"the program died":           {entry, end, 1},
		"it died in the last line":   {entry + entry[:40], end, 1},
		"it died in the empty line":  {strings.TrimSuffix(entry, "\n"), end, 1},
		"what does not fit":          {strings.ReplaceAll(entry, `"message",`, `"mode_change",`) + "\n", end, 3},
		"a parent that is not there": {segLine("n1", "gone") + "\n", end, 3},
	} {
		r := runCommand(t, dir, tt.input, "sess-seg", "append", "--hold", "s.v2")
		if r.status != tt.status || r.stdout != tt.output {
			t.Errorf("%s: %+v, want %d, %q", name, r, tt.status, tt.output)
		}
		if got := script(t, dir, "sess-seg cat s.v2"); got != text {
			t.Errorf("%s: the store holds %q", name, got)
		}
	}
	if r := runCommand(t, dir, `"n1"`+"\n"+entry+"\n"+entry, "sess-seg", "append", "--hold", "s.v2"); r.status != 0 || r.stdout != end+"false\n" {
		t.Errorf("%+v", r)
	}
	if got := script(t, dir, "sess-seg verify s.v2; sess-seg cat s.v2"); got != text+entry {
		t.Errorf("the store holds %q", got)
	}
}

// A tool that has no sess-seg says so, and never takes the file for the session.
func TestSegmentedAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	segmented(t, dir, longSession())
	alone := t.TempDir()
	for _, tool := range []string{"sess-path", "sess-append", "sess-check", "sess-ls"} {
		if err := os.Link(filepath.Join(bin, tool), filepath.Join(alone, tool)); err != nil {
			write(t, alone, tool, readFile(t, filepath.Join(bin, tool)))
			check(t, os.Chmod(filepath.Join(alone, tool), 0o700))
		}
	}
	for _, args := range [][]string{
		{"sess-path", "s.jsonl"},
		{"sess-path", "s.v2"},
		{"sess-check", "s.jsonl"},
		{"sess-append", "-t", "x", "s.jsonl"},
		{"sess-append", "-t", "x", "s.v2"},
	} {
		c := exec.Command(filepath.Join(alone, args[0]), args[1:]...)
		c.Dir, c.Env = dir, append(env(dir), "PATH="+alone)
		r := wait(t, c)
		checkRun(t, r, 2, args[0], "finding sess-seg: it is neither beside this program nor in PATH")
		if r.stdout != "" || !strings.Contains(r.stderr, "sess-seg rollback") {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if readFile(t, filepath.Join(dir, "s.jsonl")) != longSession() {
		t.Error("the file was changed")
	}
}
