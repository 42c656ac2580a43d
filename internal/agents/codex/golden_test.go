package codex_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/session"
)

// again are those that codex compacted once more before it sent anything, because its
// model had become another one.
var again = []string{"03-resumed__3800"}

// unpacked returns a directory with the samples: a home of codex, variants of rollouts, and
// what codex sent of each.
func unpacked(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range corpus.Golden(t, "codex/rollouts/0.169") {
		if strings.HasSuffix(name, "/") {
			continue
		}
		write(t, filepath.Join(dir, filepath.FromSlash(name)), string(data))
	}
	return dir
}

func write(t testing.TB, path, content string) string {
	t.Helper()
	formatstest.Put(t, path, content)
	return path
}

// TestGolden compares the context of each sample with what codex 0.169 sent of it.
func TestGolden(t *testing.T) {
	t.Parallel()
	compareAll(t, unpacked(t))
}

func compareAll(t *testing.T, dir string) {
	t.Helper()
	briefs, err := filepath.Glob(filepath.Join(dir, "golden", "*.brief"))
	if err != nil || len(briefs) == 0 {
		t.Fatalf("%q, %v", briefs, err)
	}
	all := rollouts(t, dir)
	for _, brief := range briefs {
		name := strings.TrimSuffix(filepath.Base(brief), ".brief")
		t.Run(name, func(t *testing.T) {
			path := rolloutFor(t, all, name)
			data, err := os.ReadFile(brief)
			if err != nil {
				t.Fatal(err)
			}
			if name == "v16-no-session-meta" {
				refused(t, path)
				return
			}
			r := one(t, path)
			if len(data) == 0 {
				return // codex refuses it, and we do not
			}
			compare(t, name, briefOf(r.Session(t)), readBrief(t, data))
		})
	}
}

// rolloutFor returns the rollout that a golden answer is for: of a genuine one its name is
// that of the conversation, and the end of the id.
func rolloutFor(t *testing.T, all []string, name string) string {
	t.Helper()
	_, end, genuine := strings.Cut(name, "__")
	for _, path := range all {
		base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".zst"), ".jsonl")
		if base == name || genuine && strings.HasPrefix(base, "rollout-") && strings.HasSuffix(base, end) && !strings.Contains(path, "before") && !strings.Contains(path, "migrated"+string(filepath.Separator)+"rollout") {
			return path
		}
	}
	t.Fatalf("no rollout for %s", name)
	return ""
}

func refused(t *testing.T, path string) {
	t.Helper()
	a := formatstest.Open(t, codex.Format, &formats.Source{Path: path})
	for _, err := range a.List(t.Context(), formats.Query{}) {
		if !errors.Is(err, session.ErrMalformed) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v", err)
		}
	}
}

func compare(t *testing.T, name string, got, want [][]string) {
	t.Helper()
	if slices.Contains(again, name) {
		got, want = usersOf(got), usersOf(want)
	}
	shortened(got, want)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-codex +sess):\n%s", diff)
	}
}

// A name may be spelled with escapes: "\u0069d" is id as well, on every level that is read.
func TestEscapedNames(t *testing.T) {
	const text = `{"\u0074ype":"session_meta","payload":{"\u0069d":"0199a0b0-0000-7000-8000-000000000001","c\u0077d":"/w","timestamp":"2026-01-02T03:04:05.000Z"}}
{"timestamp":"2026-01-02T03:04:06.000Z","type":"response_item","\u0070ayload":{"\u0074ype":"message","\u0072ole":"user","\u0063ontent":[{"\u0074ype":"input_text","\u0074ext":"hello"}]}}
`
	src := &formats.Source{Stdin: strings.NewReader(text)}
	got := formatstest.Import(t, codex.Format, src, false)
	if len(got) != 1 || got[0].Info.CWD != "/w" || !strings.Contains(got[0].Text(), `"text":"hello"`) {
		t.Fatalf("%+v", got)
	}
}

const exits = `{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"session_id":"019b7ca9-8f2e-7063-834b-74487a82aa03","id":"019b7ca9-8f2e-7063-834b-74487a82aa03","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w","originator":"codex","cli_version":"0.169.0","source":"cli"}}
{"timestamp":"2026-01-02T03:04:06.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"exit 3\"}","call_id":"c1"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"true\"]}","call_id":"c2"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"false\"]}","call_id":"c3"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"false\"]}","call_id":"c4"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"function_call","name":"read","arguments":"{}","call_id":"c5"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{}","call_id":"c6"}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOriginal token count: 0\nOutput:\n"}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c2","output":"Exit code: 0\nWall time: 0 seconds\nOutput:\nExit code: 7"}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c3","output":"Exit code: 1\nWall time: 0 seconds\nOutput:\n"}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c4","output":"{\"output\":\"x\",\"metadata\":{\"exit_code\":2,\"duration_seconds\":0.1}}"}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c5","output":"Exit code: 1 is what it says"}}
{"timestamp":"2026-01-02T03:04:09.000Z","type":"event_msg","payload":{"type":"error","message":"You've hit your usage limit.","codex_error_info":"usage_limit_exceeded"}}
`

// A command that failed is an error by its exit code, one that never answered is neither a
// result nor a failure, and an error of the provider's is the answer.
func TestExits(t *testing.T) {
	t.Parallel()
	path := formatstest.File(t, "rollout-2026-01-02T03-04-05-019b7ca9-8f2e-7063-834b-74487a82aa03.jsonl", exits)
	s := formatstest.Import(t, codex.Format, &formats.Source{Path: path}, false)[0].Session(t)
	var got []string
	for _, e := range s.Entries {
		m, ok := e.Message()
		switch {
		case !ok:
		case m.Role() == "toolResult":
			got = append(got, m.Str("toolCallId")+" "+m.Get("isError")+" "+map[bool]string{true: "failed", false: "-"}[m.IsError()]+" "+m.Get("details"))
		case m.Failed():
			got = append(got, m.Str("stopReason")+" "+m.Str("errorMessage"))
		}
	}
	want := []string{
		`c6 true - {"madeUp":true}`, `c1 true failed {"exitCode":3}`, `c2 false - {"exitCode":0}`, `c3 true failed {"exitCode":1}`, `c4 true failed {"exitCode":2}`,
		`c5 false - `, `error You've hit your usage limit.`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	back, losses := formatstest.Export(t, codex.Format, s, "")
	if back != exits || len(losses) > 0 {
		t.Errorf("it came back as\n%s\n%v", back, losses)
	}
}
