package compact

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// DefaultPruneProtect is how many tokens of the newest tool results opencode leaves alone, as it estimates them.
const DefaultPruneProtect = 40000

// pruneLimits say what of the tool results is to stay.
type pruneLimits struct {
	turns   int      // the newest turns are left alone
	protect int64    // the newest results are left alone, up to so many tokens
	minimum int64    // nothing is pruned unless it is more than so many tokens
	tools   []string // tools whose results stay
}

// An Edit replaces the content of a tool result in the context.
type Edit struct {
	TargetID   string // id of the entry that holds the result
	Tokens     int64  // of the output taken out, as opencode estimates
	Tool       string // name of the tool, "" if neither the result nor a call tells it
	ToolCallID string

	content string // JSON text
}

// Fields returns the fields of the context_edit entry, in pi's order.
func (e Edit) Fields() []js.Field {
	return []js.Field{
		js.StringField("targetId", e.TargetID),
		{Name: "replacement", Raw: `{"content":` + e.content + `}`},
	}
}

// Pruned is what Prune takes out of a context.
type Pruned struct {
	Edits  []Edit // oldest result first
	Tokens int64  // the sum of those of the edits

	// The context by convo.Estimate, in tokens. What the model reported is
	// not in it, so that the two compare.
	Before, After int64
}

// Prune plans to replace old tool results by a placeholder, as opencode 1.18
// does: the call stays and keeps its result, but the output no longer fills the
// context. The path must end where the edits are to be appended.
//
// The walk goes from the newest result of the context to the oldest. It passes over the newest
// two turns, which begin at user messages; over errors and the results of the tool skill, which count for
// nothing; and over results of up to protect tokens in sum. Older results are pruned if they are
// more than half as many: opencode protects 40000 tokens, and prunes no less than 20000. A result that
// is pruned already ends the walk: older ones were looked at before. A result costs a quarter of the
// UTF-16 units of its text, rounded half up, as in opencode; its images cost nothing, but go as well.
//
// Four differences from opencode are deliberate. The walk is over the context, so results that a
// compaction keeps are pruned like others; opencode walks over the stored messages, and ends at the
// summary once two user messages follow it, although the messages it keeps are before it. Results
// that are no longer in the context are not pruned, and a compaction is no turn, where opencode
// asks for a summary by a user message. A result that its placeholder would not make smaller counts
// in all sums but stays. So does one whose content is a string, as pi writes none.
//
// The error is ErrNothing if nothing is to be pruned.
func Prune(path []session.Entry, protect int64) (*Pruned, error) {
	return prune(path, pruneLimits{turns: 2, protect: protect, minimum: protect / 2, tools: []string{"skill"}})
}

func prune(path []session.Entry, limits pruneLimits) (*Pruned, error) {
	projection := convo.Project(path)
	pruned := prunedBefore(projection)
	results, users := readResults(projection)
	p := new(Pruned)
	var seen, old int64
	for _, r := range slices.Backward(results) {
		if users-r.turn < limits.turns || r.message.Get("isError") == "true" || slices.Contains(limits.tools, r.tool) {
			continue
		}
		if pruned[r.id] {
			break
		}
		tokens := r.tokens()
		if seen += tokens; seen <= limits.protect {
			continue
		}
		old += tokens
		content := js.Quote(placeholder(r.message))
		if gain := r.gain(content); gain > 0 {
			p.Edits = append(p.Edits, r.edit(content))
			p.Tokens += tokens
			p.After -= gain
		}
	}
	if old <= limits.minimum || len(p.Edits) == 0 {
		return nil, ErrNothing
	}
	slices.Reverse(p.Edits)
	p.Before = sum(convo.MessagesOf(projection), convo.Estimate)
	p.After += p.Before
	return p, nil
}

// prunedPrefix is what the placeholder of a pruned tool result begins with.
const prunedPrefix = "[Tool output pruned: "

// placeholders matches all of a placeholder, so that no other text is taken for
// one.
var placeholders = lazy.Regexp(`^` + regexp.QuoteMeta(prunedPrefix) + `\d+ characters?(, \d+ images?)?\]$`)

// placeholder says in one line how long a result was: in UTF-16 units, and how
// many images it had.
func placeholder(result session.Message) string {
	images := 0
	for b := range result.Blocks() {
		if b.Type == session.BlockImage {
			images++
		}
	}
	text := prunedPrefix + count(js.Len(result.Text("")), "character")
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

// resultOf returns a tool result with that content, which may be a string.
func resultOf(content string) session.Message {
	return session.NewMessage(`{"role":"toolResult","content":` + content + `}`)
}

// prunedBefore returns the entries for which the newest context_edit of a projection holds a placeholder. Only the edits of
// the projection are in force.
func prunedBefore(projection []convo.Projected) map[string]bool {
	pruned := map[string]bool{}
	for _, p := range projection {
		if p.Entry.Type() != session.TypeContextEdit {
			continue
		}
		blocks, text := 0, ""
		if replacement := p.Entry.Get("replacement"); strings.HasPrefix(replacement, "{") {
			if content := session.NewMessage(replacement).Get("content"); content != "" {
				for b := range resultOf(content).Blocks() {
					blocks, text = blocks+1, b.Str("text")
				}
			}
		}
		pruned[p.Entry.Str("targetId")] = blocks == 1 && placeholders().MatchString(text)
	}
	return pruned
}

// A result is a tool result of a context.
type result struct {
	id      string          // of its entry
	message session.Message // as the context has it
	tool    string          // name of the tool
	turn    int             // user messages before it
}

// readResults returns the tool results of a projection, and the number of user
// messages.
func readResults(projection []convo.Projected) (results []result, users int) {
	pairs := convo.Pair(convo.MessagesOf(projection))
	at := -1 // the message, among all
	for _, p := range projection {
		for _, m := range p.Messages {
			at++
			switch m.Role() {
			case session.RoleUser:
				users++
			case session.RoleToolResult:
				r := result{id: p.Entry.ID(), message: m, tool: m.Str("toolName"), turn: users}
				if call, ok := convo.CallOf(pairs, at); ok && r.tool == "" {
					r.tool = call.Name
				}
				results = append(results, r)
			}
		}
	}
	return results, users
}

// tokens is what the text costs as opencode estimates: a quarter of its UTF-16
// units, rounded half up.
func (r result) tokens() int64 { return (int64(js.Len(r.message.Text(""))) + 2) / 4 }

// gain is by how many tokens the context gets smaller with that content, 0 if
// there is no id to name or the present one is a string.
func (r result) gain(content string) int64 {
	if r.id == "" || !strings.HasPrefix(r.message.Get("content"), "[") {
		return 0
	}
	return convo.Estimate(r.message) - convo.Estimate(resultOf(content))
}

func (r result) edit(content string) Edit {
	return Edit{
		TargetID: r.id, Tokens: r.tokens(), Tool: r.tool, ToolCallID: r.message.Str("toolCallId"), content: content,
	}
}
