package claude

import (
	"bytes"
	"context"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// mayHave reports whether a text of a session may have one of the words: if a line has it, or texts of a reply are one where both may
// have a part of it. A file without a reply has to be read.
func mayHave(ctx context.Context, f *formats.File, words *formats.Words) bool {
	replies, o, seams := 0, newOutline(), formats.Seams{}
	for b, err := range jsonl.Blocks(f.Reader(ctx)) {
		if err != nil || words.In(b.Data) {
			return true
		}
		for line := range bytes.Lines(b.Data) {
			if !bytes.Contains(line, []byte(`"assistant"`)) || !bytes.Contains(line, []byte(`"text"`)) {
				continue
			}
			if !o.pick.Walk(bytes.TrimSpace(line)) {
				return true // it is damaged
			}
			if !isMessage(o.typ, o.message) {
				continue
			}
			replies++
			for block := range o.content.Elements() {
				if block.Get("type").Str() == session.BlockText && seams.Text(o.id.Str(), block.Get("text").Str()) {
					return true
				}
			}
		}
		b.Free()
	}
	return replies == 0
}
