package zeroclaw_test

import (
	"testing"

	"github.com/sess-tools/sess/internal/agents/zeroclaw"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	formatstest.Laws(t, zeroclaw.ZeroClaw, formatstest.Corpus{
		Sources: map[string]string{
			"memory.db":     string(corpus.Session(t, "zeroclaw/memory.db")),
			"memory-v12.db": string(corpus.Session(t, "zeroclaw/memory-v12.db")),
		}, File: "memory.db", Whole: true, Database: true,
	})
}
