package usage_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// drawGemini draws sessions of Gemini CLI: a message comes again with its calls, and a list of all messages repeats it.
func drawGemini(h *drawnHome) {
	goOn := func(path, id string) {
		h.holds[id] = nil
		h.write(path, fmt.Sprintf(`{"sessionId":%q,"projectHash":"ab","startTime":%q,"kind":"main"}`, id, h.time()))
		var list []string
		say := func(line string) {
			h.write(path, line)
			list = append(list, line)
		}
		for range 1 + h.IntN(4) {
			say(fmt.Sprintf(`{"id":%q,"timestamp":%q,"type":"user","content":"go"}`, h.uuid(), h.time()))
			s := h.spends()
			tool := int64(h.IntN(2))
			told := fmt.Sprintf(`"model":%q,"tokens":{"input":%d,"output":%d,"cached":%d,"thoughts":%d,"tool":%d,"total":9}`, s.model, s.input-tool+s.read, s.output-s.thoughts, s.read, s.thoughts, tool)
			line := fmt.Sprintf(`{"id":%q,"timestamp":%q,"type":"gemini","content":"words %d",%s}`, h.uuid(), h.time(), h.next(), told)
			for range h.IntN(3) { // again, while its calls run
				h.write(path, line)
			}
			say(line)
			h.makes(id, s)
			switch h.IntN(6) {
			case 0:
				h.write(path, `{"$set":{"messages":[`+strings.Join(list, ",")+`]}}`)
			case 1: // a history that was compressed
				list = append([]string{fmt.Sprintf(`{"id":%q,"timestamp":%q,"type":"user","content":"what was"}`, h.uuid(), h.time())}, list[1:]...)
				h.write(path, `{"$set":{"messages":[`+strings.Join(list, ",")+`]}}`)
			case 2:
				h.write(path, fmt.Sprintf(`{"sessionId":%q,"projectHash":"ab","startTime":%q,"kind":"main"}`, id, h.time()))
			case 3:
				at := list[0][len(`{"id":"`):][:36]
				h.write(path, fmt.Sprintf(`{"$rewindTo":%q}`, at))
				list = nil
			}
		}
	}
	id := h.uuid()
	goOn("p/chats/session-2026-03-04T05-06-"+id[:8]+".jsonl", id)
	if h.chance(2) {
		sub := h.uuid()
		goOn("p/chats/"+id+"/"+sub+".jsonl", sub)
	}
}

// drawCopilot draws a session of Copilot: a shutdown counts all runs so far, or its own; sub-agents speak between.
func drawCopilot(h *drawnHome) {
	id := h.uuid()
	path := id + "/events.jsonl"
	h.holds[id] = nil
	event := func(typ, data, more string) {
		h.write(path, fmt.Sprintf(`{"type":%q,"data":{%s},"id":%q,"timestamp":%q,"parentId":null%s}`, typ, data, h.uuid(), h.time(), more))
	}
	counts := func(s spending) string {
		return fmt.Sprintf(`"inputTokens":%d,"outputTokens":%d,"cacheReadTokens":%d,"cacheWriteTokens":%d,"reasoningTokens":%d`, s.input+s.read+s.write, s.output, s.read, s.write, s.thoughts)
	}
	event("session.start", fmt.Sprintf(`"sessionId":%q,"version":1,"producer":"copilot-agent","copilotVersion":"1.0.102","startTime":"2026-03-04T05:06:07.000Z","context":{"cwd":"/w"}`, id), "")
	h.exact = false // what a shutdown alone counts may be several calls
	var sum []spending
	cumulative := h.chance(2)
	for run := range 1 + h.IntN(3) {
		if run > 0 {
			event("session.resume", "", "")
		}
		if !cumulative {
			sum = nil
		}
		recorded, calls := h.chance(2), 2+h.IntN(3)
		shutdown := !recorded || h.chance(2) // which alone tells a cost
		for range calls {
			s := h.spends()
			if s.write = int64(h.IntN(2) * 30); shutdown {
				s.cost = float64(h.IntN(3)) / 64
			}
			if !cumulative { // each run uses more than the one before, or less: its output tells
				s.output += int64(10 * run)
			}
			sum = append(sum, s)
			h.makes(id, s)
			call := fmt.Sprintf("call-%d", h.next())
			event("user.message", `"content":"go"`, "")
			if recorded {
				event("session.usage_record", fmt.Sprintf(`"usage":{"apiCallId":%q,"model":%q,%s}`, call, s.model, counts(s)), "")
			}
			if h.chance(6) && recorded {
				continue // it was tried again
			}
			agent := ""
			if h.chance(4) {
				agent = `,"agentId":"a"`
			}
			event("assistant.message", fmt.Sprintf(`"content":"words","apiCallId":%q,"model":%q,"outputTokens":%d`, call, s.model, s.output), agent)
		}
		if shutdown {
			var models []string
			for model, s := range sums(sum) {
				models = append(models, fmt.Sprintf(`%q:{"requests":{"count":%d},"usage":{%s},"totalNanoAiu":%.0f}`, model, calls, counts(s), s.cost*1e11))
			}
			event("session.shutdown", `"currentModel":"m-large","modelMetrics":{`+strings.Join(models, ",")+`}`, "")
		}
	}
}

// drawGrok draws a session of Grok Build: the end of a turn tells what it used and cost, also by the model, as the whole
// or as an extension of the protocol, and behind no reply where it was cancelled.
func drawGrok(h *drawnHome) {
	id := h.uuid()
	h.holds[id] = nil
	h.files["%2Fw/"+id+"/summary.json"] = fmt.Sprintf(`{"info":{"id":%q,"cwd":"/w"}}`, id)
	update := func(members string) {
		n := h.next()
		h.write("%2Fw/"+id+"/updates.jsonl", fmt.Sprintf(`{"timestamp":%d,"method":"session/update","params":{"sessionId":%q,"update":{%s},"_meta":{"agentTimestampMs":%d}}}`,
			1_772_600_000+n, id, members, 1_772_600_000_000+int64(n)*1000))
	}
	counts := func(s spending) string {
		return fmt.Sprintf(`"inputTokens":%d,"outputTokens":%d,"cachedReadTokens":%d,"reasoningTokens":%d,"modelCalls":%d,"costUsdTicks":%.0f`,
			s.input+s.read, s.output, s.read, s.thoughts, 1+h.IntN(3), s.cost*1e10)
	}
	for turn := range 1 + h.IntN(4) {
		update(fmt.Sprintf(`"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"go"},"_meta":{"promptIndex":%d,"modelId":"m-large"}`, turn))
		if !h.chance(4) {
			update(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"words"}`)
		}
		of := map[string]spending{}
		for range 1 + h.IntN(2) {
			s := h.spends()
			s.cost = float64(1+h.IntN(3)) / 64
			of[s.model] = s
		}
		var whole spending
		var parts []string
		for _, model := range slices.Sorted(maps.Keys(of)) {
			s := of[model]
			h.makes(id, s)
			whole = spending{"", whole.input + s.input, whole.output + s.output, whole.read + s.read, 0, whole.thoughts + s.thoughts, whole.cost + s.cost}
			parts = append(parts, fmt.Sprintf("%q:{%s}", model, counts(s)))
		}
		used := counts(whole)
		if _, large := of["m-large"]; len(of) > 1 || !large || h.chance(2) {
			used += `,"modelUsage":{` + strings.Join(parts, ",") + "}"
		}
		if used = `"usage":{` + used + "}"; h.chance(2) {
			used = `"_meta":{` + used + "}"
		}
		update(`"sessionUpdate":"turn_completed","stop_reason":"end_turn",` + used)
	}
}

// drawKimi draws sessions of Kimi Code: the usage of a step is told by its end, and again by a record.
func drawKimi(h *drawnHome) {
	goOn := func(agent, id string) {
		path, at := "wd_w/ses1/agents/"+agent+"/wire.jsonl", int64(1_772_600_000_000)
		h.holds[id] = nil
		line := func(typ, members string) {
			at += 1000
			h.write(path, fmt.Sprintf(`{"type":%q,"time":%d,%s}`, typ, at, members))
		}
		event := func(members string) { line("context.append_loop_event", `"event":{`+members+`}`) }
		h.write(path, `{"type":"metadata","protocol_version":"1.5","created_at":1772600000000}`)
		for range 1 + h.IntN(4) {
			s := h.spends()
			s.write, s.thoughts = int64(h.IntN(2)*30), 0
			used := fmt.Sprintf(`"usage":{"inputOther":%d,"output":%d,"inputCacheRead":%d,"inputCacheCreation":%d}`, s.input, s.output, s.read, s.write)
			record := fmt.Sprintf(`"model":%q,"usageScope":"turn",%s`, s.model, used)
			line("context.append_message", fmt.Sprintf(`"message":{"role":"user","id":%q,"content":[{"type":"text","text":"go"}],"origin":{"kind":"user"}}`, h.uuid()))
			line("llm.request", fmt.Sprintf(`"model":%q,"provider":"kimi"`, s.model))
			event(fmt.Sprintf(`"type":"step.begin","uuid":%q`, h.uuid()))
			h.makes(id, s)
			how := h.IntN(5)
			if how != 0 || h.chance(2) {
				event(`"type":"content.part","part":{"type":"text","text":"words"}`)
			}
			end := `"type":"step.end","finishReason":"end_turn",` + used
			switch how {
			case 0: // it was cancelled
				line("usage.record", record)
				line("turn.cancel", `"n":1`)
			case 1:
				line("usage.record", record)
				event(end)
			case 2:
				event(end)
			default:
				event(end)
				line("usage.record", record)
			}
			if h.chance(4) {
				line("usage.record", fmt.Sprintf(`"model":%q,"usageScope":"session",%s`, s.model, used))
				line("context.apply_compaction", `"contextSummary":"sum","tokensBefore":9,"compactedCount":99`)
				h.makes(id, s)
			}
		}
	}
	h.files["wd_w/ses1/state.json"] = `{"cwd":"/w"}`
	goOn("main", "ses1")
	if h.chance(2) {
		goOn("helper", "ses1-helper")
	}
}

// drawQwen draws sessions of Qwen Code: thoughts are among the candidates or beside them, and a helper is in a record alone.
func drawQwen(h *drawnHome) {
	goOn := func(path, id, named string) {
		h.holds[id] = nil
		parent := "null"
		record := func(typ, members string) {
			uuid := h.uuid()
			h.write(path, fmt.Sprintf(`{"uuid":%q,"parentUuid":%s,"sessionId":%q,"timestamp":%q,"type":%q,"cwd":"/w",%s}`, uuid, parent, named, h.time(), typ, members))
			parent = fmt.Sprintf("%q", uuid)
		}
		for range 1 + h.IntN(4) {
			record("user", `"message":{"role":"user","parts":[{"text":"go"}]}`)
			s := h.spends()
			candidates := s.output
			if h.chance(2) {
				candidates -= s.thoughts // they are beside them
			}
			record("assistant", fmt.Sprintf(`"model":%q,"message":{"role":"model","parts":[{"text":"words"}]},"usageMetadata":{"promptTokenCount":%d,"candidatesTokenCount":%d,"thoughtsTokenCount":%d,"cachedContentTokenCount":%d,"totalTokenCount":%d}`,
				s.model, s.input+s.read, candidates, s.thoughts, s.read, s.input+s.read+s.output))
			h.makes(id, s)
			for _, prompt := range []string{"managed-x", "user-y"} {
				if h.chance(4) { // of the other the reply has it
					n := h.spends()
					record("system", fmt.Sprintf(`"subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.api_response","prompt_id":%q,"model":%q,"input_token_count":%d,"output_token_count":%d,"cached_content_token_count":%d,"thoughts_token_count":%d}}`,
						prompt, n.model, n.input+n.read, n.output, n.read, n.thoughts))
					if prompt == "managed-x" {
						h.makes(id, n)
					}
				}
			}
		}
	}
	id := h.uuid()
	goOn("-w/chats/"+id+".jsonl", id, id)
	if h.chance(2) {
		goOn("-w/subagents/"+id+"/agent-x.jsonl", id+"-agent-x", id)
	}
}
