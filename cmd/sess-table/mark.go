package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/selection"
)

const markName = ".sess-table.mark"

// mark returns the SHA-256 of all that the tables in a directory depend on: the files of the sessions and of the tables, by their sizes and
// times, the sizes of those in a remote, the program and its flags. As long as the sum is the same there is nothing to write, and nothing to say. It is "" where that cannot be
// told: for sessions that are not files, or are selected by their headers, and for files that were written to just now.
func (t *tables) mark(found selection.Found) string {
	if t.store != nil || !t.sessions.All && !t.sessions.Rows || found.Failed != nil {
		return ""
	}
	sum, begun := sha256.New(), t.now()
	add := func(name string, fi fs.FileInfo) bool {
		stamp := disk.StampOf(fi)
		fmt.Fprintf(sum, "%q %v\n", name, stamp)
		return fi.Mode().IsRegular() && stamp.Age(begun) >= disk.StampAge
	}
	fmt.Fprintf(sum, "%q %q %t %t %t\n", t.reader, t.names, t.content, t.redact, t.prune)
	for _, src := range found.List {
		if stamp := remoteStamp(src); stamp != "" {
			fmt.Fprintf(sum, "%q %s\n", src.Name, stamp)
			continue
		}
		if !src.Plain || !src.IsFile() {
			return ""
		}
		fi, err := os.Stat(src.Name)
		if err != nil || !add(src.Name, fi) {
			return ""
		}
	}
	for _, table := range t.names {
		days, err := os.ReadDir(filepath.Join(t.dir, table))
		if err != nil {
			return ""
		}
		for _, day := range days {
			path := filepath.Join(t.dir, table, day.Name(), partName)
			fi, err := os.Lstat(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil || !fi.Mode().IsRegular() {
				return ""
			}
			add(path, fi)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// marked reports whether a run ended with a mark.
func (t *tables) marked(mark string) bool {
	was, err := disk.ReadFile(filepath.Join(t.dir, markName))
	return err == nil && mark != "" && string(was) == mark+"\n"
}

// keepMark keeps a mark that was made before the sessions were read, and since when no table was written. Without it the next run reads
// more, so no error is one of this run.
func (t *tables) keepMark(mark string) {
	if path := filepath.Join(t.dir, markName); mark != "" {
		_ = disk.Replace(disk.OS{}, disk.Temp(path), path, []byte(mark+"\n"), false)
	}
}
