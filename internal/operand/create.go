package operand

import (
	"bytes"
	"errors"
	"fmt"
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
}

// Check refuses what contradicts itself.
func (d Destination) Check() error {
	if d.Store && d.File != "" {
		return clikit.UsageError("--store and --output exclude each other")
	}
	return nil
}

// Write creates the session and prints its path, or prints the session itself
// if it has no destination or only a dry run was asked for.
func (d Destination) Write(s *clikit.Streams, lines []string) error {
	data := []byte(strings.Join(lines, "\n") + "\n")
	if d.DryRun || !d.Store && d.File == "" {
		_, err := s.Out.Write(data)
		return err
	}
	path := d.File
	if d.Store {
		dir, err := StoreDir()
		if err != nil {
			return err
		}
		header, err := session.ReadHeader(bytes.NewReader(data))
		if err != nil {
			return err
		}
		if path, err = store.Open(dir).Create(header.CWD, header.Timestamp, header.ID, data, d.Sync != "never"); err != nil {
			return err
		}
	} else if err := jsonl.Create(path, data, d.Sync == "always" || d.Sync == "" && inStore(path)); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return clikit.WithHint(named(path, err), "an existing file is never overwritten")
		}
		return named(path, err)
	}
	_, err := fmt.Fprintln(s.Out, path)
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
