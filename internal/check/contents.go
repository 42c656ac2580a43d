package check

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"regexp"

	"github.com/sess-tools/sess/pkg/session"
)

// contents checks what entries say of each other: calls and results, targets,
// times.
func contents(s *session.Session) []Finding {
	var out []Finding
	before := int64(0)
	for _, e := range s.Entries {
		switch e.Type() {
		case session.TypeLabel, session.TypeContextEdit:
			if target := e.Str("targetId"); !exists(s, target) {
				out = append(out, found(e, NoTarget, "targetId %q names no entry", target))
			}
		}
		if ms, ok := e.Timestamp(); ok {
			if ms < before {
				out = append(out, found(e, TimeBackward, "its time is before that of the entry on the line above"))
			}
			before = ms
		}
	}
	return append(out, pairs(s)...)
}

func exists(s *session.Session, id string) bool {
	_, ok := s.Index(id)
	return ok
}

// pairs checks that every tool result follows its call on its own path, and
// that calls on the active path have results.
func pairs(s *session.Session) []Finding {
	var out []Finding
	calls := map[string][]int{} // id of a call to the entries that make it
	answered := map[string]bool{}
	for i, e := range s.Entries {
		m, ok := e.Message()
		if !ok {
			continue
		}
		for _, c := range m.ToolCalls() {
			calls[c.ID] = append(calls[c.ID], i)
		}
		if m.Role() == session.RoleToolResult {
			answered[m.Str("toolCallId")] = true
		}
	}
	for i, e := range s.Entries {
		m, ok := e.Message()
		if !ok {
			continue
		}
		if id := m.Str("toolCallId"); m.Role() == session.RoleToolResult && !ancestor(s, i, calls[id]) {
			out = append(out, found(e, OrphanResult, "tool result without a call %q before it", id))
		}
		for _, c := range m.ToolCalls() {
			if !answered[c.ID] {
				out = append(out, found(e, NoResult, "tool call %q has no result", c.ID))
			}
		}
	}
	return out
}

// near is how far a call may be from its result before the search gives up and
// believes the file: results follow their calls.
const near = 10_000

// ancestor reports whether one of the entries is an ancestor of entry i.
func ancestor(s *session.Session, i int, entries []int) bool {
	if len(entries) == 0 {
		return false
	}
	for range near {
		parent, ok := s.Parent(i)
		if !ok {
			return false
		}
		for _, e := range entries {
			if e == parent {
				return true
			}
		}
		i = parent
	}
	return true
}

var blobRef = regexp.MustCompile(`"blob:sha256:([0-9a-f]{64})"`)

// blobs checks the references to blobs that oh-my-pi writes in place of
// images.
func blobs(s *session.Session, read func(sum string) ([]byte, error)) []Finding {
	var out []Finding
	for _, e := range s.Entries {
		for _, m := range blobRef.FindAllStringSubmatch(e.Raw(), -1) {
			data, err := read(m[1])
			switch {
			case errors.Is(err, fs.ErrNotExist):
				out = append(out, found(e, BlobMissing, "blob %s is missing", m[1]))
			case err != nil:
				out = append(out, found(e, BlobMissing, "blob %s: %v", m[1], err))
			default:
				if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != m[1] {
					out = append(out, found(e, BlobHash, "blob %s holds other bytes", m[1]))
				}
			}
		}
	}
	return out
}
