package js

import (
	"cmp"
	"slices"
)

// properties appends to list the members of the object that is node at, in the
// order in which JavaScript enumerates its properties: array indices ascending,
// then the other keys in the order of the text. Of members with the same key,
// the value of the last stands at the place of the first.
func (t *tree) properties(list []int, at int) []int {
	for c := t.nodes[at].first; c != 0; c = t.nodes[c].next {
		list = append(list, c)
	}
	list = t.unique(list)
	if slices.ContainsFunc(list, func(c int) bool { return arrayIndex(t.nodes[c].key) < notIndex }) {
		slices.SortStableFunc(list, func(a, b int) int {
			return cmp.Compare(arrayIndex(t.nodes[a].key), arrayIndex(t.nodes[b].key))
		})
	}
	return list
}

// unique removes from list, members of one object, those that a later one with
// the same key replaces.
func (t *tree) unique(list []int) []int {
	var places map[string]int // of the keys in kept
	if len(list) > fewMembers {
		places = make(map[string]int, len(list))
	}
	kept := list[:0]
	for _, c := range list {
		key := t.nodes[c].key
		place, ok := places[key]
		if places == nil {
			place = slices.IndexFunc(kept, func(k int) bool { return t.nodes[k].key == key })
			ok = place >= 0
		}
		if ok {
			kept[place] = c
			continue
		}
		if places != nil {
			places[key] = len(kept)
		}
		kept = append(kept, c)
	}
	return kept
}

// notIndex is above every array index.
const notIndex = 1<<32 - 1

// arrayIndex reads key as an array index of ECMAScript, a decimal integer below
// 2^32-1 without sign or leading zero. For any other key it returns notIndex.
func arrayIndex(key string) uint64 {
	if key == "" || len(key) > 10 || key[0] == '0' && len(key) > 1 {
		return notIndex
	}
	var index uint64
	for _, c := range []byte(key) {
		if !isDigit(c) {
			return notIndex
		}
		index = index*10 + uint64(c-'0')
	}
	return min(index, notIndex)
}
