package openoxide_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/openoxide"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
)

// Every session comes back, and its database with it.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var b strings.Builder
		b.WriteString(header)
		n := rapid.IntRange(0, 10).Draw(rt, "entries")
		value := rapid.SampledFrom([]string{`1`, `1.0`, `-0`, `1e3`, `"\ud800"`, `"\u00e9"`, `{"a":1,"a":2}`, `[[],{}]`, `null`, `"x\ny"`, `0.1`, `1e-9`})
		for i := range n {
			parent := "null"
			if i > 0 {
				parent = fmt.Sprintf(`"e%d"`, rapid.IntRange(max(0, i-3), i-1).Draw(rt, "parent"))
			}
			body := rapid.SampledFrom([]string{
				`"type":"message","message":{"role":"user","content":"q","x":%s}`, `"type":"message","message":{"role":"assistant","content":[],"x":%s}`,
				`"type":"custom","customType":"c","data":%s`, `"type":"poem","x":%s`, `"type":"session_info","name":"n","x":%s`,
				`"type":"compaction","summary":"s","firstKeptEntryId":"e0","tokensBefore":1,"details":%s`,
			}).Draw(rt, "body")
			fmt.Fprintf(&b, `{"id":"e%d","parentId":%s,"timestamp":"2026-01-02T03:%02d:06.000Z",`+body+"}\n", i, parent,
				rapid.IntRange(0, 59).Draw(rt, "minute"), value.Draw(rt, "value"))
		}
		s := formatstest.Parse(rt, b.String())
		if diff := differs(t, s); diff != "" {
			rt.Errorf("%s\n%s", b.String(), diff)
		}
	})
}

func FuzzImport(f *testing.F) {
	f.Add([]byte{0xa1, 'x'}, "user")
	f.Add([]byte{0x82, 0xa1, 'v', 1, 0xa5, 'e', 'n', 't', 'r', 'y', 0x81, 0xa2, 'i', 'd', 0xa1, 'a'}, "tool")
	f.Add(bytes.Repeat([]byte{0x91}, 1000), "assistant")
	// Laws: no content makes reading panic or fail; what is read twice is the same, each
	// line an object; and an export has the content again.
	f.Fuzz(func(t *testing.T, content []byte, role string) {
		if role != "user" && role != "assistant" && role != "tool" {
			return
		}
		path := packed(t, content)
		results, err := formatstest.Twice(t, openoxide.OpenOxide, &formats.Source{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		again := filepath.Join(t.TempDir(), "again.db")
		formatstest.ExportTo(t, openoxide.OpenOxide, results[0].Session(t), again)
		if diff := cmp.Diff(dump(t, path), dump(t, again)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "talk.db")
	formatstest.ExportTo(t, openoxide.OpenOxide, formatstest.Parse(t, talk), path)
	formatstest.Laws(t, openoxide.OpenOxide, formatstest.Corpus{
		Sources: map[string]string{"talk": must.Read(t, path)}, File: "o.db", Whole: true,
		Dump: func(t testing.TB, path string) string { return fmt.Sprint(dump(t, path)) },
	})
}
