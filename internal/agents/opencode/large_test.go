package opencode

import (
	"bytes"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/session"
)

// A large export is read message by message.
func TestLarge(t *testing.T) { // not in parallel: it looks at the heap
	if testing.Short() {
		t.Skip("writes 13 MB")
	}
	var b bytes.Buffer
	b.WriteString(`{` + info + `,"messages":[`)
	body := strings.Repeat("0123456789abcdef", 1<<12) // 64 KiB
	for i := range 200 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"info":{"id":"msg_%04d","role":"user","time":{"created":%d}},"parts":[{"id":"prt_%04d","type":"text","text":"%s"}]}`, i, i, i, body)
	}
	b.WriteString("]}")
	src := write(t, "e.json", b.Bytes())
	b = bytes.Buffer{}
	defer src.Close()
	a := formatstest.Open(t, Format, src)
	var before, after runtime.MemStats
	lines, most := 0, uint64(0)
	runtime.GC()
	runtime.ReadMemStats(&before)
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		builder := formats.NewBuilder("opencode", func(string) error {
			if lines++; lines%50 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&after)
				most = max(most, after.HeapAlloc)
			}
			return nil
		}, func(l formats.Loss) { t.Error(l) })
		if err := builder.Read(t.Context(), a, info); err != nil {
			t.Fatal(err)
		}
	}
	if lines < 200 || most > before.HeapAlloc+4<<20 {
		t.Errorf("%d lines, %d bytes in use, %d before", lines, most, before.HeapAlloc)
	}
}

func FuzzImport(f *testing.F) {
	files := exports(f)
	for name := range maps.Keys(files) {
		if strings.HasSuffix(name, ".json") && strings.HasPrefix(name, "o") {
			f.Add(files[name])
		}
	}
	f.Add([]byte(session1))
	// Laws: nothing panics; each line is one of a session; twice is the same; what is
	// written of it opencode would import, and it says the same.
	f.Fuzz(func(t *testing.T, data []byte) {
		rs, err := formatstest.Twice(t, Format, write(t, "e.json", data))
		if err != nil {
			return
		}
		first := rs[0]
		s := first.Session(t)
		for _, p := range s.Problems {
			if p.Kind != session.DuplicateID {
				t.Errorf("line %d: %s", p.Line, p.Text)
			}
		}
		text, _ := export(t, first)
		importable(t, text)
		again, err := open(t, write(t, "e.json", []byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(said(t, s), said(t, again.Session(t))); diff != "" {
			t.Errorf("what is said changes:\n%s", diff)
		}
	})
}
