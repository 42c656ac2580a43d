// Package lazy puts off what most runs of a tool do not need.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a regular expression that is compiled when it is first needed: compiling all
// of a tool takes a third of the time of its start.
func Regexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
