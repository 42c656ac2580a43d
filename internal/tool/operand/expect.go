package operand

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/sess-tools/sess/pkg/session"
)

// Expect reports whether the leaf of the session that was read is the entry of a
// reference; "" is any. The error is [session.ErrLeafMoved] if it is not.
func (src *Source) Expect(ref string) error { return expect(src.Name, src.Session, ref) }

// expect is the compare of compare-and-swap: the leaf has to be the entry the
// caller saw.
func expect(name string, s *session.Session, ref string) error {
	if ref == "" {
		return nil
	}
	leaf, ok := s.Leaf()
	want, err := s.Resolve(ref, leaf)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err == nil && leaf == want {
		return nil
	}
	is := ""
	if ok {
		is = s.Entries[leaf].ID()
	}
	return leafMoved(name, is, ref)
}

// leafMoved is the error for a leaf that is another one than was wanted; "" is that of an
// empty session.
func leafMoved(name, is, want string) error {
	return fmt.Errorf("%s: %w: it is %s, not %s", name, session.ErrLeafMoved, cmp.Or(is, "null"), cmp.Or(want, "null"))
}
