package render_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// What soups are cooked from.
var (
	soupIDs       = []string{"a", "a", "b", "c|d", "", "\xed", `\ud800`, "a_5e14f601", strings.Repeat("x", 70)}
	soupTexts     = []string{"hi", "", " ", `\n`, `\ud83d`, `\ude00`, "\xff", "é", `\u0000`, "```"}
	soupArguments = []string{
		`{}`, `null`, `{"a":1}`, `[1]`, `"{\"a\":1}"`, `"{"`, `{"\ud800":"\udc00"}`, `3`, "{\"\xff\":1}",
	}
	soupStops = []string{"stop", "toolUse", "error", "aborted", ""}
	soupRoles = []string{
		"user", "user", "assistant", "assistant", "assistant", "toolResult", "toolResult", "toolResult",
		"system", "developer", "custom", "bashExecution", "branchSummary", "nonsense", "",
	}
	soupBlocks = []string{"text", "text", "toolCall", "toolCall", "image", "thinking", "redactedThinking", "other"}
	soupMedia  = []string{"image/png", "image/webp", "image/tiff", "", "text/plain"}
	soupData   = []string{pixel, "", "blob:sha256:00", "a b"}
)

// drawer draws from what soups are cooked from.
type drawer struct{ *rapid.T }

func (d drawer) of(list []string) string { return rapid.SampledFrom(list).Draw(d.T, "") }

func (d drawer) block() string {
	switch typ := d.of(soupBlocks); typ {
	case "text":
		return text(d.of(soupTexts))
	case "toolCall":
		return fmt.Sprintf(`{"type":"toolCall","id":"%s","name":"%s","arguments":%s}`,
			d.of(soupIDs), d.of([]string{"read", "a b", ""}), d.of(soupArguments))
	case "image":
		return fmt.Sprintf(`{"type":"image","data":"%s","mimeType":"%s"}`, d.of(soupData), d.of(soupMedia))
	case "thinking":
		return fmt.Sprintf(`{"type":"thinking","thinking":"%s","thinkingSignature":"%s","redacted":%s}`,
			d.of(soupTexts), d.of(soupTexts), d.of([]string{"true", "false"}))
	default:
		return fmt.Sprintf(`{"type":"%s","data":"%s"}`, typ, d.of(soupTexts))
	}
}

func (d drawer) message() string {
	var blocks []string
	for range rapid.IntRange(0, 4).Draw(d.T, "blocks") {
		blocks = append(blocks, d.block())
	}
	content := "[" + strings.Join(blocks, ",") + "]"
	if rapid.IntRange(0, 5).Draw(d.T, "string") == 0 {
		content = `"` + d.of(soupTexts) + `"`
	}
	return fmt.Sprintf(`{"role":"%s","content":%s,"stopReason":"%s","toolCallId":"%s","toolName":"%s","isError":%s,"summary":"x","command":"ls"}`,
		d.of(soupRoles), content, d.of(soupStops), d.of(soupIDs), d.of([]string{"read", "a b"}), d.of([]string{"true", "false", "false"}))
}

var (
	leftOutResults = regexp.MustCompile(`left out, and (?:the|(\d+)) results? of its call`)
	madeUp         = regexp.MustCompile(`has no result: `)
	dropped        = regexp.MustCompile(`tool result dropped: `)
)

// results counts the tool results of messages.
func results(messages []session.Message) int {
	n := 0
	for _, m := range messages {
		if m.Role() == session.RoleToolResult {
			n++
		}
	}
	return n
}

// accounted returns how many of the session's tool results the repairs and a
// request with that many results speak of.
func accounted(inRequest int, repairs []string) int {
	n := inRequest
	for _, r := range repairs {
		switch {
		case madeUp.MatchString(r):
			n--
		case dropped.MatchString(r):
			n++
		}
		if m := leftOutResults.FindStringSubmatch(r); m != nil {
			several, err := strconv.Atoi(m[1])
			if err != nil {
				several = 1
			}
			n += several
		}
	}
	return n
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// lawful checks what holds for all messages: the requests are what the APIs
// take, every tool result is in them or reported, and text and Markdown cannot
// act on a terminal.
func lawful(t fataler, messages []session.Message) {
	t.Helper()
	options := []render.Options{{}}
	if _, ok := convo.FoldSystem(messages); ok {
		options = append(options, render.Options{System: true})
	}
	for _, o := range options {
		got, repairs := openAIText(messages, o)
		request, err := validOpenAI(got)
		if err != nil {
			t.Fatalf("OpenAI: %v\n%s", err, got)
		}
		n := 0
		for _, m := range request {
			if m.Role == "tool" {
				n++
			}
		}
		if have, want := accounted(n, repairs), results(messages); have != want {
			t.Fatalf("OpenAI: %d of %d results accounted for: %q\n%s", have, want, repairs, got)
		}
		lawfulAnthropic(t, messages, o)
	}
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return render.Text(b, messages) },
		func(b *bytes.Buffer) error { return render.Markdown(b, messages) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatalf("%v", err)
		}
		if s := b.String(); js.ValidText(s) != s || strings.ContainsAny(s, "\x00\x1b\r\u009b\u202e") {
			t.Fatalf("not clean: %q", s)
		}
	}
}

func lawfulAnthropic(t fataler, messages []session.Message, o render.Options) {
	t.Helper()
	got, repairs := anthropicText(messages, o)
	request, err := validAnthropic(got)
	if err != nil {
		t.Fatalf("Anthropic: %v\n%s", err, got)
	}
	n := 0
	for _, m := range request.Messages {
		for _, b := range m.Content {
			if b.Type == "tool_result" {
				n++
			}
		}
	}
	if have, want := accounted(n, repairs), results(messages); have != want {
		t.Fatalf("Anthropic: %d of %d results accounted for: %q\n%s", have, want, repairs, got)
	}
}

func TestSoup(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		d := drawer{r}
		var lines []string
		for range rapid.IntRange(0, 14).Draw(r, "messages") {
			lines = append(lines, d.message())
		}
		messages := parse(lines...)
		lawful(r, messages)
		got, _ := anthropicText(messages, render.Options{})
		if again, _ := anthropicText(messages, render.Options{}); again != got {
			r.Fatalf("two runs differ:\n%s\n%s", got, again)
		}
	})
}

// legal draws a conversation that needs no repair, one round of a user, calls
// and an answer at a time.
func (d drawer) legal() (rounds [][]string) {
	id := 0
	for range rapid.IntRange(1, 5).Draw(d.T, "rounds") {
		round := []string{user("q")}
		for range rapid.IntRange(0, 3).Draw(d.T, "turns") {
			blocks := []string{`{"type":"thinking","thinking":"hm","thinkingSignature":"s"}`, text("t")}
			blocks = blocks[rapid.IntRange(0, 2).Draw(d.T, "said"):]
			var ids []string
			for range rapid.IntRange(1, 3).Draw(d.T, "calls") {
				id++
				ids = append(ids, fmt.Sprintf("call_%d", id))
				blocks = append(blocks, calls(ids[len(ids)-1]))
			}
			round = append(round, says(blocks...))
			for _, id := range rapid.Permutation(ids).Draw(d.T, "order") {
				round = append(round, result(id, d.of([]string{"out", "", " "})))
			}
		}
		rounds = append(rounds, append(round, says(text("a"))))
	}
	return rounds
}

// TestLegal: what is legal needs no repair, every message is in the request,
// and a conversation that goes on keeps its beginning, byte for byte, which
// the providers' caches live on.
func TestLegal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var lines []string
		var openAI, anthropic string
		for _, round := range (drawer{r}).legal() {
			lines = append(lines, round...)
			messages := parse(lines...)
			lawful(r, messages)
			got, repairs := openAIText(messages, render.Options{})
			if request, err := validOpenAI(got); err != nil || len(repairs) > 0 || len(request) != len(messages) {
				r.Fatalf("OpenAI: %v, %q, %d messages of %d", err, repairs, len(request), len(messages))
			}
			if !strings.HasPrefix(got, openAI) {
				r.Fatalf("OpenAI: %s\ndoes not begin with\n%s", got, openAI)
			}
			openAI = strings.TrimSuffix(got, "]")
			got, repairs = anthropicText(messages, render.Options{})
			if len(repairs) > 0 || !strings.HasPrefix(got, anthropic) {
				r.Fatalf("Anthropic: %q, %s\ndoes not begin with\n%s", repairs, got, anthropic)
			}
			anthropic = strings.TrimSuffix(got, "]}")
		}
	})
}

// FuzzRequest: the laws hold for messages of any JSON.
func FuzzRequest(f *testing.F) {
	for _, tt := range requests {
		f.Add([]byte(strings.Join(tt.in, "\n")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var lines []string
		for line := range bytes.Lines(data) {
			if line = bytes.TrimSpace(line); len(line) > 0 && line[0] == '{' && js.Valid(line) {
				lines = append(lines, string(line))
			}
		}
		lawful(t, parse(lines...))
	})
}
