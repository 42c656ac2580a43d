package claude_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/claude"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
)

// A store lists the sessions of its projects, and those of sub-agents with the
// session that started them; what is no session hides none.
func TestStore(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	home, err := claude.Claude.About().Home(formats.Env{Getenv: func(name string) string {
		return map[string]string{"CLAUDE_CONFIG_DIR": config}[name]
	}})
	if err != nil || home != filepath.Join(config, "projects") {
		t.Fatalf("%s, %v", home, err)
	}
	const main, sub = "d449e3ab-d416-4c7b-9153-0c74b4d58ab2", "agent-aff0c0e3cc0cc8587"
	genuine := filepath.Join(corpus.Dir(), "claude", "genuine")
	for name, text := range map[string]string{
		"-tmp-w/" + main + ".jsonl":                                  must.Read(t, filepath.Join(genuine, "agent.jsonl")),
		"-tmp-w/" + main + "/subagents/" + sub + ".jsonl":            must.Read(t, filepath.Join(genuine, sub+".jsonl")),
		"-tmp-w/" + main + "/tool-results/x.jsonl":                   "{}\n",
		"-tmp-w/" + main + "/tool-results/a/b/agent-x.jsonl":         "{}\n",
		"-tmp-w/" + main + "/subagents/workflows/wf_1/journal.jsonl": "{}\n",
		"-tmp-w/" + main + "/subagents/workflows/wf_1/agent-abc.jsonl": strings.ReplaceAll(
			must.Read(t, filepath.Join(genuine, sub+".jsonl")), sub[len("agent-"):], "abc"),
		"-tmp-w/memory/notes.md":                                "x",
		"-tmp-x/00000000-0000-4000-8000-000000000000.jsonl":     "",
		"-tmp-x/00000000-0000-4000-8000-000000000001.jsonl":     "words\n",
		"-tmp-x/sessions-index.json":                            "{}",
		"-tmp-x/00000000-0000-4000-8000-000000000002.jsonl.bak": "x",
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		formatstest.Put(t, path, text)
	}
	a := formatstest.Open(t, claude.Claude, &formats.Source{Path: home})
	for _, details := range []bool{false, true} {
		var got []string
		for info, err := range a.List(t.Context(), formats.Query{Details: details}) {
			if err != nil {
				if info.Path == "" || !strings.HasPrefix(err.Error(), info.Path) {
					t.Errorf("%s: %v", info.Path, err)
				}
				got = append(got, "!")
				continue
			}
			got = append(got, info.ID+" "+info.ParentSession+" "+info.CWD)
			formatstest.Read(t, claude.Claude, a, info)
			if details && (info.Messages == 0 || info.FirstMessage == "" || info.Modified.Before(info.Created)) {
				t.Errorf("%+v", info)
			}
		}
		want := []string{sub + " " + main + " /tmp/w", "agent-abc " + main + " /tmp/w", main + "  /tmp/w", "!", "!"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if info, err := formats.Find(t.Context(), a, main[:8]); err != nil || info.ID != main {
		t.Errorf("%s, %v", info.ID, err)
	}
}

// A file goes where Claude Code looks for it, under an id that it takes.
func TestPlace(t *testing.T) {
	t.Parallel()
	projects := filepath.Join(t.TempDir(), "projects")
	if err := os.Mkdir(projects, 0o700); err != nil {
		t.Fatal(err)
	}
	s := formatstest.Parse(t, `{"type":"session","version":3,"id":"mine","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/a/b.c_d","title":"Named"}`+"\n")
	target := formats.NewTarget(func(l formats.Loss) { t.Error(l) })
	target.Path = projects
	if err := claude.Claude.Export(t.Context(), s, target); err != nil {
		t.Fatal(err)
	}
	id := formats.SessionID("claude", "mine")
	if want := filepath.Join(projects, "-a-b-c-d", id+".jsonl"); !cmp.Equal(target.Made, []string{want}) {
		t.Errorf("made %q", target.Made)
	}
	if text := must.Read(t, target.Made[0]); text != fmt.Sprintf(`{"type":"custom-title","customTitle":"Named","sessionId":%q}`+"\n", id) {
		t.Errorf("%s", text)
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, path := range samples(t) {
		data := []byte(must.Read(t, path))
		for _, n := range []int{len(data), len(data) / 2} {
			if !claude.Claude.Detect(path, data[:n]) {
				t.Errorf("%s, %d bytes: not detected", path, n)
			}
		}
	}
	for text, want := range map[string]bool{
		`{"parentUuid":null,"isSidechain":false,"type":"user","message":{"content":"` + strings.Repeat("x", 70_000):                           true,
		"{\"type\":\"mode\"}\n" + `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"content":"` + strings.Repeat("x", 70_000): true,
		`{"type":"summary","summary":"x","leafUuid":"y"}` + "\n":                                                                              true,
		`{"type":"summary","summary":"x"}` + "\n":                                                                                             false,
		`{"type":"session","version":3,"id":"x"}` + "\n":                                                                                      false,
		`{"uuid":"x","sessionId":"y"}` + "\n":                                                                                                 false,
	} {
		if got := claude.Claude.Detect("x", []byte(text)); got != want {
			t.Errorf("%.60s: %t", text, got)
		}
	}
}

// The name that counts is the user's, then the model's, then a summary's of this
// session.
func TestTitle(t *testing.T) {
	t.Parallel()
	const user = `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"x"},"uuid":"a","timestamp":"2026-11-21T10:00:01.000Z","cwd":"/w","sessionId":"s"}` + "\n"
	const other, own = `{"type":"summary","summary":"other","leafUuid":"z"}` + "\n", `{"type":"summary","summary":"own","leafUuid":"a"}` + "\n"
	const ai, custom = `{"type":"ai-title","aiTitle":"ai","sessionId":"s"}` + "\n", `{"type":"custom-title","customTitle":"custom","sessionId":"s"}` + "\n"
	for text, want := range map[string]string{
		other + user: "", user + own + other: "own", own + user: "own", user + ai + own: "ai", user + custom + ai + own: "custom", user + ai + custom: "custom",
	} {
		s, lost := imported(t, text)
		if got := session.NameOf(s.Header, s.Entries); got != want || len(lost) > 0 {
			t.Errorf("%s: %q, %v", text, got, lost)
		}
		if out := exported(t, s); out != text {
			t.Errorf("%s became %s", text, out)
		}
	}
}

// A fork is written with an id of its own, and what was added to a session comes
// behind what was imported.
func TestContinued(t *testing.T) {
	t.Parallel()
	path := filepath.Join(corpus.Dir(), "claude", "genuine", "tools.jsonl")
	r := formatstest.One(t, claude.Claude, &formats.Source{Path: path})
	s := r.Session(t)
	leaf, _ := s.Leaf()
	const fork = "11111111-1111-4111-8111-111111111111"
	text := strings.Replace(r.Text(), `"id":"`+s.Header.ID+`"`, `"parentSession":"x","id":"`+fork+`"`, 1) +
		fmt.Sprintf(`{"type":"message","id":"abcd1234","parentId":%q,"timestamp":"2026-11-22T10:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"on"}],"timestamp":1}}`, s.Entries[leaf].ID()) + "\n"
	s = formatstest.Parse(t, text)
	out := exported(t, s)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	before := strings.Split(strings.TrimSuffix(strings.ReplaceAll(must.Read(t, path), s.Header.ID, fork), "\n"), "\n")
	if len(lines) != len(before)+1 || strings.Contains(out, `"sessionId":"`+r.Info.ID) || !strings.Contains(lines[len(lines)-1], `"content":"on"`) {
		t.Errorf("%d lines of %d, the last %s", len(lines), len(before), lines[len(lines)-1])
	}
	want, _ := shown(t, s)
	back, _ := imported(t, out)
	got, _ := shown(t, back)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What cannot be said there is told, once for each kind.
func TestLosses(t *testing.T) {
	t.Parallel()
	const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
	for entry, want := range map[string]string{
		`{"type":"message","id":"a","parentId":null,"message":{"role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"y"}]}}`:                                        formats.KindThinking,
		`{"type":"message","id":"a","parentId":null,"message":{"role":"assistant","api":"openai","content":[{"type":"thinking","thinking":"x","thinkingSignature":"c"},{"type":"text","text":"y"}]}}`: formats.KindThinking,
		`{"type":"message","id":"a","parentId":null,"message":{"role":"system","content":"x"}}`:                                                                                                       formats.KindSystem,
		`{"type":"message","id":"a","parentId":null,"message":{"role":"bashExecution","command":"ls","output":"x","exitCode":0}}`:                                                                     "",
		`{"type":"message","id":"a","parentId":null,"message":{"role":"bashExecution","command":"ls","output":"x","excludeFromContext":true}}`:                                                        formats.KindRole,
		`{"type":"message","id":"a","parentId":null,"message":{"role":"assistant","content":[]}}`:                                                                                                     formats.KindText,
		`{"type":"context_edit","id":"a","parentId":null,"targetId":"b","replacement":null}`:                                                                                                          formats.KindContext,
		`{"type":"label","id":"a","parentId":null,"targetId":"b","label":"x"}`:                                                                                                                        formats.KindEntry,
		`{"type":"custom_message","id":"a","parentId":null,"customType":"x","content":"y","display":true}`:                                                                                            formats.KindRole,
		`{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"x"}}`:                                                                                                         "",
		`{"type":"message","id":"a","parentId":null,"message":{"role":"assistant","content":[{"type":"text","text":"half"}],"stopReason":"aborted"}}`:                                                 "",
	} {
		s := formatstest.Parse(t, head+entry+"\n"+`{"type":"message","id":"z","parentId":null,"message":{"role":"user","content":"x"}}`+"\n")
		_, losses := formatstest.Export(t, claude.Claude, s, "")
		kinds := ""
		for _, l := range losses {
			kinds += l.Kind
		}
		if kinds != want {
			t.Errorf("%s: lost %q, want %q", entry, kinds, want)
		}
	}
}
