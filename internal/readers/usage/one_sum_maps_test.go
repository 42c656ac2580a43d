package usage_test

import (
	"fmt"
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
		for range calls {
			s := h.spends()
			s.write = int64(h.IntN(2) * 30)
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
		if !recorded || h.chance(2) {
			var models []string
			for model, s := range sums(sum) {
				models = append(models, fmt.Sprintf(`%q:{"requests":{"count":%d},"usage":{%s}}`, model, calls, counts(s)))
			}
			event("session.shutdown", `"currentModel":"m-large","modelMetrics":{`+strings.Join(models, ",")+`}`, "")
		}
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
