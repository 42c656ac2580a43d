package tty

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Directory returns a working directory for people: with ~ for the home directory, and if it
// has more characters than width its last ones behind an ellipsis, from the name of a directory on if
// that fits.
func Directory(dir, home string, width int) string {
	if rest, ok := strings.CutPrefix(dir, home); ok && len(home) > 1 && (rest == "" || rest[0] == filepath.Separator) {
		dir = "~" + rest
	}
	dir = Clean(dir)
	n := utf8.RuneCountInString(dir)
	if n <= width {
		return dir
	}
	runes := []rune(dir)[n-width+1:]
	tail := string(runes)
	if at := strings.IndexRune(tail, filepath.Separator); at >= 0 && at < len(tail)-1 {
		tail = tail[at:]
	}
	return "…" + tail
}

// Several reports whether there are several among the directories of the rows.
func Several[T any](rows []T, dir func(T) string) bool {
	return slices.ContainsFunc(rows, func(row T) bool { return dir(row) != dir(rows[0]) })
}
