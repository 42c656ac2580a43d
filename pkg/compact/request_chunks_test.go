package compact_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

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
		r := request(b.path, compact.PromptOptions{MaxPrompt: limit, Write: terse})
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
