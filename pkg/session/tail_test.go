package session_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/convo"
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
	if tail.Header != s.Header || tail.Leaf.ID() != id {
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
		if tail, err := session.ReadTail(strings.NewReader(c.in), int64(len(c.in))); err != nil || tail.Leaf.ID() != c.leaf {
			t.Errorf("leaf %q, %v; want %q\n%s", tail.Leaf.ID(), err, c.leaf, c.in)
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
	if err != nil || tail.Leaf.ID() != "9999" {
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
	if tail, err := session.ReadTail(strings.NewReader(text+text), int64(len(head))+1); err != nil || tail.Leaf.ID() != "" {
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

// contextOf returns the messages of a path's context.
func contextOf(path []session.Entry) (out []string) {
	for _, p := range convo.Project(path) {
		for _, m := range p.Messages {
			out = append(out, m.Raw())
		}
	}
	return out
}

// recentAgrees compares the context that ReadRecent finds with that of the whole
// session. It returns whether there was one.
func recentAgrees(t *testing.T, data string) bool {
	t.Helper()
	got, err := session.ReadRecent(strings.NewReader(data), int64(len(data)))
	if err != nil {
		if !errors.Is(err, session.ErrWhole) {
			t.Errorf("%v", err)
		}
		return false
	}
	s, err := session.Read(strings.NewReader(data))
	if err != nil {
		t.Fatalf("%v, of\n%s", err, data)
	}
	leaf, _ := s.Leaf()
	path, problems := s.Path(leaf)
	if len(problems) > 0 {
		t.Errorf("%v, of\n%s", problems, data)
	}
	if diff := cmp.Diff(contextOf(path), contextOf(got.Path)); diff != "" {
		t.Errorf("(-whole +recent) of\n%s\n%s", data, diff)
	}
	if whole, recent := path[len(path)-1].ID(), got.Path[len(got.Path)-1].ID(); whole != recent {
		t.Errorf("leaf %s, want %s", recent, whole)
	}
	return true
}

// drawSession returns a session of n entries with branches, compactions and what
// else matters to a context.
func drawSession(r *rand.Rand, n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}` + "\n")
	for i := range n {
		parent := "null"
		if i > 0 && r.IntN(30) > 0 {
			parent = fmt.Sprintf(`"e%d"`, i-1-min(i-1, r.IntN(2)*r.IntN(2)*r.IntN(6)))
		}
		head := fmt.Sprintf(`"id":"e%d","parentId":%s,"timestamp":"2026-01-02T03:04:05.000Z"`, i, parent)
		other := fmt.Sprintf(`"e%d"`, max(0, i-r.IntN(8)))
		b.WriteString([]string{
			`{"type":"message",` + head + `,"message":{"role":"user","content":"text"}}`,
			`{"type":"message",` + head + `,"message":{"role":"assistant","content":[]}}`,
			`{"type":"message",` + head + `,"message":{"role":"system","content":"x"}}`,
			`{"type":"custom_message",` + head + `,"customType":"c","content":"y"}`,
			`{"type":"label",` + head + `,"targetId":` + other + `,"label":"l"}`,
			`{"type":"context_edit",` + head + `,"targetId":` + other + `,"replacement":null}`,
			`{"type":"context_edit",` + head + `,"targetId":` + other + `,"replacement":{"content":"z"}}`,
			`{"type":"compaction",` + head + `,"summary":"s","firstKeptEntryId":` + other + `,"tokensBefore":1}`,
			`{"type":"reset_boundary",` + head + `}`,
		}[[]int{0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8}[r.IntN(13)]] + "\n")
	}
	return b.String()
}

func TestReadRecent(t *testing.T) {
	t.Parallel()
	known := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 5))
		data := drawSession(r, 1+r.IntN(40))
		if r.IntN(4) == 0 {
			data += `{"type":"message","id":"torn`
		}
		if r.IntN(4) == 0 {
			data = strings.TrimSuffix(data, "\n")
		}
		if recentAgrees(t, data) {
			known++
		}
	}
	if known < 1000 {
		t.Errorf("%d sessions of 2000 were read from the end", known)
	}
	for _, dir := range []string{"pi/sessions", "omp"} {
		for _, file := range corpus.Sessions(t, dir) {
			recentAgrees(t, string(corpus.Session(t, file)))
		}
	}
}

// What cannot be told from the end has to be read whole.
func TestReadRecentWhole(t *testing.T) {
	t.Parallel()
	const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}` + "\n"
	a, b := `{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"a"}}`+"\n", `{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"b"}}`+"\n"
	for name, data := range map[string]string{
		"empty":         "",
		"no header":     a,
		"version 2":     strings.Replace(header, "3", "2", 1) + a,
		"no entries":    header,
		"not JSON":      header + a + "{broken}\n" + b,
		"no object":     header + a + "[]\n" + b,
		"blank line":    header + a + "\n" + b,
		"later header":  header + a + header + b,
		"no id":         header + a + `{"type":"message","parentId":"a"}` + "\n" + b,
		"twice":         header + a + b + a + `{"type":"message","id":"c","parentId":"b"}` + "\n",
		"parent lacks":  header + b,
		"parent behind": header + `{"type":"message","id":"x","parentId":"b"}` + "\n" + b + `{"type":"message","id":"y","parentId":"x"}` + "\n",
		"own parent":    header + `{"type":"message","id":"a","parentId":"a"}` + "\n",
		"very long":     header + a + strings.ReplaceAll(b, `"content":"b"`, `"content":"`+strings.Repeat("b", 17<<20)+`"`) + `{"type":"message","id":"c","parentId":"b"}` + "\n",
	} {
		if got, err := session.ReadRecent(strings.NewReader(data), int64(len(data))); !errors.Is(err, session.ErrWhole) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := session.ReadRecent(strings.NewReader(header+a), 1000); err == nil || errors.Is(err, session.ErrWhole) {
		t.Errorf("too short: %v", err)
	}
}

// Of a line that begins too far back, no more is read than what may be near the end.
func TestReadRecentOfHugeLine(t *testing.T) {
	t.Parallel()
	const limit = 8 << 20
	text := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" +
		`{"type":"custom","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","customType":"x","data":"` + strings.Repeat("x", 3*limit) + "\"}\n"
	r := &counting{ReaderAt: strings.NewReader(text)}
	if _, err := session.ReadRecent(r, int64(len(text))); !errors.Is(err, session.ErrWhole) {
		t.Errorf("error %v", err)
	}
	if r.n > limit+limit/8 {
		t.Errorf("read %d bytes", r.n)
	}
}
