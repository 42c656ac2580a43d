package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/pkg/session"
)

// wholeRemote reports whether operands mean all sessions of the remote, and those alone. Then their rows are asked for, which have sizes.
func wholeRemote(operands []string) bool {
	return slices.Equal(operands, []string{address.Remote + ":"})
}

// isShared reports whether a session is in the remote, and has a row of a listing.
func isShared(src selection.Source) bool {
	return strings.HasPrefix(src.Name, address.Remote+":") && src.Row.Get("size").Int() > 0
}

// remoteItem fills in an item of a session in the remote by its row, and reports whether that is enough. A session that is new, or has
// grown, is read once, when its day is written; the texts of one that may have secrets are looked at before a bucket gets them.
func (t *tables) remoteItem(it *item, known map[string]remembered) bool {
	row := it.src.Row
	if !isShared(it.src) {
		return false
	}
	if r, ok := known[it.src.Name]; ok && r.Stamp == it.stamp || t.secret(false) {
		return false
	}
	h := session.Header{ID: row.Get("session").Str(), Timestamp: row.Get("created").Str(), CWD: row.Get("cwd").Str()}
	size := row.Get("size").Int()
	if r, ok := t.have[dayOf(h)][h.ID]; h.ID == "" || ok && r.Size == size { // its bytes may be those of the row
		return false
	}
	it.header, it.size, it.unread = h, size, true
	return true
}

// reads reads a session for its day, and keeps what its item lacks.
func (t *tables) reads(ctx context.Context, day string, it *item) (rows, error) {
	of, err := t.read(ctx, it.src)
	if err == nil && it.unread && (of.session.Session != it.header.ID || dayOf(of.header) != day) {
		err = cli.WithHint(fmt.Errorf("%s: the listing has another id or day for it", it.src.Label()), "sess-sync check mends the listing")
	}
	if err != nil {
		it.stamp = "" // it is read again
		return of, err
	}
	if it.unread {
		it.header, it.sum, it.size, it.unread = of.header, of.session.SHA256, of.session.Size, false
	}
	return of, nil
}

// current reports whether a row has what a session that was found is now.
func (t *tables) current(r hadRow, it *item) bool {
	return !it.unread && r.SHA256 == it.sum && r.Reader == t.reader && r.Content == t.content && r.Redacted == (t.redact || it.header.IsRedacted())
}

// entire reports whether a day has all its parts.
func (t *tables) entire(day string) bool {
	return !slices.ContainsFunc(t.names, func(table string) bool { return !t.place.has(t.path(table, day)) })
}
