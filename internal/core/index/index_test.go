package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/index"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}` + "\n"

// indexed is the path to an entry as the package finds it, whether the file is read
// in halves or not; "" is the last entry.
func indexed(t *testing.T, data []byte, leaf string) (string, error) {
	t.Helper()
	whole, err := pathTo(data, leaf, false)
	halves, herr := pathTo(data, leaf, true)
	if whole != halves || !errors.Is(herr, err) {
		t.Errorf("in halves %.2000q, %v; whole %.2000q, %v", halves, herr, whole, err)
	}
	return whole, err
}

func pathTo(data []byte, leaf string, divided bool) (string, error) {
	x, err := index.NewDivided(bytes.NewReader(data), int64(len(data)), divided)
	if err != nil {
		return "", err
	}
	n := x.Len() - 1
	if leaf != "" {
		var ok bool
		if n, ok = x.Find(leaf); !ok {
			return "", index.ErrNotPlain
		}
	}
	path, ended, err := x.Path(n)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, r := range path {
		out.Write(data[r.Start:r.End])
	}
	if !ended {
		out.WriteByte('\n')
	}
	return out.String(), nil
}

// reference is the path as package session finds it, and whether the session
// is one that index may have another opinion of: with lines that are not JSON or
// name themselves twice.
func reference(data []byte, leaf string) (path string, beyond bool, err error) {
	s, err := session.Read(bytes.NewReader(data))
	if err != nil {
		return "", true, err
	}
	for line := range strings.Lines(string(data)) {
		beyond = beyond || !js.Valid([]byte(line)) && strings.HasSuffix(line, "\n") || repeatsKey(line)
	}
	i, _ := s.Leaf()
	if leaf != "" {
		var ok bool
		if i, ok = s.Index(leaf); !ok {
			return "", true, nil // it stands on a line that is not JSON
		}
	}
	entries, _ := s.Path(i)
	var out strings.Builder
	for _, line := range s.Lead() {
		out.WriteString(line + "\n")
	}
	for _, e := range entries {
		out.WriteString(e.Raw() + "\n")
	}
	return out.String(), beyond, nil
}

func repeatsKey(line string) bool {
	seen := map[string]bool{}
	for key := range js.Members(line) {
		if key = js.Unquote(key); seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}

// lastOf returns the last entry, the zero Entry if there is none.
func lastOf(x *index.Index) (session.Entry, error) {
	if x.Len() == 0 {
		return session.Entry{}, nil
	}
	return x.Entry(x.Len() - 1)
}

// endsAgree fails the test if an append would go on from another entry than package session names, or in another session.
func endsAgree(t *testing.T, data []byte) {
	t.Helper()
	x, err := index.New(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return
	}
	last, err := lastOf(x)
	if err != nil {
		if !errors.Is(err, index.ErrNotPlain) {
			t.Errorf("%v", err)
		}
		return
	}
	tail, err := session.ReadTail(bytes.NewReader(data), int64(len(data)))
	if err != nil || x.Header() != tail.Header || last.ID() != tail.Leaf.ID() {
		t.Errorf("header %+v, last entry %q; session says %+v, %q, %v\n%.2000q", x.Header(), last.ID(), tail.Header, tail.Leaf.ID(), err, data)
	}
}

// agree fails the test if both find a path and not the same one.
func agree(t *testing.T, data []byte, leaf string) {
	t.Helper()
	endsAgree(t, data)
	got, err := indexed(t, data, leaf)
	if err != nil {
		if !errors.Is(err, index.ErrNotPlain) {
			t.Errorf("%v", err)
		}
		return
	}
	want, beyond, err := reference(data, leaf)
	if !beyond && (err != nil || got != want) {
		t.Errorf("path to %q of\n%.2000s\nis\n%.2000s\nwant (%v)\n%.2000s", leaf, data, got, err, want)
	}
}

// plain returns a session of n entries as programs write them, with branches,
// orders of members, escapes and sizes of all kinds.
func plain(r *rand.Rand, n, long int) (data string, ids []string) {
	var b strings.Builder
	b.WriteString(header)
	for i := range n {
		id := fmt.Sprintf("%08x", r.Uint32())
		parent := "null"
		switch r.IntN(100) {
		case 0:
		case 1, 2, 3, 4, 5, 6, 7, 8, 9:
			if i > 0 {
				parent = js.Quote(ids[r.IntN(i)])
			}
		default:
			if i > 0 {
				parent = js.Quote(ids[i-1])
			}
		}
		text := js.Quote(strings.Repeat(`word "id":"x" {"parentId":null}`+"\u2028\n", r.IntN(long)))
		at := `"timestamp":"2026-01-02T03:04:05.000Z"`
		b.WriteString([]string{
			`{"type":"message","id":"` + id + `","parentId":` + parent + `,` + at + `,"message":{"role":"user","content":` + text + `}}`,
			`{"type":"custom","customType":"x","data":{"id":"y","parentId":"z","text":` + text + `},"id":"` + id + `","parentId":` + parent + `,` + at + `}`,
			` { "parentId" : ` + parent + ` , "\u0069d" : "` + id + `" , "type" : "weird" , "text" : ` + text + ` } `,
			`{"type":"label","id":"` + id + `","parentId":` + strings.ReplaceAll(parent, "a", `\u0061`) + `,"x":[` + text + `,{"id":1}]}` + "\r",
			`{"id":"` + id + `","parentId":` + parent + `,"type":"message","message":` + text + `}`,
		}[r.IntN(5)] + "\n")
		ids = append(ids, id)
	}
	return b.String(), ids
}

// A plain session is indexed, to whatever entry, and the path is that of package
// session.
func TestPlain(t *testing.T) {
	t.Parallel()
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 1))
		long := 10
		if seed%40 == 0 {
			long = 12_000 // lines larger than a block
		}
		data, ids := plain(r, 1+r.IntN(60), long)
		if r.IntN(3) == 0 {
			data += `{"type":"message","id":"torn","par`
		}
		leaf := ""
		if r.IntN(2) == 0 {
			leaf = ids[r.IntN(len(ids))]
		}
		if _, err := indexed(t, []byte(data), leaf); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		agree(t, []byte(data), leaf)
	}
}

// A last line that is whole but for its line feed is part of the path.
func TestUnended(t *testing.T) {
	t.Parallel()
	data := header + `{"type":"message","id":"a","parentId":null}` + "\n" + `{"type":"message","id":"b","parentId":"a"}`
	agree(t, []byte(data), "")
	agree(t, []byte(data), "a")
	if got, err := indexed(t, []byte(data), ""); err != nil || got != data+"\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// Whatever is not plain is left to others.
func TestOdd(t *testing.T) {
	t.Parallel()
	a, b := `{"type":"message","id":"a","parentId":null}`+"\n", `{"type":"message","id":"b","parentId":"a"}`+"\n"
	for name, data := range map[string]string{
		"empty":         "",
		"no header":     a,
		"title slot":    `{"type":"title","v":1,"title":"x"}` + "\n" + header + a,
		"byte order":    "\xef\xbb\xbf" + header + a,
		"blank line":    header + a + "\n" + b,
		"NUL bytes":     header + a + "\x00\x00\x00\n" + b,
		"torn inside":   header + a + `{"type":"message","id":"x","parentId":"a","mess` + "\n" + b,
		"no object":     header + a + "[]\n" + b,
		"later header":  header + a + header + b,
		"twice":         header + a + b + a,
		"no id":         header + a + `{"type":"message","parentId":"a"}` + "\n" + b,
		"parent lacks":  header + b,
		"parent behind": header + b + a,
		"cycle":         header + `{"type":"message","id":"a","parentId":"b"}` + "\n" + b,
		"own parent":    header + `{"type":"message","id":"a","parentId":"a"}` + "\n",
		"keeps nothing": header + a + `{"type":"compaction","id":"c","parentId":"a","firstKeptEntryId":"x","summary":""}` + "\n",
		"keeps later":   header + `{"type":"compaction","id":"c","parentId":null,"firstKeptEntryId":"a","summary":""}` + "\n" + a,
	} {
		leaf := ""
		if name == "parent behind" {
			leaf = "b"
		}
		if got, err := indexed(t, []byte(data), leaf); !errors.Is(err, index.ErrNotPlain) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// Of the lines only heads are looked at, but an append goes on from none that is damaged behind its head.
func TestLast(t *testing.T) {
	t.Parallel()
	a, b := `{"type":"message","id":"a","parentId":null}`+"\n", `{"type":"message","id":"b","parentId":"a"}`+"\n"
	for name, c := range map[string]struct {
		data, leaf string
		err        error
	}{
		"none":         {header, "", nil},
		"one":          {header + a, "a", nil},
		"unended":      {header + a + b[:len(b)-1], "b", nil},
		"torn":         {header + a + b[:len(b)-3], "a", nil},
		"damaged":      {header + a + `{"type":"message","id":"b","parentId":"a","message":{"role":user}}` + "\n", "", index.ErrNotPlain},
		"damaged once": {header + `{"type":"message","id":"a","parentId":null,"message":x}` + "\n" + b, "b", nil},
	} {
		x, err := index.New(strings.NewReader(c.data), int64(len(c.data)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if last, err := lastOf(x); last.ID() != c.leaf || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v; want %q, %v", name, last.ID(), err, c.leaf, c.err)
		}
		endsAgree(t, []byte(c.data))
	}
}

// The files of real programs.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"pi/sessions", "omp"} {
		for _, file := range corpus.Sessions(t, dir) {
			agree(t, corpus.Session(t, file), "")
		}
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	data, _ := plain(rand.New(rand.NewPCG(1, 1)), 20, 5)
	if _, err := index.New(strings.NewReader(data), int64(len(data))+1); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("truncated: %v", err)
	}
}

// Copy writes the same to whatever it writes to.
func TestCopy(t *testing.T) {
	t.Parallel()
	data, _ := plain(rand.New(rand.NewPCG(7, 1)), 50, 2000)
	name := filepath.Join(t.TempDir(), "src")
	must.Do(t, os.WriteFile(name, []byte(data), 0o600))
	src, err := os.Open(name)
	must.Do(t, err)
	defer src.Close()
	size := int64(len(data))
	ranges := []index.Range{{0, 10}, {20, 400_000}, {400_001, 400_001}, {size - 7, size}}
	want := data[:10] + data[20:400_000] + data[size-7:]
	t.Run("pipe", func(t *testing.T) {
		r, w, err := os.Pipe()
		must.Do(t, err)
		defer r.Close()
		done := make(chan error, 1)
		go func() { done <- errors.Join(index.Copy(w, src, ranges), w.Close()) }()
		got, err := io.ReadAll(r)
		if err != nil || string(got) != want {
			t.Errorf("%d bytes, want %d; %v", len(got), len(want), err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	for mode, flag := range map[string]int{"file": 0, "appended": os.O_APPEND} {
		t.Run(mode, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			dst, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|flag, 0o600)
			must.Do(t, err)
			if err := errors.Join(index.Copy(dst, src, ranges), dst.Close()); err != nil {
				t.Error(err)
			}
			if got, err := os.ReadFile(out); err != nil || string(got) != want {
				t.Errorf("%d bytes, want %d; %v", len(got), len(want), err)
			}
		})
	}
	t.Run("too short", func(t *testing.T) {
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		must.Do(t, err)
		defer null.Close()
		if err := index.Copy(null, src, []index.Range{{0, size + 1}}); !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, index.ErrSource) {
			t.Errorf("%v", err)
		}
	})
}

// The path that index finds is the one that session finds, for any bytes.
func FuzzWalk(f *testing.F) {
	for seed := range uint64(20) {
		data, ids := plain(rand.New(rand.NewPCG(seed, 2)), 12, 3)
		f.Add([]byte(data), "")
		f.Add([]byte(data), ids[3])
		lines := strings.SplitAfter(data, "\n")
		slices.Reverse(lines[2:])
		f.Add([]byte(strings.Join(lines, "")), ids[3])
	}
	f.Fuzz(func(t *testing.T, data []byte, leaf string) { agree(t, data, leaf) })
}
