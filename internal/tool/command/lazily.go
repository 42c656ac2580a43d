package command

import (
	"regexp"
	"sync"
)

// lazily returns a regular expression that is compiled when it is first needed: most runs
// of a tool need none, and compiling all takes a third of what it takes to start.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
