package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A toolModel is what the session in a file should hold by what the tools said
// they did: it never reads the session the way the tools do.
type toolModel struct {
	t      *rapid.T
	run    func(args ...string) result
	dir    string
	file   string
	lines  []modelLine // the entries in file order
	labels map[string]string
	name   string
	torn   string // the fragment at the end of the file
	fresh  int
}

type modelLine struct {
	raw             string
	id, parent, typ string // parent is "" for a root
}

func parseLine(t *rapid.T, raw string) modelLine {
	var e struct {
		ID, ParentID, Type string
	}
	if err := json.Unmarshal([]byte(raw), &e); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	return modelLine{raw: raw, id: e.ID, parent: e.ParentID, typ: e.Type}
}

// ok runs a tool that has to succeed and returns what it printed.
func (m *toolModel) ok(stderr string, args ...string) string {
	r := m.run(args...)
	if r.status != 0 || stderr == "" && r.stderr != "" || !strings.Contains(r.stderr, stderr) {
		m.t.Fatalf("%q: status %d, stderr %q, want %q", args, r.status, r.stderr, stderr)
	}
	return r.stdout
}

func (m *toolModel) leaf() string {
	if len(m.lines) == 0 {
		return ""
	}
	return m.lines[len(m.lines)-1].id
}

// path is the entries from the root to the one named.
func (m *toolModel) path(id string) []modelLine {
	var out []modelLine
	for i := len(m.lines) - 1; i >= 0; i-- {
		if m.lines[i].id == id {
			out = append(out, m.lines[i])
			id = m.lines[i].parent
		}
	}
	slices.Reverse(out)
	return out
}

func (m *toolModel) content() string {
	data, err := os.ReadFile(filepath.Join(m.dir, m.file))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(data)
}

// write runs a tool that appends one entry to the session, which has to stand
// behind all that was there, and to be a child of parent.
func (m *toolModel) write(parent string, args ...string) {
	before := m.content()
	stderr := ""
	if m.torn != "" {
		stderr = "last line was torn"
		before = strings.TrimSuffix(before, m.torn) + strings.Repeat(" ", len(m.torn)) + "\n"
	}
	m.wrote(before, parent, m.ok(stderr, append(args, m.file)...))
}

func (m *toolModel) wrote(before, parent, printed string) {
	added, found := strings.CutPrefix(m.content(), before)
	if !found || strings.Count(added, "\n") != 1 || !strings.HasSuffix(added, "\n") {
		m.t.Fatalf("the session is\n%s\nwant one line more than\n%s", m.content(), before)
	}
	l := parseLine(m.t, added[:len(added)-1])
	if l.id+"\n" != printed || l.parent != parent || m.path(l.id) != nil {
		m.t.Fatalf("added %s, printed %q, want a new child of %q", added, printed, parent)
	}
	if m.torn != "" {
		saved, err := os.ReadFile(filepath.Join(m.dir, m.file+".torn"))
		if err != nil || !strings.HasSuffix(string(saved), m.torn+"\n") {
			m.t.Fatalf("the fragment %q was not saved: %v, %q", m.torn, err, saved)
		}
	}
	m.lines, m.torn = append(m.lines, l), ""
}

func (m *toolModel) message(t *rapid.T) []string {
	text := rapid.StringN(0, 60, -1).Draw(t, "text")
	text = strings.ReplaceAll(text, "\x00", "") // no argument holds one
	args := []string{"sess-append", "--text=" + text + strings.Repeat(" word", rapid.IntRange(0, 200).Draw(t, "words"))}
	switch rapid.IntRange(0, 2).Draw(t, "role") {
	case 1:
		return append(args, "-r", "assistant")
	case 2:
		return append(args, "-r", "toolResult", "--tool-call-id", "c1", "--set", "toolName=bash")
	}
	return args
}

func (m *toolModel) append(t *rapid.T) { m.write(m.leaf(), m.message(t)...) }

func (m *toolModel) draw(t *rapid.T) (string, bool) {
	if len(m.lines) == 0 {
		return "", false
	}
	return m.lines[rapid.IntRange(0, len(m.lines)-1).Draw(t, "entry")].id, true
}

func (m *toolModel) branch(t *rapid.T) {
	id, ok := m.draw(t)
	if !ok || rapid.IntRange(0, 7).Draw(t, "root") == 0 {
		m.write("", append(m.message(t), "--parent", "null")...)
		return
	}
	m.write(id, append(m.message(t), "--parent", id)...)
}

func (m *toolModel) label(t *rapid.T) {
	id, ok := m.draw(t)
	if !ok {
		return
	}
	name := rapid.SampledFrom([]string{"", "x", "y", "with space"}).Draw(t, "label")
	m.write(m.leaf(), "sess-append", "--type", "label", "--set", "targetId="+id, "--set", "label="+name)
	if m.labels[id] = name; name == "" {
		delete(m.labels, id)
	}
}

func (m *toolModel) rename(t *rapid.T) {
	m.name = rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "name")
	m.write(m.leaf(), "sess-append", "--type", "session_info", "--set", "name="+m.name)
}

// foreign is a program that appends whole lines and knows nothing of locks. Its
// line would be lost behind a fragment, so it comes while there is none.
func (m *toolModel) foreign(*rapid.T) {
	if m.torn != "" {
		return
	}
	m.fresh++
	parent := "null"
	if m.leaf() != "" {
		parent = `"` + m.leaf() + `"`
	}
	raw := fmt.Sprintf(`{"data":{"n":1.0},"type":"custom","customType":"f","parentId":%s,"id":"foreign%d","timestamp":"2026-01-02T03:05:00.000Z"}`, parent, m.fresh)
	m.addBytes(raw + "\n")
	m.lines = append(m.lines, parseLine(m.t, raw))
}

// crash is a writer that dies within a line.
func (m *toolModel) crash(t *rapid.T) {
	if m.torn != "" {
		return
	}
	whole := strings.TrimSuffix(strings.Replace(third, "bbbb0003", "dead0000", 1), "\n")
	m.torn = whole[:rapid.IntRange(1, len(whole)-1).Draw(t, "bytes")]
	m.addBytes(m.torn)
}

func (m *toolModel) addBytes(s string) {
	f, err := os.OpenFile(filepath.Join(m.dir, m.file), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(s); err != nil {
		m.t.Fatal(err)
	}
}

// compact may find nothing to do, which is status 1 and changes nothing.
func (m *toolModel) compact(t *rapid.T) {
	keep := fmt.Sprint(rapid.IntRange(1, 200).Draw(t, "keep"))
	before := m.content()
	r := m.run("sess-compact", "-q", "--keep", keep, m.file)
	if r.status == 1 {
		if m.content() != before {
			t.Fatalf("status 1 and a changed session")
		}
		return
	}
	if r.status != 0 {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	if m.torn != "" {
		before = strings.TrimSuffix(before, m.torn) + strings.Repeat(" ", len(m.torn)) + "\n"
	}
	m.wrote(before, m.leaf(), r.stdout)
	var context struct{ Messages []json.RawMessage }
	out := m.ok("", "sess-path", "--as", "context", m.file)
	if err := json.Unmarshal([]byte(out), &context); err != nil || len(context.Messages) == 0 {
		t.Fatalf("context after a compaction: %v, %s", err, out)
	}
}

// fork goes on with a fork of the path to an entry, or of the whole.
func (m *toolModel) fork(t *rapid.T) {
	id, ok := m.draw(t)
	if !ok {
		return
	}
	m.fresh++
	name := fmt.Sprintf("fork%d.jsonl", m.fresh)
	want, args := m.path(id), []string{"--at", id}
	if rapid.Bool().Draw(t, "branches") {
		want, args = m.lines, []string{"--branches"}
	}
	all := args[0] == "--branches"
	if !all { // labels are made anew behind the rest
		want = slices.DeleteFunc(slices.Clone(want), func(l modelLine) bool { return l.typ == "label" })
	}
	stderr := ""
	if m.torn != "" {
		stderr = "torn last line"
	}
	before := m.content()
	if out := m.ok(stderr, append([]string{"sess-fork", "--title", "forked", "-o", name, m.file}, args...)...); out != name+"\n" {
		t.Fatalf("printed %q", out)
	}
	if m.content() != before {
		t.Fatal("the session that was forked changed")
	}
	m.file, m.torn, m.name = name, "", "forked"
	m.adopt(all, want)
}

// adopt takes over a fork after comparing it with what it should begin with.
func (m *toolModel) adopt(all bool, want []modelLine) {
	var got []modelLine
	for raw := range strings.Lines(m.content()) {
		got = append(got, parseLine(m.t, strings.TrimSuffix(raw, "\n")))
	}
	got = got[1:] // the header
	if len(got) < len(want) {
		m.t.Fatalf("%d entries of %d", len(got), len(want))
	}
	kept := map[string]bool{}
	for i, l := range want {
		kept[l.id] = true
		if got[i].id != l.id || all && got[i].raw != l.raw {
			m.t.Fatalf("entry %d is %s, want %s", i, got[i].raw, l.raw)
		}
		if !all && i > 0 && got[i].parent != want[i-1].id {
			m.t.Fatalf("parent of %s, want %s", got[i].raw, want[i-1].id)
		}
	}
	for _, l := range got[len(want):] {
		if l.typ != "label" && l.typ != "session_info" {
			m.t.Fatalf("the fork adds %s", l.raw)
		}
	}
	m.lines = got
	maps.DeleteFunc(m.labels, func(id, _ string) bool { return !kept[id] })
}

// check compares what sess-path says with the model.
func (m *toolModel) check(t *rapid.T) {
	m.t = t
	if len(m.lines) == 0 {
		return
	}
	stderr := ""
	if m.torn != "" {
		stderr = "torn last line"
	}
	var want strings.Builder
	for _, l := range m.path(m.leaf()) {
		want.WriteString(l.raw + "\n")
	}
	if got := m.ok(stderr, "sess-path", "--no-header", m.file); got != want.String() {
		t.Fatalf("path\n%s\nwant\n%s", got, want.String())
	}
	var state struct {
		Leaf, Title string
		Labels      map[string]string
	}
	if err := json.Unmarshal([]byte(m.ok(stderr, "sess-path", "--as", "state", m.file)), &state); err != nil {
		t.Fatal(err)
	}
	if state.Leaf != m.leaf() || state.Title != m.name || !maps.Equal(state.Labels, m.labels) {
		t.Fatalf("%+v, want leaf %s, name %s, labels %v", state, m.leaf(), m.name, m.labels)
	}
}

// A session the built tools append to, branch, label, name, fork and compact,
// while writers die and others append, is what a simple model of it says.
// -rapid.checks asks for more than the few runs that fit into a test.
func TestModel(t *testing.T) {
	if f := flag.Lookup("rapid.checks"); f != nil && f.Value.String() == f.DefValue {
		if err := f.Value.Set(fmt.Sprint(size(1, 3))); err != nil {
			t.Fatal(err)
		}
	}
	root := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(root, fmt.Sprint(n))
		if err := os.Mkdir(dir, 0o700); err != nil {
			rt.Fatal(err)
		}
		m := &toolModel{
			t: rt, dir: dir, file: "s.jsonl", labels: map[string]string{},
			run: func(args ...string) result { return runCommand(t, dir, "", args...) },
		}
		m.ok("", "sess-new", "-o", m.file)
		rt.Repeat(map[string]func(*rapid.T){
			"append": m.append, "append too": m.append, "branch": m.branch, "label": m.label, "name": m.rename,
			"fork": m.fork, "compact": m.compact, "crash": m.crash, "foreign": m.foreign, "": m.check,
		})
	})
}
