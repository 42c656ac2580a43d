package main

import (
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// resolve puts the blobs of --blobs into the entries of the path. It warns of
// those that cannot be had and returns them.
func (c *config) resolve(src *operand.Source, path []session.Entry) []session.Problem {
	if c.blobs == "" {
		return nil
	}
	var all []session.Problem
	for i, e := range path {
		var problems []session.Problem
		path[i], problems = convo.ResolveBlobs(e, store.OpenBlobs(c.blobs).Get)
		all = append(all, problems...)
	}
	src.Warn(all)
	return all
}
