package jqmap

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/agent"
	"github.com/sess-tools/sess/pkg/session"
)

// A Map is a format whose rules are a jq program.
type Map struct {
	file  string // its name in errors
	about formats.About
	signs []string
	like  string // see [agent.Agent.Like]
	text  func() ([]byte, error)
	path  string // of a map of the user's, "" for one of the program's

	parse   func() (*header, error) // once
	program sync.Pool               // of *program
}

// newMap returns the map called file, of an agent. What listing formats needs is the agent's, the rest is read once
// it is needed.
func newMap(file string, of agent.Agent, text func() ([]byte, error)) *Map {
	m := &Map{file: file, text: text}
	m.describe(of)
	m.parse = sync.OnceValues(func() (*header, error) {
		text, err := m.text()
		if err != nil {
			return nil, err
		}
		return parseHeader(file, text)
	})
	return m
}

// describe takes over what the table, or the header, says of the agent.
func (m *Map) describe(of agent.Agent) {
	m.about.Name, m.about.Summary, m.about.Grows, m.about.ReadOnly, m.signs, m.like = of.Name, of.Summary, of.Grows, true, of.Signs, of.Like
	if len(of.Homes) > 0 {
		m.about.Home = func(env formats.Env) (string, error) { return home(env, of) }
	}
}

// home returns the first of some places whose variable is set, else the first below the home
// directory that is there, or the first of those. That of a wide map is an error that matches [fs.ErrNotExist] unless there is a
// directory to which a pattern leads.
func home(env formats.Env, of agent.Agent) (path string, err error) {
	for _, place := range of.Homes {
		elements := strings.Split(place, "/")
		if name, variable := strings.CutPrefix(elements[0], "$"); variable {
			if env.Getenv(name) != "" {
				return env.StorePath(name, nil, elements[1:]...)
			}
			continue
		}
		next, err := env.StorePath("", elements[1:])
		switch {
		case err != nil:
			return "", err
		case place == agent.Wide:
			return next, leading(next, of)
		case path == "":
			path = next
		}
		if len(of.Homes) == 1 || formats.IsDir(next) {
			return next, nil
		}
	}
	if path == "" {
		return "", formats.ErrNoHome
	}
	return path, nil
}

// leading returns an error unless one of the patterns of an agent leads from a directory to one that is there.
func leading(dir string, of agent.Agent) error {
	var last []string // patterns for several names of files follow each other
	for _, pattern := range of.Files {
		elements := dirs(pattern)
		if !slices.Equal(elements, last) && leads(dir, elements) {
			return nil
		}
		last = elements
	}
	return fmt.Errorf("no session of %s below %s: %w", of.Name, dir, fs.ErrNotExist)
}

// dirs returns the elements of a pattern that are directories.
func dirs(pattern string) []string {
	elements := strings.Split(pattern, "/")
	return elements[:len(elements)-1]
}

// leads reports whether elements of a pattern lead from a directory to one that is there, up to its last word.
func leads(dir string, elements []string) bool {
	for len(elements) > 0 && elements[len(elements)-1] == "*" {
		elements = elements[:len(elements)-1]
	}
	star := slices.IndexFunc(elements, func(element string) bool { return strings.Contains(element, "*") })
	if star < 0 {
		return formats.IsDir(filepath.Join(append([]string{dir}, elements...)...))
	}
	dir = filepath.Join(append([]string{dir}, elements[:star]...)...)
	entries, _ := os.ReadDir(dir) // one that cannot be read leads nowhere
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return fits(e.Name(), elements[star]) && leads(filepath.Join(dir, e.Name()), elements[star+1:])
	})
}

// About describes the format of the map.
func (m *Map) About() formats.About { return m.about }

// Export is [formats.ErrReadOnly]: a map only reads.
func (m *Map) Export(context.Context, *session.Session, *formats.Target) error {
	return formats.ErrReadOnly
}

// Open opens a file, or a directory of files that the map's patterns match. If the map could not be
// read, that is the error.
func (m *Map) Open(ctx context.Context, src *formats.Source) (formats.Archive, error) {
	h, err := m.parse()
	if err != nil {
		return nil, err
	}
	if m.like != "" {
		return nil, fmt.Errorf("%s: no format %s has sessions of its own, which it says it is like", m.file, m.like)
	}
	p, err := m.take()
	if err != nil {
		return nil, err
	}
	m.give(p)
	r := reader{m, h}
	if h.sqlite != nil {
		return h.several(ctx, src, r.openDatabase)
	}
	depth, tails := 0, h.tails(src.Path)
	for _, pattern := range h.files {
		depth = max(depth, strings.Count(pattern, "/"))
	}
	_, match := h.walks(src.Path)
	return formats.Files{
		Head: r.head, Read: r.read, Match: match,
		Within: func(dir string) (leads, holds bool) { return tails.within(elementsBelow(src.Path, dir)) },
		Rank:   h.rank,
		IDs: func(path string) (ids []string, sure bool) {
			elements := strings.Split(filepath.ToSlash(path), "/")
			last := len(elements) - 1
			elements[last] = stem(elements[last])
			ids = elements[max(0, last-depth):]
			return ids, slices.ContainsFunc(ids, formats.IsUUID) // other names may be any words
		},
	}.Open(src)
}

// stem returns the name of a file without its extension.
func stem(base string) string { return strings.TrimSuffix(base, filepath.Ext(base)) }

// elementsBelow returns the elements of the path that leads from a directory to one below it.
func elementsBelow(dir, path string) []string {
	below, err := filepath.Rel(dir, path)
	if err != nil {
		return nil
	}
	return strings.Split(filepath.ToSlash(below), "/")
}

// tails are the elements of patterns that a path below a source may have.
type tails [][]string

// tails returns those of a source, which may be a home or a directory in one: whole patterns, and the ends of them. Of a wide map, whose patterns
// would end anywhere, it is those of a directory that is called as the elements in front.
func (h *header) tails(source string) (out tails) {
	if abs, err := filepath.Abs(source); err == nil {
		source = abs
	}
	names, anywhere := strings.Split(filepath.ToSlash(source), "/"), !slices.Contains(h.agent.Homes, agent.Wide)
	for _, pattern := range h.files {
		elements := strings.Split(pattern, "/")
		for at := range elements {
			if at == 0 || anywhere || called(names, elements[:at]) {
				out = append(out, elements[at:])
			}
		}
	}
	return out
}

// walks returns which directories below a source lead to sessions, and which files are some.
func (h *header) walks(source string) (enter, match func(path string) bool) {
	tails := h.tails(source)
	enter = func(path string) bool {
		leads, _ := tails.within(elementsBelow(source, path))
		return leads
	}
	return enter, func(path string) bool {
		isOther := func(not string) bool { return fits(filepath.Base(path), not) }
		return tails.match(elementsBelow(source, path)) && !slices.ContainsFunc(h.except, isOther)
	}
}

// called reports whether the last names of a path are elements of a pattern, up to one that is a word.
func called(names, elements []string) bool {
	for i := 1; i <= min(len(names), len(elements)); i++ {
		element := elements[len(elements)-i]
		if !fits(names[len(names)-i], element) {
			return false
		}
		if !strings.Contains(element, "*") {
			return true
		}
	}
	return false
}

// match reports whether a path below the source is that of a session.
func (t tails) match(path []string) bool {
	return slices.ContainsFunc(t, func(tail []string) bool { return len(tail) == len(path) && allFit(path, tail) })
}

// within is that of [formats.Files].
func (t tails) within(dir []string) (leads, holds bool) {
	for _, tail := range t {
		wanted := tail[:len(tail)-1]
		n := min(len(dir), len(wanted))
		if !allFit(dir[:n], wanted[:n]) {
			continue
		}
		leads = leads || n == len(dir)
		holds = holds || n == len(wanted) && !slices.ContainsFunc(dir[n:], isHidden)
	}
	return leads, holds
}

func isHidden(name string) bool { return strings.HasPrefix(name, ".") }

// fits reports whether an element of a path is one of a pattern: a hidden one is by its dot alone.
func fits(name, element string) bool {
	ok, err := filepath.Match(element, name)
	return ok && err == nil && (!isHidden(name) || isHidden(element))
}

func allFit(names, elements []string) bool {
	for i, name := range names {
		if !fits(name, elements[i]) {
			return false
		}
	}
	return true
}

// rank returns which of the patterns a path ends in, the first being 0.
func (h *header) rank(path string) int {
	elements := strings.Split(filepath.ToSlash(path), "/")
	return slices.IndexFunc(h.files, func(pattern string) bool { return ends(elements, strings.Split(pattern, "/")) })
}

// ends reports whether the last elements of a path are those of a pattern.
func ends(elements, pattern []string) bool {
	at := len(elements) - len(pattern)
	return at >= 0 && allFit(elements[at:], pattern)
}

// take returns a program of the map that serves one reader, which gives it back.
func (m *Map) take() (*program, error) {
	if p, ok := m.program.Get().(*program); ok {
		return p, nil
	}
	text, err := m.text()
	if err != nil {
		return nil, err
	}
	return compile(m.file, string(text))
}

func (m *Map) give(p *program) {
	p.tree, p.state, p.members = nil, nil, nil
	p.line.Reset()
	m.program.Put(p)
}
