package codex_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/sess-tools/sess/internal/agent/formats"
)

// A small file that becomes large is an error with the numbers, unless that was allowed;
// it is read no further than that.
func TestExpansion(t *testing.T) {
	t.Parallel()
	const meta = `{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"id":"019a0000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w","originator":"x","cli_version":"1"}}` + "\n"
	path := filepath.Join(t.TempDir(), "rollout.jsonl.zst")
	for _, tt := range []struct {
		size    int // of the blanks behind the first line
		allowed int64
		most    int64 // 0 for no error
	}{
		{1 << 20, 0, 0},
		{65 << 20, 0, 64 << 20},
		{65 << 20, 66 << 20, 0},
		{1 << 20, 1 << 20, 1 << 20},
		{0, int64(len(meta)), 0},
		{0, int64(len(meta)) - 1, int64(len(meta)) - 1},
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
		_, got := only(t, &formats.Source{Path: path, Expansion: tt.allowed})
		e, ok := errors.AsType[*formats.ExpansionError](got)
		if ok != (tt.most > 0) || !ok && got != nil || ok && (e.Most != tt.most || e.Size != int64(b.Len()) || !strings.Contains(got.Error(), path)) {
			t.Errorf("%d bytes, %d allowed: %v", tt.size, tt.allowed, got)
		}
	}
}
