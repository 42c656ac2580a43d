//go:build !linux

package index

import "os"

// A way copies without a detour through our memory; here there is none.
type way struct{}

func wayTo(*os.File) way { return way{} }

func (way) copy(_, _ *os.File, r Range) (Range, error) { return r, nil }
