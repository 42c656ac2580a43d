package listing

import (
	"cmp"
	"time"

	"github.com/sess-tools/sess/pkg/store"
)

// A Row is a session of a listing, and whose it is.
type Row struct {
	store.Row
	Agent string // the format of the store it is in, "" for ours
}

// Later compares sessions by when they were written to: by the time of the file,
// or of the newest message where the session is in no file. Of those written at
// one time, as all in one file are, the one with the newest message is the later.
func Later(a, b store.Row) int {
	return cmp.Or(written(a).Compare(written(b)), a.Modified.Compare(b.Modified), a.Created.Compare(b.Created))
}

func written(r store.Row) time.Time {
	if r.ModTime.IsZero() {
		return r.Modified
	}
	return r.ModTime
}
