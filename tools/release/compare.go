package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/sess-tools/sess/tools/release/names"
)

// A setting is what two runs differ in, beside their directories.
type setting struct {
	name, umask string
	env         []string
	ownCache    bool // build everything again
}

var settings = []setting{
	{"first", "022", []string{"TZ=UTC", "LC_ALL=C", "LANG=C"}, false},
	{"the second one, elsewhere", "077", []string{"TZ=Asia/Kathmandu", "LC_ALL=tr_TR.UTF-8", "LANG=tr_TR.UTF-8"}, true},
}

// compareTwo makes the artifacts twice, each time from a clone of its own, and reports an error unless they
// are the same. Those of the first run stay in dir, if one is named.
func compareTwo(ctx context.Context, stdout io.Writer, root, version string, targets []names.Target, quick bool, dir string) (err error) {
	work, err := os.MkdirTemp("", "sess-release-check-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeAll(work)) }()
	dirs := []string{dir, filepath.Join(work, "b", "out")}
	if dir == "" {
		dirs[0] = filepath.Join(work, "a", "out")
	}
	if dirs[0], err = filepath.Abs(dirs[0]); err != nil {
		return err
	}
	commit, err := output(ctx, root, nil, "git", "rev-parse", "HEAD") // the same twice, whatever is committed meanwhile
	if err != nil {
		return err
	}
	for i, s := range settings {
		fmt.Fprintf(stdout, "== umask %s, %s, %s\n", s.umask, s.env[0], s.env[1])
		if err := again(ctx, stdout, s, filepath.Join(work, s.name), root, commit, version, targets, quick, dirs[i]); err != nil {
			return err
		}
	}
	if err := same(dirs[0], dirs[1]); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "same: %d artifacts, byte for byte\n", len(names.All(version, targets)))
	return nil
}

// again runs this program in a setting, with what it needs below work.
func again(ctx context.Context, stdout io.Writer, s setting, work, root, commit, version string, targets []names.Target, quick bool, out string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	tmp, clone := filepath.Join(work, "tmp"), filepath.Join(work, "clone")
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return err
	}
	if _, err := output(ctx, root, nil, "git", "clone", "-q", "--bare", "--shared", ".", clone); err != nil {
		return err
	}
	if _, err := output(ctx, clone, nil, "git", "update-ref", "--no-deref", "HEAD", commit); err != nil {
		return err
	}
	list := ""
	for _, t := range targets {
		list += "," + t.String()
	}
	c := exec.CommandContext(ctx, "sh", "-c", `umask "$0" && exec "$@"`, s.umask, self, "--root", clone, "--targets", list[1:], "--quick="+strconv.FormatBool(quick), version, out)
	c.Env = append(append(os.Environ(), s.env...), "TMPDIR="+tmp)
	if s.ownCache {
		c.Env = append(c.Env, "GOCACHE="+filepath.Join(work, "cache"))
	}
	c.Stdout, c.Stderr = stdout, os.Stderr
	return c.Run()
}

// same reports an error unless two directories have the same files.
func same(a, b string) error {
	var listed [2][]string
	for i, dir := range []string{a, b} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			listed[i] = append(listed[i], e.Name())
		}
	}
	if !slices.Equal(listed[0], listed[1]) {
		return fmt.Errorf("the two runs made %v and %v", listed[0], listed[1])
	}
	var errs []error
	for _, name := range listed[0] {
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			return err
		}
		y, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			return err
		}
		if !bytes.Equal(x, y) {
			at := 0
			for at < min(len(x), len(y)) && x[at] == y[at] {
				at++
			}
			errs = append(errs, fmt.Errorf("%s differs at byte %d", name, at))
		}
	}
	return errors.Join(errs...)
}

// removeAll removes a directory in which others may not write.
func removeAll(dir string) error {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
