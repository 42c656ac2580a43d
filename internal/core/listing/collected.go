package listing

import (
	"fmt"
	"strings"

	"github.com/sess-tools/sess/internal/core/row"
)

// What becomes of a session of an agent that is brought up to date in the store.
const (
	New       = "new"       // a file was made
	Grown     = "grown"     // there was more, and it was appended
	Merged    = "merged"    // the same, of a file that has entries of other origin
	Same      = "same"      // there is nothing new
	Waiting   = "waiting"   // no entry is final yet
	Rewritten = "rewritten" // lines that were imported say something else now
	Failed    = "failed"    // it could not be read
)

var fates = []string{New, Grown, Merged, Same, Waiting, Rewritten, Failed}

// A CollectedRow is what sess-import --all made of a session.
type CollectedRow struct {
	row.Kind `row:"collected"`
	Session  string `row:"session,null"`                                               // The session's id; null if it could not be read.
	Agent    string `row:"agent,known"`                                                // The agent, by the name that addresses begin with.
	Source   string `row:"source,null"`                                                // The file or database that it was read from.
	Path     string `row:"path,null"`                                                  // The session's file; null if there is none.
	What     string `row:"what" enum:"new grown merged same waiting rewritten failed"` // What became of it.
	Added    int    `row:"added" min:"0"`                                              // How many entries were appended, or are in the new file.
}

// A Fate counts sessions by what became of them: each session once.
type Fate map[string]int

func (f Fate) String() string {
	var list []string
	for _, what := range fates {
		list = append(list, fmt.Sprintf("%d %s", f[what], what))
	}
	return strings.Join(list, ", ")
}

// All is the number of sessions.
func (f Fate) All() (n int) {
	for _, of := range f {
		n += of
	}
	return n
}
