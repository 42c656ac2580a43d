package main

import (
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/pkg/session"
)

// entries are those of the source that the fork takes over.
func (c *config) entries(src *operand.Source) ([]session.Entry, error) {
	if c.all {
		return src.Entries, nil
	}
	leaf := -1
	var err error
	if c.at != "null" {
		if leaf, err = src.Leaf(c.at); err != nil {
			return nil, err
		}
	}
	_, problems := src.Session.Path(leaf)
	src.Warn(problems)
	return src.Branch(leaf, nil)
}

func knownIn(entries []session.Entry) func(string) bool {
	known := make(map[string]bool, len(entries))
	for _, e := range entries {
		known[e.ID()] = true
	}
	return func(id string) bool { return known[id] }
}
