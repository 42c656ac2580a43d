package jqmap

import (
	"context"
	"slices"

	"github.com/sess-tools/sess/internal/agents/formats"
)

// A like is a map without functions: sessions of the format of another agent, in other places. It only reads.
type like struct {
	*Map
	of formats.Format
}

// Liken binds the maps of a list that are like a format of it to that. One that is like itself, like no format, or like
// one that is like another, is an error when it is opened.
func Liken(list []formats.Format) []formats.Format {
	list = slices.Clone(list)
	for i, f := range list {
		m, ok := f.(*Map)
		if !ok || m.like == "" {
			continue
		}
		if of, ok := formats.Lookup(list, m.like); ok && of != f {
			if other, is := Of(of); !is || other.like == "" {
				list[i] = like{m, of}
			}
		}
	}
	return list
}

// Of returns the map that a format is.
func Of(f formats.Format) (*Map, bool) {
	switch f := f.(type) {
	case *Map:
		return f, true
	case like:
		return f.Map, true
	}
	return nil, false
}

// About describes the other agent.
func (l like) About() formats.About {
	about, of := l.Map.About(), l.of.About()
	about.Like, about.Grows, about.Here, about.Filed = of.Name, of.Grows, of.Here, of.Filed
	return about
}

// Detect says no: by its bytes a file is of the format that the map is like.
func (l like) Detect(string, []byte) bool { return false }

// Open opens a file, or a directory of files that the patterns match.
func (l like) Open(ctx context.Context, src *formats.Source) (formats.Archive, error) {
	h, err := l.parse()
	if err != nil {
		return nil, err
	}
	return h.several(ctx, src, l.of.Open)
}
