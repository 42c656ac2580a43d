package opencode

import (
	"context"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/js"
)

// MayHave reports whether a text of a session may have one of the words: if a row of it has it, or texts of a message are one where both
// may have a part of it. A session without a part that says something has to be read, and so has one with rows of release 2.
func (d *database) MayHave(ctx context.Context, info formats.Info, words *formats.Words) bool {
	may, some, seams := !d.first, false, formats.Seams{}
	for about, err := range d.abouts(ctx, "WHERE id = ?", []any{info.Key}) {
		may = may || err != nil || words.In([]byte(about))
	}
	var message, id, data sqldb.Text
	rows := func(query string, may func() bool) bool {
		for err := range d.db.Rows(ctx, []any{&message, &id, &data}, query, info.Key) {
			if err != nil || words.In([]byte(data)) || may() {
				return true
			}
		}
		return false
	}
	if may || d.second && rows("SELECT '', '', '' FROM "+secondTable+" WHERE session_id = ? LIMIT 1", func() bool { return true }) ||
		rows("SELECT '', id, data FROM message WHERE session_id = ?", func() bool { return false }) {
		return true
	}
	return rows(partsOfSession, func() bool {
		part := js.Value(data)
		typ := part.Get("type").Str()
		some = some || typ == "text" || typ == "tool"
		return typ == "text" && seams.Text(string(message), part.Get("text").Str())
	}) || !some
}
