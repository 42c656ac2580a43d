package check

import (
	"maps"
	"slices"

	"github.com/sess-tools/sess/pkg/session"
)

// Kinds returns all kinds of findings, sorted.
func Kinds() []session.Kind { return slices.Sorted(maps.Keys(severityOf)) }
