package operand

import (
	"context"
	"errors"
	"slices"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/pkg/session"
)

// OpenBehind is [OpenTarget] for entries that were made while the session was not held,
// for the leaf with an id; "" is that of an empty session. If another entry is the leaf
// now, and the path to it goes on from that one, follow is called with that path: it
// reports whether the entries may be added behind it, and makes them anew if they have
// to be. Otherwise, and without follow, the error is [session.ErrLeafMoved].
func OpenBehind(ctx context.Context, s *clikit.Streams, operand, leaf string, o TargetOptions, follow func(src *Source, path []session.Entry) (bool, error)) (*Target, error) {
	t, err := OpenTarget(ctx, s, operand, o)
	if err != nil || t.Batch.Leaf == leaf {
		return t, err
	}
	if t.Session == nil && follow != nil {
		if err := t.Close(); err != nil {
			return nil, err
		}
		o.Whole = true
		if t, err = OpenTarget(ctx, s, operand, o); err != nil {
			return nil, err
		}
	}
	if err := t.follow(leaf, follow); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

func (t *Target) follow(leaf string, follow func(*Source, []session.Entry) (bool, error)) error {
	moved := leafMoved(t.Name, t.Batch.Leaf, leaf)
	if follow == nil {
		return moved
	}
	src := t.Source()
	at, _ := src.Session.Leaf()
	path, _ := src.PathTo(at)
	if leaf != "" && !slices.ContainsFunc(path, func(e session.Entry) bool { return e.ID() == leaf }) {
		return moved
	}
	ok, err := follow(src, path)
	if err == nil && !ok {
		err = moved
	}
	return err
}
