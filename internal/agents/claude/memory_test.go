package claude_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/claude"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/must"
)

// Reading a session holds what tells its lines apart, not their texts.
func TestTextsAreNotHeld(t *testing.T) { // alone: it looks at the memory of the process
	const turns, size = 300, 64 << 10
	path := filepath.Join(t.TempDir(), "s.jsonl")
	f, err := os.Create(path)
	must.Do(t, err)
	text, parent := strings.Repeat("0123456789abcdef", size/16), "null"
	line := func(id, typ, rest string) {
		_, err := fmt.Fprintf(f, `{"type":%q,"uuid":%q,"parentUuid":%s,"sessionId":"s","cwd":"/w","timestamp":"2026-01-02T03:04:05.000Z",%s}`+"\n", typ, id, parent, rest)
		must.Do(t, err)
		parent = `"` + id + `"`
	}
	line("u", "user", `"message":{"role":"user","content":"go"}`)
	for i := range turns {
		line(fmt.Sprint("a", i), "assistant", fmt.Sprintf(`"message":{"id":"m%d","role":"assistant","model":"m","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t%d","name":"Write","input":{"content":%q}}]}`, i, i, text))
		line(fmt.Sprint("r", i), "user", fmt.Sprintf(`"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}`, i, text))
	}
	must.Do(t, f.Close())
	archive, err := claude.Claude.Open(t.Context(), &formats.Source{Path: path})
	must.Do(t, err)
	defer archive.Close()
	alive := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for info, err := range archive.List(t.Context(), formats.Query{}) {
		must.Do(t, err)
		before, n, most := alive(), 0, int64(0)
		must.Do(t, formats.NewBuilder("x", func(string) error {
			if n++; n%(turns/2) == 0 {
				most = max(most, alive()-before)
			}
			return nil
		}, func(l formats.Loss) { t.Errorf("lost %v", l) }).Read(t.Context(), archive, info))
		if n < 2*turns {
			t.Errorf("%d lines", n)
		}
		if most > 2*turns*size/4 {
			t.Errorf("%d bytes are held of %d", most, 2*turns*size)
		}
	}
}
