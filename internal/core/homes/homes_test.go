package homes_test

import (
	"path/filepath"
	"testing"

	"github.com/sess-tools/sess/internal/core/homes"
)

// A file is in the store of the agent whose directory it is in, of the first one where both have one.
func TestNativeAt(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, tt := range []struct{ dir, path, want string }{
		{"", ".pi/agent/sessions/--w--/s.jsonl", "pi"},
		{"", ".omp/agent/sessions/--w--/s.jsonl", "omp"},
		{"", ".pi/agent/sessions-old/s.jsonl", ""},
		{"", "s.jsonl", ""},
		{"~/both", "both/sessions/--w--/s.jsonl", "pi"},
	} {
		env := homes.Env{Home: home, Getenv: func(name string) string {
			if name == "PI_CODING_AGENT_DIR" {
				return tt.dir
			}
			return ""
		}}
		for range 20 { // the answer is one
			if got := homes.NativeAt(env, filepath.Join(home, filepath.FromSlash(tt.path))); got != tt.want {
				t.Fatalf("%s of %q is %q's, want %q", tt.path, tt.dir, got, tt.want)
			}
		}
	}
}
