package codex_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

// large is a rollout of many turns that is never in memory.
type large struct {
	left int
	rest string
}

func (l *large) Read(p []byte) (int, error) {
	if l.rest == "" {
		if l.left--; l.left < 0 {
			return 0, io.EOF
		}
		text := strings.Repeat("x", 50_000)
		l.rest = strings.Replace(asked, "q1", text, 1) + strings.NewReplacer("user", "assistant", "input_text", "output_text", "q1", text).Replace(asked)
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// A rollout is read in memory that does not grow with it.
func TestFlat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rollout-2026-02-03T04-05-06-"+thread+".jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(f, io.MultiReader(strings.NewReader(meta), &large{left: 300})); err != nil {
		t.Fatal(err)
	}
	f.Close()
	a := formatstest.Open(t, codex.Format, &formats.Source{Path: path})
	most, made, measured := uint64(0), 0, 0
	b := formats.NewBuilder("codex", func(line string) error {
		if made += len(line); made-measured < 1_000_000 {
			return nil
		}
		measured = made
		runtime.GC() // what is garbage when depends on the machine
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapAlloc)
		return nil
	}, func(formats.Loss) {})
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Read(t.Context(), a, info); err != nil {
			t.Fatal(err)
		}
	}
	if made < 30_000_000 || most > 10_000_000 {
		t.Errorf("%d bytes made with %d in use", made, most)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(t.TempDir(), "rollout-2026-02-03T04-05-06-"+thread+".jsonl"), meta+asked)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a, err := codex.Format.Open(ctx, &formats.Source{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, err := range a.List(ctx, formats.Query{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

// Large texts, which are quoted piece by piece as they are written, come out letter by
// letter: of the user, of the model, and of results.
func TestLargeTexts(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"x", "\"\\\n", "é", "😀", "a\u2028"} {
		for _, n := range []int{64<<10 - 1, 64 << 10, 200_001} {
			text := strings.Repeat(unit, n/len(unit)+1)
			var b strings.Builder
			b.WriteString(`{"type":"session","version":3,"id":"019a0000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n")
			for i, message := range []string{
				`{"role":"user","content":[{"type":"text","text":%s}]}`,
				`{"role":"assistant","stopReason":"toolUse","content":[{"type":"text","text":%s},{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"ls"}}]}`,
				`{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":%s}]}`,
			} {
				fmt.Fprintf(&b, `{"type":"message","id":"a000000%d","parentId":"a000000%d","timestamp":"2026-01-02T03:04:05.678Z","message":`+message+"}\n", i, i-1, js.Quote(text))
			}
			s := formatstest.Parse(t, b.String())
			for _, version := range []string{"legacy", "paginated"} {
				out, _ := formatstest.Export(t, codex.Format, s, version)
				literal := strings.Trim(js.Quote(text), `"`)
				if got := strings.Count(out, `"`+literal+`"`); got < 5 {
					t.Errorf("%q of %d bytes, %s: it stands there %d times", unit, len(text), version, got)
				}
				for line := range strings.Lines(out) {
					if !js.Valid([]byte(line)) {
						t.Errorf("%q of %d bytes, %s: not JSON: %.80s", unit, len(text), version, line)
					}
				}
			}
		}
	}
}

// A small file that becomes large is an error with the numbers; it is read no further than that.
func TestExpansion(t *testing.T) {
	t.Parallel()
	const meta = `{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"id":"019a0000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w","originator":"x","cli_version":"1"}}` + "\n"
	path := filepath.Join(t.TempDir(), "rollout.jsonl.zst")
	for _, tt := range []struct {
		size int   // of the blanks behind the first line
		most int64 // 0 for no error
	}{
		{1 << 20, 0},
		{64<<20 - len(meta), 0},
		{64<<20 - len(meta) + 1, 64 << 20},
	} {
		var b bytes.Buffer
		w, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = w.Write([]byte(meta + strings.Repeat(" ", tt.size))); err == nil {
			err = errors.Join(w.Close(), os.WriteFile(path, b.Bytes(), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		_, got := only(t, &formats.Source{Path: path})
		e, ok := errors.AsType[*formats.ExpansionError](got)
		if ok != (tt.most > 0) || !ok && got != nil || ok && (e.Most != tt.most || e.Size != int64(b.Len()) || !strings.Contains(got.Error(), path)) {
			t.Errorf("%d bytes: %v", tt.size, got)
		}
	}
}

// A session that is compacted n times, and keeps all of it each time, has n contexts in
// codex's form: too much is refused with the numbers.
func TestGrowth(t *testing.T) {
	t.Parallel()
	for n, refused := range map[int]bool{200: false, 1500: true} {
		var b strings.Builder
		b.WriteString(`{"type":"session","version":3,"id":"019a0000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n")
		parent := "null"
		for i := range n {
			fmt.Fprintf(&b, `{"type":"message","id":"a%07d","parentId":%s,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":"x"}}`+"\n", i, parent)
			fmt.Fprintf(&b, `{"type":"compaction","id":"c%07d","parentId":"a%07d","timestamp":"2026-01-02T03:04:05.678Z","summary":"s","firstKeptEntryId":"a0000000","tokensBefore":1}`+"\n", i, i)
			parent = fmt.Sprintf(`"c%07d"`, i)
		}
		target := formats.NewTarget(func(formats.Loss) {})
		target.Out, target.Version = io.Discard, "legacy"
		err := codex.Format.Export(t.Context(), formatstest.Parse(t, b.String()), target)
		if e, large := errors.AsType[*formats.GrowthError](err); large != refused || !large && err != nil || large && (!e.Unfinished || e.Times() < 16) {
			t.Errorf("%d compactions: %v", n, err)
		}
	}
}
