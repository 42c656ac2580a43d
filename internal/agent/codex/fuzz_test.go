package codex_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/codex"
	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/formatstest"
	"github.com/sess-tools/sess/internal/test/corpus"
)

func FuzzImport(f *testing.F) {
	for name, data := range corpus.Golden(f, "codex/rollouts/0.169") {
		if strings.HasPrefix(name, "variants/") && len(data) < 10_000 {
			f.Add(data)
		}
	}
	// Laws: nothing panics; what comes out is a session, twice the same, of which no
	// line is skipped; it can be written, and what is written be read.
	f.Fuzz(func(t *testing.T, data []byte) {
		rs, err := formatstest.Twice(t, codex.Format, &formats.Source{Stdin: bytes.NewReader(data)})
		if err != nil || len(rs) == 0 {
			return
		}
		s := rs[0].Session(t)
		for _, p := range s.Problems {
			t.Errorf("line %d: %s\n%s", p.Line, p.Text, rs[0].Text())
		}
		out, _ := formatstest.Export(t, codex.Format, s, "")
		if _, err := only(t, &formats.Source{Stdin: strings.NewReader(out)}); err != nil {
			t.Errorf("what is written is refused: %v\n%s", err, out)
		}
	})
}
