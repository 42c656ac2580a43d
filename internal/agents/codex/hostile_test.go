package codex_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/session"
)

const (
	thread = "019c0000-0000-7000-8000-000000000001"
	meta   = `{"timestamp":"2026-02-03T04:05:06.000Z","type":"session_meta","payload":{"id":"` + thread + `","timestamp":"2026-02-03T04:05:06.000Z","cwd":"/w","originator":"x","cli_version":"0"}}` + "\n"
	called = `{"type":"response_item","payload":{"type":"function_call","name":"x","call_id":"c","arguments":"{}"}}` + "\n"
	asked  = `{"timestamp":"2026-02-03T04:05:07.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"q1"}]}}` + "\n"
)

func based(id string, end int) string {
	return strings.Replace(meta, `"cwd"`, fmt.Sprintf(`"history_mode":"paginated","history_base":{"thread_id":"%s","end_ordinal_exclusive":2,"end_byte_offset":%d},"cwd"`, id, end), 1)
}

// Each source is refused with an error that names it, or read with losses that do; and it
// stays as it is.
func TestHostile(t *testing.T) {
	t.Parallel()
	const file = "rollout-2026-02-03T04-05-06-" + thread + ".jsonl"
	const other = "019c0000-0000-7000-8000-00000000000b"
	deep := strings.Repeat("[", 20_000)
	tests := map[string]struct {
		content string
		name    string
		err     string // "" for none
		loss    string
		says    []string // texts of the context, if there is no error
	}{
		"empty":           {content: "", err: "empty"},
		"blank":           {content: "\n\r\n \n", err: "empty"},
		"words":           {content: "hello\n", err: "not a rollout"},
		"number":          {content: "17\n", err: "not a rollout"},
		"pi":              {content: `{"type":"session","version":3,"id":"s"}` + "\n", err: "not a rollout"},
		"no id":           {content: strings.Replace(meta, `"id"`, `"no"`, 1), err: "no id of a session"},
		"null id":         {content: strings.Replace(meta, `"`+thread+`"`, `null`, 1), err: "no id of a session"},
		"torn meta":       {content: meta[:80], err: "not a rollout"},
		"meta alone":      {content: meta},
		"no line feed":    {content: meta + asked[:len(asked)-1], says: []string{"q1"}},
		"torn":            {content: meta + asked + asked[:60], loss: ":3: torn last line", says: []string{"q1"}},
		"garbage between": {content: meta + "\x00\x00\x00\n" + asked, loss: ":2: not JSON", says: []string{"q1"}},
		"deep":            {content: meta + deep + "\n" + asked, loss: ":2: not JSON", says: []string{"q1"}},
		"deep arguments": {
			content: meta + `{"type":"response_item","payload":{"type":"function_call","name":"x","call_id":"c","arguments":"` + `{\"a\":` + deep + strings.Repeat("]", 20_000) + `}"}}` + "\n" + asked,
			says:    []string{"aborted", "q1"},
		},
		"huge numbers": {content: meta + `{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":99999999999999999999999999}}` + "\n" +
			`{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":1e999,"total_tokens":-5}}}}` + "\n" + asked, says: []string{"q1"}},
		"back too far":        {content: meta + asked + `{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":4000000000}}` + "\n"},
		"invalid UTF-8":       {content: meta + strings.Replace(asked, "q1", "q\xff", 1), loss: ":2: invalid UTF-8", says: []string{"q\ufffd"}},
		"NUL":                 {content: meta + strings.Replace(asked, "q1", `q\u0000`, 1), says: []string{"q\x00"}},
		"half of a pair":      {content: meta + strings.Replace(asked, "q1", `q\ud800`, 1), says: []string{"q\xed\xa0\x80"}},
		"placeholders":        {content: meta + asked + strings.Replace(asked, `"q1"`, "0", 1), loss: "content of type", says: []string{"q1", ""}},
		"wrong shapes":        {content: meta + `{"type":"response_item","payload":[]}` + "\n" + `{"type":"compacted","payload":7}` + "\n" + `{"type":"turn_context","payload":{"model":[],"effort":{}}}` + "\n" + asked, says: []string{"", "q1"}, loss: "a compaction whose summary is not in the file"},
		"strange id":          {content: strings.ReplaceAll(meta, thread, "../../etc/passwd") + asked, name: "x.jsonl", says: []string{"q1"}},
		"missing base":        {content: based(other, 10), err: "goes on from rollout " + other + ", which is neither beside it"},
		"base is itself":      {content: based(thread, 10), err: "in a circle"},
		"not zstd":            {content: "\x28\xb5\x2f\xfdgarbage", name: file + ".zst", err: "reading "},
		"late result":         {content: meta + called + asked + `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"out"}}` + "\n", says: []string{"q1", "out"}},
		"no result":           {content: meta + called + asked, says: []string{"aborted", "q1"}},
		"result twice":        {content: meta + called + strings.Repeat(`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"out"}}`+"\n", 2), says: []string{"out"}},
		"hidden in directory": {content: meta + asked, says: []string{"q1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := tt.name
			if base == "" {
				base = file
			}
			path := write(t, filepath.Join(t.TempDir(), base), tt.content)
			r, err := only(t, &formats.Source{Path: path})
			switch {
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err) || !strings.Contains(err.Error(), path)):
				t.Errorf("error %v, want one with %q that names the file", err, tt.err)
			case tt.err == "" && err != nil:
				t.Error(err)
			case tt.err == "":
				var says []string
				for _, m := range messages(r.Session(t)) {
					if text := m.Text(""); m.Role() != session.RoleAssistant {
						says = append(says, text)
					}
				}
				if strings.Join(says, "|") != strings.Join(tt.says, "|") {
					t.Errorf("says %q, want %q", says, tt.says)
				}
				if got := fmt.Sprint(r.Losses); tt.loss == "" && len(r.Losses) > 0 || !strings.Contains(got, tt.loss) {
					t.Errorf("losses %s, want one with %q", got, tt.loss)
				}
			}
			if damaged := strings.Contains(fmt.Sprint(r.Losses), "skipped") || strings.Contains(fmt.Sprint(r.Losses), "UTF-8"); err == nil && !damaged {
				if out := exported(t, r.Session(t), ""); out != strings.TrimSuffix(tt.content, "\n")+"\n" {
					t.Errorf("it comes back as\n%s", out)
				}
			}
			data, _ := os.ReadFile(path)
			if sha256.Sum256(data) != sha256.Sum256([]byte(tt.content)) {
				t.Error("the source has changed")
			}
			if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
				t.Errorf("beside the source: %v", left)
			}
		})
	}
}

// only reads the only session of a source.
func only(t testing.TB, src *formats.Source) (formatstest.Result, error) {
	t.Helper()
	rs, err := formatstest.TryAll(t.Context(), codex.Format, src)
	return append(rs, formatstest.Result{})[0], err
}

// Where the base ends in the middle of a line, codex begins anew, and so do we.
func TestWrongOffset(t *testing.T) {
	t.Parallel()
	const later = "019c0000-0000-7000-8000-00000000000c"
	dir := t.TempDir()
	write(t, filepath.Join(dir, "rollout-2026-02-03T04-05-06-"+thread+".jsonl"), meta+asked)
	for offset, want := range map[int]string{len(meta + asked): "q1|q2", len(meta): "q2", len(meta) + 5: "q2", 0: "q2", 1 << 40: "q2"} {
		path := filepath.Join(dir, "rollout-2026-02-04T04-05-06-"+later+".jsonl")
		write(t, path, strings.ReplaceAll(based(thread, offset), `"id":"`+thread, `"id":"`+later)+strings.Replace(asked, "q1", "q2", 1))
		r, err := only(t, &formats.Source{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		var says []string
		for _, m := range messages(r.Session(t)) {
			says = append(says, m.Text(""))
		}
		if got := strings.Join(says, "|"); got != want || (len(r.Losses) > 0) != (offset != len(meta+asked) && offset != len(meta)) {
			t.Errorf("offset %d: %s, losses %v", offset, got, r.Losses)
		}
	}
}

// A listing that asks for no details tells what the user asked first, as far as codex shows
// it.
func TestPreview(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(unpacked(t), "home")
	a := formatstest.Open(t, codex.Format, &formats.Source{Path: dir})
	got := map[string]string{}
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		got[info.ID[len(info.ID)-4:]] = info.FirstMessage
	}
	for id, want := range map[string]string{
		"b18c": "Create files a.txt and b.txt", "f2cb": "Question in the fork", "8c21": "Create files",
		"f87c": "What is in the image?", "2004": "Question one",
	} {
		if got[id] != want {
			t.Errorf("%s: %q, want %q", id, got[id], want)
		}
	}
	if len(got) != 17 {
		t.Errorf("%d sessions", len(got))
	}
}

// One that cannot be read hides no other, and what is a link, a pipe or a directory
// does no harm.
func TestStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	day := filepath.Join(dir, "sessions", "2026", "02", "03")
	good := write(t, filepath.Join(day, "rollout-2026-02-03T04-05-06-"+thread+".jsonl"), meta+asked)
	write(t, good+".zst", "not looked at, since it is there uncompressed")
	write(t, filepath.Join(day, "rollout-2026-02-03T04-05-07-019c0000-0000-7000-8000-000000000002.jsonl"), "hello\n")
	write(t, filepath.Join(day, "notes.jsonl"), "hello\n")
	write(t, filepath.Join(dir, "archived_sessions", filepath.Base(good)), "archived as well")
	if err := os.Mkdir(filepath.Join(day, "rollout-d.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	_ = os.Symlink(good, filepath.Join(day, "rollout-2026-02-03T04-05-08-019c0000-0000-7000-8000-000000000003.jsonl"))
	_ = os.Symlink("nowhere", filepath.Join(day, "rollout-2026-02-03T04-05-09-019c0000-0000-7000-8000-000000000004.jsonl"))
	_ = os.Symlink(dir, filepath.Join(day, "up"))
	write(t, filepath.Join(dir, "session_index.jsonl"), `{"id":"`+thread+`","thread_name":"old"}`+"\n"+`{"id":"`+thread+`","thread_name":"new"}`+"\n"+`{"id":"`)
	a := formatstest.Open(t, codex.Format, &formats.Source{Path: dir})
	var ok, bad []string
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			bad = append(bad, err.Error())
			continue
		}
		ok = append(ok, info.ID+" "+info.Name+" "+info.CWD)
	}
	if runtime.GOOS != "windows" && (len(ok) != 1 || ok[0] != thread+" new /w" || len(bad) != 2) {
		t.Errorf("listed %q, failed %q", ok, bad)
	}
	for _, id := range []string{thread, thread[:10], "new"} {
		info, err := formats.Find(t.Context(), a, id)
		if err != nil || info.Path != good {
			t.Errorf("%s: %s, %v", id, info.Path, err)
		}
	}
	if _, err := formats.Find(t.Context(), a, "old"); !errors.Is(err, formats.ErrNotFound) {
		t.Errorf("an old name: %v", err)
	}
}
