package store_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/pkg/store"
)

func TestNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st := store.Open(dir)
	for i, name := range []string{
		"--old--/2026-01-02T03-04-05-000Z_o1.jsonl", "--old--/2026-01-03T03-04-05-000Z_o2.jsonl",
		"--new--/2026-01-01T03-04-05-000Z_n1.jsonl", "--new--/2026-01-01T03-04-05-000Z_n_2.jsonl",
		"--new--/odd.jsonl", "--new--/.2026-01-01T03-04-05-000Z_draft.jsonl", "--new--/2026-01-01T03-04-05-000Z_x.txt", "--new--/2026-01-01T03-04-05-000Z_.jsonl",
		"--w--/2026-01-01T03-04-05-000Z_w1.jsonl", "2026-01-01T03-04-05-000Z_top.jsonl",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("not looked at"), 0o600); err != nil {
			t.Fatal(err)
		}
		when := time.Unix(int64(1000*i), 0)
		if err := os.Chtimes(filepath.Dir(path), when, when); err != nil {
			t.Fatal(err)
		}
	}
	names := func(ctx context.Context, cwd string, most int) string {
		var ids []string
		st.Names(ctx, cwd, func(c store.Candidate) bool {
			if !strings.HasSuffix(c.Path, "_"+c.ID+".jsonl") {
				t.Errorf("%s is not in %s", c.ID, c.Path)
			}
			ids = append(ids, c.ID)
			return len(ids) < most
		})
		return strings.Join(ids, " ")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		ctx  context.Context
		cwd  string
		most int
		want string
	}{
		{t.Context(), "", 99, "top w1 n_2 n1 o2 o1"},
		{t.Context(), "/old", 99, "o2 o1 top w1 n_2 n1"},
		{t.Context(), "/old", 1, "o2"},
		{t.Context(), "/old", 4, "o2 o1 top w1"},
		{ended, "/old", 99, ""},
	} {
		if got := names(c.ctx, c.cwd, c.most); got != c.want {
			t.Errorf("%q, at most %d: %s, want %s", c.cwd, c.most, got, c.want)
		}
	}
	if got := slices.Collect(func(yield func(store.Candidate) bool) { store.Open(dir+"/none").Names(t.Context(), "", yield) }); got != nil {
		t.Errorf("of no store: %v", got)
	}
}
