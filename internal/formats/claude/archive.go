package claude

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// depth is how far below the projects there are sessions: of sub-agents, in
// PROJECT/SESSION/subagents.
const depth = 3

// An archive is a file or a directory.
type archive struct{ src *formats.Source }

func (a *archive) Close() error { return nil }

func (a *archive) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		if !a.src.IsDir() {
			yield(a.file(ctx, a.src, q))
			return
		}
		isSession := func(base string) bool { return filepath.Ext(base) == ".jsonl" }
		for path, err := range formats.Walk(ctx, a.src.Path, depth, isSession) {
			info := formats.Info{Row: store.Row{Path: path}}
			if err == nil {
				if idOf(path) == "" && filepath.Dir(path) != filepath.Clean(a.src.Path) {
					continue // something of the program's own
				}
				info, err = a.file(ctx, &formats.Source{Path: path, CWD: a.src.CWD}, q)
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// file lists the session of a file.
func (a *archive) file(ctx context.Context, src *formats.Source, q formats.Query) (formats.Info, error) {
	info, err := a.head(ctx, src)
	if err != nil || !q.Details && (q.ID == "" || q.ID == info.ID) {
		return info, err
	}
	path, size, at := info.Path, info.Size, info.ModTime
	if info, err = formats.Describe(ctx, a, info); err != nil {
		return info, err
	}
	info.Path, info.Size, info.ModTime = path, size, at
	return info, nil
}

// head lists a file by its first lines: as many as it takes to know when and where
// the session began.
func (a *archive) head(ctx context.Context, src *formats.Source) (formats.Info, error) {
	info := formats.Info{Row: store.Row{Path: src.Path}}
	f, err := src.Open(ctx)
	if err != nil {
		return info, err
	}
	defer f.Close()
	info.Size, info.ModTime, info.Modified = f.Size, f.ModTime, f.ModTime
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
		if p.str("uuid") == "" || p.str("timestamp") == "" {
			continue
		}
		info.CWD = strings.Clone(p.str("cwd"))
		if ms, ok := js.ParseTime(p.str("timestamp")); ok {
			info.Created = time.UnixMilli(ms).UTC()
		}
		info.ParentSession = p.get("forkedFrom").Get("sessionId").Str()
		break
	}
	if objects == 0 {
		return info, formats.Damaged("%s: no session of Claude Code: no line of it is a JSON object", src.Name())
	}
	a.name(&info, of, first)
	info.CWD = cmp.Or(info.CWD, src.CWD)
	if info.Created.IsZero() {
		info.Created = cmp.Or(f.ModTime, time.UnixMilli(0)).UTC().Truncate(time.Millisecond)
	}
	if info.Modified.IsZero() {
		info.Modified = info.Created
	}
	return info, nil
}

// name gives a session its id: that of its file, of its lines, or one made of its
// first line. A sub-agent's lines name the session that started it.
func (a *archive) name(info *formats.Info, of, first string) {
	info.ID = idOf(info.Path)
	switch {
	case isAgent(info.ID):
		info.ParentSession = cmp.Or(info.ParentSession, of)
	case info.ID == "" && session.ValidSessionID(of):
		info.ID = of
	case info.ID == "":
		info.ID = formats.SessionID("claude", first)
	}
}

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
		case p.get("message").IsObject() && p.get("message").Get("content") == "":
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
	if err := src.Exists(); err != nil {
		return nil, err
	}
	return &archive{src: src}, nil
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

// unsafe are the characters of a directory that its name in projects does not have.
var unsafe = regexp.MustCompile(`[^a-zA-Z0-9]`)

// escaped returns the name of the directory for the sessions of a working directory.
func escaped(cwd string) string { return unsafe.ReplaceAllString(cwd, "-") }
