package zeroclaw_test

import (
	"fmt"
	"testing"

	"github.com/sess-tools/sess/internal/agent/formatstest"
	"github.com/sess-tools/sess/internal/agent/zeroclaw"
	"github.com/sess-tools/sess/internal/test/corpus"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	formatstest.Laws(t, zeroclaw.ZeroClaw, formatstest.Corpus{
		Sources: map[string]string{"memory.db": string(corpus.Session(t, "zeroclaw/memory.db"))}, File: "memory.db", Whole: true,
		Dump: func(t testing.TB, path string) string { return fmt.Sprint(dump(t, path)) },
	})
}
