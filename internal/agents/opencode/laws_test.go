package opencode

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A drawing draws a session of ours.
type drawing struct {
	t       *rapid.T
	b       *formats.Builder
	lines   []string
	at      int64
	entries []string // ids of messages
	results []string // ids of results
	open    []string // ids of calls that have no result
	calls   int
}

var texts = rapid.SampledFrom([]string{"one", "two\nlines", "é 😀 \u2028", `"quoted" \`, "<b>&", "0", " ", ""})

func draw(rt *rapid.T) *session.Session {
	d := &drawing{t: rt, at: 1_770_000_000_000}
	d.b = formats.NewBuilder("test", func(line string) error { d.lines = append(d.lines, line); return nil }, func(formats.Loss) {})
	title := rapid.SampledFrom([]string{"", "a title", "a title (fork #2)"}).Draw(rt, "title")
	d.ok("", d.b.Header(session.HeaderFields{ID: "01a1fc13-4173-73d3-8273-e3e1ca1285c1", Time: d.at, CWD: "/w", Title: title}))
	for range rapid.IntRange(0, 14).Draw(rt, "entries") {
		d.at += rapid.SampledFrom([]int64{0, 0, 1, 1500, -700}).Draw(rt, "later")
		d.entry()
	}
	return formatstest.Parse(rt, strings.Join(d.lines, "\n")+"\n")
}

func (d *drawing) ok(id string, err error) string {
	if err != nil {
		d.t.Fatal(err)
	}
	return id
}

func (d *drawing) message(m session.Message) string {
	id, err := d.b.Message(formats.Place{Time: d.at}, m)
	d.entries = append(d.entries, d.ok(id, err))
	return id
}

func (d *drawing) entry() {
	place := formats.Place{Time: d.at}
	switch rapid.SampledFrom([]string{"user", "user", "reply", "reply", "reply", "result", "result", "result", "compaction", "edit", "removed", "custom", "bash", "branch", "other"}).Draw(d.t, "kind") {
	case "user":
		d.message(api.User(d.blocks(api.Image("image/png", "iVBORw0K"))))
	case "reply":
		d.reply()
	case "result":
		d.result()
	case "compaction":
		first := ""
		if len(d.entries) > 0 && rapid.Bool().Draw(d.t, "keeps") {
			first = rapid.SampledFrom(d.entries).Draw(d.t, "first")
		}
		d.ok(d.b.Compaction(place, "what was "+texts.Draw(d.t, "summary"), first, 1000))
	case "edit":
		if len(d.results) > 0 {
			d.ok(d.b.Add(place, session.TypeContextEdit, js.StringField("targetId", rapid.SampledFrom(d.results).Draw(d.t, "target")),
				js.Field{Name: "replacement", Raw: rapid.SampledFrom([]string{"null", `{"content":"[Old tool result content cleared]"}`, `{"content":"less"}`}).Draw(d.t, "edit")}))
		}
	case "removed":
		id := d.ok(d.b.Compaction(place, "nothing", "", 1000))
		d.ok(d.b.Add(place, session.TypeContextEdit, js.StringField("targetId", id), js.RawField("replacement", "null")))
	case "custom":
		d.ok(d.b.Add(place, session.TypeCustomMessage, js.StringField("customType", "note"), js.StringField("content", "a note "+texts.Draw(d.t, "note")), js.RawField("display", "true")))
	case "bash":
		d.message(session.NewMessage(`{"role":"bashExecution","command":"ls","output":"a.go","exitCode":1}`))
	case "branch":
		if len(d.entries) > 0 {
			place.Parent = rapid.SampledFrom(d.entries).Draw(d.t, "parent")
			d.ok(d.b.Message(place, api.User([]string{api.Text("elsewhere")})))
		}
	default:
		d.ok(d.b.Add(place, session.TypeThinkingLevel, js.StringField("thinkingLevel", "high")))
	}
}

func (d *drawing) blocks(more ...string) []string {
	out := []string{api.Text(texts.Draw(d.t, "text"))}
	if rapid.IntRange(0, 3).Draw(d.t, "more") == 0 {
		out = append(out, more...)
	}
	return out
}

func (d *drawing) reply() {
	var blocks []string
	d.open = nil
	for range rapid.IntRange(0, 3).Draw(d.t, "blocks") {
		switch rapid.IntRange(0, 2).Draw(d.t, "block") {
		case 0:
			blocks = append(blocks, api.Text(texts.Draw(d.t, "said")))
		case 1:
			blocks = append(blocks, api.Thinking(texts.Draw(d.t, "thought"), ""))
		default:
			d.calls++
			id := fmt.Sprintf("call%d", d.calls)
			d.open = append(d.open, id)
			blocks = append(blocks, api.ToolCall(id, "bash", `{"n":1.50,"s":"x"}`))
		}
	}
	stop := rapid.SampledFrom([]string{"stop", "stop", "stop", "stop", "length", "aborted", "error"}).Draw(d.t, "stop")
	d.message(api.Assistant(blocks, js.StringField("provider", "p"), js.StringField("model", rapid.SampledFrom([]string{"m", "n"}).Draw(d.t, "model")),
		js.StringField("stopReason", stop), js.Field{Name: "usage", Raw: `{"input":3,"output":2,"cacheRead":1,"cacheWrite":0,"totalTokens":6,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.25}}`}))
}

func (d *drawing) result() {
	if len(d.open) == 0 {
		return
	}
	id := d.open[0]
	d.open = d.open[1:]
	failed := rapid.IntRange(0, 3).Draw(d.t, "failed") == 0
	blocks := d.blocks(api.Text("more"))
	if !failed {
		blocks = append(blocks, d.blocks(api.Image("image/png", "iVBORw0K"))[1:]...)
	}
	d.results = append(d.results, d.message(api.ToolResult(id, "bash", blocks, failed)))
}

// summed are the tokens and the costs of the replies on the path to the leaf.
func summed(s *session.Session) (sum session.Usage) {
	path := formatstest.Path(s)
	for _, e := range path {
		if m, ok := e.Message(); ok && m.Role() == session.RoleAssistant {
			u, _ := m.Usage()
			sum.Input, sum.Output, sum.CacheRead, sum.Total = sum.Input+u.Input, sum.Output+u.Output, sum.CacheRead+u.CacheRead, sum.Total+u.Total
		}
	}
	return sum
}

// inOrder puts the results of a reply in an order: opencode has them in that of the calls.
func inOrder(lines []string) []string {
	isResult := func(line string) bool { return strings.HasPrefix(line, `["tool",`) }
	for from := 0; from < len(lines); from++ {
		to := from
		for to < len(lines) && isResult(lines[to]) {
			to++
		}
		slices.Sort(lines[from:to])
	}
	return lines
}

// Laws: what is written says the same to a model when it is read again, has the same title, time
// and usage; writing that again gives the same bytes; opencode's rules for what it imports hold.
func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := draw(rt)
		text, losses := formatstest.Export(t, Format, s, "")
		src := write(t, "e.json", []byte(text))
		r, err := open(t, src)
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		read := r.Session(t)
		if diff := cmp.Diff(inOrder(said(t, s)), inOrder(said(t, read))); diff != "" {
			rt.Fatalf("what is said changes (losses %v):\n%s\n%s", losses, diff, text)
		}
		if len(r.Losses) > 0 {
			rt.Fatalf("reading it again loses %v", r.Losses)
		}
		if name := session.NameOf(s.Header, s.Entries); name != "" && name != session.NameOf(read.Header, read.Entries) || read.Header.Timestamp != s.Header.Timestamp || read.Header.CWD != s.Header.CWD {
			rt.Fatalf("another header: %s", read.Header.Raw())
		}
		if at, _ := s.Leaf(); at >= 0 && !strings.Contains(fmt.Sprint(losses), "left out") {
			if diff := cmp.Diff(summed(s), summed(read)); diff != "" {
				rt.Fatalf("another usage:\n%s", diff)
			}
		}
		if again, _ := formatstest.Export(t, Format, read, ""); again != text {
			rt.Fatalf("it goes on changing:\n%s", cmp.Diff(text, again))
		}
		importable(rt, text)
	})
}

type fataler interface{ Fatalf(string, ...any) }

// importable holds an export to what opencode 1.18 checks when it imports one, and to the order
// that it puts things in.
func importable(t fataler, text string) {
	var x struct {
		Info     map[string]any
		Messages []struct {
			Info  map[string]any
			Parts []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		t.Fatalf("%v", err)
	}
	has := func(where string, v map[string]any, names ...string) {
		for _, name := range names {
			if v[name] == nil {
				t.Fatalf("%s has no %s: %v", where, name, v)
			}
		}
	}
	has("the session", x.Info, "id", "slug", "title", "version", "time", "directory", "projectID")
	if strings.Contains(text, ": null") {
		t.Fatalf("there is a null:\n%s", text)
	}
	before, at := "", -1.0
	seen := map[any]bool{}
	for _, m := range x.Messages {
		id := m.Info["id"].(string)
		created := m.Info["time"].(map[string]any)["created"].(float64)
		if created < at || created == at && id <= before || created != float64(int64(created)) || !strings.HasPrefix(id, "msg") || seen[id] {
			t.Fatalf("message %s at %f is behind %s at %f", id, created, before, at)
		}
		before, at, seen[id] = id, created, true
		has(id, m.Info, "role", "agent", "sessionID")
		if m.Info["role"] == "user" {
			has(id, m.Info, "model")
		} else {
			has(id, m.Info, "parentID", "modelID", "providerID", "mode", "path", "cost", "tokens")
		}
		last := ""
		for _, p := range m.Parts {
			has(id, p, "id", "type", "sessionID", "messageID")
			part := p["id"].(string)
			if part <= last || !strings.HasPrefix(part, "prt") || seen[part] || p["messageID"] != id {
				t.Fatalf("part %s is behind %s", part, last)
			}
			last, seen[part] = part, true
			state, ok := p["state"].(map[string]any)
			if !ok {
				continue
			}
			has(part, state, "status", "input")
			if state["status"] != "pending" {
				has(part, state, "time")
			}
			if state["status"] == "completed" {
				has(part, state, "title", "metadata", "output")
			}
		}
	}
}
