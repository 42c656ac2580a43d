package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/clikit"
)

// toolset returns the directory of the tools called name: that directory, or
// where the tools of that revision are.
func toolset(ctx context.Context, s *clikit.Streams, name string) (string, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return filepath.Abs(name)
	}
	commit, err := git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return "", clikit.UsageError("%s is neither a directory nor a revision", name)
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, commit)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	s.Notef("building the tools of %s", name)
	if err := build(ctx, commit, dir); err != nil {
		return "", fmt.Errorf("building the tools of %s: %w", name, err)
	}
	return dir, nil
}

// cacheDir is where built tools are kept.
func cacheDir() (string, error) {
	if dir := os.Getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "sess", "same"), nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".cache", "sess", "same"), err
}

// build makes dir, with the tools of a commit as scripts/install builds them,
// but for the version, which is no difference.
func build(ctx context.Context, commit, dir string) error {
	work, err := os.MkdirTemp("", "sess-same-build-")
	if err != nil {
		return err
	}
	defer remove(work)
	tree, bin := filepath.Join(work, "tree"), filepath.Join(work, "bin")
	if _, err := git(ctx, "worktree", "add", "--detach", "--quiet", tree, commit); err != nil {
		return err
	}
	defer func() { _, _ = git(context.WithoutCancel(ctx), "worktree", "remove", "--force", tree) }()
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w",
		"-tags", "urfave_cli_no_docs", "-o", bin+"/", "./cmd/...")
	c.Dir = tree
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // a cache of programs is no secret
		return err
	}
	made := dir + ".new"
	if err := os.RemoveAll(made); err != nil {
		return err
	}
	if err := os.CopyFS(made, os.DirFS(bin)); err != nil {
		return err
	}
	return os.Rename(made, dir)
}

// git returns what git prints, without the line feed.
func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}
