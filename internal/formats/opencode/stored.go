package opencode

import (
	"context"
	"fmt"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/sqldb"
	"github.com/sess-tools/sess/pkg/js"
)

// A stored session is one of a database.
type stored struct {
	*database
	id       string
	about    string
	messages []ref
	losses   []formats.Loss
	told     func(where, kind, format string, args ...any)
}

func (s *stored) info() string { return s.about }
func (s *stored) refs() []ref  { return s.messages }

func (s *stored) damage(lose func(where, kind, format string, args ...any)) {
	s.told = lose
	for _, l := range s.losses {
		lose(l.Where, l.Kind, "%s", l.What)
	}
}

// bad tells of a part that is none.
func (s *stored) bad(message, part string) {
	if s.told != nil {
		s.told("message "+message, formats.KindDamage, "part %s is not a JSON object, skipped", part)
	}
}

func (s *stored) lose(where, format string, args ...any) {
	s.losses = append(s.losses, formats.Loss{Where: where, Kind: formats.KindDamage, What: fmt.Sprintf(format, args...)})
}

// note notes the messages, in opencode's order.
func (s *stored) note(ctx context.Context) error {
	rows, err := s.db.QueryContext(ctx, "SELECT id, time_created, data FROM message WHERE session_id = ?", s.id)
	if err != nil {
		return s.db.Err(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, created, data sqldb.Text
		if err := rows.Scan(&id, &created, &data); err != nil {
			return s.db.Err(err)
		}
		if !isJSON(string(data)) {
			s.lose("message "+string(id), "not a JSON object, skipped")
			continue
		}
		r := ref{}
		r.created, _ = integer(string(created))
		r.note(string(data))
		r.id = string(id)
		s.messages = append(s.messages, r)
	}
	order(s.messages)
	return s.db.Err(rows.Err())
}

// noteCompactions notes which messages are compactions.
func (s *stored) noteCompactions(ctx context.Context) error {
	at := make(map[string]int, len(s.messages))
	for i, r := range s.messages {
		at[r.id] = i
	}
	rows, err := s.db.QueryContext(ctx, "SELECT message_id, data FROM part WHERE session_id = ? AND instr(data, '\"compaction\"') > 0", s.id)
	if err != nil {
		return s.db.Err(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, data sqldb.Text
		if err := rows.Scan(&id, &data); err != nil {
			return s.db.Err(err)
		}
		if i, ok := at[string(id)]; ok && isJSON(string(data)) {
			s.messages[i].notePart(string(data))
		}
	}
	return s.db.Err(rows.Err())
}

// isJSON reports whether a value is an object that is not nested too deep.
func isJSON(text string) bool {
	return isObject(text) && js.Valid([]byte(text)) && js.Depth([]byte(text)) <= maxDepth
}
