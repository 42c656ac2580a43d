package session_test

import (
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// newBatch is a batch for a session with the entries a and b, b the leaf.
func newBatch() *session.Batch {
	return &session.Batch{
		Leaf: "b", Now: 1767323045678, NewID: counter(),
		Known: func(id string) bool { return id == "a" || id == "b" },
	}
}

const (
	stamp = `"timestamp":"2026-01-02T03:04:05.678Z"`
	base  = `"id":"n1","parentId":"b",` + stamp
)

// Members stand where pi writes them: behind id, parentId and timestamp, but
// before these in custom entries.
func TestBatchAdd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ    string
		fields []js.Field
		want   string
	}{
		{"session_info", []js.Field{js.StringField("name", "é\u2028<&>\"")}, `{"type":"session_info",` + base + `,"name":"é` + "\u2028" + `<&>\""}`},
		{"model_change", []js.Field{js.StringField("provider", "p"), js.StringField("modelId", "m")}, `{"type":"model_change",` + base + `,"provider":"p","modelId":"m"}`},
		{"custom", []js.Field{js.StringField("customType", "c"), {Name: "data", Raw: `{"n":1.0}`}}, `{"type":"custom","customType":"c","data":{"n":1.0},` + base + `}`},
		{"custom_message", []js.Field{js.StringField("customType", "c"), {Name: "content", Raw: `"x"`}}, `{"type":"custom_message","customType":"c","content":"x",` + base + `}`},
		{"label", []js.Field{js.StringField("targetId", "a"), {Name: "label", Raw: ""}}, `{"type":"label",` + base + `,"targetId":"a"}`},
		{"reset_boundary", nil, `{"type":"reset_boundary",` + base + `}`},
	} {
		b := newBatch()
		e, err := b.Add(c.typ, c.fields...)
		if err != nil || e.Raw() != c.want {
			t.Errorf("%s: %v\n%s, want\n%s", c.typ, err, e.Raw(), c.want)
		}
		if b.Leaf != "n1" || len(b.Entries) != 1 || string(b.Lines()[0]) != c.want {
			t.Errorf("%s: %+v", c.typ, b)
		}
	}
}

// TestBatchAddFunc: an entry may name itself, and is what Add would have made.
func TestBatchAddFunc(t *testing.T) {
	t.Parallel()
	for _, typ := range []string{"compaction", "custom"} {
		b := newBatch()
		b.NewID = func(known func(string) bool) (string, error) {
			if known("own") {
				return "other", nil
			}
			return "own", nil
		}
		fields := func(id string) []js.Field { return []js.Field{js.StringField("firstKeptEntryId", id)} }
		for _, id := range []string{"own", "other"} {
			e, err := b.AddFunc(typ, fields)
			if err != nil || e.ID() != id || e.Str("firstKeptEntryId") != id || b.Leaf != id {
				t.Errorf("%v: %s, leaf %s", err, e.Raw(), b.Leaf)
			}
			same := &session.Batch{Leaf: e.ParentID(), Now: b.Now, NewID: func(func(string) bool) (string, error) { return id, nil }}
			if want, err := same.Add(typ, fields(id)...); err != nil || want.Raw() != e.Raw() {
				t.Errorf("%v: %s, Add makes %s", err, e.Raw(), want.Raw())
			}
		}
	}
	b := newBatch()
	b.NewID = func(func(string) bool) (string, error) { return "", io.ErrUnexpectedEOF }
	called := false
	_, err := b.AddFunc("compaction", func(string) []js.Field { called = true; return nil })
	if !errors.Is(err, io.ErrUnexpectedEOF) || called || len(b.Entries) > 0 {
		t.Errorf("error %v, fields asked for: %v, %d entries", err, called, len(b.Entries))
	}
}

func TestBatchChain(t *testing.T) {
	t.Parallel()
	b := session.Batch{Now: 1767323045678}
	var parent string
	for range 3 {
		e, err := b.Add("custom", js.StringField("customType", "x"))
		if err != nil {
			t.Fatal(err)
		}
		if e.ParentID() != parent || !regexp.MustCompile(`^[0-9a-f]{8}$`).MatchString(e.ID()) || e.Line() != 0 {
			t.Errorf("%s behind %q", e.Raw(), parent)
		}
		parent = e.ID()
	}
	if b.Entries[0].Get("parentId") != "null" {
		t.Errorf("root %s", b.Entries[0].Raw())
	}
	if _, err := b.AddJSON(`{"type":"label","targetId":"` + parent + `"}`); err != nil {
		t.Errorf("an entry of the batch is no target: %v", err)
	}
	s := parseText(t, join(head, string(b.Lines()[0]), string(b.Lines()[1]), string(b.Lines()[2]), string(b.Lines()[3])))
	if path, problems := s.Path(3); len(path) != 4 || len(problems)+len(s.Problems) != 0 {
		t.Errorf("%v %v %v", ids(path), problems, s.Problems)
	}
}

func TestBatchAddJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"all filled in", `{"type":"custom","customType":"c"}`, `{"type":"custom","customType":"c",` + base + `}`},
		{"nothing filled in", `{ "customType":"c", "id" : "x","parentId":"a","timestamp":"t","type":"custom","n":12345678901234567890 }`, ``},
		{"null parent stays", `{"type":"custom","customType":"c","parentId":null,"id":"x","timestamp":"t"}`, ``},
		{"empty parent stays", `{"type":"custom","customType":"c","parentId":"","id":"x","timestamp":"t"}`, ``},
		{"parent and time filled in", `{"type":"custom","id":"x","customType":"c","n":1.0}`, `{"type":"custom","id":"x","customType":"c","n":1.0,"parentId":"b",` + stamp + `}`},
		{"spaces around go", "\t{\"type\":\"custom\",\"customType\":\"c\",\"id\":\"x\",\"parentId\":\"a\",\"timestamp\":\"t\"} \r", `{"type":"custom","customType":"c","id":"x","parentId":"a","timestamp":"t"}`},
		{
			"message", `{"role":"toolResult","toolCallId":"t","toolName":"f","content":"x","details":{"n":12345678901234567890,"f":1.50,"2":0,"1":0},"timestamp":5}`,
			`{"type":"message",` + base + `,"message":{"role":"toolResult","toolCallId":"t","toolName":"f","content":[{"type":"text","text":"x"}],"details":{"n":12345678901234567890,"f":1.50,"2":0,"1":0},"timestamp":5,"isError":false}}`,
		},
		{
			"custom message", `{"role":"custom","customType":"c","content":"x","details":1.0,"attribution":"user"}`,
			`{"type":"custom_message","customType":"c","content":"x","display":true,"details":1.0,"attribution":"user",` + base + `}`,
		},
		{
			"message entry", `{"type":"message","message":{"content":"x", "role":"user"},"id":"x"}`,
			`{"type":"message","message":{"content":[{"type":"text","text":"x"}], "role":"user","timestamp":1767323045678},"id":"x","parentId":"b",` + stamp + `}`,
		},
		{
			"complete message entry", `{"type":"message","message":{"content":[ ],"role":"user", "timestamp":1.0},"id":"x","parentId":"a","timestamp":"t"}`, ``,
		},
		{"type and role", `{"type":7,"role":"user","content":"x"}`, `{"type":"message",` + base + `,"message":{"type":7,"role":"user","content":[{"type":"text","text":"x"}],"timestamp":1767323045678}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.want == "" {
				c.want = c.in
			}
			e, err := newBatch().AddJSON(c.in)
			if err != nil || e.Raw() != c.want {
				t.Errorf("%v\n%s, want\n%s", err, e.Raw(), c.want)
			}
		})
	}
}

func TestBatchRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, text string }{
		{`{`, "not JSON"},
		{`[1]`, "not a JSON object"},
		{`{}`, "neither a message (role) nor an entry (type)"},
		{`{"type":""}`, "neither a message (role) nor an entry (type)"},
		{`{"type":"session","id":"x"}`, "a session header is no entry"},
		{`{"type":"custom","customType":"c","id":"a"}`, "id a is taken"},
		{`{"type":"custom","customType":"c","id":7}`, "the id is no string"},
		{`{"type":"custom","customType":"c","id":""}`, "the id is no string"},
		{`{"type":"custom","customType":"c","parentId":"zz z"}`, `no parent "zz z"`},
		{`{"type":"custom","customType":"c","parentId":7}`, "the parentId is no string"},
		{`{"type":"custom","customType":"c","id":"x","parentId":"x"}`, "no parent x"},
		{`{"type":"odd"}`, "unknown entry type odd"},
		{`{"role":"odd","content":"x"}`, "unknown role odd"},
		{`{"role":"","content":"x"}`, "the message has no role"},
		{`{"role":7,"content":"x"}`, "the message has no role"},
		{`{"role":"user"}`, "a message of role user needs content"},
		{`{"role":"user","content":null}`, "a message of role user needs content"},
		{`{"role":"user","content":7}`, "the content of a message is a string or an array"},
		{`{"role":"assistant"}`, "a message of role assistant needs content"},
		{`{"role":"assistant","content":[],"usage":7}`, "usage is no object"},
		{`{"role":"assistant","content":[],"usage":{"input":"7"}}`, "input of usage is no number"},
		{`{"role":"assistant","content":[],"usage":{"cost":0.5}}`, "the cost of a usage is no object"},
		{`{"role":"assistant","content":[],"usage":{"cost":{"total":[]}}}`, "total of the cost of a usage is no number"},
		{`{"role":"toolResult","content":"x","toolName":"f"}`, "a message of role toolResult needs toolCallId"},
		{`{"role":"toolResult","content":"x","toolCallId":"f"}`, "a message of role toolResult needs toolName"},
		{`{"role":"bashExecution"}`, "a message of role bashExecution needs command"},
		{`{"role":"pythonExecution"}`, "a message of role pythonExecution needs code"},
		{`{"role":"fileMention"}`, "a message of role fileMention needs files"},
		{`{"role":"custom","content":"x"}`, "a message of role custom needs customType"},
		{`{"role":"branchSummary","summary":"x"}`, "a branchSummary message is made from an entry, not stored"},
		{`{"role":"compactionSummary","summary":"x"}`, "a compactionSummary message is made from an entry, not stored"},
		{`{"type":"message","message":{"content":"x"}}`, "the message has no role"},
		{`{"type":"label","targetId":"gone"}`, "targetId gone names no entry"},
		{`{"type":"label","targetId":""}`, `targetId "" names no entry`},
		{`{"type":"context_edit","targetId":"gone","replacement":null}`, "targetId gone names no entry"},
		{`{"type":"compaction","summary":"s","firstKeptEntryId":"gone","tokensBefore":1}`, "firstKeptEntryId gone names no entry"},
		{"{\"type\":\"custom\",\n\"customType\":\"c\"}", "an entry is one line"},
		{"{\"role\":\"user\",\n\"content\":\"c\"}", "an entry is one line"},
	} {
		b := newBatch()
		e, err := b.AddJSON(c.in)
		if !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, %q; want %s", c.in, err, e.Raw(), c.text)
		}
		if len(b.Entries) != 0 || b.Leaf != "b" {
			t.Errorf("%s: refused, but %+v", c.in, b)
		}
	}
	b := newBatch()
	if _, err := b.AddJSON(`{"type":"custom","customType":"c","id":"x"}`); err != nil {
		t.Fatal(err)
	}
	if _, err := b.AddJSON(`{"type":"custom","customType":"c","id":"x"}`); err == nil {
		t.Error("an id of the batch itself is not taken")
	}
}

func TestBatchForce(t *testing.T) {
	t.Parallel()
	b := newBatch()
	b.Force = true
	for _, in := range []string{`{"type":"odd"}`, `{"role":"odd"}`, `{"type":"message","message":{"role":"odd","content":"x"}}`} {
		if _, err := b.AddJSON(in); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
	if want := `{"role":"odd","timestamp":1767323045678}`; b.Entries[1].Get("message") != want {
		t.Errorf("%s", b.Entries[1].Raw())
	}
	for _, in := range []string{`{"type":"label"}`, `{"role":"user"}`, `{"type":"odd","id":"a"}`, `{"type":"odd","parentId":"zz"}`, `{"type":"message","message":{}}`} {
		if _, err := b.AddJSON(in); !errors.Is(err, session.ErrRefused) {
			t.Errorf("force lets %s in: %v", in, err)
		}
	}
}

// A compaction may name itself, which keeps nothing (pi 1.5).
func TestBatchOwnTarget(t *testing.T) {
	t.Parallel()
	b := newBatch()
	if _, err := b.AddJSON(`{"type":"compaction","id":"c","summary":"s","firstKeptEntryId":"c","tokensBefore":1}`); err != nil {
		t.Error(err)
	}
}

// What a caller passes as JSON is looked at before it is written.
func TestBatchAddInvalid(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"{", "1,", "\n1", "x"} {
		b := newBatch()
		if e, err := b.Add("custom", js.Field{Name: "data", Raw: raw}); !errors.Is(err, session.ErrRefused) || len(b.Entries) != 0 || b.Leaf != "b" {
			t.Errorf("%q: %s, %v", raw, e.Raw(), err)
		}
	}
}

func TestBatchIDError(t *testing.T) {
	t.Parallel()
	b := newBatch()
	b.NewID = func(func(string) bool) (string, error) { return "", io.ErrUnexpectedEOF }
	_, err1 := b.Add("custom")
	_, err2 := b.AddJSON(`{"type":"custom","customType":"c"}`)
	_, err3 := b.AddMessage(session.NewTextMessage("user", "x"))
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%v", err)
		}
	}
	if len(b.Entries) != 0 {
		t.Errorf("%d entries", len(b.Entries))
	}
}

// wants holds, for each type, an entry that has just what it must have.
var wants = map[string]string{
	"message":               `{"message":{"role":"user","content":[]}}`,
	"thinking_level_change": `{"thinkingLevel":"high"}`,
	"model_change":          `{"provider":"p","modelId":"m"}`,
	"compaction":            `{"summary":"s","firstKeptEntryId":"a","tokensBefore":1}`,
	"branch_summary":        `{"fromId":"root","summary":"s"}`,
	"custom":                `{"customType":"c"}`,
	"custom_message":        `{"customType":"c","content":"x","display":true}`,
	"label":                 `{"targetId":"a"}`,
	"session_info":          `{"name":"n"}`,
	"usage":                 `{"kind":"k","provider":"p","model":"m","usage":{}}`,
	"context_edit":          `{"targetId":"a","replacement":null}`,
	"session_init":          `{"systemPrompt":"s","task":"t","tools":[]}`,
	"mode_change":           `{"mode":"m"}`,
	"ttsr_injection":        `{"injectedRules":[]}`,
	"service_tier_change":   `{"serviceTier":null}`,
	"mcp_tool_selection":    `{"selectedToolNames":[]}`,
	"title_change":          `{"title":"t","source":"s"}`,
	"credential_pin":        `{"provider":"p","hash":"h"}`,
	"reset_boundary":        `{}`,
	"model_usage":           `{"purpose":"p","provider":"p","model":"m","usage":{}}`,
}

func fieldsOf(t *testing.T, object string) []js.Field {
	t.Helper()
	var out []js.Field
	d := decode(t, object).(map[string]any)
	for name := range d {
		out = append(out, js.Field{Name: name, Raw: entry(t, object).Get(name)})
	}
	return out
}

func TestRequired(t *testing.T) {
	t.Parallel()
	for _, typ := range session.Types() {
		object, ok := wants[typ]
		if !ok {
			t.Errorf("%s: no example", typ)
			continue
		}
		fields := fieldsOf(t, object)
		if err := newBatch().Check(typ, fields...); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
		for i, f := range fields {
			without := slices.Delete(slices.Clone(fields), i, i+1)
			err := newBatch().Check(typ, without...)
			if !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), f.Name) {
				t.Errorf("%s without %s: %v", typ, f.Name, err)
			}
			if typ == "service_tier_change" {
				continue // any
			}
			wrong := slices.Clone(fields)
			wrong[i].Raw = "false"
			if f.Name == "display" {
				wrong[i].Raw = "0"
			}
			err = newBatch().Check(typ, wrong...)
			if !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), f.Name) {
				t.Errorf("%s with %s %s: %v", typ, f.Name, wrong[i].Raw, err)
			}
		}
	}
	if len(wants) != len(session.Types()) || !slices.IsSorted(session.Types()) {
		t.Errorf("types %v", session.Types())
	}
}

func TestCheckForms(t *testing.T) {
	t.Parallel()
	f := func(name, raw string) js.Field { return js.Field{Name: name, Raw: raw} }
	for _, c := range []struct {
		typ    string
		fields []js.Field
		text   string // of the error, "" for none
	}{
		{"thinking_level_change", []js.Field{f("thinkingLevel", "null")}, ""},
		{"thinking_level_change", []js.Field{f("thinkingLevel", "3")}, "thinkingLevel of a thinking_level_change entry must be string or null, not number"},
		{"model_change", []js.Field{f("model", `"p/m"`)}, ""},
		{"model_change", []js.Field{f("model", `""`)}, "needs provider and modelId, or model"},
		{"custom_message", []js.Field{f("customType", `"c"`), f("content", `[]`), f("display", "false")}, ""},
		{"context_edit", []js.Field{f("targetId", `"b"`), f("replacement", `{"content":[]}`)}, ""},
		{"context_edit", []js.Field{f("targetId", `"b"`), f("replacement", `[]`)}, "replacement of a context_edit entry must be object or null, not array"},
		{"odd", nil, "unknown entry type odd"},
		{"session", nil, "a session header is no entry"},
	} {
		err := newBatch().Check(c.typ, c.fields...)
		switch {
		case c.text == "" && err != nil:
			t.Errorf("%s: %v", c.typ, err)
		case c.text != "" && (err == nil || !strings.Contains(err.Error(), c.text)):
			t.Errorf("%s: %v, want %s", c.typ, err, c.text)
		}
	}
}

func TestNewTextMessage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role   string
		fields []js.Field
		want   string
	}{
		{"user", nil, `{"role":"user","content":[{"type":"text","text":"x"}]}`},
		{"system", nil, `{"role":"system","content":"x"}`},
		{"custom", []js.Field{js.StringField("customType", "c")}, `{"role":"custom","content":"x","customType":"c"}`},
		{"bashExecution", []js.Field{{Name: "exitCode", Raw: "1"}}, `{"role":"bashExecution","command":"x","exitCode":1}`},
		{
			"toolResult",
			[]js.Field{{Name: "isError", Raw: "true"}, js.StringField("toolName", "f"), js.StringField("toolCallId", "t")},
			`{"role":"toolResult","toolName":"f","toolCallId":"t","content":[{"type":"text","text":"x"}],"isError":true}`,
		},
	} {
		if diff := cmp.Diff(c.want, session.NewTextMessage(c.role, "x", c.fields...).Raw()); diff != "" {
			t.Errorf("%s: %s", c.role, diff)
		}
	}
}
