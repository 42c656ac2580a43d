package openoxide_test

import (
	"bytes"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/openoxide"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
)

func FuzzImport(f *testing.F) {
	f.Add([]byte{0xa1, 'x'})
	f.Add([]byte{0x82, 0xa1, 'v', 1, 0xa5, 'e', 'n', 't', 'r', 'y', 0x81, 0xa2, 'i', 'd', 0xa1, 'a'})
	f.Add(bytes.Repeat([]byte{0x91}, 1000))
	// Laws: no content makes reading panic or fail; what is read twice is the same, each
	// line an object.
	f.Fuzz(func(t *testing.T, content []byte) {
		if _, err := formatstest.Twice(t, openoxide.OpenOxide, &formats.Source{Path: packed(t, content)}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	formatstest.Laws(t, openoxide.OpenOxide, formatstest.Corpus{
		Sources: map[string]string{"talk": must.Read(t, talk(t))}, File: "o.db", Whole: true, Database: true,
	})
}
