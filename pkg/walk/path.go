package walk

import "slices"

// A Range is a piece of a file, in bytes.
type Range struct{ Start, End int64 }

// Path returns the lines of the header and of the path from the root to entry
// leaf; -1 stands for no entry. The last line may lack its line feed: then
// ended is false.
func (x *Index) Path(leaf int) (path []Range, ended bool, err error) {
	spans, err := x.Spans(leaf)
	if err != nil {
		return nil, false, err
	}
	path = append(path, Range{0, x.starts[0]})
	for _, s := range spans {
		path = append(path, Range{x.starts[s.First], x.starts[s.Last+1]})
	}
	return joined(path), leaf < len(x.ids)-1 || !x.unended, nil
}

// A Span is a run of entries that follow each other in the file and on the path,
// by their numbers.
type Span struct{ First, Last int }

// Spans returns the path from the root to entry leaf.
func (x *Index) Spans(leaf int) (path []Span, err error) {
	bend := len(x.bends) - 1
	for at := leaf; at >= 0; {
		for x.bends[bend].entry > at {
			bend--
		}
		b := x.bends[bend]
		path = append(path, Span{b.entry, at})
		if b.id == 0 {
			break
		}
		if b.parent < 0 || b.parent >= b.entry {
			return nil, ErrOdd // missing, or behind: there may be a cycle
		}
		at = b.parent
	}
	slices.Reverse(path)
	return path, nil
}

// joined makes one of ranges that touch.
func joined(ranges []Range) []Range {
	out := ranges[:1]
	for _, r := range ranges[1:] {
		if last := &out[len(out)-1]; last.End == r.Start {
			last.End = r.End
		} else {
			out = append(out, r)
		}
	}
	return out
}

// Heads returns the numbers of the entries that are no parent.
func (x *Index) Heads() (heads []int) {
	parent := make([]bool, len(x.ids))
	next := 0
	for n := range x.ids {
		if next < len(x.bends) && x.bends[next].entry == n {
			if p := x.bends[next].parent; p >= 0 {
				parent[p] = true
			}
			next++
		} else {
			parent[n-1] = true
		}
	}
	for n, is := range parent {
		if !is {
			heads = append(heads, n)
		}
	}
	return heads
}

// Rare returns the numbers of the entries that are neither messages nor data of
// extensions: few, as a rule, and what says more of a session than its tail.
func (x *Index) Rare() []int { return x.rare }

// Offset returns where an entry begins, in bytes.
func (x *Index) Offset(n int) int64 { return x.starts[n] }

// Line reads the line of an entry, with its line feed.
func (x *Index) Line(n int) ([]byte, error) {
	raw := make([]byte, x.starts[n+1]-x.starts[n])
	_, err := x.r.ReadAt(raw, x.starts[n])
	return raw, err
}
