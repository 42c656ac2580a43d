// Package beside says whether a segmented store has taken the place of a session's file. Every
// program that opens a session asks that. Only sess-seg knows the content of a store, and all
// others run it; see docs/adr/0023 and docs/adr/0063.
package beside

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// The files by which a directory is known as a store, slash-separated and below it.
const (
	ManifestFile = "manifest.json"
	IndexFile    = "index/offsets.jsonl"
	MarkerFile   = "commit.json"             // of a migration that is over
	LedgerFile   = "migrations/ledger.jsonl" // what was done to the store as a whole

	EventSchema = "pi.session_store_v2.migration_event.v1" // of a line of the ledger
	MaxLedger   = 1 << 30
)

// Dir returns the directory of the store that belongs to a JSONL file: beside
// it, with ".v2" for its last extension.
func Dir(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".v2"
}

// Source returns the JSONL file that the store in dir belongs to: beside it, with
// ".jsonl" for ".v2". It names the session.
func Source(dir string) string { return strings.TrimSuffix(dir, ".v2") + ".jsonl" }

// IsStore reports whether a directory is a segmented store: it has a manifest or an index.
func IsStore(dir string) bool {
	dir = strings.TrimRight(dir, string(os.PathSeparator))
	if fi, err := os.Lstat(dir); dir == "" || err != nil || !fi.IsDir() {
		return false
	}
	for _, name := range []string{ManifestFile, IndexFile} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// Committed returns the store that is the session instead of the JSONL file at path,
// "" if there is none: it stands beside the file, or the one a symbolic link leads
// to, and was put there by a migration. Without a store it costs one look.
func Committed(path string) (dir string, err error) {
	if _, err := os.Readlink(path); err == nil {
		target, err := filepath.EvalSymlinks(path)
		switch {
		case missing(err):
			return "", nil
		case err != nil:
			return "", fmt.Errorf("following the link %s: %w", path, disk.Cause(err))
		}
		path = target
	}
	if dir = Dir(path); dir == path {
		return "", nil
	}
	fi, err := os.Lstat(dir)
	if missing(err) || err == nil && !fi.IsDir() {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("looking for %s: %w", dir, disk.Cause(err))
	}
	ours, err := Migrated(disk.OS{}, dir)
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	if !ours {
		return "", nil
	}
	return dir, nil
}

// Migrated reports whether the store in dir was made by a migration, and is no cache of
// pi's: it has a commit marker, or a line of its ledger tells of one.
func Migrated(d disk.FS, dir string) (bool, error) {
	_, err := d.Lstat(filepath.Join(dir, MarkerFile))
	if err == nil {
		return true, nil
	}
	if !missing(err) {
		return false, fmt.Errorf("looking for %s: %w", MarkerFile, disk.Cause(err))
	}
	f, err := d.Open(filepath.Join(dir, filepath.FromSlash(LedgerFile)), os.O_RDONLY|disk.NoFollow|disk.Nonblock, 0)
	if missing(err) {
		return false, nil
	}
	tells := false
	if err == nil {
		defer f.Close()
		tells, err = ledgerTells(f)
	}
	if err != nil {
		err = fmt.Errorf("reading the ledger: %w", disk.Cause(err))
	}
	return tells, err
}

// ledgerTells looks for an event of a migration. Lines that cannot be read tell nothing, and
// neither does a directory.
func ledgerTells(f disk.File) (bool, error) {
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > MaxLedger {
		return false, err
	}
	for l, err := range jsonl.Lines(io.NewSectionReader(f, 0, fi.Size())) {
		if err != nil {
			return false, err
		}
		if e := js.Value(l.Text()); !l.Torn && js.Valid(l.Data) && e.Get("schema").Str() == EventSchema && CutOver(e.Get("phase").Str()) {
			return true, nil
		}
	}
	return false, nil
}

// CutOver reports whether an event of the phase shows that a migration to a segmented store was begun or done. Pi itself
// writes an event only at the end of a migration.
func CutOver(phase string) bool {
	return phase == "planned" || phase == "staging_copy" || phase == "cutover_commit"
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
