package main

import "fmt"

// add appends to the line that is being put together.
func (w *writer) add(format string, args ...any) { w.line = fmt.Appendf(w.line, format, args...) }

// text appends a text of about the median length given, quotes and all.
func (w *writer) text(median float64) {
	w.line = append(w.line, '"')
	w.line = append(w.line, w.pool.piece(w.r, length(w.r, median))...)
	if w.r.IntN(40) == 0 { // what a search for bytes mistakes for an entry
		w.line = append(w.line, `\n{\"type\":\"message\",\"id\":\"deadbeef\",\"parentId\":\"0badf00d\",\"message\":{}}\n`...)
	}
	w.line = append(w.line, '"')
}

// begin begins an entry the way most are written and returns its id.
func (w *writer) begin(kind string) string {
	id := w.nextID()
	w.line = w.line[:0]
	w.add(`{"type":"%s","id":"%s","parentId":%s,"timestamp":"%s"`, kind, id, w.parent(), w.stamp())
	return id
}

func (w *writer) parent() string {
	if w.Last == "" {
		return "null"
	}
	return `"` + w.Last + `"`
}

func (w *writer) header(cwd string) {
	w.line = w.line[:0]
	w.add(`{"type":"session","version":3,"id":"%08x-%04x-7%03x-9%03x-%012x","timestamp":"%s","cwd":"%s"}`,
		w.r.Uint32(), w.r.IntN(1<<16), w.r.IntN(1<<12), w.r.IntN(1<<12), w.r.Int64N(1<<48), w.stamp(), cwd)
	w.end("")
}

func (w *writer) settings() {
	id := w.begin("model_change")
	w.add(`,"provider":"acme","modelId":"model-1"}`)
	w.end(id)
	id = w.begin("thinking_level_change")
	w.add(`,"thinkingLevel":"medium"}`)
	w.end(id)
}

func (w *writer) user() {
	id := w.begin("message")
	w.add(`,"message":{"role":"user","content":[{"type":"text","text":`)
	w.text(w.median / 3)
	w.add(`}],"timestamp":%d}}`, w.now.UnixMilli())
	w.end(id)
}

// assistant writes an answer with calls of tools, and returns their ids.
func (w *writer) assistant(calls int) []string {
	id := w.begin("message")
	w.add(`,"message":{"role":"assistant","content":[`)
	if w.r.IntN(3) == 0 {
		w.add(`{"type":"thinking","thinking":`)
		w.text(w.median / 2)
		w.add(`,"thinkingSignature":"%0200x"},`, w.r.Uint64())
	}
	w.add(`{"type":"text","text":`)
	w.text(w.median / 2)
	w.add(`}`)
	ids := make([]string, calls)
	for i := range ids {
		ids[i] = fmt.Sprintf("call_%016x", w.r.Uint64())
		w.add(`,{"type":"toolCall","id":"%s","name":"bash","arguments":{"command":`, ids[i])
		w.text(w.median / 8)
		if w.r.IntN(30) == 0 { // members of an entry, deeper than those of an entry
			w.add(`,"id":"feedface","parentId":"0badf00d","type":"compaction","nested":{"id":"deadbeef"}`)
		}
		w.add(`}}`)
	}
	w.add(`],"api":"acme-messages","provider":"acme","model":"model-1",`)
	w.usage()
	stop := "stop"
	if calls > 0 {
		stop = "toolUse"
	}
	w.add(`,"stopReason":"%s","timestamp":%d}}`, stop, w.now.UnixMilli())
	w.end(id)
	return ids
}

func (w *writer) usage() {
	in, out, read, write := w.r.IntN(3000), w.r.IntN(2000), w.r.IntN(120_000), w.r.IntN(6000)
	cost := [4]float64{float64(in) * 3e-6, float64(out) * 15e-6, float64(read) * 3e-7, float64(write) * 3.75e-6}
	w.add(`"usage":{"input":%d,"output":%d,"cacheRead":%d,"cacheWrite":%d,"totalTokens":%d,`, in, out, read, write, in+out+read+write)
	w.add(`"cost":{"input":%.7f,"output":%.7f,"cacheRead":%.7f,"cacheWrite":%.7f,"total":%.7f}}`,
		cost[0], cost[1], cost[2], cost[3], cost[0]+cost[1]+cost[2]+cost[3])
}

func (w *writer) toolResult(call string) {
	id := w.begin("message")
	w.add(`,"message":{"role":"toolResult","toolCallId":"%s","toolName":"bash","content":[{"type":"text","text":`, call)
	w.text(w.median * 1.6)
	w.add(`}],"isError":false,"timestamp":%d}}`, w.now.UnixMilli())
	w.end(id)
}

// custom writes an entry with its payload before its id, as pi does.
func (w *writer) custom() {
	id := w.nextID()
	w.line = w.line[:0]
	w.add(`{"type":"custom","customType":"notes","data":{"id":"deadbeef","text":`)
	w.text(w.median)
	w.add(`,"parentId":"0badf00d"},"id":"%s","parentId":%s,"timestamp":"%s"}`, id, w.parent(), w.stamp())
	w.end(id)
}

// foreign writes a question with its members in the order of nobody we know.
func (w *writer) foreign() {
	id := w.nextID()
	w.line = w.line[:0]
	w.add(`{"parentId":%s, "timestamp":"%s","message":{"role":"user","id":"deadbeef","content":`, w.parent(), w.stamp())
	w.text(w.median / 3)
	w.add(`,"timestamp":%d}, "id" : "%s","type":"message"}`, w.now.UnixMilli(), id)
	w.end(id)
}

func (w *writer) compaction() {
	kept := w.kept()
	id := w.begin("compaction")
	w.add(`,"summary":`)
	w.text(4000)
	w.add(`,"firstKeptEntryId":"%s","tokensBefore":150000,"details":{"readFiles":["src/main.go"],"modifiedFiles":[]}}`, kept)
	w.end(id)
}

func (w *writer) branchSummary(from string) {
	id := w.begin("branch_summary")
	w.add(`,"fromId":"%s","summary":`, from)
	w.text(1500)
	w.add(`}`)
	w.end(id)
}
