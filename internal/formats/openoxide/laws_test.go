package openoxide_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A database with a few bytes changed is read, or refused by its name.
func TestMutants(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "o.db")
	export(t, parse(t, talk), path)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		data := bytes.Clone(good)
		for range 1 + r.IntN(8) {
			data[r.IntN(len(data))] = byte(r.Uint32())
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, err := readAll(ctx, path)
		if ctx.Err() != nil || err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%v", err)
		}
		cancel()
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
			t.Error("it has changed")
		}
	}
}

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
		s, err := session.Read(strings.NewReader(b.String()))
		if err != nil {
			rt.Fatal(err)
		}
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		first, second := filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
		export(t, s, first)
		results, err := readAll(t.Context(), first)
		if err != nil {
			rt.Fatal(err)
		}
		back := results[0].Session(t)
		if diff := cmp.Diff(view(s), view(back)); diff != "" {
			rt.Errorf("%s\n(-before +after) %s", b.String(), diff)
		}
		lines := map[string]bool{}
		for _, r := range results {
			for _, e := range r.Session(t).Entries {
				lines[e.WithParent("").Raw()] = true
			}
			export(t, r.Session(t), second)
		}
		leaf, ok := s.Leaf()
		path, _ := s.Path(leaf)
		for _, e := range path {
			if ok && !lines[e.WithParent("").Raw()] {
				rt.Errorf("%s is gone", e.Raw())
			}
		}
		if diff := cmp.Diff(dump(t, first), dump(t, second)); diff != "" {
			rt.Errorf("%s\n(-first +second) %s", b.String(), diff)
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
		first, err := readAll(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		second, err := readAll(t.Context(), path)
		if err != nil || first[0].Text() != second[0].Text() {
			t.Fatalf("not the same: %v", err)
		}
		for _, line := range first[0].Lines {
			if !js.Valid([]byte(line)) || line[0] != '{' {
				t.Errorf("no line: %q", line)
			}
		}
		again := filepath.Join(t.TempDir(), "again.db")
		s, err := session.Read(strings.NewReader(first[0].Text()))
		if err != nil {
			t.Fatal(err)
		}
		export(t, s, again)
		if diff := cmp.Diff(dump(t, path), dump(t, again)); diff != "" {
			t.Error(diff)
		}
	})
}
