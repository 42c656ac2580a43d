package compact_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// around is what stands around a prompt when a model reads it.
const around = len("\n\n" + "\n")

// terse is a prompt of nothing but the conversation and the summary so far.
func terse(conversation, previous string) string { return previous + "|" + conversation }

// request asks for a summary of a path's messages with terse prompts.
func request(path []session.Entry, o compact.PromptOptions) *compact.Request {
	return compact.Requested(partsOf(path), o, terse)
}

func partsOf(path []session.Entry) (parts []compact.Part) {
	for _, e := range path {
		for _, m := range convo.EntryMessages(e) {
			parts = append(parts, compact.Part{EntryID: e.ID(), Message: m})
		}
	}
	return parts
}

// next is Next for requests that have one more prompt.
func next(t tb, r *compact.Request) (prompt string, chunk, chunks int) {
	t.Helper()
	prompt, chunk, chunks, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	again, chunk2, chunks2, err := r.Next()
	if err != nil || again != prompt || chunk2 != chunk || chunks2 != chunks {
		t.Fatalf("asked twice, the prompts differ: %v", err)
	}
	return prompt, chunk, chunks
}

func hasImages(path []session.Entry) bool {
	for _, e := range path {
		if strings.Contains(e.Raw(), `"image"`) {
			return true
		}
	}
	return false
}

// TestRequestOnePrompt: what fits is asked with the prompts of the plan.
func TestRequestOnePrompt(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, p *compact.Plan) {
		t.Helper()
		want := map[string]string{}
		if p.NeedsHistory() {
			want[compact.PartHistory] = p.HistoryPrompt("the tests")
		}
		if p.NeedsPrefix() {
			want[compact.PartTurnPrefix] = p.PrefixPrompt("the tests")
		}
		requests := p.Requests(compact.PromptOptions{Focus: "the tests", MaxPrompt: compact.HardMaxPrompt})
		if len(requests) != len(want) {
			t.Errorf("%d requests, want %d", len(requests), len(want))
		}
		for _, r := range requests {
			prompt, chunk, chunks := next(t, r)
			if chunk != 1 || chunks != 1 || prompt != want[r.Name()] {
				t.Errorf("%s %d/%d: got %q, want %q", r.Name(), chunk, chunks, prompt, want[r.Name()])
			}
			r.Accept("REPLY")
			if !r.Done() || r.Summary() != "REPLY" || r.Dropped() != 0 {
				t.Errorf("done %v, summary %q, %d dropped", r.Done(), r.Summary(), r.Dropped())
			}
			if _, _, _, err := r.Next(); err == nil {
				t.Error("asks on when all is answered")
			}
		}
	}
	for _, c := range prompts {
		check(t, planOf(t, c.build))
	}
	var asked atomic.Int32
	t.Cleanup(func() { // behind the parallel subtests
		if n := asked.Load(); n < 5 {
			t.Errorf("%d plans of the corpus were asked", n)
		}
	})
	goldenFiles(t, func(t *testing.T, path []session.Entry, _ func(string) []byte) {
		t.Helper()
		if p, err := compact.New(path, compact.Options{Keep: 200}); err == nil && !hasImages(path) {
			asked.Add(1)
			check(t, p)
		}
	})
}

func TestRequestHeadings(t *testing.T) {
	t.Parallel()
	requests := planOf(t, historyAndPrefix).Requests(compact.PromptOptions{})
	if len(requests) != 2 || requests[0].Name() != "history" || requests[1].Name() != "turn-prefix" ||
		requests[0].Heading() != compact.RequiredHeading || requests[1].Heading() != compact.PrefixHeading {
		t.Errorf("%d requests: %+v", len(requests), requests)
	}
}

// TestRollingPrompts: the second chunk's prompt asks to bring the summary of the
// first up to date.
func TestRollingPrompts(t *testing.T) {
	t.Parallel()
	p := planOf(t, func(b *builder) {
		for range 25 {
			b.user("ask " + strings.Repeat("x", 400))
			b.assistant("answer")
		}
		b.user("second")
		for range 25 {
			b.assistant("step " + strings.Repeat("y", 400))
		}
		b.assistant(long(20))
	})
	for _, r := range p.Requests(compact.PromptOptions{Focus: "the tests", MaxPrompt: 3500}) {
		n := 0
		for ; !r.Done(); n++ {
			prompt, chunk, chunks := next(t, r)
			if len(compact.System)+len(prompt)+around > 3500 {
				t.Errorf("%s %d: prompt of %d bytes", r.Name(), chunk, len(prompt))
			}
			carried := fmt.Sprintf("\n\n<previous-summary>\nSUMMARY %d\n</previous-summary>\n\n", n)
			if strings.Contains(prompt, carried) != (n > 0) || strings.Count(prompt, "<previous-summary>\n") != min(n, 1) {
				t.Errorf("%s %d: the summary so far is missing, or one too many, in:\n%s", r.Name(), chunk, prompt)
			}
			if !strings.Contains(prompt, r.Heading()) || strings.Count(prompt, "\n\nAdditional focus: the tests") != 1 {
				t.Errorf("%s %d: the heading or the focus is missing in:\n%s", r.Name(), chunk, prompt)
			}
			if framed := strings.HasPrefix(prompt, "# Conversation\n"); framed != (r.Name() == "turn-prefix") {
				t.Errorf("%s %d: another frame:\n%s", r.Name(), chunk, prompt)
			}
			if chunk != n+1 || chunks < chunk {
				t.Errorf("%s: chunk %d of %d, want %d", r.Name(), chunk, chunks, n+1)
			}
			r.Accept(fmt.Sprint("SUMMARY ", n+1))
		}
		if n < 3 || r.Summary() != fmt.Sprint("SUMMARY ", n) {
			t.Errorf("%s: %d chunks, summary %q", r.Name(), n, r.Summary())
		}
	}
}

// whole joins what was asked in chunks.
func whole(chunks []string) string {
	var b strings.Builder
	for i, c := range chunks {
		rest, continued := strings.CutPrefix(c, "[Continued]: ")
		if i > 0 && !continued {
			b.WriteString("\n\n")
		}
		b.WriteString(rest)
	}
	return b.String()
}

// TestChunks states what chunks are, for any path and size: every prompt keeps
// to its size, everything is asked once and in order, in valid UTF-8, the last
// chunk and no other knows that it is the last, and only what is too large is
// parted.
func TestChunks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := &builder{t: t}
		pairs := map[int]int{} // bytes of a call and its result
		texts := map[string]string{}
		for i := range rapid.IntRange(0, 30).Draw(t, "entries") {
			text := strings.Repeat(rapid.SampledFrom([]string{"a", "é", "中", "😀"}).Draw(t, "letter"), rapid.IntRange(0, 150).Draw(t, "length"))
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				b.user(fmt.Sprintf("user%d. %s", i, text))
			case 1:
				b.assistant(fmt.Sprintf("assistant%d. %s", i, text))
			case 2:
				b.message(`{"role":"assistant","content":[{"type":"thinking","thinking":"hidden"}]}`)
			default:
				b.call(fmt.Sprint(i), fmt.Sprintf("call%d.", i), `{}`)
				if i%2 == 0 {
					b.user(fmt.Sprintf("between%d.", i))
				}
				b.result(fmt.Sprint(i), fmt.Sprintf("result%d. %s", i, text), false)
				pairs[i] = len(compact.Serialize(contents(b.path[len(b.path)-2-(i+1)%2:])))
			}
		}
		for _, m := range contents(b.path) {
			if text := compact.Serialize([]session.Message{m}); text != "" {
				marker, _, _ := strings.Cut(text, ".")
				texts[marker+"."] = text
			}
		}
		limit := rapid.IntRange(300, 3000).Draw(t, "limit")
		r := request(b.path, compact.PromptOptions{MaxPrompt: limit})
		var asked []string
		previous := ""
		for !r.Done() {
			prompt, chunk, chunks := next(t, r)
			if len(prompt)+around > limit || !utf8.ValidString(prompt) {
				t.Fatalf("prompt of %d bytes, limit %d, valid %v", len(prompt), limit, utf8.ValidString(prompt))
			}
			conversation := strings.TrimPrefix(prompt, previous+"|")
			room := limit - around - len(previous+"|")
			for i, size := range pairs {
				call, result := strings.Contains(conversation, fmt.Sprintf(" call%d.", i)), strings.Contains(conversation, fmt.Sprintf(" result%d.", i))
				if call && !result && size <= room {
					t.Fatalf("call and result %d of %d bytes are parted, room %d:\n%s", i, size, room, conversation)
				}
			}
			for marker, text := range texts {
				if strings.Contains(conversation, marker) && !strings.Contains(conversation, text) && len(text) <= room {
					t.Fatalf("a message of %d bytes is cut, room %d:\n%s", len(text), room, conversation)
				}
			}
			asked = append(asked, conversation)
			previous = strings.Repeat("s", rapid.IntRange(1, limit/2).Draw(t, "reply"))
			r.Accept(previous)
			if chunk != len(asked) || (chunk == chunks) != r.Done() {
				t.Fatalf("chunk %d of %d is number %d, done %v", chunk, chunks, len(asked), r.Done())
			}
		}
		if got, want := whole(asked), compact.Serialize(contents(b.path)); got != want {
			t.Fatalf("asked\n%s\nwant\n%s", got, want)
		}
	})
}

func contents(path []session.Entry) (out []session.Message) {
	for _, e := range path {
		out = append(out, convo.EntryMessages(e)...)
	}
	return out
}

// asked returns the conversation of a request for messages that fit.
func asked(t *testing.T, o compact.PromptOptions, messages ...session.Message) string {
	t.Helper()
	var parts []compact.Part
	for _, m := range messages {
		parts = append(parts, compact.Part{Message: m})
	}
	prompt, _, _ := next(t, compact.Requested(parts, o, terse))
	return strings.TrimPrefix(prompt, "|")
}

// TestImageNotes: in a request, and there alone, a note stands for an image.
func TestImageNotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, message, want, plain string }{
		{"user", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"AAAAAA=="},{"type":"text","text":"b"}]}`, "[User]: ab\n[Image: image/png, 4 bytes]", "[User]: ab"},
		{"alone", `{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`, "[User]: [Image: image/png, 3 bytes]", ""},
		{"two", `{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"AAAAAAA="},{"type":"image","mimeType":"image/gif","data":"AAAA"}]}`, "[User]: [Image: image/png, 5 bytes]\n[Image: image/gif, 3 bytes]", ""},
		{"white space, no padding", `{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"AA\/\r\n+_AA\n"}]}`, "[User]: [Image: image/png, 5 bytes]", ""},
		{"stored elsewhere", `{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"blob:sha256:00"}]}`, "[User]: [Image: image/png]", ""},
		{"no type", `{"role":"user","content":[{"type":"image","data":"AAAA"}]}`, "[User]: [Image: 3 bytes]", ""},
		{"nothing known", `{"role":"user","content":[{"type":"image"}]}`, "[User]: [Image]", ""},
		{"result", `{"role":"toolResult","content":[{"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"text","text":"r"}]}`, "[Tool result]: r\n[Image: image/png, 3 bytes]", "[Tool result]: r"},
		{"assistant", `{"role":"assistant","content":[{"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"toolCall","id":"1","name":"f","arguments":{}}]}`, "[Assistant]: [Image: image/png, 3 bytes]\n\n[Assistant tool calls]: f()", "[Assistant tool calls]: f()"},
		{"custom", `{"role":"custom","customType":"x","content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`, "[User]: [Image: image/png, 3 bytes]", ""},
	} {
		m := session.NewMessage(c.message)
		if got := asked(t, compact.PromptOptions{}, m); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := compact.Serialize([]session.Message{m}); got != c.plain {
			t.Errorf("%s: Serialize %q, want %q", c.name, got, c.plain)
		}
	}
}

// TestImageNotesCorpus: but for the notes, a request has the text that pi has.
func TestImageNotesCorpus(t *testing.T) {
	t.Parallel()
	messages := convo.MessagesOf(convo.Project(leafPath(t, corpus.Session(t, "pi/sessions/linear.jsonl"))))
	got := asked(t, compact.PromptOptions{MaxPrompt: compact.HardMaxPrompt}, messages...)
	notes := 0
	var lines []string
	for line := range strings.Lines(got) {
		if strings.HasPrefix(line, "[Image: image/") {
			notes++
			continue
		}
		lines = append(lines, line)
	}
	if notes == 0 || strings.Count(got, "[Image: image/") != notes {
		t.Fatalf("%d notes on lines of their own in:\n%s", notes, got)
	}
	if want := compact.Serialize(messages); strings.Join(lines, "") != want {
		t.Errorf("without the notes:\n%s\nwant\n%s", strings.Join(lines, ""), want)
	}
}

// TestResultLimit: results alone are cut, and only as far as asked for.
func TestResultLimit(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("😀", 2000) // 4000 units
	messages := []session.Message{
		session.NewMessage(`{"role":"user","content":"` + text + `"}`),
		session.NewMessage(`{"role":"toolResult","content":[{"type":"text","text":"` + text + `"},{"type":"image"}]}`),
	}
	for limit, want := range map[int]string{
		0:    text[:4*1000] + "\n\n[... 2000 more characters truncated]\n[Image]",
		3:    "😀\n\n[... 3997 more characters truncated]\n[Image]",
		4000: text + "\n[Image]",
		-1:   text + "\n[Image]",
	} {
		want = "[User]: " + text + "\n\n[Tool result]: " + want
		if got := asked(t, compact.PromptOptions{ResultLimit: limit}, messages...); got != want {
			t.Errorf("limit %d: %q, want %q", limit, got, want)
		}
	}
}
