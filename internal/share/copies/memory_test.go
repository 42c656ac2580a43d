package copies

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// lineSession returns a session of so many entries, of which the last ones are its own.
func lineSession(n, own int, tag string) string {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"01900000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:00:00.000Z","cwd":"/w"}` + "\n")
	parent := "null"
	for i := range n {
		id := fmt.Sprintf("%08x", i)
		if i >= n-own {
			id = fmt.Sprintf("%s%07x", tag, i)
		}
		fmt.Fprintf(&b, `{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-02T%02d:%02d:%02d.000Z","message":{"role":"user","content":"x","timestamp":1}}`+"\n",
			id, parent, i/3600%24, i/60%60, i%60)
		parent = fmt.Sprintf("%q", id)
	}
	return b.String()
}

func source(name, text string) Source {
	return Source{Name: name, R: strings.NewReader(text), Size: int64(len(text))}
}

// What a merge holds in memory: the promise is 120 bytes for each entry that is read.
func TestMemory(t *testing.T) {
	const n = 200_000
	for _, own := range []int{n / 10, n} { // from nine tenths in common to none
		a, b := lineSession(n, own, "a"), lineSession(n, own, "b")
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := Merge(context.Background(), []Source{source("a", a), source("b", b)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		each := float64(after.HeapAlloc-before.HeapAlloc) / (2 * n)
		t.Logf("%d of %d lines of each their own: %.0f bytes for each entry", own, n, each)
		if each > 120 {
			t.Errorf("%.0f bytes for each entry", each)
		}
		if r.Common != n-own || r.Ours != own || r.Theirs != own {
			t.Errorf("%+v", r.Report)
		}
		var out bytes.Buffer
		if _, err := r.Content(context.Background()).WriteTo(&out); err != nil {
			t.Fatal(err)
		}
	}
}
