package jqmap_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/jqmap"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
)

// paths returns the sessions of a source as they are listed, below it.
func paths(t *testing.T, f formats.Format, dir string) (out []string) {
	t.Helper()
	for info, err := range formatstest.Open(t, f, source(dir)).List(t.Context(), formats.Query{}) {
		if err != nil {
			t.Error(err)
		}
		below, err := filepath.Rel(dir, info.Path)
		must.Do(t, err)
		out = append(out, filepath.ToSlash(below))
	}
	return out
}

const (
	task    = `[{"role":"user","content":[{"type":"text","text":"<task>\nhi\n</task>"}]}]`
	chat    = `{"version":3,"sessionId":"aaaaaaaa-1111-4222-8333-444444444444","creationDate":1793613600000,"requests":[]}`
	storage = "User/globalStorage/rooveterinaryinc.roo-cline/tasks/"
)

// A map of all of the home directory opens the directories that its patterns lead through, hidden ones, too, and none of 10,000 others: the time of
// their last access says so, where the file system keeps it.
func TestWideOpensLittle(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	formatstest.Put(t, filepath.Join(home, ".config/Code", storage, "1793613600000/api_conversation_history.json"), task)
	formatstest.Put(t, filepath.Join(home, ".config/VSCodium/User/workspaceStorage/ab/chatSessions/a.json"), chat)
	formatstest.Put(t, filepath.Join(home, "package.json"), `{"requests":[]}`)
	var others []string
	for i := range 10_000 {
		dir := filepath.Join(home, fmt.Sprintf("d%d", i))
		switch i % 4 {
		case 1:
			dir = filepath.Join(home, ".config/Code/User", fmt.Sprintf("d%d", i))
		case 2:
			dir = filepath.Join(home, fmt.Sprintf(".d%d", i))
		case 3:
			dir = filepath.Join(home, "tasks", fmt.Sprintf("d%d", i))
		}
		must.Do(t, os.MkdirAll(dir, 0o755))
		others = append(others, dir)
	}
	old := time.Unix(1_000_000_000, 0)
	age := func() {
		for _, dir := range others {
			must.Do(t, os.Chtimes(dir, old, time.Now()))
		}
	}
	age()
	if _, err := os.ReadDir(others[0]); err != nil || accessed(t, others[0]).Equal(old) {
		t.Skipf("the file system does not keep when a directory was read: %v", err)
	}
	age()
	for name, found := range map[string]string{
		"roo": ".config/Code/" + storage + "1793613600000/api_conversation_history.json", "vscode": ".config/VSCodium/User/workspaceStorage/ab/chatSessions/a.json",
	} {
		at, err := format(t, name).About().Home(formats.Env{Getenv: func(string) string { return "" }, Home: home})
		if err != nil || at != home {
			t.Errorf("%s: %q, %v", name, at, err)
		}
		want(t, paths(t, format(t, name), home), found)
	}
	for _, dir := range others {
		if !accessed(t, dir).Equal(old) {
			t.Fatalf("%s was opened", dir)
		}
	}
}

// A source of a wide map is the home, one on another disk, or a directory below it that is called as the patterns have it, wherever it is.
func TestWideSources(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	const file = "1793613600000/api_conversation_history.json"
	formatstest.Put(t, filepath.Join(home, "AppData/Roaming/Code", storage, file), task)
	formatstest.Put(t, filepath.Join(home, "elsewhere/tasks", file), task)
	formatstest.Put(t, filepath.Join(home, "api_conversation_history.json"), task)
	formatstest.Put(t, filepath.Join(home, ".config/.old", storage, file), task) // which no star means
	f := format(t, "roo")
	want(t, paths(t, f, home), "AppData/Roaming/Code/"+storage+file)
	want(t, paths(t, f, filepath.Join(home, "AppData")), "Roaming/Code/"+storage+file)
	want(t, paths(t, f, filepath.Join(home, "elsewhere/tasks")), file)
	want(t, paths(t, f, filepath.Join(home, "elsewhere/tasks/1793613600000")), "api_conversation_history.json")
	want(t, paths(t, f, filepath.Join(home, "elsewhere")))
	link(t, filepath.Join(home, "elsewhere"), filepath.Join(home, ".config/elsewhere")) // and there is no editor in it
	want(t, paths(t, f, home), "AppData/Roaming/Code/"+storage+file)
}

// A hidden directory may be a link, as those of people who keep their settings in a repository are.
func TestHiddenLink(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	formatstest.Put(t, filepath.Join(home, "dotfiles/config/Code", storage, "1/api_conversation_history.json"), task)
	link(t, filepath.Join(home, "dotfiles/config"), filepath.Join(home, ".config"))
	want(t, paths(t, format(t, "roo"), home), ".config/Code/"+storage+"1/api_conversation_history.json")
}

// The first place below the home directory that is there counts, and else the first. A wide map has none unless a pattern leads to a directory.
func TestPlaces(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	env := func(set map[string]string) formats.Env {
		return formats.Env{Getenv: func(name string) string { return set[name] }, Home: home}
	}
	where := func(name string, set map[string]string) string {
		at, err := format(t, name).About().Home(env(set))
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
			return "none"
		}
		return strings.TrimPrefix(filepath.ToSlash(at), filepath.ToSlash(home))
	}
	for _, step := range []struct {
		make, name, want string
		set              map[string]string
	}{
		{"", "zed", "/.local/share/zed/threads", nil},
		{"", "vscode", "none", nil},
		{".config/Code/User", "vscode", "none", nil},
		{"Library/Application Support/Zed/threads", "zed", "/Library/Application Support/Zed/threads", nil},
		{".local/share/zed/threads", "zed", "/.local/share/zed/threads", nil},
		{"", "zed", "/x/zed/threads", map[string]string{"XDG_DATA_HOME": home + "/x"}},
		{".config/Code/User/workspaceStorage", "vscode", "none", nil},
		{".config/Code/User/workspaceStorage/ab/chatSessions", "vscode", "", nil},
		{".hidden/Code/User/globalStorage/x/tasks", "roo", "none", nil},
		{".vscode-server-insiders/data/User/globalStorage/x/tasks", "roo", "", nil},
	} {
		must.Do(t, os.MkdirAll(filepath.Join(home, step.make), 0o755))
		if got := where(step.name, step.set); got != step.want {
			t.Errorf("with %q, %s is at %q, want %q", step.make, step.name, got, step.want)
		}
	}
}

// Files beside a session are found by the name of its directory, above it, and in the one of some directories that has them.
func TestBesideNames(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	const file = "projects/w/agent-transcripts/s1/s1.jsonl"
	path := filepath.Join(home, filepath.FromSlash(file))
	formatstest.Put(t, path, `{"role":"user","message":{"content":[{"type":"text","text":"<user_query>\nhi\n</user_query>"}]}}`+"\n")
	cwd := func() string { return formatstest.One(t, format(t, "cursor"), source(path)).Info.CWD }
	if got := cwd(); got != "" {
		t.Errorf("with nothing beside it: %q", got)
	}
	formatstest.Put(t, filepath.Join(home, "chats/h1/other/meta.json"), `{"cwd":"/other"}`)
	formatstest.Put(t, filepath.Join(home, "chats/h2/s1/meta.json"), `{"cwd":"/w","title":"A title"}`)
	if got := cwd(); got != "/w" {
		t.Errorf("with one beside it: %q", got)
	}
	formatstest.Put(t, filepath.Join(home, "chats/h3/s1/meta.json"), `{"cwd":"/x"}`)
	if got := cwd(); got != "" {
		t.Errorf("with two, of which nothing tells which one it is: %q", got)
	}
	must.Do(t, os.RemoveAll(filepath.Join(home, "chats/h3")))
	must.Do(t, os.RemoveAll(filepath.Join(home, "chats/h2/s1")))
	must.Do(t, os.MkdirAll(filepath.Join(home, "chats/h2/s1"), 0o755))
	link(t, formatstest.File(t, "meta.json", `{"cwd":"/secret"}`), filepath.Join(home, "chats/h2/s1/meta.json"))
	if got := cwd(); got != "" {
		t.Errorf("a link leads out of the home: %q", got)
	}
}

// A document may be a list: its elements are the values behind an empty one, whatever they are, and what info returns reaches them.
func TestListDocument(t *testing.T) {
	t.Parallel()
	f, err := jqmap.Load(formatstest.File(t, "test.jq", `module {
  interface: 1, name: "test", summary: "tests", homes: ["~/.test"], files: ["*.json"], signs: ["say"], each: ".", kind: ["kind"]
};
def detect: .[0] == {} and .[1].kind == "say";
def info: {mine: {n: (.values | length)}};
def value: if $kind == "say" then user([text("\(.text) of \($info.mine.n)")]) elif $kind == "end" or . == {} then skip else empty end;
`))
	must.Do(t, err)
	const list = `[{"kind":"say","text":"one"},` + "\n" + `{"kind":"say","text":"two"}, 7, {"kind":"other"}]` + "\n"
	if !f.Detect("x", []byte(list)) || f.Detect("x", []byte(`{"kind":"say"}`+"\n")) {
		t.Error("it is not detected as what it is")
	}
	r := formatstest.One(t, f, source(formatstest.File(t, "s.json", list)))
	var got []string
	for _, e := range r.Session(t).Entries {
		m, _ := e.Message()
		got = append(got, e.Type()+" "+m.Text(""))
	}
	want(t, got, "message one of 4", "message two of 4", "custom ", "custom ")
	for _, l := range r.Losses {
		if l.Kind != formats.KindEntry || !strings.Contains(l.Where, ": element ") || strings.HasSuffix(l.Where, " of .") {
			t.Errorf("%+v", l)
		}
	}
	other := formatstest.One(t, f, source(formatstest.File(t, "s.json", strings.Replace(list, "one", "three", 1))))
	if r.Info.ID == other.Info.ID {
		t.Error("two sessions have one id, made of the empty value")
	}
	for at := 1; at < len(list)-2; at++ {
		if results, err := formatstest.TryAll(t.Context(), f, source(formatstest.File(t, "s.json", list[:at]))); err == nil || len(results) > 0 {
			t.Fatalf("%d bytes of it are read: %v", at, results)
		}
	}
}
