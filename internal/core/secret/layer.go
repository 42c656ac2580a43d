package secret

import (
	"slices"
	"sort"
	"strings"
)

// A Span is where a part of a text stands, in bytes.
type Span struct{ From, To int }

func (s Span) overlaps(t Span) bool { return s.From < t.To && t.From < s.To }

// A layer is a text with some of its encoded parts decoded in their places, so that rules see them
// with the text around them. The first layer is the text as it is.
type layer struct {
	text     string
	segments []segment // in their order
	seams    []int     // where texts were joined, in the first layer
	wrapped  bool      // lines were joined that may be two, so a value that only a name tells ends at its line
}

// wanted reports whether a finding in a part of the layer is of interest: below the first
// layer, what was decoded last or stands next to it.
func (l *layer) wanted(s Span, below bool) bool {
	if below {
		// If no part of s or its neighbours was decoded last, a rule saw the same in the layer before.
		return slices.ContainsFunc(l.around(Span{s.From - 1, s.To + 1}), func(g segment) bool { return g.fresh })
	}
	return true
}

// A segment is a part of a layer that was decoded.
type segment struct {
	Span           // in the layer
	origin    Span // in the first layer
	encodings encodings
	fresh     bool // not in the layer before
}

// origin returns the smallest part of the first layer that holds what a part of this one
// was decoded from.
func (l *layer) origin(s Span) Span {
	i := sort.Search(len(l.segments), func(i int) bool { return l.segments[i].From > s.From })
	from := s.From
	if i > 0 {
		if g := l.segments[i-1]; s.From < g.To {
			from = g.origin.From
		} else {
			from += g.origin.To - g.To
		}
	}
	i = sort.Search(len(l.segments), func(i int) bool { return l.segments[i].From >= s.To })
	to := s.To
	if i > 0 {
		if g := l.segments[i-1]; s.To <= g.To {
			to = g.origin.To
		} else {
			to += g.origin.To - g.To
		}
	}
	return Span{from, to}
}

// decoded returns the encodings that a part of the layer was in.
func (l *layer) decoded(s Span) (list encodings) {
	for _, g := range l.around(s) {
		list |= g.encodings
	}
	return list
}

// around returns the segments that overlap a part of the layer.
func (l *layer) around(s Span) []segment {
	from := sort.Search(len(l.segments), func(i int) bool { return l.segments[i].To > s.From })
	to := from + sort.Search(len(l.segments)-from, func(i int) bool { return l.segments[from+i].From >= s.To })
	return l.segments[from:to]
}

// without returns the layer with a text in the place of all that marks finds; ok is false if
// that is nothing.
func (l *layer) without(marks func(text string, found func(Span)), in string) (next *layer, ok bool) {
	return l.rewrite(func(text string, found func(Span, string, encodings)) {
		marks(text, func(s Span) { found(s, in, inUnseen) })
	})
}

// rewrite returns the layer with the parts that each calls its function for, in their
// order, put into other words.
func (l *layer) rewrite(each func(text string, found func(s Span, plain string, e encodings))) (next *layer, ok bool) {
	var b strings.Builder
	var segments []segment
	done, old := 0, 0      // of the text, of l.segments
	keep := func(to int) { // copies the text that is not decoded, up to a place
		shift := b.Len() - done
		for ; old < len(l.segments) && l.segments[old].From < to; old++ {
			g := l.segments[old]
			if from, end := max(g.From, done), min(g.To, to); from < end || g.From == g.To && g.From >= done { // not in a new one
				segments = append(segments, segment{Span: Span{from + shift, end + shift}, origin: g.origin, encodings: g.encodings})
			}
			if g.To > to {
				break // its rest comes after a new one
			}
		}
		b.WriteString(l.text[done:to])
		done = to
	}
	each(l.text, func(s Span, plain string, e encodings) {
		keep(s.From)
		g := segment{Span: Span{b.Len(), b.Len() + len(plain)}, origin: l.origin(s), encodings: e | l.decoded(s), fresh: true}
		segments = append(segments, g)
		b.WriteString(plain)
		done = s.To
	})
	if done == 0 {
		return nil, false
	}
	keep(len(l.text))
	return &layer{text: b.String(), segments: segments, seams: l.seams}, true
}
