package session

import (
	"cmp"
	"slices"
	"strings"
)

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
