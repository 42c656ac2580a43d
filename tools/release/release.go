package main

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/tools/release/names"
)

// A build is the making of one release.
type build struct {
	version string
	commit  string
	time    time.Time // of the commit: of all files, and of all that would say when
	source  string    // the sources of the commit
	work    string    // a directory for what is not published
	out     string
	tools   []string
	targets []names.Target
	quick   bool   // archives and packages are compressed a little: a release to be tried
	changes string // what CHANGELOG.md says of the version
	notices []byte
	mu      sync.Mutex        // for what follows
	sums    map[string]string // of what was written, by name
	stdout  io.Writer
}

// release makes the artifacts of a version in the directory out, which is empty or does not exist.
func release(ctx context.Context, stdout io.Writer, root, version string, targets []names.Target, quick bool, out string) (err error) {
	if found, err := os.ReadDir(out); err == nil && len(found) > 0 {
		return fmt.Errorf("%s is not empty: remove what is there, or name another directory", out)
	}
	work, err := os.MkdirTemp("", "sess-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	b := &build{version: version, work: work, out: out, targets: targets, quick: quick, sums: map[string]string{}, stdout: stdout}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if err := b.export(ctx, root); err != nil {
		return fmt.Errorf("taking the sources from git: %w", err)
	}
	if b.changes, err = changes(filepath.Join(b.source, "CHANGELOG.md"), version); err != nil {
		return err
	}
	if err := b.programs(ctx); err != nil {
		return err
	}
	if err := b.write(names.Notes, []byte(b.changes)); err != nil {
		return err
	}
	if err := b.write(names.Formula, b.formula()); err != nil {
		return err
	}
	if err := b.write(names.Nix, b.nix()); err != nil {
		return err
	}
	return b.finish()
}

// programs makes the artifacts that hold programs, and those that say what is in them.
func (b *build) programs(ctx context.Context) error {
	trees, err := b.compile(ctx)
	if err != nil {
		return err
	}
	modules, notices, err := b.linked(ctx, trees)
	if err != nil {
		return err
	}
	b.notices = notices
	if err := b.write(names.Notices, notices); err != nil {
		return err
	}
	bom, err := b.bom(modules)
	if err != nil {
		return err
	}
	if err := b.write(names.SBOM, bom); err != nil {
		return err
	}
	pages, err := b.pages(ctx)
	if err != nil {
		return err
	}
	var jobs []func() error
	for _, t := range b.targets {
		tree, err := b.tree(trees[t], pages)
		if err != nil {
			return err
		}
		jobs = append(jobs, b.artifacts(t, tree)...)
	}
	return parallel(jobs...)
}

// level is how well archives are compressed.
func (b *build) level() int {
	if b.quick {
		return gzip.BestSpeed
	}
	return gzip.BestCompression
}

// artifacts returns what makes the artifacts of one platform.
func (b *build) artifacts(t names.Target, tree []file) []func() error {
	jobs := []func() error{func() error {
		archive, err := tarGz(names.Root(b.version, t), tree, b.time, b.level())
		if err != nil {
			return err
		}
		return b.write(names.Archive(b.version, t), archive)
	}}
	if t.OS == "linux" {
		jobs = append(jobs, b.packages(t, tree)...)
		jobs = append(jobs, func() error { return b.image(t, tree) })
	}
	return jobs
}

// write writes an artifact, and says so.
func (b *build) write(name string, data []byte) error {
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	path := filepath.Join(b.out, name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sums[name] = sum
	fmt.Fprintf(b.stdout, "%10d %s\n", len(data), name)
	return os.Chmod(path, 0o644) // whatever the umask is
}

// finish writes the sums of all artifacts. Sums are those of what was written, and not of what
// is in the directory.
func (b *build) finish() error {
	var lines strings.Builder
	written := make([]string, 0, len(b.sums))
	for name := range b.sums {
		written = append(written, name)
	}
	slices.Sort(written)
	for _, name := range written {
		fmt.Fprintf(&lines, "%s  %s\n", b.sums[name], name)
	}
	if err := b.write(names.Sums, []byte(lines.String())); err != nil {
		return err
	}
	written = append(written, names.Sums)
	slices.Sort(written)
	if want := names.All(b.version, b.targets); !slices.Equal(written, want) {
		return fmt.Errorf("made %v, want %v", written, want)
	}
	return nil
}

// A file is one file of what is installed.
type file struct {
	path string // below the prefix, with slashes
	mode fs.FileMode
	data []byte
}

// tree returns what is installed for a platform: programs, and pages, which are the same on all.
func (b *build) tree(programs string, pages []file) ([]file, error) {
	tree := slices.Clone(pages)
	for _, tool := range b.tools {
		data, err := os.ReadFile(filepath.Join(programs, tool))
		if err != nil {
			return nil, err
		}
		tree = append(tree, file{"bin/" + tool, 0o755, data})
	}
	for from, to := range map[string]string{"LICENSE": "LICENSE", "README.md": "README.md", "CHANGELOG.md": "CHANGELOG.md"} {
		data, err := os.ReadFile(filepath.Join(b.source, from))
		if err != nil {
			return nil, err
		}
		tree = append(tree, file{"share/doc/sess/" + to, 0o644, data})
	}
	tree = append(tree, file{"share/doc/sess/" + names.Notices, 0o644, b.notices})
	slices.SortFunc(tree, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return tree, nil
}
