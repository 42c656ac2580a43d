package tree

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Siblings of one time stay in the order of the file, however many there are.
func TestChildrenStable(t *testing.T) {
	t.Parallel()
	sketch := "r@0"
	for i := range 40 {
		sketch += fmt.Sprintf(" c%d<r@%d", i, 2-i%2) // the odd ones a second earlier
	}
	got := grow(shape(t, sketch)).Children(0)
	var want []int
	for _, odd := range []int{1, 0} {
		for i := odd; i < 40; i += 2 {
			want = append(want, i+1)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("children %v, want %v", got, want)
	}
}

// A head's path is as long as package session says, also where it leaves a
// cycle half way round, and a cycle has no head of its own.
func TestHeadsOfDamage(t *testing.T) {
	t.Parallel()
	tests := []struct{ sketch, want string }{
		{"", ""},
		{"a", "a:1"},
		{"a<a", "a:1"},
		{"a<x b<a", "b:2"},
		{"a<b b<a", ""},
		{"a<c b<a c<b h<a", "h:4"},
		{"a<c b<a c<b g<b h<g r", "h:5 r:1"},
		{"r a<c b<a c<b h<c", "r:1 h:4"},
		{"a b<a b<x", "a:1 b:1"}, // the b below a is not addressable: a is an end
	}
	for _, tt := range tests {
		s := shape(t, tt.sketch)
		tr := grow(s)
		var got []string
		for _, h := range tr.Heads() {
			got = append(got, fmt.Sprintf("%s:%d", s.Entries[h.Pos].ID(), h.Entries))
			if path, _ := s.PathIndex(h.Pos); len(path) != h.Entries {
				t.Errorf("%q: %d entries on the path of %d, want %d", tt.sketch, h.Entries, h.Pos, len(path))
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: heads %v, want %s", tt.sketch, got, tt.want)
		}
	}
}
