package rooms

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// processes are the packages whose tests start processes, each with why go test, which does not see what
// these read, does not keep a result for too long.
var processes = map[string]string{
	"cmd/sess-append":            "itself, in directories of its own",
	"cmd/sess-grep":              "jq and grep, of whose versions scripts/test knows",
	"cmd/sess-mcp":               "tools of scripttest.Build",
	"docs":                       "scripts/test knows what it reads",
	"internal/agents/entire":     "git, of whose version scripts/test knows",
	"internal/agents/sqldb":      "itself",
	"internal/core/bucket/s3":    "servers, of whose sums scripts/cluster knows",
	"internal/core/cli":          "itself and shells",
	"internal/core/disk":         "sh",
	"internal/core/screen":       "tmux, of whose version scripts/test knows",
	"internal/readers/shell":     "bash, of whose version scripts/test knows",
	"internal/share/remote/nats": "servers, of whose sums scripts/cluster knows",
	"internal/share/replica":     "itself",
	"internal/test/kept":         "scripts/test, in a copy of the checkout",
	"internal/test/e2e":          "scripts/test knows what it reads",
	"internal/test/torture":      "itself, and a tool of scripttest.Build",
	"pkg/jsonl":                  "itself",
	"pkg/store":                  "bun, if SESS_OMP names an oh-my-pi",
}

// TestProcesses holds tests that start processes to the list. Those that have scripttest do it are not on it:
// it asks for what they read.
func TestProcesses(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, dir := range []string{"cmd", "docs", "internal", "pkg"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, "_test.go") {
				return err
			}
			src, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, spec := range f.Imports {
				// exec.LookPath and exec.ErrNotFound start nothing.
				if spec.Path.Value != `"os/exec"` || !strings.Contains(string(src), "exec.Command") {
					continue
				}
				rel, err := filepath.Rel(root, filepath.Dir(name))
				if err != nil {
					return err
				}
				seen[filepath.ToSlash(rel)] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range seen {
		if processes[name] == "" {
			t.Errorf("tests of %s start processes: does go test see all that these read? Then say so in the list", path.Clean(name))
		}
	}
	for name := range processes {
		if !seen[name] {
			t.Errorf("tests of %s start no processes any more: take it out", name)
		}
	}
}
