package scripttest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// BuildFlags are the flags the binaries are built with, beside CGO_ENABLED=0:
// without the tag urfave/cli links a Markdown renderer, and with cgo package
// net makes the binary a dynamically linked one, which starts in half as much
// time again.
var BuildFlags = []string{"-tags", "urfave_cli_no_docs"}

// building is the one build of a test process.
var building onceBuilt

type onceBuilt struct {
	wanted bool // Main is there to clean up
	once   sync.Once
	dir    string
	err    error
}

func (b *onceBuilt) remove() {
	if b.dir != "" {
		os.RemoveAll(b.dir)
	}
}

// BuildAll builds all binaries of the module as a release does, once in a test
// process, and returns the directory that holds them, to be given to [Run].
// With GOCOVERDIR set the binaries record their coverage there.
func BuildAll(t testing.TB) string {
	t.Helper()
	if !building.wanted {
		t.Fatal("BuildAll needs a TestMain that calls scripttest.Main")
	}
	building.once.Do(func() {
		building.dir, building.err = build()
	})
	if building.err != nil {
		t.Fatal(building.err)
	}
	return building.dir
}

func build() (string, error) {
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("finding the module: %w", err)
	}
	dir, err := os.MkdirTemp("", "sess-bin-")
	if err != nil {
		return "", fmt.Errorf("making a directory for the binaries: %w", err)
	}
	args := append([]string{"build", "-o", dir + string(os.PathSeparator)}, BuildFlags...)
	if os.Getenv("GOCOVERDIR") != "" {
		args = append(args, "-cover", "-coverpkg", "./...")
	}
	cmd := exec.Command("go", append(args, "./cmd/...")...)
	cmd.Dir = filepath.Dir(strings.TrimSpace(string(mod)))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("building the binaries: %w\n%s", err, out)
	}
	return dir, nil
}
