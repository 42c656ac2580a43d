package view

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// A namer gives each call an id that the API takes and no other call has. The
// id is the call's own wherever possible. Another depends on nothing but the
// id it stands for and on how often that occurred before, so a conversation
// that goes on keeps its ids, and the provider's cache its prefix.
type namer struct {
	api      *api
	seen     map[string]int
	taken    map[string]bool
	replaced int
}

func newNamer(a *api) *namer {
	return &namer{api: a, seen: map[string]int{}, taken: map[string]bool{}}
}

func (n *namer) name(id string) string {
	nth := n.seen[id]
	n.seen[id]++
	name := id
	if nth > 0 || !valid(id, n.api.maxID, n.api.idByte) {
		name = n.replacement(id, nth)
	}
	for n.taken[name] { // by an id that looks like a replacement
		nth = n.seen[id]
		n.seen[id]++
		name = n.replacement(id, nth)
	}
	n.taken[name] = true
	if name != id {
		n.replaced++
	}
	return name
}

func (n *namer) replacement(id string, nth int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", nth, id))
	suffix := "_" + hex.EncodeToString(sum[:4])
	return fit(id, n.api.maxID-len(suffix)) + suffix
}

func valid(s string, limit int, allowed func(byte) bool) bool {
	for i := range len(s) {
		if !allowed(s[i]) {
			return false
		}
	}
	return s != "" && len(s) <= limit
}

// fit returns at most limit bytes of s with underscores for what may stand in
// no name; "call" if s is empty.
func fit(s string, limit int) string {
	if s == "" {
		return "call"
	}
	b := []byte(s[:min(len(s), limit)])
	for i, c := range b {
		if !isNameByte(c) {
			b[i] = '_'
		}
	}
	return string(b)
}
