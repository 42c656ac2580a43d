package convo_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// pairable makes messages of words: "a:1,2" is a reply with calls 1 and 2, "!" in
// front of a word makes it fail; "r:1" is the result of call 1, "x:1" one of another
// tool, "u" the user.
func pairable(words string) []session.Message {
	var out []session.Message
	for _, word := range strings.Fields(words) {
		kind, ids, _ := strings.Cut(word, ":")
		raw := `{"role":"user","content":"u"}`
		switch kind {
		case "a", "!a":
			var calls []string
			for _, id := range strings.Split(ids, ",") {
				calls = append(calls, fmt.Sprintf(`{"type":"toolCall","id":%q,"name":"bash","arguments":{}}`, id))
			}
			stop := "toolUse"
			if kind == "!a" {
				stop = "error"
			}
			raw = fmt.Sprintf(`{"role":"assistant","stopReason":%q,"content":[%s]}`, stop, strings.Join(calls, ","))
		case "r", "x":
			tool := map[string]string{"r": "bash", "x": "read"}[kind]
			raw = fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":%q,"content":[]}`, ids, tool)
		}
		out = append(out, session.NewMessage(raw))
	}
	return out
}

func TestPair(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, messages string
		want           string // of each result: the reply and the call, orphan or doubled
		unanswered     string
	}{
		{"in place", "u a:1 r:1", "2→1.0", ""},
		{"parallel, in another order", "a:1,2 r:2 r:1", "1→0.1 2→0.0", ""},
		{"late", "a:1 u r:1", "2→0.0", ""},
		{"early", "u r:1 a:1", "1→2.0", ""},
		{"early, of another tool", "x:1 a:1", "0→orphan", "1.0"},
		{"early, and the call has its own", "r:1 a:1 r:1", "0→orphan 2→1.0", ""},
		{"two early ones", "r:1 r:1 a:1 a:1", "0→2.0 1→3.0", ""},
		{"doubled", "a:1 r:1 r:1", "1→0.0 2→doubled", ""},
		{"orphaned", "u r:9 a:1", "1→orphan", "2.0"},
		{"ids begin anew", "a:1 r:1 a:1 r:1", "1→0.0 3→2.0", ""},
		{"one id twice in a message", "a:1,1 r:1 r:1 r:1", "1→0.0 2→0.1 3→doubled", ""},
		{"a new call of the id in between", "a:1 a:1 r:1", "2→1.0", "0.0"},
		{"a failed reply keeps its results", "!a:1 r:1 a:1", "1→0.0", "2.0"},
	} {
		messages := pairable(test.messages)
		var got, unanswered []string
		for i, p := range convo.Pair(messages) {
			for _, r := range p.Results {
				got = append(got, fmt.Sprintf("%d→%d.%d", r.Message, i, r.Call))
			}
			for _, n := range p.Unanswered() {
				unanswered = append(unanswered, fmt.Sprintf("%d.%d", i, n))
			}
			if messages[i].Role() == session.RoleToolResult {
				switch p.Reply {
				case convo.Orphan:
					got = append(got, fmt.Sprintf("%d→orphan", i))
				case convo.Doubled:
					got = append(got, fmt.Sprintf("%d→doubled", i))
				}
			}
		}
		if strings.Join(sorted(got), " ") != test.want || strings.Join(unanswered, " ") != test.unanswered {
			t.Errorf("%s: %s: results %v, want %s; unanswered %v, want %q", test.name, test.messages, sorted(got), test.want, unanswered, test.unanswered)
		}
	}
}

func TestFailed(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		`{"role":"assistant","stopReason":"error"}`: true, `{"role":"assistant","stopReason":"aborted"}`: true,
		`{"role":"assistant","stopReason":"stop"}`: false, `{"role":"assistant"}`: false, `{"role":"user","stopReason":"error"}`: false,
	} {
		if got := session.NewMessage(raw).Failed(); got != want {
			t.Errorf("%s: %t", raw, got)
		}
	}
}

// sorted returns the words in order.
func sorted(words []string) []string {
	out := slices.Clone(words)
	slices.Sort(out)
	return out
}

// addSmall seeds f with the small sessions of the corpus.
func addSmall(f *testing.F) {
	f.Helper()
	for _, path := range append(corpus.Sessions(f, "omp/edge"), append(corpus.Sessions(f, "omp/damaged"), corpus.Sessions(f, "pi/sessions")...)...) {
		if data := corpus.Session(f, path); len(data) < 16<<10 {
			f.Add(data)
		}
	}
	f.Add([]byte(join(head, user("a", "b", "x"), user("b", "a", "y"), edit("c", "b", "a", "null"), compaction("d", "c", "a"))))
}

// Laws: a projection has no more entries than the path; what a model reads is
// valid JSON, at most one message for each of the context, and stays the same if
// it is made again; sizes are not negative.
func FuzzContext(f *testing.F) {
	addSmall(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := session.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for i := range min(len(s.Entries), 20) {
			path, _ := s.Path(len(s.Entries) - 1 - i)
			projection := convo.Project(path)
			if len(projection) > len(path) {
				t.Errorf("%d of %d entries", len(projection), len(path))
			}
			c := convo.ContextOf(convo.Project(path), path)
			if !json.Valid([]byte(whole(c))) {
				t.Errorf("context %s", whole(c))
			}
			llm := convo.ToLLM(c.Messages)
			raw := array(llm)
			if len(llm) > len(c.Messages) || !json.Valid([]byte(raw)) {
				t.Errorf("%d messages for %d: %s", len(llm), len(c.Messages), raw)
			}
			if again := array(convo.ToLLM(llm)); again != raw {
				t.Errorf("%s, again %s", raw, again)
			}
			for _, m := range c.Messages {
				if convo.Estimate(m) < 0 {
					t.Errorf("%s: %d tokens", m.Raw(), convo.Estimate(m))
				}
			}
			if size := convo.MeasureProjection(projection, path, convo.Estimate); size.Tokens < 0 || size.Tokens != size.Usage+size.Trailing {
				t.Errorf("%+v", size)
			}
			if m, ok := convo.FoldSystem(c.Messages); ok && !json.Valid([]byte(m.Raw())) {
				t.Errorf("system %s", m.Raw())
			}
			convo.StateOf(path)
		}
	})
}
