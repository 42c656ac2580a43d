package codex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// customName is the custom entry for the name that the home of codex has.
const customName = "name"

// identify finds out what the thread is called and what its first line is.
func (x *exporter) identify() {
	h := x.s.Header
	x.legacy = x.t.Version != paginated
	x.at, _ = js.ParseTime(h.Timestamp)
	x.id = strings.ToLower(h.ID)
	if x.meta != "" {
		l := parseLine(x.meta)
		head, err := parseHead(l)
		x.legacy = member(l.raw, l.payload, `"history_mode"`).str(l.raw) != paginated
		if err == nil {
			x.was, x.original = head.id, head.base == nil && sessionID(head.id) == h.ID && (head.cwd == h.CWD || head.cwd == "")
		}
		if x.original {
			x.id = head.id
			return
		}
	}
	if !isUUID(x.id) {
		x.id = formats.SessionID("codex", h.ID)
		x.lost.add("", formats.KindReference, "codex wants a UUID for an id, and %q is none: it is %s", h.ID, x.id)
	}
}

// first returns the payload of the first line.
func (x *exporter) first() string {
	h := x.s.Header
	own := []session.Field{
		session.StringField("session_id", x.id), session.StringField("id", x.id),
		session.StringField("timestamp", js.FormatTime(x.at)), session.StringField("cwd", h.CWD),
	}
	if x.meta == "" {
		own = append(own, session.StringField("originator", "sess"), session.StringField("cli_version", "0.169.0"),
			session.StringField("source", "cli"), session.StringField("thread_source", "user"))
		if parent := strings.ToLower(h.ParentSession); isUUID(parent) {
			own = append(own, session.StringField("forked_from_id", parent))
		}
		if !x.legacy {
			own = append(own, session.StringField("history_mode", paginated))
		}
		return formats.Object(own...)
	}
	l := parseLine(x.meta)
	copied := isUUID(x.was) && x.was != x.id
	if copied {
		own = append(own, session.StringField("forked_from_id", x.was))
	}
	for key, value := range js.Members(l.payload.in(l.raw)) {
		switch key {
		case `"forked_from_id"`:
			if copied {
				continue
			}
			own = append(own, session.Field{Name: js.Unquote(key), Raw: value})
		case `"session_id"`, `"id"`, `"timestamp"`, `"cwd"`, `"history_base"`, `"forked_from_ordinal_exclusive"`:
		default:
			own = append(own, session.Field{Name: js.Unquote(key), Raw: value})
		}
	}
	return formats.Object(own...)
}

// renamed returns a line of codex with the id that the thread has now.
func (x *exporter) renamed(l line) string {
	if x.was == "" || x.was == x.id || l.typ == typeItem || l.typ == typeCompacted {
		return l.raw
	}
	return strings.ReplaceAll(l.raw, js.Quote(x.was), js.Quote(x.id))
}

// fileName returns the name of the rollout in a home of codex. Codex itself takes
// the local time; here it is the same everywhere.
func (x *exporter) fileName() string {
	at := time.UnixMilli(x.at).UTC()
	if x.at < 0 || at.Year() > 9999 {
		at = time.UnixMilli(0).UTC()
	}
	id := x.id
	if !isUUID(strings.ToLower(id)) {
		id = formats.SessionID("codex", id)
	}
	return dirSessions + at.Format("/2006/01/02/") + namePrefix + at.Format("2006-01-02T15-04-05") + "-" + id + suffix
}

// index adds the session's name to those that a home of codex has.
func (x *exporter) index(ctx context.Context) error {
	if !x.t.Index || x.s.Name == "" {
		return nil
	}
	line := formats.Object(session.StringField("id", x.id), session.StringField("thread_name", x.s.Name),
		session.StringField("updated_at", js.FormatTime(x.last)))
	home := x.t.Path
	if filepath.Base(home) == dirSessions {
		home = filepath.Dir(home)
	}
	if x.t.DryRun || !isDir(home) {
		return nil
	}
	path := filepath.Join(home, indexFile)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("opening %s: %w", path, disk.Cause(err))
	}
	if err := f.Close(); err != nil {
		return err
	}
	a, err := jsonl.OpenAppender(ctx, path, jsonl.Options{})
	if err != nil {
		return err
	}
	return errors.Join(a.Append([]byte(line)), a.Close())
}
