package opencode

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/formatstest"
)

// What opencode refuses to import is read as far as it can be, and then written as
// opencode takes it.
func TestRefused(t *testing.T) {
	t.Parallel()
	whole := []string{`["user","q1"]`, `["assistant","a1"]`, `["user","q2"]`, `["assistant","a2"]`}
	want := map[string][]string{
		"o02-no-slug":             whole,
		"o03-no-version":          whole,
		"o05-null-optionals":      whole,
		"o06-id-wrong-prefix":     whole,
		"o11-msg-times-float":     whole,
		"o19-tool-no-title":       {`["user","q1"]`, `["assistant","",[["c1","bash","{\"command\":\"ls\"}"]]]`, `["tool","c1","OUT"]`},
		"o20-tool-input-string":   {`["user","q1"]`, `["assistant","",[["c1","bash","{\"input\":\"raw string\"}"]]]`, `["tool","c1","OUT"]`},
		"o23-reasoning-no-time":   {`["user","q1"]`, `["assistant","a"]`},
		"o27-user-no-model":       {`["user","q1"]`, `["assistant","a"]`},
		"o29-assistant-no-parent": {`["user","q1"]`, `["assistant","a"]`},
		"o30-assistant-no-tokens": {`["user","q1"]`, `["assistant","a"]`},
		"o33-unknown-part-type":   {`["user","q1"]`, `["assistant","a"]`},
		"o48-jsonl-not-json":      nil,
		"o49-share-format":        whole,
	}
	files := exports(t)
	for _, name := range names(files, ".refused") {
		list, ok := want[name]
		switch data := files[name+".json"]; {
		case !ok:
			t.Errorf("%s: nothing is said of it", name)
		case list == nil:
			_, err := open(t, write(t, "e.json", data))
			if err == nil || !strings.Contains(err.Error(), "e.json: at byte ") {
				t.Errorf("%s: %v", name, err)
			}
		default:
			r := importOne(t, data)
			if diff := cmp.Diff(list, said(t, r.Session(t))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
	if got := len(names(files, ".refused")); got != len(want) {
		t.Errorf("%d samples are refused, %d are known", got, len(want))
	}
}

// open reads the only session of a source.
func open(t testing.TB, src *formats.Source) (r formatstest.Result, err error) {
	t.Helper()
	rs, err := formatstest.TryAll(t.Context(), Format, src)
	return append(rs, r)[0], err
}

// Every sample that can be read says the same when it was written, and after that ceases to
// change.
func TestSamplesThereAndBack(t *testing.T) {
	t.Parallel()
	files := exports(t)
	for _, name := range names(files, ".json") {
		if name == "o48-jsonl-not-json" {
			continue
		}
		first := importOne(t, files[name+".json"])
		text, _ := export(t, first)
		second := importOne(t, []byte(text))
		again, losses := export(t, second)
		if diff := cmp.Diff(said(t, first.Session(t)), said(t, second.Session(t))); diff != "" {
			t.Errorf("%s: what is said changes:\n%s", name, diff)
		}
		if again != text || len(losses) > 0 {
			t.Errorf("%s: it goes on changing: %q\n%s", name, losses, cmp.Diff(text, again))
		}
	}
}
