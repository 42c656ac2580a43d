package usage_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// drawPi draws sessions of pi: forks are copies of lines, and a file of the extension pi-subagents is a session.
func drawPi(h *drawnHome) {
	begin := func(path, parent string) (id string) {
		id = h.uuid()
		h.holds[id] = nil
		more := ""
		if parent != "" {
			more = `,"parentSession":` + js.Quote(parent)
		}
		h.write(path, fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":%q,"cwd":"/w"%s}`, id, h.time(), more))
		return id
	}
	leaf := "null"
	add := func(path, typ, members string) {
		id := fmt.Sprintf("%08x", 0xa0000000+h.next())
		h.write(path, fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%s,"timestamp":%q,%s}`, typ, id, leaf, h.time(), members))
		leaf = js.Quote(id)
	}
	usageOf := func(s spending, more string) string {
		return fmt.Sprintf(`"usage":{"input":%d,"output":%d,"cacheRead":%d,"cacheWrite":%d,"reasoning":%d,"totalTokens":%d%s,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":%v}}`,
			s.input, s.output, s.read, s.write, s.thoughts, s.input+s.output+s.read+s.write, more, s.cost)
	}
	goOn := func(path, id string) {
		for range 1 + h.IntN(5) {
			s := h.spends()
			if s.write = int64(h.IntN(2) * 50); h.chance(3) {
				s.cost = float64(1+h.IntN(64)) / 64
			}
			reply := func(stop, usage string) {
				add(path, "message", fmt.Sprintf(`"message":{"role":"assistant","provider":"p","model":%q,"stopReason":%q,"content":[{"type":"text","text":"ok"}],%s}`, s.model, stop, usage))
			}
			switch h.IntN(7) {
			case 0: // failed, and used nothing
				reply("error", usageOf(spending{}, ""))
				continue
			case 1:
				reply("aborted", usageOf(s, ""))
			case 2:
				add(path, "usage", fmt.Sprintf(`"kind":"cache_warm","provider":"p","model":%q,%s`, s.model, usageOf(s, "")))
			case 3: // of an extension
				add(path, "custom", `"customType":"x","data":{},`+usageOf(s, ""))
				continue
			case 4: // a compaction is by the model of the reply before
				reply("stop", usageOf(s, `,"warp":3`))
				h.makes(id, s)
				add(path, "compaction", `"summary":"s","firstKeptEntryId":`+leaf+`,"tokensBefore":9,`+usageOf(s, ""))
			default:
				reply("stop", usageOf(s, ""))
			}
			h.makes(id, s)
		}
	}
	root := "--w--/2026-03-04_root.jsonl"
	id := begin(root, "")
	goOn(root, id)
	if h.chance(2) {
		fork := "--w--/2026-03-04_fork.jsonl"
		_, copied, _ := strings.Cut(h.files[root], "\n")
		own := begin(fork, map[bool]string{true: "/moved/away/2026-03-04_root.jsonl"}[h.chance(2)])
		h.files[fork] += copied
		h.holds[own] = append(h.holds[own], h.holds[id]...)
		goOn(fork, own)
		if h.chance(2) {
			goOn(root, id)
		}
	}
}

// drawClaude draws sessions of Claude Code: a reply has a line for each block, other lines stand between them, and sub-agents
// have files of their own. A session that goes on in another file begins with a copy.
func drawClaude(h *drawnHome) {
	var id, path, parent, side string
	line := func(typ, members string) {
		uuid := h.uuid()
		h.write(path, fmt.Sprintf(`{"parentUuid":%s,"isSidechain":%t,%s"type":%q,%s,"uuid":%q,"timestamp":%q,"cwd":"/w","sessionId":%q}`,
			parent, side != "", side, typ, members, uuid, h.time(), id))
		parent = js.Quote(uuid)
	}
	user := func() { line("user", `"message":{"role":"user","content":"go on"}`) }
	holder := func() string {
		if side != "" && strings.Contains(path, "subagents") {
			return "agent-" + path[strings.LastIndex(path, "-")+1:len(path)-len(".jsonl")]
		}
		return id
	}
	reply := func() {
		s, n := h.spends(), 1+h.IntN(3)
		s.write, s.thoughts = int64(h.IntN(2)*300), 0
		message, request := fmt.Sprintf("msg_%d", h.next()), fmt.Sprintf(`"requestId":"req_%d",`, h.next())
		gateway, guesses := h.chance(3), false
		if gateway {
			request, guesses = "", h.chance(2)                                  // it guesses what the prompt has, and corrects itself
			if message = fmt.Sprintf("msg_bdrk_%012d", h.next()); h.chance(2) { // as short as it is not unique
				message = fmt.Sprintf("chatcmpl-%d", h.IntN(2))
				s.input = int64(1000 + h.next()) // what tells them apart
			}
		}
		short := gateway && strings.HasPrefix(message, "chatcmpl")
		less := false
		more, written := "", fmt.Sprintf(`"cache_creation_input_tokens":%d`, s.write)
		if s.write > 0 && h.chance(2) {
			five := h.IntN(int(s.write) + 1)
			parts := fmt.Sprintf(`"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d}`, five, int(s.write)-five)
			switch h.IntN(4) {
			case 0:
				written = parts // and no sum
			case 1:
				written = `"cache_creation_input_tokens":0,` + parts
			case 2:
				written += "," + parts
			case 3: // a sum that is less, which is told
				written, less = fmt.Sprintf(`"cache_creation_input_tokens":%d,`, 1+h.IntN(int(s.write)-1))+parts, true
			}
		}
		switch h.IntN(8) {
		case 0:
			more = `,"service_tier":"standard","warp":{"n":2}`
		case 1: // a request of the API before the one that answers, and an advisor
			first := spending{model: s.model, input: 1, output: 2, read: 3}
			last := spending{model: s.model, input: s.input, output: s.output, read: s.read, write: s.write}
			advisor := spending{model: "m-advisor", input: 500, output: 7}
			more = `,"iterations":[` + iteration("message", first) + "," + iteration("advisor_message", advisor) + "," + iteration("message", last) + "]"
			s.input, s.output, s.read = s.input+1, s.output+2, s.read+3
			h.makes(holder(), first)
			h.makes(holder(), advisor)
			h.makes(holder(), last)
			written, guesses, less = fmt.Sprintf(`"cache_creation_input_tokens":%d`, s.write), false, false
		}
		h.contradicts = h.contradicts || less
		before := ""
		for i := range n {
			input, output := s.input, s.output
			if i < n-1 && more == "" && (guesses || h.chance(2)) {
				output = 1 // while it came in
			}
			if guesses && i < n-1 {
				input += int64(7 * (i + 1))
				output = int64(h.IntN(2))
			}
			if i == 2 && !guesses && h.chance(2) {
				parent = before // calls side by side: a line of the first group comes behind the second
			}
			line("assistant", fmt.Sprintf(`%s"message":{"id":%q,"role":"assistant","model":%q,"content":[{"type":"tool_use","id":"t%d","name":"Read","input":{}}],"usage":{"input_tokens":%d,"output_tokens":%d,"cache_read_input_tokens":%d,%s%s}}`,
				request, message, s.model, h.next(), input, output, s.read, written, more))
			if i == 0 {
				before = parent
			}
			between := h.IntN(6)
			if last := i == n-1; guesses && short && !last && (between == 1 || between == 2 || between == 0 && output > 0) {
				between = 5 // a short id, other counters and something else between: no reader could know
			}
			switch between {
			case 0:
				line("user", fmt.Sprintf(`"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"x"}]}`, h.n-2))
			case 1:
				line("attachment", `"attachment":{"type":"todo"}`)
			case 2:
				user()
			case 3:
				h.write(path, `{"type":"queue-operation","operation":"dequeue","timestamp":"2026-03-04T05:06:07.000Z","sessionId":"`+id+`"}`)
			case 4:
				line("progress", `"data":{"type":"hook_progress"}`)
			}
		}
		if !strings.Contains(more, "iterations") {
			h.makes(holder(), s)
		}
	}
	goOn := func() {
		for range 1 + h.IntN(3) {
			user()
			if reply(); h.chance(5) { // an error of the API, which is no call
				line("assistant", `"isApiErrorMessage":true,"message":{"id":"e`+fmt.Sprint(h.next())+`","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"overloaded"}],"usage":{"input_tokens":0,"output_tokens":0}}`)
			}
		}
	}
	id, parent = h.uuid(), "null"
	path = "-w/" + id + ".jsonl"
	root, rootID := path, id
	goOn()
	main := parent
	if h.chance(3) { // as earlier releases had it
		parent, side = "null", " "
		goOn()
		user()
		parent, side = main, ""
		goOn()
		main = parent
	}
	for i, dir := range []string{"subagents", "subagents/workflows/wf_1"} {
		if h.chance(2) {
			agent := fmt.Sprintf("a%d", i)
			path, parent, side = "-w/"+id+"/"+dir+"/agent-"+agent+".jsonl", "null", `"agentId":"`+agent+`",`
			goOn()
		}
	}
	if path, parent, side = root, main, ""; !h.chance(3) {
		h.costState(root, rootID)
	} else if h.chance(2) {
		copied := h.files[root]
		id = h.uuid()
		path = "-w/" + id + ".jsonl"
		h.files[path] = strings.ReplaceAll(copied, `"sessionId":"`+rootID, `"forkedFrom":{"sessionId":"`+rootID+`"},"sessionId":"`+id)
		h.holds[id] = append(h.holds[id], h.holds[rootID]...)
		goOn()
	}
}

// costState adds what Claude Code counts in all at the end of a process: what the replies say, more for a helper, or less, which is
// told. A total that may have sub-agents in it is compared with nothing.
func (h *drawnHome) costState(path, id string) {
	if strings.Contains(h.files[path], `"isSidechain":true`) {
		return
	}
	var models []string
	less := h.chance(4)
	for model, s := range sums(h.holds[id]) {
		if less && s.input > 0 {
			s.input, less, h.contradicts = s.input-1, false, true
		}
		models = append(models, fmt.Sprintf(`%q:{"inputTokens":%d,"outputTokens":%d,"cacheReadInputTokens":%d,"cacheCreationInputTokens":%d,"costUSD":0.5}`, model, s.input, s.output, s.read, s.write))
	}
	if h.chance(2) && !h.contradicts {
		s := spending{model: "m-helper", input: int64(1 + h.IntN(99)), output: 2}
		h.makes(id, s)
		models = append(models, fmt.Sprintf(`"m-helper":{"inputTokens":%d,"outputTokens":%d,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":0.5}`, s.input, s.output))
	}
	slices.Sort(models)
	h.write(path, fmt.Sprintf(`{"type":"cost-state","sessionId":%q,"totalCostUSD":1,"modelUsage":{%s}}`, id, strings.Join(models, ",")))
}

// iteration is a request of Anthropic's API among those of one reply.
func iteration(typ string, s spending) string {
	model := ""
	if typ != "message" {
		model = fmt.Sprintf(`"model":%q,`, s.model)
	}
	return fmt.Sprintf(`{"type":%q,%s"input_tokens":%d,"output_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d}`, typ, model, s.input, s.output, s.read, s.write)
}

// drawCodex draws rollouts of codex: totals are told again, fall and leap, and a thread that comes from another copies its lines
// with times of its own.
func drawCodex(h *drawnHome) {
	var id, path, model string
	var sum spending
	forked, first := false, 0 // first is how many calls in front of the first total a copy of it cannot know of
	line := func(typ, payload string) {
		h.write(path, fmt.Sprintf(`{"timestamp":%q,"type":%q,"payload":%s}`, h.time(), typ, payload))
	}
	counts := func(s spending) string {
		return fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":%d,"total_tokens":%d}`, s.input+s.read, s.read, s.output, s.thoughts, s.input+s.read+s.output)
	}
	plus := func(a, b spending) spending {
		return spending{input: a.input + b.input, output: a.output + b.output, read: a.read + b.read, thoughts: a.thoughts + b.thoughts}
	}
	begin := func(more string) {
		id = h.uuid()
		path = "sessions/2026/03/04/rollout-2026-03-04T05-06-07-" + id + ".jsonl"
		line("session_meta", fmt.Sprintf(`{"id":%q,"timestamp":"2026-03-04T05:06:07.000Z","cwd":"/w","originator":"codex_exec","cli_version":"0.140.0","model_provider":"openai"%s}`, id, more))
		h.holds[id] = nil
	}
	told := func(last, total string) {
		for range 1 + h.IntN(2) {
			line("event_msg", `{"type":"token_count","info":{`+strings.Trim(last+","+total, ",")+`}}`)
		}
	}
	turn := func() {
		s := h.spends()
		model = s.model
		line("turn_context", fmt.Sprintf(`{"cwd":"/w","model":%q}`, model))
		line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}`)
		line("response_item", fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"answer %d"}]}`, h.next()))
		how := h.IntN(6)
		if how == 1 { // a total that is equal to the one before would be that one, told again
			s.input += int64(h.next())
		}
		last := `"last_token_usage":` + counts(s)
		switch how {
		case 0:
			if !forked { // in a thread that comes from another, the first total says nothing of the reply
				last = ""
			}
		case 1: // the next total is of a new count
			sum = spending{}
		case 2: // a call that no reply stands for, which the first total of such a thread does not tell
			if forked {
				break
			}
			hidden := spending{model: model, input: 3, output: 2}
			sum = plus(sum, hidden)
			if h.makes(id, hidden); len(h.holds[id]) == 1 {
				first = 1
			}
		}
		sum = plus(sum, s)
		total := `"total_token_usage":` + counts(sum)
		h.makes(id, s)
		told(last, total)
		forked = false
		if h.chance(4) { // it was interrupted before the next reply
			line("response_item", `{"type":"reasoning","summary":[]}`)
			told(last, total)
			line("event_msg", `{"type":"turn_aborted","reason":"interrupted"}`)
		}
	}
	begin("")
	for range 1 + h.IntN(4) {
		turn()
	}
	copied := first
	root, rootSum, lines := id, sum, strings.Split(strings.TrimSuffix(h.files[path], "\n"), "\n")
	for range h.IntN(3) {
		fork := h.chance(2)
		if fork {
			begin(`,"forked_from_id":"` + root + `"`)
		} else {
			begin(`,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"` + root + `","depth":1}}}`)
		}
		if h.chance(2) {
			h.write(path, lines[0]) // the parent's own
		}
		if sum, forked = (spending{}), true; fork || h.chance(2) {
			at := h.time()
			for _, l := range lines[1:] {
				v := js.Value(l)
				h.write(path, string(v.With("timestamp", js.Value(js.Quote(at)))))
			}
			sum = rootSum
			h.holds[id], forked = append(h.holds[id], h.holds[root][copied:]...), false
		}
		for range h.IntN(3) {
			turn()
		}
	}
}

// drawOpencode draws the storage of opencode: a reply may have several steps, and forks have ids of their own.
func drawOpencode(h *drawnHome) {
	type message struct{ info, parts string }
	counts := func(s spending) string {
		return fmt.Sprintf(`"cost":%v,"tokens":{"input":%d,"output":%d,"reasoning":%d,"cache":{"read":%d,"write":%d}}`, s.cost, s.input, s.output-s.thoughts, s.thoughts, s.read, s.write)
	}
	// told is counts with a total, which says whether thoughts are within the output, or contradicts both.
	told := func(s spending) string {
		total, output := s.input+s.output+s.read+s.write, s.output-s.thoughts
		switch h.IntN(8) {
		case 0, 1:
			output = s.output // and the thoughts within it
		case 2:
			if s.thoughts > 0 || h.chance(4) {
				total, h.contradicts = total+1000, true
			}
		case 3:
			return counts(s)
		}
		return fmt.Sprintf(`"cost":%v,"tokens":{"total":%d,"input":%d,"output":%d,"reasoning":%d,"cache":{"read":%d,"write":%d}}`, s.cost, total, s.input, output, s.thoughts, s.read, s.write)
	}
	at := int64(1_772_600_000_000)
	put := func(id, members string, messages []message) {
		at += 1000
		h.files["storage/session/prj/"+id+".json"] = fmt.Sprintf(`{"id":%q,"version":"1.0.100","projectID":"prj","directory":"/w","title":"t","time":{"created":%d,"updated":%d}%s}`, id, at, at+9, members)
		for _, m := range messages {
			mid := fmt.Sprintf("msg_%08d", h.next())
			h.files["storage/message/"+id+"/"+mid+".json"] = fmt.Sprintf(`{"id":%q,"sessionID":%q,%s}`, mid, id, m.info)
			for part := range js.Value(m.parts).Elements() {
				pid := fmt.Sprintf("prt_%08d", h.next())
				h.files["storage/part/"+mid+"/"+pid+".json"] = fmt.Sprintf(`{"id":%q,"messageID":%q,"sessionID":%q,%s`, pid, mid, id, strings.TrimPrefix(string(part), "{"))
			}
		}
	}
	turn := func(id string) []message {
		at += 1000
		asked := message{fmt.Sprintf(`"role":"user","time":{"created":%d},"agent":"build","model":{"providerID":"p","modelID":"m"}`, at), `[{"type":"text","text":"go"}]`}
		var steps []string
		says := "" // of the last step, and so of the message
		model := h.spends().model
		for range 1 + h.IntN(3) {
			s := h.spends()
			s.model, s.write, s.cost = model, int64(h.IntN(2)*40), float64(h.IntN(3))/64
			said := fmt.Sprintf(`{"type":"text","text":"words %d"},`, h.next())
			if h.chance(4) {
				said = "" // a step may say nothing
			}
			says = told(s)
			steps = append(steps, `{"type":"step-start"},`+said+`{"type":"step-finish","reason":"stop",`+says+`}`)
			h.makes(id, s)
		}
		at += 1000
		said := message{fmt.Sprintf(`"role":"assistant","time":{"created":%d,"completed":%d},"parentID":"x","modelID":%q,"providerID":"p","mode":"build","path":{"cwd":"/w","root":"/w"},%s`, at, at+5, model, says), "[" + strings.Join(steps, ",") + "]"}
		return []message{asked, said}
	}
	session := func() string {
		id := fmt.Sprintf("ses_%08d", h.next())
		h.holds[id] = nil
		return id
	}
	id := session()
	var all []message
	for range 1 + h.IntN(3) {
		all = append(all, turn(id)...)
	}
	put(id, "", all)
	if h.chance(2) {
		sub := session()
		put(sub, `,"parentID":"`+id+`"`, turn(sub))
	}
	if h.chance(2) {
		fork := session()
		h.holds[fork] = append(h.holds[fork], h.holds[id]...)
		put(fork, "", append(append([]message{}, all...), turn(fork)...))
	}
}
