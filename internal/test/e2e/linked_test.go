package e2e

import (
	"debug/buildinfo"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// heavy lists the large modules by the beginning of their paths, each with the tools that
// may have it linked: what reads databases (docs/adr/0018), what speaks to servers
// (docs/adr/0036).
var heavy = map[string][]string{
	"modernc.org/":           {"sess-import", "sess-export"},
	"github.com/vmihailenco": {"sess-import", "sess-export"},
	"github.com/klauspost/":  {"sess-import", "sess-export", "sess-sync"},
	"github.com/minio/":      {"sess-sync"},
	"github.com/nats-io/":    {"sess-sync"},
	"github.com/alecthomas/": {"sess-show"},
	"github.com/yuin/":       {"sess-show"},
	"github.com/BurntSushi/": {"sess-redact"},
	"github.com/BobuSumisu/": {"sess-redact", "sess-export", "sess-compact", "sess-show", "sess-turn"},
	"github.com/guptarohit":  {"sess-stat"}, // which is small, and for plots
}

// A tool that does not need a large module does not carry it: the others are small, and
// start as fast as they do, because of that.
func TestHeavyModulesAreWhereNeeded(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, path := range glob(t, filepath.Join("..", "..", "..", "cmd", "sess*")) {
		tool := filepath.Base(path)
		info, err := buildinfo.ReadFile(filepath.Join(bin, tool))
		if err != nil {
			t.Fatal(err)
		}
		if len(info.Deps) == 0 {
			t.Errorf("%s: says nothing of what it is made of", tool)
		}
		for _, module := range info.Deps {
			for prefix, tools := range heavy {
				if !strings.HasPrefix(module.Path, prefix) {
					continue
				}
				used[prefix] = true
				if !slices.Contains(tools, tool) {
					t.Errorf("%s is linked into %s", module.Path, tool)
				}
			}
		}
	}
	for prefix := range heavy {
		if !used[prefix] {
			t.Errorf("%s is in no tool: the list is out of date", prefix)
		}
	}
}
