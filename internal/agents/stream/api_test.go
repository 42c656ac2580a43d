package stream_test

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/pkg/session"
)

// brief says in a line what a message is: its blocks, why it ended, and what it used.
func brief(m session.Message) string {
	out := []string{}
	for b := range m.Blocks() {
		switch b.Type {
		case "thinking":
			out = append(out, fmt.Sprintf("(%s)", b.Str("thinking")))
		case "toolCall":
			out = append(out, fmt.Sprintf("%s=%s%s", b.Str("id"), b.Str("name"), b.Get("arguments")))
		case session.BlockProvided:
			p, _ := b.Provided()
			line := "by itself " + p.Name + p.Arguments
			if text := p.Result.Text(""); text != "" {
				line += "=<" + text + ">"
			}
			out = append(out, line)
		default:
			out = append(out, fmt.Sprintf("%q", b.Str("text")))
		}
	}
	out = append(out, m.Str("stopReason"))
	if text := m.Str("errorMessage"); text != "" {
		out = append(out, "<"+text+">")
	}
	if m.Get("details") != "" {
		out = append(out, m.Get("details"))
	}
	if u, ok := m.Usage(); ok {
		out = append(out, fmt.Sprintf("%d/%d/%d/%d", u.Input, u.Output, u.CacheRead, u.CacheWrite))
	}
	return strings.Join(out, " ")
}

func briefs(items []*stream.Item) string {
	var out []string
	for _, i := range items {
		out = append(out, brief(i.Message))
	}
	return strings.Join(out, "\n")
}

// scenarios are what each of the samples of an API was made to answer: the same of every API
// but for the ids of calls, and what each counts.
var scenarios = map[string]struct{ said, stop string }{
	"01-text":     {`"Hello there. How can I help? ü 😀"`, "stop"},
	"02-thinking": {`(Keep it short.) "Hello."`, "stop"},
	"03-tool":     {`"Reading." ID1=read{"path":"/home/u/proj/a.txt"}`, "toolUse"},
	"04-parallel": {`(Two calls.) ID1=read{"path":"/home/u/proj/a.txt"} ID2=bash{"command":"echo \"ü 😀\""}`, "toolUse"},
	"15-length":   {`"Hello cut at the"`, "length"},
	"20-refusal":  {`"I cannot help with that."`, `stop {"refusal":true}`},
	"21-failed":   {``, "error <The model failed.>"},
	"22-no-usage": {`"No usage here."`, "stop"},
}

// Every response is the same entry, whole or streamed: what was scripted, and what the API
// counted.
func TestResponses(t *testing.T) {
	t.Parallel()
	apis := map[string]struct{ format, ids, used, failure, kept string }{
		"api-openai-chat":      {"openai", "call_mock_00", "93/11/7/0", "mock stream error", ""},
		"api-openai-responses": {"openai", "call_mock_00", "93/11/7/0", "mock stream error", ""},
		"api-anthropic":        {"anthropic", "toolu_mock_00", "100/11/7/3", "Overloaded", " 100/1/7/3"},
		"api-gemini":           {"gemini-api", "call_mock_00", "93/11/7/0", "", ""},
		"api-ollama":           {"ollama", "call_mock_00", "100/11/0/0", "", ""},
	}
	for _, file := range apiSamples(t, "api-[^h]*") {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			scenario := path.Base(path.Dir(file))
			api := apis[path.Dir(path.Dir(file))]
			got := decode(apiSample(t, file), 0, stream.Options{Now: at})
			if scenario == "07-error-http" {
				if len(got.items) > 0 || !errors.Is(got.err, stream.ErrUnread) || !strings.HasSuffix(got.warns[0], "not an answer: Rate limited, slow down") {
					t.Errorf("%v %q\n%s", got.err, got.warns, briefs(got.items))
				}
				return
			}
			s := scenarios[scenario]
			want := strings.TrimSpace(strings.ReplaceAll(s.said, "ID", api.ids) + " " + s.stop)
			streamed := path.Ext(file) != ".json"
			switch {
			case scenario == "07b-error-stream":
				want = `"Hello half of" error <` + api.failure + ">" + api.kept
			case scenario == "20-refusal" && api.format == "anthropic":
				want = `"I" error <refusal> ` + api.used
			case streamed && (scenario == "22-no-usage" || scenario == "21-failed"): // the stream does not say it
			case api.format == "gemini-api" && strings.HasPrefix(s.said, "("): // its thoughts are not in its output
				want += " 93/15/7/0"
			default:
				want += " " + api.used
			}
			if diff := cmp.Diff(want, briefs(got.items)); diff != "" || got.err != nil || len(got.warns) > 0 {
				t.Errorf("%v %q\n%s", got.err, got.warns, diff)
			}
			if named := decode(apiSample(t, file), 0, stream.Options{Now: at, From: api.format}); !cmp.Equal(lines(named.items), lines(got.items)) {
				t.Errorf("--from %s: %q", api.format, lines(named.items))
			}
			if streamed {
				sameAsWhole(t, file, got)
			}
		})
	}
}

// sameAsWhole compares the entry of a stream with that of the response it stands for, but for
// its time and what the stream does not say.
func sameAsWhole(t *testing.T, file string, got told) {
	t.Helper()
	scenario := path.Base(path.Dir(file))
	if scenario == "07b-error-stream" {
		return // there is no whole one
	}
	whole := decode(apiSample(t, path.Dir(file)+"/stdout.json"), 0, stream.Options{Now: at})
	drop := []string{"timestamp"}
	if scenario == "22-no-usage" || scenario == "21-failed" {
		drop = append(drop, "usage")
	}
	objects := func(items []*stream.Item) (out []any) {
		for _, i := range items {
			m := decoded(t, i.Message.Raw()).(map[string]any)
			for _, name := range drop {
				delete(m, name)
			}
			out = append(out, m)
		}
		return out
	}
	if diff := cmp.Diff(objects(whole.items), objects(got.items)); diff != "" {
		t.Error(diff)
	}
}

// The shapes that servers are documented to have, one sample each.
func TestHandmade(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		brief string
		torn  bool
	}{
		"anthropic-error-after-text":              {`"Hello half of" error <Overloaded> 100/1/7/3`, false},
		"gemini-stream-array":                     {`"Hello there. How can I help? ü 😀Hello there. How can I help? ü 😀" stop 93/11/7/0`, false},
		"ollama-error-in-stream":                  {`"Hel" error <model runner has unexpectedly stopped>`, false},
		"openai-chat-comments-crlf":               {`"Hello" stop 9/1/0/0`, false},
		"openai-chat-cut-in-utf8":                 {`"Hello there. How can I" aborted`, true},
		"openai-chat-no-space-no-done":            {`"Hello" stop`, false},
		"openai-chat-obfuscation":                 {`"Hello" stop 9/1/0/0`, false},
		"openai-chat-reasoning-names":             {`(By OpenRouter.By DeepSeek.) "Hello" stop`, false},
		"openai-chat-usage-every-chunk":           {`"Hello" stop 9/2/0/0`, false},
		"openai-chat-whole-toolcall-in-one-delta": {`call_1=read{"path":"a"} call_2=read{"path":"b"} toolUse`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := decode(apiSample(t, "api-handmade/"+name+"/"+handmade(name)), 0, stream.Options{Now: at})
			if diff := cmp.Diff(want.brief, briefs(got.items)); diff != "" || (got.err != nil) != want.torn {
				t.Errorf("%v %q\n%s", got.err, got.warns, diff)
			}
		})
	}
}

// handmade returns the name of the file of a sample.
func handmade(name string) string {
	switch {
	case strings.HasPrefix(name, "ollama"):
		return "stdout.ndjson"
	case strings.HasPrefix(name, "gemini"):
		return "stdout.json"
	}
	return "stdout.sse"
}
