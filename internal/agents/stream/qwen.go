package stream

import (
	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
)

// A qwenReader reads the events of `qwen -o stream-json`, which are those of Claude Code. Its result counts all that the
// process used so far, and with that what sub-agents, summaries and helpers used, of which no reply says it.
type qwenReader struct {
	reader
	rec   *recorder
	total tokens // as the result before has it
	said  tokens // that entries had said by then
}

func readCountedQwen(rec *recorder) reader {
	return &qwenReader{reader: newClaude(rec, true), rec: rec}
}

func (q *qwenReader) value(v js.Dict, event string) verdict {
	verdict, usage := q.reader.value(v, event), v.Get("usage")
	if v.Get("type").Str() != "result" || !usage.IsObject() || v.Get("parent_tool_use_id").Str() != "" {
		return verdict
	}
	// What the result counts and no reply said is recorded. A total that falls is that of another process.
	n := func(name string) int64 { return api.Tokens(usage.Get(name)) }
	total := tokens{n("input_tokens"), n("cache_read_input_tokens"), n("output_tokens")}
	if total.input < q.total.input || total.cached < q.total.cached || total.output < q.total.output {
		q.total = tokens{}
	}
	q.rec.rest(total.minus(q.total).minus(q.rec.spent.minus(q.said)), js.StringField("provider", "qwen"))
	q.total, q.said = total, q.rec.spent
	return verdict
}
