package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// Of many that claim one name one gets it, by a link and, where there are none, by an
// exclusive rename.
func TestClaim(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]func(*os.Root) func(from, to string) error{
		"link":   func(r *os.Root) func(from, to string) error { return r.Link },
		"rename": func(*os.Root) func(_, _ string) error { return func(_, _ string) error { return fs.ErrPermission } },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			for round := range 50 {
				to := "to" + string(rune('A'+round))
				var won atomic.Int32
				var wg sync.WaitGroup
				for i := range 8 {
					from := string(rune('a' + i))
					write(t, filepath.Join(dir, from), from)
					wg.Go(func() {
						switch err := claim(root, from, to, link(root)); {
						case err == nil:
							won.Add(1)
						case errors.Is(err, errors.ErrUnsupported):
							won.Store(-1)
						case !errors.Is(err, fs.ErrExist):
							t.Error(err)
						}
					})
				}
				wg.Wait()
				if n := won.Load(); n < 0 {
					t.Skip("this file system has no exclusive rename")
				} else if n != 1 {
					t.Fatalf("%d won %s", n, to)
				}
			}
			if err := claim(root, "none", "new", link(root)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("without a file: %v", err)
			}
		})
	}
}
