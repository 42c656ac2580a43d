package store

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/pkg/session"
)

// ext is what the name of every session file ends in.
const ext = ".jsonl"

// maxTimestamp bounds a timestamp in a file name, in bytes. The longest that
// ECMAScript writes has 27.
const maxTimestamp = 40

var (
	cwdSeparators  = strings.NewReplacer("/", "-", `\`, "-", ":", "-")
	timeSeparators = strings.NewReplacer(":", "-", ".", "-")
)

// EncodeCWD returns the name of the directory that holds the sessions of the
// working directory cwd, as pi does: one leading slash or backslash goes, every
// further one and every colon becomes a hyphen, and two hyphens stand on either
// side. The result is one path element and never "." or "..".
//
// Nothing is resolved or made absolute. The encoding is not reversible: /a/b-c
// and /a-b/c share a name, so the cwd in a session's header decides.
func EncodeCWD(cwd string) string {
	if cwd != "" && (cwd[0] == '/' || cwd[0] == '\\') {
		cwd = cwd[1:]
	}
	return "--" + cwdSeparators.Replace(cwd) + "--"
}

// FileName returns the name of the file for a session whose header has this
// timestamp and id: the timestamp with every colon and dot as a hyphen, an
// underscore, the id, ".jsonl".
//
// Both come from data, so both are checked: a timestamp of anything but the
// characters of ISO 8601 is refused, and so is an id that
// [session.ValidSessionID] does not accept.
func FileName(timestamp, id string) (string, error) {
	if len(timestamp) > maxTimestamp || !isoLike(timestamp) {
		return "", fmt.Errorf("naming the session file: timestamp %.60q is not like 2026-01-02T03:04:05.678Z", timestamp)
	}
	if !session.ValidSessionID(id) {
		return "", fmt.Errorf("naming the session file: id %.60q: use letters, digits, '.', '_' and '-', with a letter or digit at both ends", id)
	}
	return timeSeparators.Replace(timestamp) + "_" + id + ext, nil
}

// isoLike reports whether s begins with a digit and has only characters that
// occur in ISO 8601 dates and times.
func isoLike(s string) bool {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return false
	}
	return strings.Trim(s, "0123456789TZ:.+-") == ""
}

// idOf returns the id that the name of a file gives, which is what FileName put
// there. The timestamp has no underscore, so the id, which may have some, begins
// after the first.
func idOf(path string) (id string, ok bool) {
	name, ok := strings.CutSuffix(filepath.Base(path), ext)
	if !ok {
		return "", false
	}
	timestamp, id, ok := strings.Cut(name, "_")
	return id, ok && id != "" && isoLike(timestamp)
}
