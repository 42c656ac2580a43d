package session_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/session"
)

// agree checks ReadTail against Read: the same header, leaf and refusals.
func agree(t *testing.T, data []byte) {
	t.Helper()
	tail, err := session.ReadTail(bytes.NewReader(data), int64(len(data)))
	s, want := session.Read(bytes.NewReader(data))
	if want != nil {
		if err != want {
			t.Errorf("%v, Read says %v\n%.300q", err, want, data)
		}
		return
	}
	if err != nil {
		t.Errorf("%v\n%.300q", err, data)
		return
	}
	leaf, _ := s.Leaf()
	id := ""
	if leaf >= 0 && s.Header.Version > 1 {
		id = s.Entries[leaf].ID()
	}
	if tail.Header != s.Header || tail.Leaf != id {
		t.Errorf("%+v; Read: header %+v, leaf %q\n%.300q", tail, s.Header, id, data)
	}
}

func allSessions(t *testing.T) []string {
	t.Helper()
	return append(corpus.Sessions(t, "pi"), corpus.Sessions(t, "omp")...)
}

func TestReadTailCorpus(t *testing.T) {
	t.Parallel()
	for _, path := range allSessions(t) {
		agree(t, corpus.Session(t, path))
	}
}

func TestReadTail(t *testing.T) {
	t.Parallel()
	a, b := user("a", "", "1"), user("b", "a", "2")
	slotWithID := strings.Replace(slot, `"v":1`, `"v":1,"id":"t"`, 1)
	for _, c := range []struct{ in, leaf string }{
		{join(head), ""},
		{join(head, a, b), "b"},
		{head + "\n" + a + "\n" + b, "b"},
		{join(head, a) + b[:20], "a"},
		{join(head, a, b[:20], "", "42", `{"no":"id"}`, `{"id":""}`, head), "a"},
		{join(slotWithID, head), ""},
		{join(slotWithID, head, a), "a"},
		{join(head, a, slotWithID), "t"}, // behind the header a slot is an entry
		{"\xef\xbb\xbf" + join("garbage", slot, "", head, "x"), ""},
		{join(strings.Replace(head, `"version":3`, `"version":2`, 1), a), "a"},
		{join(strings.Replace(head, `"version":3`, `"version":1`, 1), a), ""},
	} {
		agree(t, []byte(c.in))
		if tail, err := session.ReadTail(strings.NewReader(c.in), int64(len(c.in))); err != nil || tail.Leaf != c.leaf {
			t.Errorf("leaf %q, %v; want %q\n%s", tail.Leaf, err, c.leaf, c.in)
		}
	}
}

func TestReadTailDamage(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var files [][]byte
	for _, dir := range []string{"omp/damaged", "omp/edge"} {
		for _, path := range corpus.Sessions(t, dir) {
			if data := corpus.Session(t, path); len(data) > 0 && len(data) < 20_000 {
				files = append(files, data)
			}
		}
	}
	for range 1500 {
		data := bytes.Clone(files[r.IntN(len(files))])
		for range 1 + r.IntN(3) {
			data = damage(r, data)
		}
		agree(t, data)
		if t.Failed() {
			return
		}
	}
}

func damage(r *rand.Rand, data []byte) []byte {
	if len(data) == 0 {
		return data
	}
	i := r.IntN(len(data))
	switch r.IntN(5) {
	case 0:
		return data[:i]
	case 1:
		data[i] = "\n\x00{}\"\xff "[r.IntN(7)]
		return data
	case 2:
		return append(data[:i:i], data[min(i+r.IntN(40), len(data)):]...)
	case 3: // join two lines
		if n := bytes.IndexByte(data[i:], '\n'); n >= 0 {
			return append(data[:i+n:i+n], data[i+n+1:]...)
		}
		return data
	default: // move the end to the front
		return append(bytes.Clone(data[i:]), data[:i]...)
	}
}

// A read counts what is read of it.
type counting struct {
	io.ReaderAt
	n int
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.n += n
	return n, err
}

func TestReadTailReadsTheEnds(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString(head + "\n")
	for i := range 10_000 {
		fmt.Fprintln(&b, user(fmt.Sprint(i), "", strings.Repeat("x", 300)))
	}
	c := &counting{ReaderAt: bytes.NewReader(b.Bytes())}
	tail, err := session.ReadTail(c, int64(b.Len()))
	if err != nil || tail.Leaf != "9999" {
		t.Fatalf("%+v, %v", tail, err)
	}
	if c.n > 1<<20 || c.n == 0 {
		t.Errorf("%d of %d bytes read", c.n, b.Len())
	}
}

func TestReadTailErrors(t *testing.T) {
	t.Parallel()
	text := join(head, user("a", "", "1"))
	if _, err := session.ReadTail(strings.NewReader(text), int64(len(text))+10); err == nil {
		t.Error("no error for a file that is shorter than said")
	}
	// Only the first size bytes count.
	if tail, err := session.ReadTail(strings.NewReader(text+text), int64(len(head))+1); err != nil || tail.Leaf != "" {
		t.Errorf("%+v, %v", tail, err)
	}
}

func TestCanAppend(t *testing.T) {
	t.Parallel()
	for version, ok := range map[int]bool{1: false, 2: true, 3: true} {
		if err := (session.Header{Version: version}).CanAppend(); (err == nil) != ok || err != nil && !errors.Is(err, session.ErrVersion) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}
