package compact

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// PrunedPrefix is what the placeholder of a pruned tool result begins with.
const PrunedPrefix = "[Tool output pruned: "

// placeholders matches all of a placeholder, so that no other text is taken for
// one.
var placeholders = regexp.MustCompile(`^` + regexp.QuoteMeta(PrunedPrefix) + `\d+ characters?(, \d+ images?)?\]$`)

// placeholder says in one line how long a result was: in UTF-16 units, and how
// many images it had.
func placeholder(result session.Message) string {
	images := 0
	for b := range result.Blocks() {
		if b.Type == "image" {
			images++
		}
	}
	text := PrunedPrefix + count(js.Len(result.Text("")), "character")
	if images > 0 {
		text += ", " + count(images, "image")
	}
	return text + "]"
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// isPlaceholder reports whether the content of an edit, as JSON text, is a
// placeholder and nothing else.
func isPlaceholder(content string) bool {
	n, text := 0, ""
	for b := range resultOf(content).Blocks() {
		n, text = n+1, b.Str("text")
	}
	return n == 1 && placeholders.MatchString(text)
}

// resultOf returns a tool result with that content, which may be a string.
func resultOf(content string) session.Message {
	return session.NewMessage(`{"role":"toolResult","content":` + content + `}`)
}

// An edited entry is one that context_edit entries speak of.
type edited struct {
	pruned  bool   // the newest of them holds a placeholder
	content string // JSON text of the newest other content, "" if there is none
}

// readEdits gathers the edits of a projection by target. Only these are in
// force, and the last one counts.
func readEdits(projection []convo.Projected) map[string]edited {
	targets := map[string]edited{}
	for _, p := range projection {
		if p.Entry.Type() != session.TypeContextEdit {
			continue
		}
		id := p.Entry.Str("targetId")
		e, content := targets[id], ""
		if replacement := p.Entry.Get("replacement"); strings.HasPrefix(replacement, "{") {
			content = session.NewMessage(replacement).Get("content")
		}
		e.pruned = content != "" && isPlaceholder(content)
		if content != "" && !e.pruned {
			e.content = content
		}
		targets[id] = e
	}
	return targets
}

// A result is a tool result of a context.
type result struct {
	id      string          // of its entry
	message session.Message // as the context has it
	own     session.Message // before any edit
	tool    string          // name of the tool
	turn    int             // user messages before it
}

// readResults returns the tool results of a projection, and the number of user
// messages.
func readResults(projection []convo.Projected) (results []result, users int) {
	pairs := convo.Pair(convo.MessagesOf(projection))
	for _, p := range projection {
		own := pairs[:len(p.Messages)]
		pairs = pairs[len(own):]
		for i, m := range p.Messages {
			switch m.Role() {
			case session.RoleUser:
				users++
			case session.RoleToolResult:
				r := result{id: p.Entry.ID(), message: m, own: convo.EntryMessages(p.Entry)[i], tool: m.Str("toolName"), turn: users}
				if call, ok := own[i].Call(); ok && r.tool == "" {
					r.tool = call.Name
				}
				results = append(results, r)
			}
		}
	}
	return results, users
}

func (r result) failed() bool { return r.message.Get("isError") == "true" }

// tokens is what the text costs as opencode estimates: a quarter of its UTF-16
// units, rounded half up.
func (r result) tokens() int64 { return (int64(js.Len(r.message.Text(""))) + 2) / 4 }

// gain is by how many tokens the context gets smaller with that content, 0 if
// there is no id to name or an edit could not give the present one back.
func (r result) gain(content string) int64 {
	if r.id == "" || !strings.HasPrefix(r.message.Get("content"), "[") {
		return 0
	}
	return convo.Estimate(r.message) - convo.Estimate(resultOf(content))
}

func (r result) edit(content string) Edit {
	return Edit{
		TargetID: r.id, Tokens: r.tokens(), Tool: r.tool, ToolCallID: r.own.Str("toolCallId"), content: content,
	}
}
