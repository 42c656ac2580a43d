package stream_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/stream"
)

// BenchmarkDecode decodes streams as they pass, in pieces of a pipe's size: one of
// deltas and one of whole messages.
func BenchmarkDecode(b *testing.B) {
	const head = `{"type":"system","subtype":"init","session_id":"c","claude_code_version":"2","model":"m"}` + "\n"
	delta := `{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + strings.Repeat("word ", 20) +
		`"}},"session_id":"c","parent_tool_use_id":null,"uuid":"ef42f606-372a-41bb-80c9-25de5703b637"}` + "\n"
	var whole strings.Builder
	for i := range 8 {
		fmt.Fprintf(&whole, `{"type":"assistant","message":{"id":"m%d","role":"assistant","model":"m","content":[{"type":"text","text":"%s"}],"usage":{"input_tokens":1}},"session_id":"c","uuid":"u"}`+"\n",
			i, strings.Repeat(`some words, \"quoted\", and a line feed\n`, 100_000))
	}
	var calls strings.Builder // each of an index of its own, as an attacker would have them
	for i := range 50_000 {
		calls.WriteString(sse(call(fmt.Sprintf(`"index":%d,"id":"a%d","function":{"name":"f","arguments":"{}"}`, i, i))))
	}
	for name, data := range map[string]string{
		"calls":  calls.String(),
		"deltas": head + `{"type":"stream_event","event":{"type":"message_start","message":{"id":"m1"}},"session_id":"c"}` + "\n" + strings.Repeat(delta, 100_000),
		"whole":  head + whole.String(),
		"codex":  `{"type":"thread.started","thread_id":"t"}` + "\n" + strings.Repeat(`{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"`+strings.Repeat("word ", 200)+"\"}}\n", 30_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				d := stream.New(stream.Options{Emit: func([]*stream.Item) error { return nil }})
				for at := 0; at < len(data); at += 64 << 10 {
					if _, err := d.Write([]byte(data[at:min(len(data), at+64<<10)])); err != nil {
						b.Fatal(err)
					}
				}
				if err := d.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
