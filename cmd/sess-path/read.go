package main

import (
	"context"
	"errors"
	"slices"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/pkg/session"
)

// renderer reads the path, from the end of the session if that has all that is
// to be printed.
func (c *config) renderer(ctx context.Context, s *clikit.Streams, in *operand.Input) (*renderer, error) {
	if c.contextAlone() {
		src, path, err := in.Recent(recentSession)
		if !errors.Is(err, session.ErrWhole) {
			return &renderer{config: c, ctx: ctx, streams: s, src: src, path: path}, err
		}
	}
	if c.contextAndState() {
		if r, err := c.sparse(ctx, s, in); !errors.Is(err, session.ErrWhole) {
			return r, err
		}
	}
	src, err := in.Session()
	if err != nil {
		return nil, err
	}
	leaf, err := src.Leaf(c.leaf)
	if err != nil {
		return nil, err
	}
	path, problems := src.PathTo(leaf)
	problems = slices.Concat(problems, c.resolve(src, path))
	if c.strict {
		if err := src.Strict(src.Problems, problems); err != nil {
			return nil, err
		}
	}
	return &renderer{config: c, ctx: ctx, streams: s, src: src, leaf: leaf, path: path, utf8: c.blobs == "" && isUTF8(src.Problems)}, nil
}

// isUTF8 reports whether a session is, that has been read whole and has these problems.
func isUTF8(problems []session.Problem) bool {
	return !slices.ContainsFunc(problems, func(p session.Problem) bool { return p.Kind == session.InvalidUTF8 })
}
