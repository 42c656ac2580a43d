package formats

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sess-tools/sess/pkg/session"
)

// ErrNotFound is the error of a session that is not in the archive.
var ErrNotFound = errors.New("no such session")

// Find returns the session of the archive that id means: the one with that id,
// else the only one whose id begins with it, if it has four characters, else the
// only one with that name or alias. Sessions that cannot be listed are passed over; if
// nothing was found the first of their errors is told.
func Find(ctx context.Context, a Archive, id string) (Info, error) {
	var prefixed, named []Info
	var broken error
	for info, err := range a.List(ctx, Query{ID: id}) {
		if cerr := ctx.Err(); cerr != nil {
			return Info{}, cerr
		}
		switch {
		case err != nil && broken == nil:
			broken = err
		case err != nil:
		case info.ID == id:
			return info, nil
		case len(id) >= session.MinPrefix && strings.HasPrefix(info.ID, id):
			prefixed = append(prefixed, info)
		case info.Name == id, info.Alias == id:
			named = append(named, info)
		}
	}
	for _, found := range [][]Info{prefixed, named} {
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return Info{}, fmt.Errorf("%s means %d sessions: %s", id, len(found), IDs(found))
		}
	}
	if broken != nil {
		return Info{}, fmt.Errorf("%w %s; and not all could be read: %s", ErrNotFound, id, broken.Error())
	}
	return Info{}, fmt.Errorf("%w %s", ErrNotFound, id)
}

// maxNamed is how many sessions a message names.
const maxNamed = 5

// IDs returns the ids of sessions for a message, the first of them.
func IDs(list []Info) string {
	var ids []string
	for i, info := range list {
		if i == maxNamed {
			ids = append(ids, "…")
			break
		}
		ids = append(ids, info.ID)
	}
	return strings.Join(ids, ", ")
}
