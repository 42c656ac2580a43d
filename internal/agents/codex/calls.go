package codex

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// A pending is a message that is not yet an entry.
type pending struct {
	role    string
	custom  string // type of a custom message
	key     string
	time    int64
	blocks  []string
	calls   []*call
	callID  string // of a result
	tool    string
	failed  bool
	exit    string   // the exit code of a command, "" if it is unknown
	nested  []string // calls that the tool made, as a result has them
	failure string   // of a reply that failed
	aborted bool     // a reply that was cut short
	made    bool     // nothing in the source: put in for a call that was not answered
	ran     string   // what the user ran: the members of the message
	usage   string

	// Of the request that a record names: its id, the thread that made it if that is another one, and who answered. What a record does not say is "".
	response, thread, provider, model string
}

// A call is a tool call, and whether it has its result.
type call struct {
	id, name string
	message  *pending
	answered bool
}

// An exchange is what the model said in one response, and the results of its calls,
// as far as they have come. It is held back until it is clear what belongs to it.
type exchange struct {
	mark     int // elements before it
	messages []*pending
	sealed   bool       // the response is over
	size     int        // in bytes
	beside   []*pending // what belongs to calls before it
}

// maxExchange bounds the bytes that are held back.
const maxExchange = 16 << 20

// assistant returns the message that a block of an assistant belongs to.
func (c *conv) assistant(key string, text bool) *pending {
	c.spoken = true
	if x := c.x; x != nil && (x.sealed || x.size > maxExchange) {
		c.x = nil
		c.flushed(x)
	}
	if c.x == nil {
		c.x = &exchange{mark: len(c.batch)}
	}
	x := c.x
	if n := len(x.messages); n > 0 {
		last := x.messages[n-1]
		spoke := slices.ContainsFunc(last.blocks, func(b string) bool { return strings.HasPrefix(b, textHead) })
		if !text || !spoke && len(last.calls) == 0 {
			return last
		}
	}
	p := &pending{role: session.RoleAssistant, key: key, time: c.now}
	x.messages = append(x.messages, p)
	return p
}

// answer adds a result to the exchange. ok is false for one without a call, which
// codex drops.
func (c *conv) answer(id string, result *pending) (ok bool) {
	if c.x != nil {
		for _, m := range c.x.messages {
			for _, cl := range m.calls {
				if cl.id == id && !cl.answered {
					cl.answered = true
					result.tool = cl.name
					c.x.sealed = true
					// What the model said behind the call, before the result came, belongs to the message with the call.
					at := slices.Index(c.x.messages, m)
					kept := c.x.messages[:at+1]
					for _, other := range c.x.messages[at+1:] {
						if other.role != session.RoleAssistant {
							kept = append(kept, other)
							continue
						}
						m.blocks = append(m.blocks, other.blocks...)
						m.calls = append(m.calls, other.calls...)
					}
					c.x.messages = kept
					c.x.messages = append(c.x.messages, result)
					return true
				}
			}
		}
	}
	cl := c.waiting[id]
	if cl == nil {
		return false
	}
	delete(c.waiting, id)
	c.flush()
	result.tool = cl.name
	c.x = &exchange{mark: len(c.batch), messages: []*pending{result}, sealed: true}
	return true
}

// flush makes entries of the exchange. Calls without result may still get one.
func (c *conv) flush() {
	if x := c.x; x != nil {
		c.x = nil
		c.flushed(x)
	}
}

// settleBefore settles the calls before a message of the user. It leaves them open if the result of one comes next behind that
// message, before the model goes on or the turn ends: codex sends such a result.
func (c *conv) settleBefore(l line) {
	c.flush()
	if len(c.waiting) > 0 {
		for _, d := range c.late() {
			if d.at <= l.offset || d.output != "" && c.waiting[d.output] == nil {
				continue
			}
			if d.output == "" {
				c.settle()
			}
			return
		}
		if c.stopped = c.b.Growth == formats.Closed; c.stopped { // nothing has decided yet
			return
		}
	}
	c.settle()
}

// settle flushes the messages that wait for results when no result can come any more. A call without one gets the result
// that codex gives it, which says that the call was aborted.
func (c *conv) settle() {
	if x := c.x; x != nil {
		c.x = nil
		var messages []*pending
		for _, m := range x.messages {
			messages = append(messages, m)
			for _, cl := range m.calls {
				if !cl.answered {
					cl.answered = true
					messages = append(messages, c.aborted(cl))
				}
			}
		}
		x.messages = messages
		c.flushed(x)
	}
	if len(c.waiting) == 0 {
		c.order = nil
		return
	}
	for _, cl := range c.order {
		if c.waiting[cl.id] == cl {
			c.emit(c.aborted(cl))
		}
	}
	c.waiting, c.order = map[string]*call{}, nil
}

func (c *conv) aborted(cl *call) *pending {
	return &pending{
		role: session.RoleToolResult, callID: cl.id, tool: cl.name, key: cl.message.key + ":" + cl.id, time: cl.message.time,
		blocks: []string{api.Text("aborted")}, failed: true, made: true,
	}
}

func (c *conv) flushed(x *exchange) {
	c.put(x.mark)
	for _, m := range x.messages {
		c.emit(m)
		for _, cl := range m.calls {
			if !cl.answered {
				c.waiting[cl.id] = cl
				c.order = append(c.order, cl)
			}
		}
	}
	for _, p := range x.beside {
		c.emit(p)
	}
	c.anchor, c.context = c.b.Leaf(), false
}

// newestReply returns the reply that was held back last, nil if there is none.
func (c *conv) newestReply() *pending {
	if c.x == nil {
		return nil
	}
	for _, m := range slices.Backward(c.x.messages) {
		if m.role == session.RoleAssistant {
			return m
		}
	}
	return nil
}

// cutShort notes that the turn was interrupted: the reply that it ends with is cut short, unless it is calls.
func (c *conv) cutShort() {
	if m := c.newestReply(); m != nil && m == c.x.messages[len(c.x.messages)-1] && len(m.calls) == 0 {
		m.aborted = true
	}
}

// convert makes messages of an item.
func (c *conv) convert(l line, it item, key string) {
	switch it.kind {
	case kindMessage:
		c.message(l, it, key)
	case kindAgentMessage:
		c.agentMessage(l, it, key)
	case kindReasoning:
		c.reasoning(it, key)
	case kindCall, kindCustomCall, kindShellCall:
		c.call(it, key)
	case kindOutput, kindCustomOutput:
		c.output(l, it, key)
	case "web_search_call", "image_generation_call", "tool_search_call", "tool_search_output":
		c.holdBack(it)
		block := api.ItemProvided(it.Value)
		if c.found(block) {
			return
		}
		p := c.assistant(key, false)
		p.blocks = append(p.blocks, block)
	case "compaction", "context_compaction", "compaction_summary":
		c.lose(l, formats.KindContext, "a summary that only the provider can read (%s)", it.kind)
	default:
		c.strange(l, "an item of the unknown kind", it.kind, it.Value)
	}
}

// found puts a result of the provider's to its call, which is in a reply that is held back. It reports whether there was one.
func (c *conv) found(block string) bool {
	if c.x == nil {
		return false
	}
	for _, m := range c.x.messages {
		if all := append(slices.Clone(m.blocks), block); m.role == session.RoleAssistant {
			if all = session.JoinProvided(all); len(all) == len(m.blocks) {
				m.blocks = all
				return true
			}
		}
	}
	return false
}

// message converts a message of the user, of codex itself, or of the model.
func (c *conv) message(l line, it item, key string) {
	switch it.role {
	case "assistant":
		c.holdBack(it)
		p := c.assistant(key, true)
		c.content(l, it.content, p)
		if len(p.blocks) == 0 {
			p.blocks = append(p.blocks, text(`""`)) // codex sends it as well
		}
		return
	case "user", "developer":
	default: // codex leaves them out
		c.strange(l, "a message of the unknown role", it.role, it.Value)
		return
	}
	p := &pending{role: it.role, key: key, time: c.now}
	c.content(l, it.content, p)
	if len(p.blocks) == 0 {
		p.blocks = append(p.blocks, text(`""`))
	}
	if objective := goalOf(firstOf(p.blocks)); objective != "" && c.goal(l, objective) && c.stopped {
		return
	}
	context := true
	switch ran, ok := ranByUser(p.blocks); {
	case it.role == "developer": // a message of that role, since codex would send it as one
		for i := range p.blocks {
			p.blocks[i] = session.HarnessBlock(p.blocks[i], agent)
		}
	case ok:
		p.role, p.ran = session.RoleBashExecution, ran
	case isReview(p): // a message of the user for the model, and for a compaction
		p.custom, context = customReview, false
	case fromCodex(p):
		p.custom = session.CustomContext(agent)
	default:
		context = false
	}
	if p.custom != "" && strings.Contains(p.blocks[0], interrupted) {
		c.cutShort()
	}
	c.settleBefore(l)
	if c.put(len(c.batch)); c.stopped {
		return
	}
	if !context {
		cut := c.b.Leaf()
		if c.context && c.turns != nil {
			cut = c.anchor
		}
		if c.jump != "" {
			cut = c.jump
		}
		c.turns = &turn{cut, c.turns}
	}
	c.emit(p)
	if context {
		c.context = true
		return
	}
	c.anchor, c.context = c.b.Leaf(), false
	c.remember(p)
}

// interrupted is how codex begins to tell a model that the user interrupted a turn.
const interrupted = `"text":"<turn_aborted>`

// fromCodex reports whether a user message is one that codex itself has put in, or all of it an agent. In another one it marks
// what an agent has put around the words of the user.
func fromCodex(p *pending) bool {
	var blocks []string
	users := false
	for _, b := range p.blocks {
		block := session.NewBlock(b)
		if block.Type == session.BlockText && typed.IsCodexText(block.Str("text")) {
			return true
		}
		framed := typed.FramedBlocks(b, agent)
		users = users || slices.ContainsFunc(framed, func(b string) bool { return session.NewBlock(b).Harness() == "" })
		blocks = append(blocks, framed...)
	}
	if users {
		p.blocks = blocks
	}
	return !users
}

// isReview reports whether a user message is what codex writes there at the end of a review.
func isReview(p *pending) bool {
	text := strings.TrimSpace(firstOf(p.blocks))
	return len(p.blocks) == 1 && strings.HasPrefix(text, "<user_action>") && strings.HasSuffix(text, "</user_action>")
}

// ranByUser returns the members of a message for what the user ran, if a message is that.
func ranByUser(blocks []string) (members string, ok bool) {
	const begin, end = "<user_shell_command>", "</user_shell_command>"
	text := strings.TrimSpace(session.NewBlock(blocks[0]).Str("text"))
	if len(blocks) != 1 || len(text) < len(begin)+len(end) || !strings.EqualFold(text[:len(begin)], begin) || !strings.EqualFold(text[len(text)-len(end):], end) {
		return "", false
	}
	text = strings.TrimSpace(text[len(begin) : len(text)-len(end)])
	command, result, ok := strings.Cut(strings.TrimPrefix(text, "<command>"), "</command>")
	result = strings.TrimPrefix(strings.TrimSpace(result), "<result>\n")
	head, output, told := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(result, "</result>"), "\n"), "Output:\n")
	if !told {
		head, output = output, head
	}
	code, _, _ := strings.Cut(strings.TrimPrefix(head, "Exit code: "), "\n")
	members = `"command":` + js.Quote(strings.Trim(command, "\n")) + `,"output":` + js.Quote(output)
	if code = number(code); code != "" {
		members += `,"exitCode":` + code
	}
	return members + `,"cancelled":false,"truncated":false,`, ok
}

// content adds the blocks of a content. Texts of the model that follow each other are one: the API split it.
func (c *conv) content(l line, content js.Value, p *pending) {
	var run []string // literals of texts of the model that follow each other, without their quotes
	flush := func() {
		if len(run) > 0 {
			p.blocks = append(p.blocks, text(`"`+strings.Join(run, "")+`"`))
		}
		run = nil
	}
	for _, part := range parts(content) {
		if part.kind == "input_image" || !part.text.IsString() || p.role != session.RoleAssistant {
			flush()
		}
		switch {
		case part.kind == "input_image":
			url := part.image.Str()
			if media, data, _ := api.DataURL(url); strings.HasPrefix(url, "data:") {
				p.blocks = append(p.blocks, api.Image(media, data))
			} else {
				c.lose(l, formats.KindMedia, "an image given by its address only, which no model will see")
			}
		case part.text.IsString():
			run = append(run, string(part.text[1:len(part.text)-1]))
		default:
			c.lose(l, formats.KindMedia, "content of type %q, which no model will see", part.kind)
		}
	}
	flush()
}

// agentMessage converts what another agent has said.
func (c *conv) agentMessage(l line, it item, key string) {
	p := &pending{role: session.RoleCustom, custom: "codex:agent_message", key: key, time: c.now}
	c.content(l, it.content, p)
	if len(p.blocks) == 0 {
		return
	}
	c.settle()
	c.put(len(c.batch))
	c.emit(p)
	c.context = true
}

// reasoning converts thinking. As pi has it, the item is the signature.
func (c *conv) reasoning(it item, key string) {
	c.holdBack(it)
	var texts []string
	for _, part := range parts(it.summary) {
		texts = append(texts, part.text.Str())
	}
	if len(texts) == 0 {
		for _, part := range parts(it.content) {
			texts = append(texts, part.text.Str())
		}
	}
	p := c.assistant(key, false)
	p.blocks = append(p.blocks, api.Thinking(strings.Join(texts, "\n\n"), string(it.Value)))
}

// call converts a tool call.
func (c *conv) call(it item, key string) {
	c.holdBack(it)
	name, arguments := it.name, ""
	switch it.kind {
	case kindShellCall:
		name = "local_shell"
		if arguments = "{}"; it.action.IsObject() {
			arguments = string(it.action)
		}
	case kindCustomCall:
		arguments = `{"input":` + literal(it.input) + "}"
	default:
		lit := literal(it.arguments)
		given := js.Unquote(lit)
		if strings.HasPrefix(given, "{") && js.Valid([]byte(given)) {
			arguments = api.Compact(given)
		} else {
			arguments = `{"input":` + lit + "}"
		}
	}
	p := c.assistant(key, false)
	p.blocks = append(p.blocks, api.ToolCall(it.callID, name, arguments))
	p.calls = append(p.calls, &call{id: it.callID, name: name, message: p})
	if name == "create_goal" { // the model sets it
		c.objective = js.Value(arguments).Get("objective").Str()
	}
	if c.called[strings.Clone(it.callID)] = true; it.kind == kindCustomCall && name == script {
		c.scripts.begins(it.callID, c.now)
	}
}

// output converts the result of a call.
func (c *conv) output(l line, it item, key string) {
	if it.callID == "" && it.name == goalOutput {
		c.goal(l, it.output.Str())
		return
	}
	p := &pending{role: session.RoleToolResult, callID: it.callID, key: key, time: c.now}
	switch {
	case it.output.IsString():
		p.blocks = append(p.blocks, text(string(it.output)))
	case it.output.IsArray():
		c.content(l, it.output, p)
	default: // codex cannot read it, so there is none
		p.blocks, p.failed, p.made = []string{api.Text("aborted")}, true, true
	}
	told := firstOf(p.blocks)
	p.exit = exitCode(told)
	p.failed = p.failed || refused(told)
	p.ends(c.ended[it.callID])
	delete(c.ended, it.callID)
	p.nested = c.scripts.closes(it.callID)
	c.holdBack(it)
	c.answer(it.callID, p)
}

// ends takes what an event tells of the end of the call. What the output of a command says comes first.
func (p *pending) ends(e end) {
	if told := p.made || p.exit != "" || running(firstOf(p.blocks)); !e.command || !told {
		p.exit, p.failed = cmp.Or(p.exit, e.exit), p.failed || e.failed
	}
	p.failed = p.failed || p.exit != "" && p.exit != "0"
}

// firstOf returns what a model is told of a call in front of what a command printed: an output may have parts, of which the first says how
// it ended.
func firstOf(blocks []string) string {
	if len(blocks) == 0 {
		return ""
	}
	return session.NewBlock(blocks[0]).Str("text")
}

// refusals are how codex itself tells a model that a call failed: what its output begins with.
var refusals = []string{
	"apply_patch verification failed: ", "apply_patch handler received ", "write_stdin failed: ", "exec_command failed", "failed to parse function arguments: ",
	"unsupported call: ", "unsupported custom tool call: ", "tool call error: ", "execution error: ", "exec command rejected by user", "patch rejected by user",
	"aborted by user", "Script failed\n", "Script terminated\n", "failed in sandbox ",
}

// stopped is how codex tells that the user stopped a command, from 2025 on: behind how long it ran.
var stopped = lazy.Regexp(`^(?:Chunk ID: \S*\n)?Wall time: [^\n]*\naborted by user(?:\n|$)`)

// refused reports whether an output is what codex says of a call that failed.
func refused(text string) bool {
	return slices.ContainsFunc(refusals, func(begin string) bool { return strings.HasPrefix(text, begin) }) || stopped().MatchString(text)
}

// running reports whether an output is that of a command which goes on.
func running(text string) bool {
	front, _, _ := strings.Cut(text, "\nOutput:")
	return strings.Contains(front, "Process running with session ID ")
}

// An end is what an event tells of the end of a call.
type end struct {
	failed  bool
	command bool   // it is that of a command
	exit    string // of a command, "" if it is not told
}

// finished notes how a call ended by an event of its end, which may stand on either side of its output. The event of a command
// may come long after the call; then it stays with its line, see [calls.Of].
func (c *conv) finished(v js.Value) {
	d, ok := deedOf(v)
	if !ok {
		return
	}
	if c.scripts.made(d, c.called) {
		c.nest(d)
		return
	}
	if c.x != nil {
		for _, m := range c.x.messages {
			if m.role == session.RoleToolResult && m.callID == d.id {
				m.ends(d.end)
				return
			}
		}
	}
	if d.failed || d.exit != "" {
		c.ended[strings.Clone(d.id)] = end{d.failed, d.command, strings.Clone(d.exit)}
	}
}

// sandboxed is how codex told in 2025 that a command failed, which it took for a refusal of its sandbox.
var sandboxed = lazy.Regexp(`^failed in sandbox \S+ with execution error: sandbox denied exec error, exit code: (-?\d{1,10}),`)

// exitCode returns the exit code of a command by what codex tells a model of it, "" if it is
// none: the first line, a line in front of the output, or a member beside it.
func exitCode(text string) string {
	if m := sandboxed().FindStringSubmatch(text); m != nil {
		return number(m[1])
	}
	if strings.HasPrefix(text, `{"output":`) && js.Valid([]byte(text)) {
		return number(string(js.Value(text).Get("metadata", "exit_code")))
	}
	head, _, ok := strings.Cut(text, "\nOutput:")
	if !ok || !strings.Contains(head, "Wall time: ") {
		return ""
	}
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		for _, begin := range []string{"Exit code: ", "Process exited with code "} {
			if code, ok := strings.CutPrefix(line, begin); ok {
				return number(code)
			}
		}
	}
	return ""
}

// number returns a whole number as it is written, "" for anything else.
func number(text string) string {
	if _, err := strconv.ParseInt(text, 10, 32); err != nil {
		return ""
	}
	return text
}

// holdBack counts an item that is not handed on yet.
func (c *conv) holdBack(it item) {
	if c.x != nil {
		c.x.size += len(it.Value)
	}
}
