package jqmap

import (
	"context"
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
	m.about.Name, m.about.Summary, m.about.Grows, m.about.ReadOnly, m.signs = of.Name, of.Summary, of.Grows, true, of.Signs
	if len(of.Homes) > 0 {
		m.about.Home = func(env formats.Env) (string, error) { return home(env, of.Homes) }
	}
}

// home returns the first of some places whose variable is set, else the first below the home
// directory.
func home(env formats.Env, homes []string) (string, error) {
	for _, place := range homes {
		elements := strings.Split(place, "/")
		switch name, variable := strings.CutPrefix(elements[0], "$"); {
		case variable && env.Getenv(name) != "":
			return env.StorePath(name, nil, elements[1:]...)
		case elements[0] == "~":
			return env.StorePath("", elements[1:])
		}
	}
	return "", formats.ErrNoHome
}

// About describes the format of the map.
func (m *Map) About() formats.About { return m.about }

// Export is [formats.ErrReadOnly]: a map only reads.
func (m *Map) Export(context.Context, *session.Session, *formats.Target) error {
	return formats.ErrReadOnly
}

// Open opens a file, or a directory of files that the map's patterns match. If the map could not be
// read, that is the error.
func (m *Map) Open(_ context.Context, src *formats.Source) (formats.Archive, error) {
	h, err := m.parse()
	if err != nil {
		return nil, err
	}
	p, err := m.take()
	if err != nil {
		return nil, err
	}
	m.give(p)
	r := reader{m, h}
	depth := 0
	for _, pattern := range h.files {
		depth = max(depth, strings.Count(pattern, "/"))
	}
	return formats.Files{
		Depth: depth, Head: r.head, Read: r.read,
		Match: func(path string) bool {
			below, err := filepath.Rel(src.Path, path)
			return err == nil && h.matches(below)
		},
		Rank: h.rank,
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

// matches reports whether a path below a directory is that of a session: by a pattern, or by the end of
// one, since the directory may be one below the home.
func (h *header) matches(below string) bool {
	elements := strings.Split(filepath.ToSlash(below), "/")
	return slices.ContainsFunc(h.files, func(pattern string) bool {
		wanted := strings.Split(pattern, "/")
		return len(elements) <= len(wanted) && ends(elements, wanted[len(wanted)-len(elements):])
	})
}

// rank returns which of the patterns a path ends in, the first being 0.
func (h *header) rank(path string) int {
	elements := strings.Split(filepath.ToSlash(path), "/")
	return slices.IndexFunc(h.files, func(pattern string) bool { return ends(elements, strings.Split(pattern, "/")) })
}

// ends reports whether the last elements of a path are those of a pattern.
func ends(elements, pattern []string) bool {
	if len(elements) < len(pattern) {
		return false
	}
	for i, element := range elements[len(elements)-len(pattern):] {
		if ok, err := filepath.Match(pattern[i], element); !ok || err != nil {
			return false
		}
	}
	return true
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
