package stream_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/claude"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/jqmap"
	"github.com/sess-tools/sess/internal/agents/opencode"
	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A sample is what a real program printed in a scenario, and the session it stored.
type sample struct {
	runs   [][]byte // what each of its processes printed
	stored []byte
}

// all returns what the processes printed one after the other.
func (s sample) all() []byte { return bytes.Join(s.runs, nil) }

// samplesOf returns the samples of a program by their scenarios.
func samplesOf(t testing.TB, program string) map[string]sample {
	t.Helper()
	out := map[string]sample{}
	files := corpus.Golden(t, "streams/"+program)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		scenario, file, _ := strings.Cut(name, "/")
		s := out[scenario]
		if file == "stored" {
			s.stored = files[name]
		} else {
			s.runs = append(s.runs, files[name])
		}
		out[scenario] = s
	}
	return out
}

// programs are those there are samples of.
var programs = []string{"claude", "codex", "copilot", "gemini", "omp-13", "omp-18", "opencode", "pi-0.73", "pi-0.87", "qwen"}

// record decodes a stream that passes.
func record(t testing.TB, data []byte, o stream.Options) []*stream.Item {
	t.Helper()
	o.Warn = func(format string, args ...any) { t.Logf(format, args...) }
	items, err := stream.Decode(data, o)
	if err != nil {
		t.Errorf("%v", err)
	}
	return items
}

// recorded returns the messages of items.
func recorded(items []*stream.Item) (out []session.Message) {
	for _, i := range items {
		if i.Type == session.TypeMessage {
			out = append(out, i.Message)
		}
	}
	return out
}

// said is what is compared of messages: replies and results of tools, with all their
// blocks. Words of the user are in few of the streams; replies that failed are stored in
// other words, or not at all.
func said(messages []session.Message, without ...string) (out []string) {
	results := 0 // the last of out
	for _, m := range messages {
		failed := m.Failed() && (m.Text("") == "" || m.Text("") == m.Str("errorMessage"))
		if m.Role() == session.RoleUser || m.Role() == session.RoleSystem || failed {
			continue
		}
		var blocks []string
		for b := range m.Blocks() {
			if !slices.Contains(without, b.Type) {
				blocks = append(blocks, canonical(b.Raw()))
			}
		}
		if m.Role() != session.RoleToolResult {
			results = 0
		} else {
			results++
		}
		out = append(out, fmt.Sprint(m.Role(), blocks, m.Str("toolCallId"), m.Str("toolName"), m.Get("isError")))
		slices.Sort(out[len(out)-results:]) // some store them as they came
	}
	return out
}

// canonical returns a JSON text with its members sorted.
func canonical(text string) string {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return text
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// imported returns the messages of the session that a program stored.
func imported(t *testing.T, f formats.Format, name string, data []byte) (out []session.Message) {
	t.Helper()
	path := formatstest.File(t, name, string(data))
	for _, r := range formatstest.Import(t, f, &formats.Source{Path: path}, true) {
		for _, e := range r.Session(t).Entries {
			if m, ok := e.Message(); ok {
				out = append(out, m)
			}
		}
	}
	return out
}

func wantSame(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("message %d is not recorded: %.300s", i, want[i])
		case i >= len(want):
			t.Errorf("message %d is not stored: %.300s", i, got[i])
		case got[i] != want[i]:
			t.Errorf("message %d\nrecorded %.600s\nstored   %.600s", i, got[i], want[i])
		}
	}
}

// TestStored: what is recorded of an agent is what is imported of what it stored.
func TestStored(t *testing.T) {
	t.Parallel()
	maps := jqmap.Embedded()
	copilot, _ := formats.Lookup(maps, "copilot")
	qwen, _ := formats.Lookup(maps, "qwen")
	for program, of := range map[string]struct {
		format formats.Format
		file   string
		other  []string // scenarios of which other things were stored than printed
	}{
		"claude":  {claude.Claude, "s.jsonl", nil},
		"copilot": {copilot, "events.jsonl", []string{"08-sigint-text"}},                                              // which was stopped
		"qwen":    {qwen, "s.jsonl", []string{"06b-stream-error", "08-sigint-text", "08c-sigterm-text", "15-length"}}, // of the last one two messages are stored
	} {
		for scenario, s := range samplesOf(t, program) {
			if strings.HasPrefix(scenario, "14") || slices.Contains(of.other, scenario) { // 14: not the events, or not all
				continue
			}
			t.Run(program+"/"+scenario, func(t *testing.T) {
				t.Parallel()
				got, want := recorded(record(t, s.all(), stream.Options{})), imported(t, of.format, of.file, s.stored)
				if program == "qwen" { // which stores results in other words
					got, want = wordless(got), wordless(want)
				}
				wantSame(t, said(got), said(want))
			})
		}
	}
}

// wordless returns messages without the texts of results.
func wordless(messages []session.Message) []session.Message {
	for i, m := range messages {
		if m.Role() == session.RoleToolResult {
			messages[i] = session.NewMessage(string(js.Value(m.Raw()).Without("content")))
		}
	}
	return messages
}

// TestOpencodeStored: the parts of opencode's messages are those of its export, sorted by id.
func TestOpencodeStored(t *testing.T) {
	t.Parallel()
	for scenario, s := range samplesOf(t, "opencode") {
		if len(s.stored) == 0 {
			continue
		}
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			var without []string
			if scenario != "02-thinking" {
				without = append(without, "thinking") // it was not asked to print that
			}
			want := said(imported(t, opencode.Format, "s.json", s.stored), without...)
			want = slices.DeleteFunc(want, func(m string) bool { return strings.HasPrefix(m, "assistant[] ") || m == "assistant[]" })
			wantSame(t, said(recorded(record(t, s.all(), stream.Options{})), without...), want)
		})
	}
}

// TestPiStored: the messages of pi and oh-my-pi are those of their files, as JSON.
func TestPiStored(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"pi-0.73", "pi-0.87", "pi-1.5", "omp-13", "omp-18"} {
		for scenario, s := range samplesOf(t, program) {
			if len(s.stored) == 0 {
				continue // it stored nothing
			}
			t.Run(program+"/"+scenario, func(t *testing.T) {
				t.Parallel()
				file := corpus.ParseText(t, string(s.stored))
				path := formatstest.Path(file)
				var want, got []session.Message
				for _, e := range path {
					if m, ok := e.Message(); ok {
						want = append(want, m)
					}
				}
				got = recorded(record(t, s.all(), stream.Options{}))
				if len(got) < len(want) && scenario != "20-loop-detected" { // of which one process printed nothing
					t.Errorf("%d messages, want %d", len(got), len(want))
				}
				for i := range min(len(got), len(want)) {
					if a, b := stable(got[i], want[i]), stable(want[i], want[i]); !reflect.DeepEqual(a, b) {
						t.Errorf("message %d\nrecorded %.500v\nstored   %.500v", i, a, b)
					}
				}
			})
		}
	}
}

// What a model is shown of a recording is what it is shown of pi's own file, and so is what was called.
func TestPiSeen(t *testing.T) {
	t.Parallel()
	for scenario, s := range samplesOf(t, "pi-1.5") {
		b := session.Batch{Known: func(string) bool { return false }, Force: true}
		if err := stream.AddTo(&b, record(t, s.all(), stream.Options{})); err != nil {
			t.Fatal(err)
		}
		file := corpus.ParseText(t, string(s.stored))
		seen := func(entries []session.Entry) (out []string) {
			for _, m := range convo.MessagesOf(convo.Project(entries)) {
				out = append(out, m.Role()+" "+m.Text("\n"))
			}
			for _, c := range calls.Of(entries, "/w/project") {
				out = append(out, c.In+" "+c.Name+" "+c.Ending.String()+" "+c.Target)
			}
			return out
		}
		got, want := seen(b.Entries), seen(file.Entries)
		if !slices.Equal(got, want) {
			t.Errorf("%s: recorded\n%s\nstored\n%s", scenario, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if last := want[len(want)-1]; scenario == "32-codemode" && !strings.HasSuffix(last, "bash 4 git push origin main || exit 4") || scenario == "31-retry" && last != "assistant It went through." {
			t.Errorf("%s ends with %q", scenario, last)
		}
	}
}

// stable returns a message without what oh-my-pi 18 changed when it was stored.
func stable(m, stored session.Message) any {
	v := js.Value(m.Raw()).Without("contextSnapshot", "retryRecovery", "errorMessage", "errorId", "prunedAt")
	if stored.Get("prunedAt") != "" {
		v = v.Without("content")
	}
	var out any
	_ = json.Unmarshal([]byte(v), &out)
	return out
}
