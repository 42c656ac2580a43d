package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/sess-tools/sess/tools/release/names"
)

// stamp is the file in which the sources say what version they are. Git fills it in for its
// archives; here it gets the version that is released, which needs no tag yet.
const stamp = "internal/core/cli/archive.txt"

// export makes the archive of the sources of the commit, and unpacks it: everything is built from
// that, so it is what the programs are built of.
func (b *build) export(ctx context.Context, root string) error {
	commit, err := output(ctx, root, nil, "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	seconds, err := output(ctx, root, nil, "git", "log", "-1", "--format=%ct", "HEAD")
	if err != nil {
		return err
	}
	var n int64
	if _, err := fmt.Sscan(seconds, &n); err != nil {
		return err
	}
	b.commit, b.time = commit, time.Unix(n, 0).UTC()
	raw, err := output(ctx, root, nil, "git", "-c", "tar.umask=0022", "archive", "--format=tar", commit)
	if err != nil {
		return err
	}
	files, err := b.unpack(strings.NewReader(raw))
	if err != nil {
		return err
	}
	archive, err := tarGz(names.SourceRoot(b.version), files, b.time, b.level())
	if err != nil {
		return err
	}
	if err := b.write(names.Source(b.version), archive); err != nil {
		return err
	}
	mains, err := filepath.Glob(filepath.Join(b.source, "cmd", "sess*", "main.go"))
	for _, main := range mains {
		b.tools = append(b.tools, filepath.Base(filepath.Dir(main)))
	}
	return err
}

// unpack writes the files of an archive to a directory of their own, and returns them.
func (b *build) unpack(r io.Reader) ([]file, error) {
	b.source = filepath.Join(b.work, "source")
	var files []file
	stamped := false
	archive := tar.NewReader(r)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag == tar.TypeSymlink || h.Typeflag == tar.TypeLink {
			return nil, fmt.Errorf("%s is a link: the archive of the sources has none", h.Name)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return nil, err
		}
		if h.Name == stamp {
			data, stamped = fmt.Appendf(nil, "v%s %s\n", b.version, b.commit), true
		}
		f := file{h.Name, h.FileInfo().Mode().Perm(), data}
		files = append(files, f)
		if err := place(b.source, f); err != nil {
			return nil, err
		}
	}
	if !stamped {
		return nil, fmt.Errorf("%s is not in the commit", stamp)
	}
	return files, nil
}

// place writes a file below a directory.
func place(dir string, f file) error {
	name := filepath.Join(dir, filepath.FromSlash(f.path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, f.data, f.mode)
}

// output returns what a command prints, without the line feed at its end.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}
