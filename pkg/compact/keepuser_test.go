package compact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

func keepUser(t *testing.T, keep int64, build func(b *builder)) (*compact.Plan, []session.Entry) {
	t.Helper()
	b := &builder{t: t}
	build(b)
	p, err := compact.New(b.path, compact.Options{Strategy: compact.KeepUser, Keep: keep})
	if err != nil {
		t.Fatal(err)
	}
	return p, added(t, p, compact.Summary{History: "S"})
}

// TestKeepUserEntries: the bytes of what is appended. A message that is kept
// whole keeps its bytes, its time and members nobody knows included.
func TestKeepUserEntries(t *testing.T) {
	t.Parallel()
	const untouched = `{ "role":"user", "content":[{"text":"one\u0041","type":"text","x":1.0}],"timestamp":12345678901234567890,"by":{"n":1e2} }`
	p, got := keepUser(t, 0, func(b *builder) {
		b.call("c", "read", `{"path":"r.go"}`)
		b.result("c", "x", false)
		b.message(untouched)
		b.message(`{"role":"system","content":"be brief"}`)
		b.message(`{"x":"content","role":"user","content":[{"type":"image","data":"AA==","mimeType":"image/png"},{"type":"text","text":"two"}],"timestamp":7}`)
		b.assistant("done")
	})
	const stamp = `,"timestamp":"2026-01-02T03:04:05.678Z",`
	want := []string{
		`{"type":"message","id":"00000006'","parentId":"00000006"` + stamp + `"message":` + untouched + `}`,
		`{"type":"message","id":"00000006''","parentId":"00000006'"` + stamp + `"message":{"x":"content","role":"user","content":[{"type":"text","text":"two"}],"timestamp":7}}`,
		`{"type":"compaction","id":"00000006'''","parentId":"00000006''"` + stamp + `"summary":"S\n\n<read-files>\nr.go\n</read-files>","firstKeptEntryId":"00000006'",` +
			`"tokensBefore":1211,"details":{"readFiles":["r.go"],"modifiedFiles":[],"strategy":"keep-user",` +
			`"kept":[["00000006'","00000003"],["00000006''","00000005"]]},"fromHook":false,"systemMessage":{"role":"system","content":"be brief","timestamp":0}}`,
	}
	for i, e := range got {
		if diff := cmp.Diff(want[i], e.Raw()); diff != "" {
			t.Errorf("entry %d (-want +got):\n%s", i, diff)
		}
	}
	if p.FirstKept != "" || p.Kept() != nil || len(got) != len(want) {
		t.Errorf("first kept %s, %d entries, %d added", p.FirstKept, len(p.Kept()), len(got))
	}
	before, after := p.Gain(got...)
	if before != 1211 || after != 2+1+1+9 {
		t.Errorf("%d tokens before and %d after", before, after)
	}
}

// TestKeepNone: where no user message is kept, the compaction names itself, and
// nothing before it is part of the context.
func TestKeepNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keep  int64
		build func(b *builder)
	}{
		"no room":          {-1, func(b *builder) { b.user("a"); b.assistant("b") }},
		"no user messages": {0, func(b *builder) { b.assistant("b") }},
		"others' messages": {0, func(b *builder) {
			b.user("<environment_context>x</environment_context>")
			b.message(`{"role":"developer","content":"d"}`)
			b.message(`{"role":"bashExecution","command":"ls","output":"x","exitCode":0}`)
			b.add(session.TypeCustomMessage, `"customType":"x","display":true,"content":"c"`)
			b.add(session.TypeBranchSummary, `"summary":"b","fromId":"root"`)
		}},
		"edited away": {0, func(b *builder) {
			id := b.user("a")
			b.assistant("b")
			b.add(session.TypeContextEdit, `"targetId":"`+id+`","replacement":null`)
		}},
	} {
		p, got := keepUser(t, c.keep, c.build)
		if len(got) != 1 || got[0].Str("firstKeptEntryId") != got[0].ID() || !strings.Contains(got[0].Get("details"), `,"strategy":"keep-user","kept":[]}`) {
			t.Errorf("%s: %d entries, the last is %s", name, len(got), got[len(got)-1].Raw())
		}
		if context := convo.MessagesOf(convo.Project(p.After(got...))); len(context) != 1 || len(p.Summarize) == 0 {
			t.Errorf("%s: the context is %s", name, array(context))
		}
	}
}

func TestKeepUserTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		keep  int64
		texts []string // of user messages as JSON texts
		want  string   // their content when kept
	}{
		{"all fit", 3, []string{`"abcd"`, `"efghi"`}, `"abcd" "efghi"`},
		{"each rounds up", 3, []string{`"abcdefgh"`, `"ijklm"`}, `[{"type":"text","text":"ab"},{"type":"text","text":"…1 tokens truncated…"},{"type":"text","text":"gh"}] "ijklm"`},
		{"nothing older", 2, []string{`"a"`, `"abcdefghijklm"`, `"b"`}, `[{"type":"text","text":"ab"},{"type":"text","text":"…3 tokens truncated…"},{"type":"text","text":"lm"}] "b"`},
		{"nothing left", 1, []string{`"a"`, `"abcd"`}, `"abcd"`},
		{"not even an empty one", 1, []string{`""`, `"abcd"`}, `"abcd"`},
		{"an empty one", 1, []string{`""`}, `""`},
		{"half a pair", 1, []string{`"a\ud83d\ud83db"`}, `[{"type":"text","text":"a"},{"type":"text","text":"…1 tokens truncated…"},{"type":"text","text":"b"}]`},
		{"half a pair whole", 2, []string{`"a\ud83db\ude00cd"`}, `[{"type":"text","text":"a\ud83d"},{"type":"text","text":"…1 tokens truncated…"},{"type":"text","text":"cd"}]`},
	} {
		b := &builder{t: t}
		for _, text := range c.texts {
			b.message(`{"role":"user","content":` + text + `}`)
			b.assistant("answer")
		}
		p, err := compact.New(b.path, compact.Options{Strategy: compact.KeepUser, Keep: c.keep})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, copied := range p.Copies {
			got = append(got, copied.Message.Get("content"))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestKeepUserNoID: an entry without an id is copied like any other, and is not
// taken for the first one kept.
func TestKeepUserNoID(t *testing.T) {
	t.Parallel()
	e, err := session.ParseEntry(`{"type":"message","message":{"role":"user","content":"a"}}`)
	if err != nil {
		t.Fatal(err)
	}
	b := &builder{t: t, path: []session.Entry{e}}
	b.assistant("b")
	p, err := compact.New(b.path, compact.Options{Strategy: compact.KeepUser})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Copies) != 1 || p.Copies[0].EntryID != "" || p.Kept() != nil {
		t.Errorf("%d copies, %d entries kept", len(p.Copies), len(p.Kept()))
	}
}

// TestKeepUserEdited: what counts is the context, not what the entries say.
func TestKeepUserEdited(t *testing.T) {
	t.Parallel()
	p, _ := keepUser(t, 0, func(b *builder) {
		id := b.user(long(90))
		b.assistant("a")
		b.add(session.TypeContextEdit, `"targetId":"`+id+`","replacement":{"content":"short"}`)
	})
	if len(p.Copies) != 1 || p.Copies[0].Message.Text("") != "short" || p.Copies[0].EntryID != "00000001" {
		t.Errorf("copies %+v", p.Copies)
	}
}

// TestKeepUserNothing: where all there is is kept as it is, a summary says
// nothing that does not stand beside it.
func TestKeepUserNothing(t *testing.T) {
	t.Parallel()
	compaction := func(b *builder) {
		b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"00000001","tokensBefore":1`)
	}
	for name, c := range map[string]struct {
		build func(b *builder)
		err   error
	}{
		"user messages":                         {func(b *builder) { b.user("a"); b.user("b") }, compact.ErrNothing},
		"user messages behind a summary":        {func(b *builder) { b.user("a"); compaction(b); b.user("b") }, compact.ErrNothing},
		"system messages":                       {func(b *builder) { b.message(`{"role":"system","content":"s"}`) }, compact.ErrNothing},
		"nothing new":                           {func(b *builder) { b.user("a"); b.assistant("b"); compaction(b); b.add(session.TypeLabel, "") }, compact.ErrNothing},
		"one is cut":                            {func(b *builder) { b.user("a"); b.user(long(90)) }, nil},
		"one has an image":                      {func(b *builder) { b.message(`{"role":"user","content":[{"type":"image"}]}`) }, nil},
		"another answer after a compaction":     {func(b *builder) { b.user("a"); compaction(b); b.assistant("b") }, nil},
		"a context that codex itself put there": {func(b *builder) { b.user("<skill>x</skill>") }, nil},
	} {
		b := &builder{t: t}
		c.build(b)
		if p, err := compact.New(b.path, compact.Options{Strategy: compact.KeepUser, Keep: 50}); !errors.Is(err, c.err) {
			t.Errorf("%s: plan %+v, error %v; want %v", name, p, err, c.err)
		}
	}
}

// TestKeepUserAgain: the copies of one compaction are what the next one copies,
// and its summary and files go on.
func TestKeepUserAgain(t *testing.T) {
	t.Parallel()
	p, entries := keepUser(t, 0, func(b *builder) {
		b.user("first")
		b.call("c", "edit", `{"path":"w.go"}`)
	})
	b := &builder{t: t, path: p.After(entries...)}
	b.user("second")
	b.assistant("done")
	next, err := compact.New(b.path, compact.Options{Strategy: compact.KeepUser})
	if err != nil {
		t.Fatal(err)
	}
	got := added(t, next, next.Answer("T"))
	if next.PreviousSummary != "S\n\n<modified-files>\nw.go\n</modified-files>" || next.Text(next.Answer("T")) != "T\n\n<modified-files>\nw.go\n</modified-files>" {
		t.Errorf("previous summary %q, next one %q", next.PreviousSummary, next.Text(next.Answer("T")))
	}
	if details := got[len(got)-1].Get("details"); !strings.Contains(details, `"kept":[["00000006'","00000002'"],["00000006''","00000005"]]`) {
		t.Errorf("details %s", details)
	}
	var texts []string
	for _, m := range convo.MessagesOf(convo.Project(next.After(got...)))[1:] {
		texts = append(texts, m.Text(""))
	}
	if diff := cmp.Diff([]string{"first", "second"}, texts); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

// TestAddToFails: an error of the batch is passed on, whichever entry it is.
func TestAddToFails(t *testing.T) {
	t.Parallel()
	p, _ := keepUser(t, 0, func(b *builder) { b.user("a"); b.assistant("b") })
	broken := errors.New("no ids")
	for n := range 2 {
		b := session.Batch{Leaf: p.Leaf, NewID: func(func(string) bool) (string, error) {
			if n == 0 {
				return "", broken
			}
			n--
			return "x", nil
		}}
		if _, err := p.AddTo(&b, compact.Summary{}); !errors.Is(err, broken) {
			t.Errorf("after %d entries: error %v", len(b.Entries), err)
		}
	}
}
