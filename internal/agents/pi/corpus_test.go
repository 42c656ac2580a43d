package pi_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/pi"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

// writers are the versions that wrote the sessions of the corpus.
var writers = map[string]string{
	"pi/genuine/0.73": "pi-0.73", "pi/genuine/1.5": "pi-0.87", "omp/13": "omp-13", "omp/18": "omp-18", "omp/genuine/out13": "omp-13", "omp/genuine/out13-compact": "omp-13",
	"omp/genuine/out18": "omp-18", "omp/genuine/out18-compact": "omp-18",
}

func TestLaws(t *testing.T) {
	t.Parallel()
	sources, versions := map[string]string{}, map[string]string{}
	for dir, version := range writers {
		for _, path := range corpus.Sessions(t, dir) {
			name := strings.ReplaceAll(dir, "/", " ") + " " + filepath.Base(path)
			sources[name], versions[name] = string(corpus.Session(t, path)), version
		}
	}
	if len(sources) < 20 {
		t.Errorf("only %d sessions", len(sources))
	}
	formatstest.Laws(t, pi.Omp, formatstest.Corpus{
		Sources: sources, File: "s.jsonl", Lines: true, Lax: true, // forks of pi 0.73 miss parents
		Usage:   usage,
		Version: func(name string) string { return versions[name] },
		IDs:     []*regexp.Regexp{regexp.MustCompile(`"id":"([0-9a-f]{8})"`), regexp.MustCompile(`"toolCallId":"([^"]+)"`)},
	})
}

// usage sums up the replies and the summaries of a session.
func usage(source string) (input, output int64) {
	for line := range strings.Lines(source) {
		for _, v := range []js.Value{js.Value(strings.TrimSpace(line)), js.Value(line).Get("message")} {
			input, output = input+v.Get("usage").Get("input").Int(), output+v.Get("usage").Get("output").Int()
		}
	}
	return input, output
}

// A session that is called by its whole id is found by the name of its file, if that
// does not lie, and nothing else is opened.
func TestFindByName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	session := func(id string) string {
		return `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" +
			`{"type":"session_info","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","name":"name of ` + id + `"}` + "\n"
	}
	for name, content := range map[string]string{
		"p/2026_aaaa1111.jsonl": session("aaaa1111"),
		"p/2026_aaaa2222.jsonl": session("aaaa2222"),
		"p/2026_bbbb1111.jsonl": session("bbbb9999"), // lies
		"q/2026_bbbb2222.jsonl": session("bbbb2222"),
		"q/2027_bbbb2222.jsonl": session("bbbb2222"), // twice
		"q/2026_broken01.jsonl": "hello\n",
		"q/2026_broken02.jsonl": "hello\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		formatstest.Put(t, path, content)
	}
	a := formatstest.Open(t, pi.Pi, &formats.Source{Path: dir})
	for _, tt := range []struct {
		id, want string // what is found, or the error
		opened   int    // how many sessions are listed for it, those that are none included
	}{
		{"aaaa1111", "aaaa1111", 1},
		{"bbbb9999", "bbbb9999", 1},
		{"bbbb1111", "no such session bbbb1111", 7},
		{"bbbb2222", "bbbb2222 means 2 sessions: " + filepath.Join(dir, "q", "2026_bbbb2222.jsonl") + ", ", 2},
		{"broken01", "no such session broken01", 7},
		{"aaaa", "aaaa means 2 sessions", 2},
		{"aaaa2", "aaaa2222", 1},
		{"name of aaaa1111", "aaaa1111", 7},
		{"1111", "no such session 1111", 7},
	} {
		opened := 0
		for info, err := range a.List(t.Context(), formats.Query{ID: tt.id}) {
			isName := strings.Contains(tt.id, " ")
			if opened++; err == nil && !strings.HasPrefix(info.ID, tt.id) && (info.Name == "name of "+info.ID) != isName {
				t.Errorf("%s: listed with details: %t, want %t: %+v", tt.id, !isName, isName, info)
			}
		}
		info, err := formats.Find(t.Context(), a, tt.id)
		got := info.ID
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, tt.want) || opened != tt.opened {
			t.Errorf("%s: %q, %d listed", tt.id, got, opened)
		}
	}
}
