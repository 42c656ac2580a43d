package aider

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// An archive is one file of aider's.
type archive struct {
	src  *formats.Source
	file *formats.File
	kind kind
	cwd  string
}

func (a *archive) Close() error { return a.file.Close() }

func (a *archive) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		for u, err := range a.units(ctx) {
			if err != nil {
				yield(formats.Info{Row: store.Row{Path: a.src.Path}}, a.src.Located(err))
				return
			}
			info := formats.Info{Row: store.Row{Path: a.src.Path, Size: u.size, ModTime: a.file.ModTime}}
			info.Key = fmt.Sprintf("%d %d %d %d %s", u.offset, u.size, u.line, u.nth, u.start)
			info.ID = a.id(u)
			info.CWD, info.Created, info.Modified = a.cwd, a.time(u), a.modified(u)
			if q.Detailed(info) {
				var err error
				if info, err = formats.Describe(ctx, a, info); err != nil {
					yield(info, err)
					return
				}
				info.Modified = a.modified(u)
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

// A unit is the part of the file that one session is.
type unit struct {
	offset, size int64
	line         int    // of the file, the first, from 1
	start        string // when it began, as the file has it; "" for the lines in front of the first session
	nth          int    // of the sessions that began then, from 0
	next         string // when the next began, "" for the last
}

// id makes the id of a session of what does not change when the file grows.
func (a *archive) id(u unit) string {
	parts := []string{"aider", []string{"chat", "input"}[a.kind], a.cwd, u.start}
	if u.nth > 0 {
		parts = append(parts, api.Int(int64(u.nth)))
	}
	return formats.SessionID(parts...)
}

// time returns when a session began: the file's time if nothing says it.
func (a *archive) time(u unit) time.Time {
	for _, at := range []string{u.start, u.next} {
		if ms, ok := parseTime(at); ok {
			return time.UnixMilli(ms).UTC()
		}
	}
	if a.file.ModTime.IsZero() {
		return time.UnixMilli(0).UTC()
	}
	return a.file.ModTime.UTC().Truncate(time.Millisecond)
}

// modified returns when a session was last written to, at the latest.
func (a *archive) modified(u unit) time.Time {
	if ms, ok := parseTime(u.next); ok {
		return time.UnixMilli(ms).UTC()
	}
	if a.file.ModTime.IsZero() {
		return a.time(u)
	}
	return a.file.ModTime
}

// parseTime reads a time as aider writes it. It names no zone, and is taken for UTC: an import must
// not depend on the place where it runs.
func parseTime(text string) (ms int64, ok bool) {
	t, err := time.Parse("2006-01-02 15:04:05", text) // with a fraction, too
	if err != nil {
		return 0, false
	}
	return t.UnixMilli(), true
}

// units yields the sessions of the file.
func (a *archive) units(ctx context.Context) iter.Seq2[unit, error] {
	return func(yield func(unit, error) bool) {
		if a.kind == inputHistory {
			u := unit{size: a.file.Size, line: 1}
			var err error
			u.start, err = a.firstTime(ctx)
			yield(u, err)
			return
		}
		s := splitter{yield: yield, begun: map[string]int{}, end: a.file.Size, unit: unit{line: 1}}
		for l, err := range lines(a.file.Reader(ctx), 1, 0) {
			if err != nil {
				yield(unit{}, err)
				return
			}
			if !s.line(l) {
				return
			}
		}
		if s.solid {
			s.done(s.end)
		}
	}
}

// marker returns when the session that this line begins was started.
func marker(text string) (at string, ok bool) {
	at, ok = strings.CutPrefix(strings.TrimSuffix(text, "\n"), "# aider chat started at ")
	if !ok || len(at) != len("2006-01-02 15:04:05") {
		return "", false
	}
	_, ok = parseTime(at)
	return at, ok
}

// A splitter divides a chat history.
type splitter struct {
	yield func(unit, error) bool
	begun map[string]int // sessions by their times
	end   int64          // of the file

	unit  unit // that is going on
	solid bool // something but white space is in it
	blank bool // the line before is a blank one
}

// line takes a line, and reports whether to go on.
func (s *splitter) line(l line) bool {
	at, ok := marker(l.text)
	if !ok {
		s.blank = l.raw == "\n"
		s.solid = s.solid || strip(l.text) != ""
		return true
	}
	begin, number := l.offset, l.number
	if s.blank { // which aider puts in front
		begin, number = begin-1, number-1
	}
	if s.solid {
		s.unit.next = at
		if !s.done(begin) {
			return false
		}
		s.unit = unit{offset: begin, line: number}
	}
	s.unit.start, s.unit.nth = at, s.begun[at]
	s.begun[at]++
	s.solid, s.blank = true, false
	return true
}

func (s *splitter) done(end int64) bool {
	s.unit.size = end - s.unit.offset
	return s.yield(s.unit, nil)
}

// Aider is the format of aider's histories.
var Aider formats.Format = format{}

type format struct{}

// About describes the format.
func (format) About() formats.About {
	return formats.About{Name: "aider", Summary: "aider's chat history and input history", ReadOnly: true, Home: home}
}

// Export is [formats.ErrReadOnly].
func (format) Export(context.Context, *session.Session, *formats.Target) error {
	return formats.ErrReadOnly
}

// A kind is one of aider's files.
type kind int

const (
	chatHistory kind = iota
	inputHistory
)

var (
	started  = lazy.Regexp(`(?m)^# aider chat started at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\r?$`)
	typed    = lazy.Regexp(`\A\s*# \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\r?\n\+`)
	chatName = ".aider.chat.history.md"
)

// Detect takes a file by its name, or by the lines that only aider writes.
func (format) Detect(name string, head []byte) bool {
	base := filepath.Base(name)
	return base == chatName || base == ".aider.input.history" && typed().Match(head) ||
		started().Match(head) || typed().Match(head)
}

// kindOf tells aider's files apart: every file that is no input history is a chat history.
func kindOf(head []byte) kind {
	if typed().Match(head) {
		return inputHistory
	}
	return chatHistory
}

// Open opens a file, or the chat history in a directory.
func (format) Open(ctx context.Context, src *formats.Source) (formats.Archive, error) {
	path := src.Path
	if src.IsDir() {
		path = filepath.Join(path, chatName)
	}
	at := &formats.Source{Path: path}
	if path == "" {
		at = src // which keeps what came on standard input
	}
	file, err := at.Open(ctx)
	if err != nil {
		return nil, err
	}
	head, err := at.Head(ctx)
	if err != nil {
		file.Close()
		return nil, err
	}
	a := &archive{src: at, file: file, kind: kindOf(head)}
	if filepath.Base(path) == chatName {
		if dir, err := filepath.Abs(filepath.Dir(path)); err == nil {
			a.cwd = dir // aider puts it where the project begins
		}
	}
	return a, nil
}

// home returns the chat history that aider would write in this directory: the file
// that its environment names, else the one at the root of the Git work tree, else
// the one here.
func home(env formats.Env) (string, error) {
	if file := env.Getenv("AIDER_CHAT_HISTORY_FILE"); file != "" {
		return file, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the working directory: %w", err)
	}
	return filepath.Join(cmp.Or(formats.GitRoot(here), here), chatName), nil
}
