package all_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/jqmap"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

func named(t *testing.T, list []formats.Format, name string) formats.Format {
	t.Helper()
	f, ok := formats.Lookup(list, name)
	if !ok {
		t.Fatalf("no format %s", name)
	}
	return f
}

const clawed = `{"type":"session","version":3,"id":"ID","timestamp":"2026-11-02T10:00:00.000Z","cwd":"/w/p"}
{"type":"message","id":"u1","parentId":null,"timestamp":"2026-11-02T10:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"Fix the parser."}],"timestamp":1793613601000}}
`

const claw = `module {
  interface: 1, name: "claw", summary: "sessions of Claw", like: "pi", program: "Claw",
  homes: ["~/.claw"], files: ["*/sessions/*.jsonl"], except: ["*.checkpoint.*.jsonl", "*.trajectory.jsonl"]
};
`

// Sessions of a map that is like pi are pi's files in other places, but for those it excepts: each is listed, found and read as pi's
// reader has it.
func TestLikePi(t *testing.T) {
	t.Parallel()
	home, maps := t.TempDir(), t.TempDir()
	formatstest.Put(t, filepath.Join(maps, "claw.jq"), claw)
	for _, file := range []string{"main/sessions/s1.jsonl", "other/sessions/s2.jsonl", "main/sessions/s1.checkpoint.11111111-1111-4111-8111-111111111111.jsonl", "main/sessions/s1.trajectory.jsonl", "main/qmd/s3.jsonl"} {
		id, _, _ := strings.Cut(filepath.Base(file), ".")
		formatstest.Put(t, filepath.Join(home, file), strings.Replace(clawed, "ID", id, 1))
	}
	formatstest.Put(t, filepath.Join(home, "main/sessions/broken.jsonl"), "no session\n")
	list := jqmap.Liken(append(all.Formats(), jqmap.Own(maps)...))
	claw, pi := named(t, list, "claw"), named(t, list, "pi")
	a := formatstest.Open(t, claw, &formats.Source{Path: home})
	var got []string
	for info, err := range a.List(t.Context(), formats.Query{Details: true}) {
		below, _ := filepath.Rel(home, info.Path)
		if got = append(got, below+" "+info.ID); err != nil {
			continue
		}
		want := formatstest.One(t, pi, &formats.Source{Path: info.Path})
		if r := formatstest.Read(t, claw, a, info); r.Text() != want.Text() {
			t.Errorf("%s is read as\n%s\nand by pi's reader as\n%s", info.Path, r.Text(), want.Text())
		}
	}
	if want := []string{"main/sessions/broken.jsonl ", "main/sessions/s1.jsonl s1", "other/sessions/s2.jsonl s2"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	for id, want := range map[string]string{"s1": "s1", "s2": "s2", "s3": ""} {
		if info, _ := formats.Find(t.Context(), a, id); info.ID != want {
			t.Errorf("%s is found as %q", id, info.ID)
		}
	}
	newest := 0
	for info := range a.List(t.Context(), formats.Query{Newest: 1}) {
		if info.ID != "" {
			newest++
		}
	}
	if newest > 1 {
		t.Errorf("%d files were opened, and one was asked for", newest)
	}
	about := claw.About()
	if about.Native || !about.ReadOnly || !about.Grows || about.Kept() != "pi" || claw.Detect("s1.jsonl", []byte(clawed)) {
		t.Errorf("%+v", about)
	}
}

// Kilo's database is one of opencode by another name.
func TestLikeOpencode(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	database := string(corpus.Golden(t, "opencode/databases-1.18")["07-subagent.db"])
	formatstest.Put(t, filepath.Join(home, "kilo/kilo.db"), database)
	kilo, opencode := named(t, all.Formats(), "kilo"), named(t, all.Formats(), "opencode")
	got := formatstest.Import(t, kilo, &formats.Source{Path: filepath.Join(home, "kilo")}, true)
	want := formatstest.Import(t, opencode, &formats.Source{Path: formatstest.File(t, "opencode.db", database)}, true)
	if len(got) == 0 || len(got) != len(want) {
		t.Fatalf("%d sessions, and %d of opencode", len(got), len(want))
	}
	for i, r := range got {
		if r.Text() != want[i].Text() {
			t.Errorf("%s differs:\n%.2000s\nwant\n%.2000s", r.Info.ID, r.Text(), want[i].Text())
		}
	}
}

// A map of the user's may be like a format, and not like itself, like nothing, or like one that is like another.
func TestLikeOwn(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	for name, like := range map[string]string{"mine": "pi", "himself": "himself", "nothing": "nobody", "twice": "kilo"} {
		formatstest.Put(t, filepath.Join(dir, name+".jq"), `module {interface: 1, name: "`+name+`", summary: "s", like: "`+like+`", homes: ["~/.mine"], files: ["*.jsonl"]`+"\n};\n")
	}
	formatstest.Put(t, filepath.Join(home, "s1.jsonl"), strings.Replace(clawed, "ID", "s1", 1))
	list := all.Known(dir)
	for name, told := range map[string]string{"mine": "", "himself": "no format himself has sessions of its own", "nothing": "no format nobody", "twice": "no format kilo has sessions of its own"} {
		results, err := formatstest.TryAll(t.Context(), named(t, list, name), &formats.Source{Path: home})
		if told == "" && (err != nil || len(results) != 1) || told != "" && (err == nil || !strings.Contains(err.Error(), told)) {
			t.Errorf("%s: %d sessions, %v", name, len(results), err)
		}
	}
	if kept := named(t, list, "mine").About().Kept(); kept != "pi" {
		t.Errorf("its entries are called %s", kept)
	}
}
