package claude

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// Claude is the format of Claude Code.
var Claude formats.Format = format{}

type format struct{}

func (format) About() formats.About {
	return formats.About{
		Name: "claude", Summary: "sessions of Claude Code (experimental)",
		Home: func(env formats.Env) (string, error) {
			return env.StorePath("CLAUDE_CONFIG_DIR", []string{".claude"}, "projects")
		},
	}
}

// maxDetected is how many lines are looked at to detect a file: bookkeeping may
// stand in front of the first message.
const maxDetected = 50

// Detect takes a file of which a line has the members that only Claude Code writes
// together.
func (format) Detect(_ string, head []byte) bool {
	n := 0
	for l, err := range jsonl.Lines(bytes.NewReader(head)) {
		if n++; err != nil || n > maxDetected {
			return false
		}
		text := l.Text()
		if l.Torn { // the head ends here, perhaps in the middle of the line
			return strings.HasPrefix(text, `{"parentUuid":`) && strings.Contains(text, `,"isSidechain":`)
		}
		p, ok := parse(text)
		switch {
		case !ok:
		case p.uuid != "" && p.session != "" && p.parentRaw != "" && p.typ != session.TypeSession:
			return true
		case p.typ == "summary" && p.leaf != "":
			return true
		case p.typ == session.TypeSession:
			return false
		}
	}
	return false
}

// Open opens a file, the directory of a project, or that of all projects.
func (format) Open(_ context.Context, src *formats.Source) (formats.Archive, error) {
	if src.Path != "" {
		if _, err := os.Stat(src.Path); err != nil {
			_, err := formats.OpenFile(src.Path) // says it as it says everything
			return nil, err
		}
	}
	return &archive{src: src}, nil
}

// uuid is the form of the ids of sessions and lines.
var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// idOf returns the id that a file's name gives its session, "" if it gives none:
// that of a session, or "agent-…" of a sub-agent.
func idOf(path string) string {
	base, ok := strings.CutSuffix(filepath.Base(path), ".jsonl")
	if ok && (uuid.MatchString(base) || isAgent(base) && session.ValidSessionID(base)) {
		return base
	}
	return ""
}

// isAgent reports whether the id is that of a sub-agent.
func isAgent(id string) bool { return strings.HasPrefix(id, "agent-") }

// unsafe are the characters of a directory that its name in projects does not have.
var unsafe = regexp.MustCompile(`[^a-zA-Z0-9]`)

// escaped returns the name of the directory for the sessions of a working directory.
func escaped(cwd string) string { return unsafe.ReplaceAllString(cwd, "-") }
