package scripttest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Build builds tools into the directory dir as a release has them: without cgo,
// with which package net makes the binary a dynamically linked one that starts in
// half as much time again, and with the tag without which urfave/cli links a
// Markdown renderer. No names are all tools.
func Build(dir string, names ...string) error {
	args := []string{"build", "-ldflags=-s -w", "-tags", "urfave_cli_no_docs", "-o", dir + string(os.PathSeparator)}
	for _, name := range names {
		args = append(args, "./cmd/"+name)
	}
	if len(names) == 0 {
		args = append(args, "./cmd/...")
	}
	_, file, _, _ := runtime.Caller(0)
	c := exec.Command("go", args...)
	c.Dir = filepath.Join(filepath.Dir(file), "..", "..", "..")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("building the tools: %w\n%s", err, out)
	}
	return nil
}
