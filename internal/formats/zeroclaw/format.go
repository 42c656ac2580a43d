package zeroclaw

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
)

// ZeroClaw is the format of ZeroClaw and its fork.
var ZeroClaw formats.Format = format{}

type format struct{}

func (format) About() formats.About {
	return formats.About{Name: "zeroclaw", Summary: "sessions of ZeroClaw", Home: home}
}

// Detect takes a database whose first page tells of ZeroClaw's tables.
func (format) Detect(_ string, head []byte) bool {
	if !bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		return false
	}
	return bytes.Contains(head, []byte("session_messages")) && bytes.Contains(head, []byte("session_state")) ||
		bytes.Contains(head, []byte("session_metadata")) && bytes.Contains(head, []byte("session_key"))
}

// home returns the workspace of ZeroClaw: $ZEROCLAW_WORKSPACE, or what is named workspace in
// its configuration's directory: that variable too if a configuration is there, else
// $ZEROCLAW_CONFIG_DIR, else what ~/.zeroclaw/active_workspace.toml names, else ~/.zeroclaw.
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
	text, err := os.ReadFile(path)
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

// Open opens a database, a JSON Lines file of ZeroClaw's older backend, or a
// workspace, which has the fork's database in memory and ZeroClaw's own in sessions.
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

// stores returns the databases and files that may be in a workspace, or in one of its
// directories.
func stores(dir string) []string {
	var paths []string
	for _, below := range []string{"memory", "sessions", "."} {
		path := filepath.Join(dir, below, "sessions.db")
		if _, err := os.Lstat(path); err == nil {
			paths = append(paths, path)
		}
	}
	for _, below := range []string{"sessions", "."} {
		if below == "." && filepath.Base(dir) != "sessions" {
			continue // anything may lie there
		}
		found, err := filepath.Glob(filepath.Join(escaped(filepath.Join(dir, below)), "*.jsonl"))
		if err == nil {
			paths = append(paths, found...)
		}
	}
	return paths
}

// escaped returns a path in which no character means anything to [filepath.Glob].
func escaped(path string) string {
	if os.PathSeparator == '\\' {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
