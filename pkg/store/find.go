package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/session"
)

// Errors that [Store.Find] and [Recent] return.
var (
	// ErrNotFound is the error of a session that is not there.
	ErrNotFound = errors.New("no such session")

	// ErrAmbiguous is matched by an [AmbiguousError].
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

// minPrefix is how many bytes of an id stand for the whole.
const minPrefix = 4

// Find returns the path of the session whose header has the id ref; if there is
// none, of the only one whose id begins with ref, which takes at least 4 bytes.
// All projects of the store are searched. Case counts.
//
// Names point to the sessions where they can: a file called TIMESTAMP_ID.jsonl
// is opened only if ID fits, and only what its header says counts. If that finds
// nothing, the headers of the other files are read as well.
//
// The error is an [AmbiguousError], or matches ErrNotFound, or is that of ctx.
// Files that are no sessions do not matter; if a directory or file could not be
// read and nothing else was found, the error names it.
func (s Store) Find(ctx context.Context, ref string) (string, error) {
	sr := search{ref: ref}
	fits, odd, rest := partition(sessionFiles([]string{s.dir}, true, sr.skip), ref)
	for i, paths := range [][]string{fits, odd, rest} {
		sr.read(ctx, paths)
		if err := ctx.Err(); err != nil {
			return "", err
		}
		// A whole id is final. A prefix may fit files as well whose names tell
		// nothing.
		if len(sr.exact) > 0 || len(sr.prefix) > 0 && i > 0 {
			break
		}
	}
	return sr.result()
}

// A NotFoundError says that no session has an id. It matches ErrNotFound.
type NotFoundError struct {
	Ref     string
	Nearest []string // ids that may have been meant, three at most
	reason  string
}

// Error does not name what may have been meant: the caller knows what else that is.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("session %s: %v%s", quoteID(e.Ref), ErrNotFound, e.reason)
}

// Is matches ErrNotFound.
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// search is the state of looking for an id.
type search struct {
	ref           string
	ids           []string // of all headers that were read
	exact, prefix []Candidate
	skipped       []error // what could not be read
}

// skip remembers the error of a file that could not be read, unless the file is no session of ours, no regular file, or
// not there.
func (sr *search) skip(path string, err error) {
	if !errors.Is(err, session.ErrNotSession) && !errors.Is(err, session.ErrVersion) &&
		!errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errIrregular) {
		sr.skipped = append(sr.skipped, fmt.Errorf("%s: %w", path, err))
	}
}

// partition splits paths into those whose names give an id that fits ref, those
// whose names give none, and the rest.
func partition(paths []string, ref string) (fits, odd, rest []string) {
	for _, path := range paths {
		id, ok := idOf(path)
		switch {
		case !ok:
			odd = append(odd, path)
		case strings.HasPrefix(id, ref):
			fits = append(fits, path)
		default:
			rest = append(rest, path)
		}
	}
	return fits, odd, rest
}

// read reads the headers in paths and keeps those that fit.
func (sr *search) read(ctx context.Context, paths []string) {
	headers, errs := make([]session.Header, len(paths)), make([]error, len(paths))
	each(ctx, len(paths), 0, func() func(i int) {
		return func(i int) { headers[i], errs[i] = header(ctx, paths[i]) }
	})
	for i, h := range headers {
		c := Candidate{ID: h.ID, Path: paths[i]}
		sr.ids = append(sr.ids, h.ID)
		switch {
		case errs[i] != nil:
			sr.skip(paths[i], errs[i])
		case h.ID == "": // a call that did not begin
		case h.ID == sr.ref:
			sr.exact = append(sr.exact, c)
		case len(sr.ref) >= minPrefix && strings.HasPrefix(h.ID, sr.ref):
			sr.prefix = append(sr.prefix, c)
		}
	}
}

func (sr *search) result() (string, error) {
	found := sr.exact
	if len(found) == 0 {
		found = sr.prefix
	}
	switch {
	case len(found) == 1:
		return found[0].Path, nil
	case len(found) > 1:
		slices.SortFunc(found, func(a, b Candidate) int {
			return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path))
		})
		return "", &AmbiguousError{Ref: sr.ref, Candidates: found}
	case len(sr.skipped) > 0:
		return "", fmt.Errorf("session %s: %w, but not all could be read: %w", quoteID(sr.ref), ErrNotFound, sr.skipped[0])
	case len(sr.ref) < minPrefix:
		return "", &NotFoundError{Ref: sr.ref, reason: fmt.Sprintf("; a prefix needs at least %d characters", minPrefix)}
	}
	return "", &NotFoundError{Ref: sr.ref, Nearest: session.Nearest(sr.ref, sr.ids)}
}
