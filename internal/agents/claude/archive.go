package claude

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// depth is how far below the projects there are sessions: of sub-agents, in
// PROJECT/SESSION/subagents, and those of workflows further down.
const depth = 3

// isBelow reports whether a directory is one of sub-agents, or below one.
func isBelow(dir string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(dir), "/"), "subagents")
}

// files are those of sessions: in the source itself, or with a name of theirs below it.
func files(dir string) formats.Files {
	return formats.Files{
		Depth: depth, Enter: isBelow, Head: head, Read: read, MayHave: mayHave, Apart: true, Project: escaped,
		IDs:    func(path string) ([]string, bool) { return []string{idOf(path)}, idOf(path) != "" },
		Output: func(path string) bool { return filepath.Base(filepath.Dir(path)) == "tool-results" },
		Known:  func(path string) bool { return isBelow(filepath.Dir(path)) && filepath.Base(path) == "journal.jsonl" },
		Match: func(path string) bool {
			return filepath.Ext(path) == ".jsonl" && (idOf(path) != "" || filepath.Dir(path) == filepath.Clean(dir))
		},
	}
}

// head lists a file by its first lines: as many as it takes to know when and where
// the session began.
func head(ctx context.Context, src *formats.Source, f *formats.File) (info formats.Info, _ error) {
	first, objects, of := "", 0, ""
	for l, err := range jsonl.Lines(f.Reader(ctx)) {
		if err != nil {
			return info, src.Located(err)
		}
		p, ok := parse(l.Text())
		if !ok {
			continue
		}
		if objects++; first == "" {
			first = strings.Clone(l.Text())
		}
		of = cmp.Or(of, strings.Clone(p.str("sessionId")))
		if p.str("uuid") == "" && !p.isMessage() || p.str("timestamp") == "" {
			continue
		}
		if info.Main = p.isMessage() && !p.is("isSidechain"); info.Aside { // a sidechain, so far
			if !info.Main {
				continue
			}
			info.Aside = false
			break
		}
		info.CWD = strings.Clone(p.str("cwd"))
		if ms, ok := js.ParseTime(p.str("timestamp")); ok {
			info.Created = time.UnixMilli(ms).UTC()
		}
		info.ParentSession = p.get("forkedFrom").Get("sessionId").Str()
		if info.Aside = isAgent(idOf(src.Path)) || p.isMessage() && !info.Main; info.Aside && !isAgent(idOf(src.Path)) {
			continue // a session may begin with one
		}
		break
	}
	if objects == 0 {
		return info, formats.Damaged("%s: no session of Claude Code: no line of it is a JSON object", src.Name())
	}
	info.ID = idOf(src.Path)
	switch { // a sub-agent's lines name the session that started it
	case isAgent(info.ID):
		info.ParentSession = cmp.Or(info.ParentSession, of)
	case info.ID == "" && session.ValidSessionID(of):
		info.ID = of
	case info.ID == "":
		info.ID = formats.SessionID("claude", first)
	}
	return info, nil
}

// Claude is the format of Claude Code.
var Claude formats.Format = format{}

type format struct{}

func (format) About() formats.About {
	about := formats.AboutOf(agent)
	about.Home = func(env formats.Env) (string, error) {
		return env.StorePath("CLAUDE_CONFIG_DIR", []string{".claude"}, "projects")
	}
	about.Filed = filed
	return about
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
		case p.message.IsObject() && p.message.Get("content") == "":
			return false // Qwen Code's lines look alike, but for the parts of their messages
		case p.str("uuid") != "" && p.str("sessionId") != "" && p.get("parentUuid") != "" && p.get("isSidechain") != "":
			return true
		case p.str("type") == "summary" && p.str("leafUuid") != "":
			return true
		case p.str("type") == session.TypeSession:
			return false
		}
	}
	return false
}

// Open opens a file, the directory of a project, or that of all projects.
func (format) Open(_ context.Context, src *formats.Source) (formats.Archive, error) {
	return files(src.Path).Open(src)
}

// idOf returns the id that a file's name gives its session, "" if it gives none:
// that of a session, or "agent-…" of a sub-agent.
func idOf(path string) string {
	base, ok := strings.CutSuffix(filepath.Base(path), ".jsonl")
	if ok && (formats.IsUUID(base) || isAgent(base) && session.ValidSessionID(base)) {
		return base
	}
	return ""
}

// isAgent reports whether the id is that of a sub-agent.
func isAgent(id string) bool { return strings.HasPrefix(id, "agent-") }

// filed says whether a session is in the directory of a project: that of the worktree, for a session that went into
// one.
func filed(dir string) func(formats.Info) bool {
	if physical, err := filepath.EvalSymlinks(dir); err == nil {
		dir = physical
	}
	name := escaped(dir)
	return func(info formats.Info) bool { return filepath.Base(filepath.Dir(info.Path)) == name }
}

// unsafe are the characters of a directory that its name in projects does not have.
var unsafe = lazy.Regexp(`[^a-zA-Z0-9]`)

// escaped returns the name of the directory for the sessions of a working directory.
func escaped(cwd string) string { return unsafe().ReplaceAllString(cwd, "-") }
