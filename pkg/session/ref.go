package session

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MinPrefix is the shortest id prefix, in bytes, that a reference may use.
const MinPrefix = 4

// A RefError is a reference that names no entry, or several. It matches
// ErrNotFound or ErrAmbiguous.
type RefError struct {
	Ref        string
	Candidates []string // ids; set for an ambiguous reference
	reason     string
}

func (e *RefError) Error() string {
	if len(e.Candidates) == 0 {
		return fmt.Sprintf("no such entry: %s%s", e.Ref, e.reason)
	}
	const most = 8
	shown, more := e.Candidates, ""
	if len(shown) > most {
		more = fmt.Sprintf(" and %d more", len(shown)-most)
		shown = shown[:most]
	}
	return fmt.Sprintf("ambiguous reference %s: %s%s", e.Ref, strings.Join(shown, ", "), more)
}

// Is matches the sentinel errors.
func (e *RefError) Is(target error) bool {
	if len(e.Candidates) > 0 {
		return target == ErrAmbiguous
	}
	return target == ErrNotFound
}

// Resolve returns the position in Entries of the entry ref names, by the
// address syntax of sess-entry(7). Leaf is the position that "." means. The
// reference "null" gives -1, the place before the first entry. The error is a
// *RefError.
//
// A reference that is an entry's whole id, or @ and a whole label, names that
// entry whatever characters it holds; only then are ^ and ~ operators.
func (s *Session) Resolve(ref string, leaf int) (int, error) {
	if i, ok := s.byID[ref]; ok {
		return i, nil
	}
	switch ref {
	case "null":
		return -1, nil
	case ".":
		return s.existing(ref, leaf)
	case "root":
		path, _ := s.PathIndex(leaf)
		if len(path) == 0 {
			return -1, &RefError{Ref: ref, reason: " (the session has no entries)"}
		}
		return path[0], nil
	case "":
		return -1, &RefError{Ref: `""`}
	}
	if label, ok := strings.CutPrefix(ref, "@"); ok {
		if i, err := s.labelled(label); !errors.Is(err, ErrNotFound) || !strings.ContainsAny(label, "^~") {
			return i, err
		}
	}
	if i := strings.LastIndexAny(ref, "^~"); i >= 0 {
		return s.ancestor(ref, i, leaf)
	}
	return s.prefixed(ref)
}

// ResolveLeaf is Resolve for a leaf, which may also be one of the rules
// "last", "newest-message" and "longest". Before the first entry of a session
// there is no leaf: the result is -1 for an empty session alone.
func (s *Session) ResolveLeaf(ref string) (int, error) {
	last, ok := s.Leaf()
	switch ref {
	case "", "last":
		return last, nil
	case "newest-message":
		if i, ok := s.NewestMessage(); ok {
			return i, nil
		}
		return last, nil
	case "longest":
		if !ok {
			return -1, nil
		}
		i, _ := s.Longest()
		return i, nil
	case "null":
		return -1, &RefError{Ref: ref, reason: " (null is a parent, not a leaf)"}
	}
	return s.Resolve(ref, last)
}

func (s *Session) existing(ref string, i int) (int, error) {
	if i < 0 {
		return -1, &RefError{Ref: ref, reason: " (the session has no entries)"}
	}
	return i, nil
}

// ancestor resolves a reference whose operator stands at byte op.
func (s *Session) ancestor(ref string, op, leaf int) (int, error) {
	steps := 1
	if count := ref[op+1:]; ref[op] == '~' {
		n, err := strconv.Atoi(count)
		if err != nil || n < 0 {
			return -1, &RefError{Ref: ref, reason: " (~ wants a number)"}
		}
		steps = n
	} else if count != "" {
		return -1, &RefError{Ref: ref}
	}
	i, err := s.Resolve(ref[:op], leaf)
	if err != nil {
		return -1, err
	}
	path, _ := s.PathIndex(i)
	if i < 0 || steps >= len(path) {
		return -1, &RefError{Ref: ref, reason: fmt.Sprintf(" (%s has %d ancestors)", ref[:op], max(len(path)-1, 0))}
	}
	return path[len(path)-1-steps], nil
}

func (s *Session) labelled(name string) (int, error) {
	var found []string
	at := -1
	for _, l := range s.Labels() {
		if i, ok := s.byID[l.Target]; ok && l.Name == name {
			at = i
			found = append(found, l.Target)
		}
	}
	switch len(found) {
	case 0:
		return -1, &RefError{Ref: "@" + name, reason: s.labelNames(name)}
	case 1:
		return at, nil
	}
	return -1, &RefError{Ref: "@" + name, Candidates: found}
}

// labelNames names the labels that are like one that there is not, or else all.
func (s *Session) labelNames(name string) string {
	const most = 8
	var names, plain []string
	for _, l := range s.Labels() {
		if _, ok := s.byID[l.Target]; ok && !slices.Contains(plain, l.Name) {
			names, plain = append(names, quoteID(l.Name)), append(plain, l.Name)
		}
	}
	if near := nearestOf(name, plain, "@"); near != "" {
		return near
	}
	switch n := len(names); {
	case n == 0:
		return " (no such label)"
	case n > most:
		return fmt.Sprintf(" (no such label; there are %s and %d more)", strings.Join(names[:most], ", "), n-most)
	}
	return fmt.Sprintf(" (no such label; there are %s)", strings.Join(names, ", "))
}

func (s *Session) prefixed(ref string) (int, error) {
	if len(ref) < MinPrefix {
		return -1, &RefError{Ref: ref, reason: fmt.Sprintf(" (a prefix has at least %d characters)", MinPrefix)}
	}
	var found []string
	at := -1
	for i, e := range s.Entries {
		if strings.HasPrefix(e.id, ref) && s.byID[e.id] == i {
			at = i
			found = append(found, e.id)
		}
	}
	switch len(found) {
	case 0:
		ids := make([]string, len(s.Entries))
		for i, e := range s.Entries {
			ids[i] = e.id
		}
		return -1, &RefError{Ref: ref, reason: nearestOf(ref, ids, "")}
	case 1:
		return at, nil
	}
	return -1, &RefError{Ref: ref, Candidates: found}
}

// nearestOf names the words that may have been meant, each behind a mark; "" if there are
// none.
func nearestOf(word string, among []string, mark string) string {
	near := Nearest(word, among)
	if len(near) == 0 {
		return ""
	}
	for i, w := range near {
		near[i] = mark + quoteID(w)
	}
	return " (did you mean " + strings.Join(near, ", ") + "?)"
}
