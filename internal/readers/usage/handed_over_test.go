package usage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/portable"
	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// TestHandedOver: the replies that a hand-off carried are calls of the session that they come from, and of no other; those behind its
// note are calls. For each agent that takes sessions over, read whole and for its usage alone, and handed on once more.
func TestHandedOver(t *testing.T) {
	t.Parallel()
	targets := []string{"codex", "claude", "opencode", "pi"}
	for n, r := range drawn.Cases(t, 400) {
		to := targets[n%len(targets)]
		format, _ := formats.Lookup(all.Formats(), to)
		h := &drawnHome{Rand: r, files: map[string]string{}, holds: map[string][]spending{}}
		drawPi(h)
		var source *session.Session
		for path, text := range h.files {
			if strings.Contains(path, "root") {
				source = formatstest.Parse(t, text)
			}
		}
		var text string
		fresh, input := 0, int64(0)
		for hop := range 1 + r.IntN(2) {
			p := portable.Make(source, portable.Options{To: to, Seed: []string{fmt.Sprint(hop)}, Provider: "p", Model: "m"}, formats.NewTarget(func(formats.Loss) {}))
			at := int64(1_782_600_000_000) + int64(hop)*1_000_000
			say := func(m session.Message) { at += 1000; p.Said = append(p.Said, portable.Said{Message: m, Time: at}) }
			say(api.User([]string{api.Text(fmt.Sprintf("[%sx.jsonl, %d messages. Files may have changed since.]", typed.MovedHere, len(p.Said)))}))
			fresh, input = r.IntN(4), 0
			for i := range fresh {
				s := h.spends()
				input += s.input
				say(api.User([]string{api.Text("go on")}))
				say(api.Assistant([]string{api.Text(fmt.Sprintf("new %d-%d", hop, i))}, js.StringField("api", "openai-responses"), js.StringField("provider", "openai"), js.StringField("model", "m"),
					js.RawField("usage", fmt.Sprintf(`{"input":%d,"output":%d,"cacheRead":0,"cacheWrite":0,"totalTokens":%d,"cost":{"total":0}}`, s.input, s.output, s.input+s.output)), js.StringField("stopReason", "stop")))
			}
			made, err := p.Session()
			if err != nil {
				t.Fatal(err)
			}
			text, _ = formatstest.Export(t, format, made, "")
			source = formatstest.One(t, format, &formats.Source{Stdin: strings.NewReader(text)}).Session(t)
		}
		for _, only := range []bool{false, true} {
			lines := readOnly(t, format, text, only)
			content, err := usage.Read(strings.NewReader(lines), usage.Options{Agent: to, Branches: !only})
			if err != nil {
				t.Fatal(err)
			}
			sum, calls := int64(0), 0
			for _, c := range content.Calls {
				sum += c.Tokens.Input
				calls++
			}
			info, err := session.ScanInfo(strings.NewReader(lines))
			if err != nil {
				t.Fatal(err)
			}
			if calls != fresh || sum != input || info.Spent.Input != input {
				t.Fatalf("case %d, %s (usage alone: %t): %d calls with %d, a listing has %d; want %d with %d\n%s", n, to, only, calls, sum, info.Spent.Input, fresh, input, lines)
			}
		}
	}
}

// readOnly returns what a format makes of a text, for a reader of usage alone if only is set.
func readOnly(t *testing.T, f formats.Format, text string, only bool) string {
	t.Helper()
	a, err := f.Open(t.Context(), &formats.Source{Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var out strings.Builder
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		b := formats.NewBuilder(f.About().Name, func(line string) error { out.WriteString(line + "\n"); return nil }, func(formats.Loss) {})
		b.UsageOnly = only
		if err := b.Read(t.Context(), a, info); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}
