package session

import (
	"cmp"
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
	if i, ok := s.byID.find(ref); ok {
		return i, nil
	}
	switch ref {
	case "null":
		return -1, nil
	case ".":
		if leaf < 0 {
			return -1, &RefError{Ref: ref, reason: " (the session has no entries)"}
		}
		return leaf, nil
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
		if i, ok := s.byID.find(l.Target); ok && l.Name == name {
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
		if _, ok := s.byID.find(l.Target); ok && !slices.Contains(plain, l.Name) {
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
		if strings.HasPrefix(e.id, ref) && !s.hidden[i] {
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

// How many words Nearest returns at most, and how long one may be to be compared, in bytes.
const (
	nearestMost  = 3
	nearestLimit = 64
)

// Nearest returns the words that a mistyped one was most likely meant to be, the nearest
// first and three at most: those that begin as it does but for a few slips of the fingers,
// one in four characters. The word may be the beginning of what was meant.
func Nearest(word string, among []string) []string {
	type near struct {
		word   string
		slips  int
		common int // bytes at the beginning
	}
	most := (len(word) + 2) / 4
	if most == 0 || len(word) > nearestLimit {
		return nil
	}
	var found []near
	for _, w := range among {
		n := near{w, slips(word, w, most), 0}
		for n.common < min(len(word), len(w)) && word[n.common] == w[n.common] {
			n.common++
		}
		if n.slips <= most {
			found = append(found, n)
		}
	}
	slices.SortStableFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.slips, b.slips), cmp.Compare(b.common, a.common), strings.Compare(a.word, b.word))
	})
	var out []string
	for _, n := range found[:min(len(found), nearestMost)] {
		out = append(out, n.word)
	}
	return out
}

// slips is how many bytes have to be changed, added, left out, or swapped with the next
// one, until word is the beginning of other: any number above most, if it takes more.
func slips(word, other string, most int) int {
	n := min(len(other), len(word)+most)
	var rows [3][nearestLimit*5/4 + 2]int // on the stack: there may be a million others
	before, last, row := rows[0][:n+1], rows[1][:n+1], rows[2][:n+1]
	for j := range row {
		row[j] = j
	}
	for i := range len(word) {
		before, last, row = last, row, before
		row[0] = i + 1
		best := row[0]
		for j := range n {
			cost := 1
			if word[i] == other[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && word[i] == other[j-1] && word[i-1] == other[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
			best = min(best, row[j+1])
		}
		if best > most+1 {
			return best
		}
	}
	return slices.Min(row)
}
