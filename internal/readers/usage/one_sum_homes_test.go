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
	if h.chance(2) { // agents of the extension pi-subagents: the result of the call says what all used, and the sessions of some are there
		var results []string
		var sum spending
		main := leaf
		for i := range 1 + h.IntN(3) {
			s := h.spends()
			s.read, s.thoughts = 0, 0
			file := fmt.Sprintf("2026-03-04_root/run/run-%d/session.jsonl", i)
			if h.chance(3) { // its own session is lost
				h.makes(id, spending{input: s.input, output: s.output}) // by whom is not said
			} else {
				leaf = "null"
				child := begin("--w--/"+file, "")
				add("--w--/"+file, "message", fmt.Sprintf(`"message":{"role":"assistant","provider":"p","model":%q,"stopReason":"stop","content":[{"type":"text","text":"ok"}],%s}`, s.model, usageOf(s, "")))
				h.makes(child, s)
				h.holds[id] = append(h.holds[id], s)
			}
			sum = sum.plus(s)
			results = append(results, fmt.Sprintf(`{"agent":"scout","sessionFile":"/moved/away/--w--/%s","usage":{"input":%d,"output":%d,"cost":0,"turns":1}}`, file, s.input, s.output))
		}
		leaf, h.exact = main, false
		add(root, "message", fmt.Sprintf(`"message":{"role":"toolResult","toolCallId":"t","toolName":"subagent","content":[],"details":{"results":[%s]},%s}`, strings.Join(results, ","), usageOf(sum, "")))
	}
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

// A codexFile is a file of codex that is drawn, and what its counters say.
type codexFile struct {
	*drawnHome
	id, path string
	total    spending    // of the events
	thread   spending    // of the records
	past     [][2]string // parts and totals that were told
	records  int         // of each request: none, some or all have a record
	counted  bool        // records have a total of their thread
	forked   bool        // its first total is told by its own requests alone
	copied   int         // the calls in front of the first total, of which a copy does not know
}

// line adds a line.
func (r *codexFile) line(typ, payload string) {
	r.write(r.path, fmt.Sprintf(`{"timestamp":%q,"type":%q,"payload":%s}`, r.time(), typ, payload))
}

// codexCounts are counters as codex writes them.
func codexCounts(s spending) string {
	return fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":%d,"total_tokens":%d}`, s.input+s.read, s.read, s.output, s.thoughts, s.input+s.read+s.output)
}

func (s spending) plus(b spending) spending {
	return spending{model: s.model, input: s.input + b.input, output: s.output + b.output, read: s.read + b.read, thoughts: s.thoughts + b.thoughts}
}

// codexFile begins a file.
func (h *drawnHome) codexFile(more string) *codexFile {
	r := &codexFile{drawnHome: h, id: h.uuid(), records: h.IntN(3), counted: h.chance(2)}
	r.path = "sessions/2026/03/04/rollout-2026-03-04T05-06-07-" + r.id + ".jsonl"
	r.line("session_meta", fmt.Sprintf(`{"id":%q,"timestamp":"2026-03-04T05:06:07.000Z","cwd":"/w","originator":"codex_exec","cli_version":"0.140.0","model_provider":"openai"%s}`, r.id, more))
	h.holds[r.id] = nil
	return r
}

// event tells a total and a part, once or twice.
func (r *codexFile) event(last, total string, times int) {
	for range times {
		r.line("event_msg", `{"type":"token_count","info":{`+strings.Trim(last+","+total, ",")+`,"model_context_window":9000},"rate_limits":{"plan_type":"pro"}}`)
	}
}

// record records a request of a thread, with its model if it is named.
func (r *codexFile) record(id, thread string, s, total spending, named bool) {
	more := ""
	if named {
		more = fmt.Sprintf(`,"model":%q,"model_provider":"openai"`, s.model)
	}
	if r.counted {
		more += `,"thread_token_usage":` + codexCounts(total)
	}
	for range 1 + r.IntN(2) { // a request may be told again, and counts once
		r.line("token_usage_record", fmt.Sprintf(`{"response_id":%q,"thread_id":%q,"session_id":%q,"turn_id":"t","root_turn_id":"t","usage":%s,"turn_token_usage":%[4]s%s}`, id, thread, r.id, codexCounts(s), more))
	}
}

// turn adds a turn with one request, and lines that stand behind it.
func (r *codexFile) turn() {
	s := r.spends()
	asked := s.model
	recorded := r.records == 2 || r.records == 1 && r.chance(2)
	if recorded && r.chance(4) { // another model answered than the turn was to use
		asked = "m-asked"
	}
	r.line("turn_context", fmt.Sprintf(`{"cwd":"/w","model":%q}`, asked))
	r.line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}`)
	r.line("response_item", fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"answer %d"}]}`, r.next()))
	how := r.IntN(7)
	if how == 1 { // a total that is equal to one before would be that one, told again
		s.input += int64(10_000 + r.next())
	}
	said, before := codexCounts(s), r.total
	last := `"last_token_usage":` + said
	switch how {
	case 0:
		if !r.forked { // in a thread that comes from another, the first total says nothing of the reply
			last = ""
		}
	case 1: // the next total is of a new count
		before = spending{}
	case 2: // a request that no line stands for, which the first total of such a thread does not tell
		if r.forked {
			break
		}
		hidden := spending{model: asked, input: 3}
		before, r.thread = before.plus(hidden), r.thread.plus(hidden)
		if r.makes(r.id, hidden); len(r.holds[r.id]) == 1 {
			r.copied = 1
		}
	case 3: // a total that is less than its part: the part counts
		if len(r.past) > 0 && !r.forked {
			before.input -= min(before.input, s.input/2)
		}
	}
	r.total = before.plus(s)
	total := `"total_token_usage":` + codexCounts(r.total)
	r.makes(r.id, s)
	r.thread = r.thread.plus(s)
	record := func() {
		r.record(fmt.Sprintf("resp_%d", r.next()), r.id, s, r.thread, asked != s.model || r.chance(2))
	}
	if times := 1 + r.IntN(2); recorded && last != "" && times == 1 && asked == s.model && r.chance(3) {
		r.event(last, total, 1)
		record()
	} else {
		if recorded {
			record()
		}
		r.event(last, total, times)
	}
	r.forked, r.past = false, append(r.past, [2]string{last, total})
	switch r.IntN(6) {
	case 0: // it was interrupted before the next reply
		r.line("response_item", `{"type":"reasoning","summary":[]}`)
		r.event(last, total, 1+r.IntN(2))
		r.line("event_msg", `{"type":"turn_aborted","reason":"interrupted"}`)
	case 1: // a total of before, told once more
		if old := r.past[r.IntN(len(r.past))]; last != "" {
			r.event(old[0], old[1], 1)
		}
	case 2: // the request of a compaction, which the events do not tell; what they estimate is none
		if r.records == 0 {
			break
		}
		c := spending{model: asked, input: int64(20_000 + r.next()), output: 7}
		r.makes(r.id, c)
		r.thread = r.thread.plus(c)
		r.record(fmt.Sprintf("resp_%d", r.next()), r.id, c, r.thread, true)
		r.line("compacted", `{"message":"","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}]}`)
		if r.chance(2) {
			r.event(`"last_token_usage":{"input_tokens":0,"cached_input_tokens":0,"output_tokens":0,"reasoning_output_tokens":0,"total_tokens":700}`, total, 1)
		}
	}
}

// drawCodex draws rollouts of codex, with every kind of line that has a number: events with and without a part, records with and without
// a total, of this thread and of children; totals that are told again, fall, leap and contradict; and threads that come from another, which
// copy its lines with times of their own, or begin with its total.
func drawCodex(h *drawnHome) {
	root := h.codexFile("")
	for range 1 + h.IntN(4) {
		root.turn()
	}
	if h.chance(3) { // a child whose requests stand here, and in a file of its own as well
		var child *codexFile
		thread := h.uuid()
		if h.chance(2) {
			child = h.codexFile(`,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"` + root.id + `","depth":1}}}`)
			thread = child.id
		}
		sum := spending{}
		for range 1 + h.IntN(2) {
			s, id := h.spends(), fmt.Sprintf("resp_%d", h.next())
			sum = sum.plus(s)
			root.record(id, thread, s, sum, true)
			if h.makes(root.id, s); child == nil {
				continue
			}
			child.line("turn_context", fmt.Sprintf(`{"cwd":"/w","model":%q}`, s.model))
			child.line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"look"}]}`)
			child.line("response_item", fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"seen %d"}]}`, h.next()))
			child.record(id, thread, s, sum, h.chance(2))
			child.event(`"last_token_usage":`+codexCounts(s), `"total_token_usage":`+codexCounts(sum), 1)
			h.holds[child.id] = append(h.holds[child.id], s)
		}
	}
	lines := strings.Split(strings.TrimSuffix(h.files[root.path], "\n"), "\n")
	for range h.IntN(3) {
		more := `,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"` + root.id + `","depth":1}}}`
		fork := h.chance(2)
		if fork {
			more = `,"forked_from_id":"` + root.id + `"`
		}
		r := h.codexFile(more)
		if h.chance(2) {
			h.write(r.path, lines[0]) // the parent's own
		}
		if r.forked = true; fork || h.chance(2) {
			at := h.time()
			for _, l := range lines[1:] {
				v := js.Value(l)
				h.write(r.path, string(v.With("timestamp", js.Value(js.Quote(at)))))
			}
			r.total, r.past, r.forked = root.total, append(r.past, root.past...), false
			h.holds[r.id] = append(h.holds[r.id], h.holds[root.id][root.copied:]...)
		} else if h.chance(3) { // it begins with what its parent told last
			told := root.past[len(root.past)-1]
			r.event(told[0], told[1], 1)
			r.total, r.past, r.forked = root.total, append(r.past, told), false
		}
		for range h.IntN(3) {
			r.turn()
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
