package jqmap_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/jqmap"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
)

// owned puts maps into a directory, and returns the formats that are known then.
func owned(t *testing.T, maps map[string]string) []formats.Format {
	t.Helper()
	dir := t.TempDir()
	for name, text := range maps {
		formatstest.Put(t, filepath.Join(dir, name+".jq"), text)
	}
	return all.Known(dir)
}

func named(name, body string) string {
	return strings.Replace(testHeader, `name: "test"`, `name: "`+name+`"`, 1) + "def value: " + body + ";\n"
}

// tried reads one session with a map of the user's.
func tried(t *testing.T, text string, lines ...string) (formatstest.Result, error) {
	t.Helper()
	f, ok := formats.Lookup(owned(t, map[string]string{"mine": text}), "mine")
	if !ok {
		t.Fatal("the map is not known")
	}
	path := formatstest.File(t, "s.jsonl", strings.Join(lines, "\n")+"\n")
	results, err := formatstest.TryAll(t.Context(), f, source(path))
	if len(results) == 0 {
		return formatstest.Result{}, err
	}
	return results[0], err
}

var start = `{"kind":"start","session":"s1","at":1767323045}`

// A map that does not end, or does far too much, ends its session with the name of the map.
func TestOwnMapLoops(t *testing.T) {
	for body, want := range map[string]string{
		`if $kind == "say" then def f: f; f else skip end`:                                             "takes longer than 300ms for one value",
		`if $kind == "say" then range(infinite) | {lose: "x"} else skip end`:                           "does more than 1000 acts for one value",
		`if $kind == "say" then range(900) | user([text("x" * 100000)]) else skip end`:                 "makes more than 64 times the bytes of a value",
		`if $kind == "say" then range(100000000) | select(. < 0) | user([]) else skip end`:             "takes longer than 300ms for one value",
		`if $kind == "say" then [limit(100000000; repeat("x"))] | length | {skip: true} else skip end`: "takes longer than 300ms for one value",
	} {
		value := time.Hour // a machine may be slow
		if strings.HasPrefix(want, "takes longer") {
			value = 300 * time.Millisecond
		}
		jqmap.SetBounds(t, value, 1<<40, 1000)
		_, err := tried(t, named("mine", body), start, `{"kind":"say","id":"a","text":"x"}`)
		if err == nil || !strings.Contains(err.Error(), "the map mine "+want) || !errors.Is(err, session.ErrMalformed) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// One that takes far too much memory ends, too, whatever function it is in.
func TestOwnMapHog(t *testing.T) {
	if testing.Short() {
		t.Skip("takes megabytes and seconds: not with -short")
	}
	jqmap.SetBounds(t, time.Hour, 128<<20, 1000)
	hog := `[range(1000000000)] | length | {skip: true}`
	_, err := tried(t, named("mine", `if $kind == "say" then `+hog+` else skip end`), start, `{"kind":"say","id":"a"}`)
	if err == nil || !strings.Contains(err.Error(), "the map mine takes more than 128 MiB of memory") {
		t.Errorf("%v", err)
	}
	info := strings.Replace(named("mine", "skip"), "def info: ", "def info: ([range(1000000000)] | length) as $n | ", 1)
	if _, err := tried(t, info, start, `{"kind":"say","id":"a"}`); err == nil || !strings.Contains(err.Error(), "of memory") {
		t.Errorf("info: %v", err)
	}
}

// A map of the user's stands in the place of the program's of that name, and not of another format.
func TestOwnMapShadows(t *testing.T) {
	t.Parallel()
	list := owned(t, map[string]string{"kimi": named("kimi", "skip"), "claude": named("claude", "skip"), "Bad-Name": named("x", "skip"), "new": named("new", "skip")})
	kimi, _ := formats.Lookup(list, "kimi")
	if m, ok := kimi.(*jqmap.Map); !ok || m.Path() == "" || kimi.About().Summary != "tests" {
		t.Error("kimi is not the user's")
	}
	claude, _ := formats.Lookup(list, "claude")
	if _, ok := claude.(*jqmap.Map); ok {
		t.Error("claude is a map")
	}
	if n := len(list) - len(all.Formats()); n != 1 {
		t.Errorf("%d formats more", n)
	}
	if replaces, refused := jqmap.Shadows(all.Formats(), "kimi"); !replaces || refused {
		t.Error("kimi")
	}
	if replaces, refused := jqmap.Shadows(all.Formats(), "claude"); replaces || !refused {
		t.Error("claude")
	}
	if f, ok := formats.Detect(list, "s.jsonl", []byte(start+"\n"+`{"kind":"say"}`+"\n")); !ok || f.About().Name == "claude" {
		t.Error("a session of the map is not found by its signs")
	}
}

// A map that is none is an error of its sessions alone, which says where.
func TestOwnMapBroken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"module {\n interface: 1 name: 1\n};\n": "mine.jq:2:",
		named("mine", "skip") + "def x: else;":  "mine.jq:8:8: ",
		named("mine", "txet(1)"):                "function not defined: txet/1",
		named("other", "skip"):                  `the map is called "other", and its file "mine"`,
		named("mine", "skip") + "input":         "a map is a header and functions",
	} {
		list := owned(t, map[string]string{"mine": text, "good": named("good", "skip")})
		f, ok := formats.Lookup(list, "mine")
		if !ok {
			t.Fatal("it is not known")
		}
		if _, err := f.Open(t.Context(), source("s.jsonl")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		good, _ := formats.Lookup(list, "good")
		if err := good.(*jqmap.Map).Check(); err != nil {
			t.Errorf("the other map: %v", err)
		}
	}
}

func TestOwnMapInterface2(t *testing.T) {
	t.Parallel()
	f, _ := formats.Lookup(owned(t, map[string]string{"mine": strings.Replace(named("mine", "skip"), "interface: 1", "interface: 2", 1)}), "mine")
	if _, err := f.Open(t.Context(), source("s.jsonl")); err == nil || !strings.Contains(err.Error(), "interface 2: this program speaks interface 1") {
		t.Errorf("%v", err)
	}
	if _, err := f.About().Home(formats.Env{Getenv: func(string) string { return "" }, Home: "/h"}); err == nil {
		t.Error("it has a home")
	}
}

// A map that says nothing of a session names it by its first value.
func TestOwnMapEmptyInfo(t *testing.T) {
	t.Parallel()
	text := strings.Replace(named("mine", `if $kind == "say" then user([text(.text)]) else keep end`), "def info: first", "def info: empty; def unused: first", 1)
	r, err := tried(t, text, start, `{"kind":"say","id":"a","text":"x"}`, `{"kind":"odd","id":"b","text":"y"}`)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Session(t)
	if !formats.IsUUID(s.Header.ID) || s.Header.CWD != "" && s.Header.CWD != "/w" {
		t.Errorf("%+v", s.Header)
	}
	if len(s.Entries) != 3 {
		t.Fatalf("%d entries", len(s.Entries))
	}
}

// What a map of the user's keeps aside is aside for every reader, which does not know the map.
func TestOwnMapAside(t *testing.T) {
	t.Parallel()
	about := formats.About{Name: "mine", Own: true}
	e, err := session.ParseEntry(`{"type":"custom","customType":"` + about.Kept() + `:line","id":"a"}`)
	if err != nil || e.Aside() != "map.mine" || session.AgentName(e.Aside()) != "mine" {
		t.Errorf("%v %q", err, e.Aside())
	}
	other, _ := session.ParseEntry(`{"type":"custom","customType":"mine:line","id":"a"}`)
	if other.IsAside() {
		t.Error("an extension's entry is taken for one that is kept")
	}
}

// The example of sess-map(5) reads a session.
func TestManual(t *testing.T) {
	t.Parallel()
	page := must.Read(t, "../../../docs/man/sess-map.5")
	_, text, ok := strings.Cut(page, "<<'MAP'\n")
	text, _, ok2 := strings.Cut(text, "MAP\n")
	if !ok || !ok2 || strings.Count(text, "\n") > 25 {
		t.Fatalf("the page has no map of at most 25 lines: %q", text)
	}
	text = strings.NewReplacer(`\e`, `\`, `\&`, "").Replace(text)
	list := owned(t, map[string]string{"kiroide": text})
	f, _ := formats.Lookup(list, "kiroide")
	home := t.TempDir()
	dir := filepath.Join(home, ".config/Kiro/User/globalStorage/kiro.kiroagent/workspace-sessions/L3c=")
	formatstest.Put(t, filepath.Join(dir, "sessions.json"), `[{"sessionId":"5f0c1d2e-0000-4000-8000-000000000001","dateCreated":"1763900000000"}]`)
	formatstest.Put(t, filepath.Join(dir, "5f0c1d2e-0000-4000-8000-000000000001.json"), `{"sessionId":"5f0c1d2e-0000-4000-8000-000000000001","title":"Fix the lexer","workspaceDirectory":"/w","history":[
		{"message":{"role":"user","content":[{"type":"text","text":"Why does it hang?"}],"id":"m1"},"contextItems":[]},
		{"message":{"role":"assistant","content":"The loop has no end.","id":"m2"}}]}`)
	place, err := f.About().Home(formats.Env{Getenv: func(string) string { return "" }, Home: home})
	if err != nil {
		t.Fatal(err)
	}
	results := formatstest.Import(t, f, source(place), false)
	if len(results) != 1 || len(results[0].Losses) != 0 {
		t.Fatalf("%+v", results)
	}
	s := results[0].Session(t)
	if s.Header.ID != "5f0c1d2e-0000-4000-8000-000000000001" || s.Header.CWD != "/w" || s.Name != "Fix the lexer" || s.Header.Timestamp != "2025-11-23T12:13:20.000Z" {
		t.Errorf("%+v", s.Header)
	}
	want(t, outline(t, results[0])[1:], "m1: user Why does it hang? < "+s.Entries[0].ID(), "m2: assistant The loop has no end. < m1")
}
