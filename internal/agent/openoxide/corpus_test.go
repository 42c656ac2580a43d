package openoxide_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/sess-tools/sess/internal/agent/formatstest"
	"github.com/sess-tools/sess/internal/agent/openoxide"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "talk.db")
	formatstest.ExportTo(t, openoxide.OpenOxide, formatstest.Parse(t, talk), path)
	formatstest.Laws(t, openoxide.OpenOxide, formatstest.Corpus{
		Sources: map[string]string{"talk": formatstest.Content(t, path)}, File: "o.db", Whole: true,
		Dump: func(t testing.TB, path string) string { return fmt.Sprint(dump(t, path)) },
	})
}
