package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/session"
)

// sess-path over a session of one path is cat.
func TestPathIsCat(t *testing.T) {
	t.Parallel()
	linear := 0
	for _, dir := range []string{"pi", "omp"} {
		for _, path := range corpus.Sessions(t, dir) {
			data := corpus.Session(t, path)
			if !isLinear(data) {
				continue
			}
			linear++
			t.Run(path, func(t *testing.T) {
				t.Parallel()
				work := t.TempDir()
				name := filepath.Join(work, "s.jsonl")
				if err := os.WriteFile(name, data, 0o600); err != nil {
					t.Fatal(err)
				}
				for _, r := range []result{
					runCommand(t, work, "", "sess-path", name),
					runCommand(t, work, string(data), "sess-path"),
				} {
					if r.status != 0 || r.stdout != string(data) {
						t.Errorf("status %d, %d bytes of %d: %s", r.status, len(r.stdout), len(data), r.stderr)
					}
				}
			})
		}
	}
	if linear < 60 {
		t.Errorf("only %d linear sessions: the test tests nothing", linear)
	}
}

// isLinear reports whether a session is undamaged, of version 3, and one path
// through all its entries.
func isLinear(data []byte) bool {
	s, err := session.Read(bytes.NewReader(data))
	if err != nil || len(data) == 0 || data[len(data)-1] != '\n' || s.Header.Version != session.Version {
		return false
	}
	for _, p := range s.Problems {
		if p.Kind != session.InvalidUTF8 && p.Kind != session.NoFirstKept {
			return false
		}
	}
	leaf, _ := s.Leaf()
	path, problems := s.PathIndex(leaf)
	blank := bytes.Contains(data, []byte("\n\n")) || bytes.Contains(data, []byte("\n\r\n")) || bytes.HasPrefix(data, []byte("\n"))
	return len(path) == len(s.Entries) && len(problems) == 0 && !blank
}
