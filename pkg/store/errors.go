package store

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sess-tools/sess/pkg/session"
)

// Sentinel errors.
var (
	// ErrNotFound: no session is what was asked for.
	ErrNotFound = errors.New("no such session")

	// ErrAmbiguous: several sessions are. The error is an [AmbiguousError].
	ErrAmbiguous = errors.New("ambiguous session id")
)

// maxListed is how many candidates the text of an AmbiguousError lists.
const maxListed = 8

// A Candidate is one of the sessions that an id may mean.
type Candidate struct {
	ID   string // of the header
	Path string
}

// An AmbiguousError says that an id names several sessions.
type AmbiguousError struct {
	Ref        string      // what was asked for
	Candidates []Candidate // at least two, by id and then path
}

// Error names the candidates, the first eight if there are more. Those that
// share one id are told apart by their paths.
func (e *AmbiguousError) Error() string {
	sameID := true
	for _, c := range e.Candidates {
		sameID = sameID && c.ID == e.Candidates[0].ID
	}
	var list []string
	for _, c := range e.Candidates[:min(len(e.Candidates), maxListed)] {
		if sameID {
			list = append(list, c.Path)
		} else {
			list = append(list, quoteID(c.ID))
		}
	}
	if more := len(e.Candidates) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	what := "say more of it"
	if sameID {
		what = "name the file"
	}
	return fmt.Sprintf("session %s: ambiguous, %s: %s", quoteID(e.Ref), what, strings.Join(list, ", "))
}

// Is matches ErrAmbiguous.
func (e *AmbiguousError) Is(target error) bool { return target == ErrAmbiguous }

// quoteID returns an id for a message, bare if it is a plain one.
func quoteID(id string) string {
	if session.ValidSessionID(id) {
		return id
	}
	return fmt.Sprintf("%.60q", id)
}
