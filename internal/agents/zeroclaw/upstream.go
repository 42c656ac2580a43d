package zeroclaw

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// listKeys yields ZeroClaw's own sessions, one for each key, by their first messages. What a
// listing needs stands in one more table, which may lag behind.
func (s *store) listKeys(ctx context.Context) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		var key string
		var first, last int64
		for err := range s.db.Rows(ctx, []any{&key, &first, &last}, `SELECT coalesce(CAST(session_key AS TEXT), ''), min(id), max(id) FROM sessions GROUP BY session_key ORDER BY min(id)`) {
			var info formats.Info
			if err == nil {
				info, err = s.keyInfo(ctx, key, first, last)
			}
			if err != nil {
				yield(formats.Info{}, err)
				return
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

func (s *store) keyInfo(ctx context.Context, key string, first, last int64) (formats.Info, error) {
	var info formats.Info
	info.ID, info.Key = formats.SessionID("zeroclaw", key), api.Int(first)
	r := &reading{store: s}
	if err := r.keyFacts(ctx, key, first); err != nil {
		return info, err
	}
	info.Name = nameOf(r.facts.title, js.ValidText(key))
	var modified sqldb.Text
	err := s.db.QueryRowContext(ctx, `SELECT CAST(created_at AS TEXT) FROM sessions WHERE id = ?`, last).Scan(&modified)
	info.Created, info.Modified = timeOf(r.facts.created), timeOf(string(modified))
	return info, s.db.Err(err)
}

// keyFacts reads what there is about the session of a key.
func (r *reading) keyFacts(ctx context.Context, key string, first int64) error {
	f, db := &r.facts, r.store.db
	f.key, f.Layout, f.Key, f.Version = js.ValidText(key), "zeroclaw", js.ValidText(key), r.store.layout.version
	if r.store.layout.schema.Has("session_metadata", "session_key") {
		more, err := r.record(ctx, "session_metadata", "session_key", key)
		if err != nil {
			return err
		}
		if more != nil {
			f.More = map[string]map[string]any{"session_metadata": more}
			f.title, f.created = text(more["name"]), text(more["created_at"])
		}
	}
	if _, ok := milliseconds(f.created); ok {
		return nil
	}
	var created sqldb.Text
	err := db.QueryRowContext(ctx, `SELECT CAST(created_at AS TEXT) FROM sessions WHERE id = ?`, first).Scan(&created)
	f.created = js.ValidText(string(created))
	return db.Err(none(err))
}

// upstream reads the session whose first message has that id.
func (r *reading) upstream(ctx context.Context, first int64, id string) error {
	db := r.store.db
	var key sqldb.Text
	if err := db.QueryRowContext(ctx, `SELECT CAST(session_key AS TEXT) FROM sessions WHERE id = ?`, first).Scan(&key); err != nil {
		return db.Err(err)
	}
	r.facts.id = id
	if err := r.keyFacts(ctx, string(key), first); err != nil {
		return err
	}
	if err := r.header(); err != nil {
		return err
	}
	err := r.messages(ctx, r.add, `SELECT id, CAST(role AS TEXT), CAST(content AS TEXT), CAST(created_at AS TEXT), NULL FROM sessions
		WHERE session_key = ? ORDER BY id`, string(key))
	return err
}

// listFile yields the session of a file of the older backend, whose name is the key.
func (s *store) listFile() iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		var info formats.Info
		info.Name, info.Key = s.fileKey(), "0"
		info.ID, info.Created, info.Modified = formats.SessionID("zeroclaw", info.Name), s.file.ModTime.Truncate(time.Millisecond), s.file.ModTime
		yield(info, nil)
	}
}

func (s *store) fileKey() string {
	return js.ValidText(strings.TrimSuffix(filepath.Base(s.path), ".jsonl"))
}

// readFile reads a file of the older backend. Lines that are not messages are skipped, as
// ZeroClaw does.
func (s *store) readFile(ctx context.Context, info formats.Info, b *formats.Builder) error {
	src := &formats.Source{Path: s.path}
	if err := b.Header(session.HeaderFields{ID: info.ID, Time: s.file.ModTime.UnixMilli(), CWD: s.cwd}); err != nil {
		return err
	}
	facts := sessionFacts{Layout: "jsonl", Key: s.fileKey()}
	data := js.Object(js.StringField("layout", facts.Layout), js.StringField("key", facts.Key))
	if _, err := b.Custom(formats.Place{Key: "session"}, "session", data); err != nil {
		return err
	}
	if _, err := b.Add(formats.Place{Key: "name"}, session.TypeSessionInfo, js.StringField("name", facts.Key)); err != nil {
		return err
	}
	for l, err := range jsonl.Lines(s.file.Reader(ctx)) {
		if err != nil {
			return src.Located(err)
		}
		raw := strings.TrimSpace(js.ValidText(l.Text()))
		role, content := js.Value(raw).Get("role"), js.Value(raw).Get("content")
		if raw == "" {
			continue
		}
		if !js.Valid([]byte(raw)) || !role.IsString() || !content.IsString() {
			b.Lose(src.At(l.Number), formats.KindDamage, "no message; skipped, as ZeroClaw does")
			continue
		}
		r := &reading{b: b}
		m := message{id: int64(l.Number), role: role.Str(), content: content.Str(), timed: true}
		if err := r.add(m); err != nil {
			return fmt.Errorf("%s: %w", src.At(l.Number), err)
		}
	}
	return nil
}
