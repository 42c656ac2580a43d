package zeroclaw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/session"
)

// ZeroClaw is the format of ZeroClaw's fork.
var ZeroClaw formats.Format = format{}

type format struct{}

func (format) About() formats.About {
	return formats.About{Name: "zeroclaw", Summary: "sessions of ZeroClaw's fork", ReadOnly: true, Home: home}
}

// Export is [formats.ErrReadOnly].
func (format) Export(context.Context, *session.Session, *formats.Target) error {
	return formats.ErrReadOnly
}

// Detect takes a database whose first page tells of the fork's tables.
func (format) Detect(_ string, head []byte) bool {
	return bytes.HasPrefix(head, []byte(sqldb.Magic)) &&
		bytes.Contains(head, []byte("session_messages")) && bytes.Contains(head, []byte("session_state"))
}

// home returns the workspace of ZeroClaw: $ZEROCLAW_WORKSPACE, or the directory workspace in its
// configuration's directory: that variable too if a configuration is there, else
// $ZEROCLAW_CONFIG_DIR, else the one that ~/.zeroclaw/active_workspace.toml names, else
// ~/.zeroclaw.
func home(env formats.Env) (string, error) {
	if env.Getenv("ZEROCLAW_WORKSPACE") != "" {
		dir, err := env.StorePath("ZEROCLAW_WORKSPACE", nil)
		if _, serr := os.Stat(filepath.Join(dir, "config.toml")); err == nil && serr == nil {
			dir = filepath.Join(dir, "workspace")
		}
		return dir, err
	}
	dir, err := env.StorePath("ZEROCLAW_CONFIG_DIR", []string{".zeroclaw"})
	if err != nil {
		return "", err
	}
	if env.Getenv("ZEROCLAW_CONFIG_DIR") == "" {
		if active := activeConfig(filepath.Join(dir, "active_workspace.toml")); active != "" {
			dir = active
		}
	}
	return filepath.Join(dir, "workspace"), nil
}

// activeConfig returns the absolute directory that the file path names as config_dir, "" if none.
func activeConfig(path string) string {
	text, err := disk.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) != "config_dir" {
			continue
		}
		if dir := strings.Trim(strings.TrimSpace(value), `"'`); filepath.IsAbs(dir) {
			return filepath.Clean(dir)
		}
	}
	return ""
}

// Open opens a database, or a workspace, which has its database in memory.
func (format) Open(ctx context.Context, src *formats.Source) (formats.Archive, error) {
	a := &archive{src: src}
	if !src.IsDir() {
		s, err := a.open(ctx, src.Path)
		if err != nil {
			return nil, err
		}
		a.stores = []*store{s}
		return a, nil
	}
	for _, path := range stores(src.Path) {
		s, err := a.open(ctx, path)
		if err != nil {
			if ctx.Err() != nil {
				return nil, errors.Join(ctx.Err(), a.Close())
			}
			s = &store{path: path, broken: err}
		}
		a.stores = append(a.stores, s)
	}
	return a, nil
}

// stores returns the databases that may be in a workspace, or in one of its directories.
func stores(dir string) []string {
	var paths []string
	for _, below := range []string{"memory", "sessions", "."} {
		path := filepath.Join(dir, below, "sessions.db")
		if _, err := os.Lstat(path); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// A layout is which tables a database has, and how their columns are called.
type layout struct {
	schema  sqldb.Schema
	version int64  // PRAGMA user_version
	key     string // the column of a session's key
	index   bool   // a table says which session of a key is in use
	state   bool   // a table holds state
}

// layoutOf tells the layouts apart by their tables and columns: versions of the
// fork that count otherwise look alike.
func layoutOf(ctx context.Context, db *sqldb.DB) (layout, error) {
	s, err := db.Schema(ctx)
	if err != nil {
		return layout{}, err
	}
	l := layout{schema: s}
	if l.version, err = db.Version(ctx); err != nil {
		return l, err
	}
	if s.Has("sessions", "inbound_key") {
		l.key = "inbound_key"
	} else {
		l.key = "session_key"
	}
	l.index = s.Has("session_index", "session_key", "active_session_id")
	l.state = s.Has("session_state", "session_id", "key", "value_json")
	err = db.Require(ctx, sqldb.Schema{
		"sessions":         {"session_id", l.key, "created_at"},
		"session_messages": {"id", "session_id", "role", "content", "created_at"},
	})
	if err != nil {
		return l, fmt.Errorf("%w; see docs/formats/zeroclaw.md for the layouts that are known", err)
	}
	return l, nil
}

// column returns what a query selects of a table for a column that not every layout has.
func (l layout) column(table, column string) string {
	if l.schema.Has(table, column) {
		return "+" + column
	}
	return "NULL"
}

// kinds are how keys begin, in the order in which ZeroClaw resolves where a message came
// from: a thread before a group before a talk with one sender. The last is that
// of the fork's last layout.
var kinds = []string{"thread", "group", "direct", "channel"}

// milliseconds returns a time as ZeroClaw writes it, in milliseconds since the epoch.
func milliseconds(text string) (ms int64, ok bool) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Year() < 0 || t.Year() > 9999 {
		return 0, false
	}
	return t.UnixMilli(), true
}

// timeOf is milliseconds for a listing, zero for a text that is no time.
func timeOf(text string) time.Time {
	ms, ok := milliseconds(text)
	if !ok {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// timeText returns a time as ZeroClaw writes it.
func timeText(ms int64) string {
	layout := "2006-01-02T15:04:05.000-07:00"
	if ms%1000 == 0 {
		layout = "2006-01-02T15:04:05-07:00"
	}
	return time.UnixMilli(ms).UTC().Format(layout)
}
