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
	const others = "messages of others"
	for path, keep := range map[string]int64{"u a": -1, "a": 0, "u a -1": 0, others: 0} {
		p, got := keepUser(t, keep, func(b *builder) {
			if path != others {
				b.steps(path)
				return
			}
			b.user("<environment_context>x</environment_context>")
			b.message(`{"role":"developer","content":"d"}`)
			b.steps("x n b")
		})
		if len(got) != 1 || got[0].Str("firstKeptEntryId") != got[0].ID() || !strings.Contains(got[0].Get("details"), `,"strategy":"keep-user","kept":[]}`) {
			t.Errorf("%s: %d entries, the last is %s", path, len(got), got[len(got)-1].Raw())
		}
		if context := convo.MessagesOf(convo.Project(p.After(got...))); len(context) != 1 || len(p.Summarize) == 0 {
			t.Errorf("%s: the context is %s", path, array(context))
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

// TestKeepUserNothing: where all there is is kept as it is, a summary says
// nothing that does not stand beside it.
func TestKeepUserNothing(t *testing.T) {
	t.Parallel()
	check := func(b *builder, want error) {
		if p, err := compact.New(b.path, compact.Options{Strategy: compact.KeepUser, Keep: 50}); !errors.Is(err, want) {
			t.Errorf("of %d entries: plan %+v, error %v; want %v", len(b.path), p, err, want)
		}
	}
	for path, want := range map[string]error{
		"u u": compact.ErrNothing, "u s1 u": compact.ErrNothing, "y": compact.ErrNothing, "u a s1 l": compact.ErrNothing, "u u90": nil, "u s1 a": nil,
	} {
		b := &builder{t: t}
		b.steps(path)
		check(b, want)
	}
	for _, content := range []string{`[{"type":"image"}]`, `"<skill>x</skill>"`} { // which are not kept
		b := &builder{t: t}
		b.message(`{"role":"user","content":` + content + `}`)
		check(b, nil)
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
