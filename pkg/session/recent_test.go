package session_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

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
