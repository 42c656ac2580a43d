package opencode

import (
	"context"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/sqldb"
	"github.com/sess-tools/sess/pkg/js"
)

// message reads one message and its parts, as an export has them.
func (s *stored) message(ctx context.Context, r ref) (message, error) {
	var data sqldb.Text
	if err := s.db.QueryRowContext(ctx, "SELECT data FROM message WHERE id = ?", r.id).Scan(&data); err != nil {
		return message{}, s.db.Err(err)
	}
	m := message{info: identified(string(data), js.StringField("id", r.id), js.StringField("sessionID", s.id))}
	rows, err := s.db.QueryContext(ctx, "SELECT id, data FROM part WHERE message_id = ? ORDER BY id", r.id)
	if err != nil {
		return message{}, s.db.Err(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, data sqldb.Text
		if err := rows.Scan(&id, &data); err != nil {
			return message{}, s.db.Err(err)
		}
		if !isJSON(string(data)) {
			s.bad(r.id, string(id))
			continue
		}
		m.parts = append(m.parts, identified(string(data), js.StringField("id", string(id)),
			js.StringField("sessionID", s.id), js.StringField("messageID", r.id)))
	}
	return m, s.db.Err(rows.Err())
}

// identified returns what a row holds with the ids that are in other columns, behind the rest.
func identified(data string, ids ...js.Field) string {
	list := formats.Fields(compact(data))
	var out []js.Field
	for _, f := range list {
		switch f.Name {
		case "id", "sessionID", "messageID":
		default:
			out = append(out, f)
		}
	}
	return strings.ToValidUTF8(js.Object(append(out, ids...)...), "\ufffd")
}
