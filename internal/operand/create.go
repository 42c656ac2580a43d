package operand

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// A Destination is where a new session goes: the store, a file that must not
// exist, or standard output.
type Destination struct {
	Store  bool
	File   string
	DryRun bool
	Sync   string // as in TargetOptions
	Defer  bool   // make a draft, which the first assistant message publishes
	Crumb  bool   // leave a breadcrumb for what is made in the store
}

// Check refuses what contradicts itself.
func (d Destination) Check() error {
	if d.Store && d.File != "" {
		return clikit.UsageError("--store and --output exclude each other")
	}
	if d.Defer && !d.Store && d.File == "" {
		return clikit.UsageError("--defer goes with --store or --output")
	}
	return nil
}

// Write creates the session and prints its path, or prints the session itself
// if it has no destination or only a dry run was asked for.
func (d Destination) Write(s *clikit.Streams, lines []string) error {
	if d.DryRun || !d.Store && d.File == "" {
		for _, l := range lines {
			if _, err := io.WriteString(s.Out, l); err != nil {
				return err
			}
			if _, err := io.WriteString(s.Out, "\n"); err != nil {
				return err
			}
		}
		return nil
	}
	data := joined(lines)
	path, err := d.File, error(nil)
	if d.Store {
		path, err = d.store(s, data)
	} else {
		err = d.file(data)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.Out, path)
	return err
}

// joined returns the lines, each with its line feed, in one allocation: a line
// may be huge.
func joined(lines []string) []byte {
	size := 0
	for _, l := range lines {
		size += len(l) + 1
	}
	data := make([]byte, 0, size)
	for _, l := range lines {
		data = append(append(data, l...), '\n')
	}
	return data
}

// store puts the session, or its draft, where it belongs in the store.
func (d Destination) store(s *clikit.Streams, data []byte) (path string, err error) {
	dir, err := StoreDir()
	if err != nil {
		return "", err
	}
	h, err := session.ReadHeader(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	create := store.Open(dir).Create
	if d.Defer {
		create = store.Open(dir).CreateDraft
	}
	path, err = create(h.CWD, h.Timestamp, h.ID, data, d.Sync != "never")
	if err == nil && d.Crumb && !d.Defer {
		leaveCrumb(s, h.CWD, path)
	}
	return path, err
}

// file makes the file, or its draft. A name that was promised to a draft is as
// good as taken.
func (d Destination) file(data []byte) error {
	sync := d.Sync == "always" || d.Sync == "" && inStore(d.File)
	create := jsonl.Create
	if d.Defer {
		create = store.CreateDraft
	} else if file, err := store.Locate(d.File); err == nil && file != d.File {
		return clikit.WithHint(fmt.Errorf("creating %s: %w", d.File, fs.ErrExist), "its draft %s exists, which sess-append publishes", file)
	}
	err := named(d.File, create(d.File, data, sync))
	if errors.Is(err, fs.ErrExist) {
		return clikit.WithHint(err, "an existing file is never overwritten")
	}
	return err
}

// inStore reports whether a path lies inside the store.
func inStore(path string) bool {
	dir, err := StoreDir()
	if err != nil {
		return false
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(dir, abs)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(os.PathSeparator))
}

// CWD returns the absolute form of dir, or the working directory if dir is "".
func CWD(dir string) (string, error) {
	if dir == "" {
		return os.Getwd()
	}
	return filepath.Abs(dir)
}
