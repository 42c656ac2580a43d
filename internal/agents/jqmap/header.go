package jqmap

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/jq"
	"github.com/sess-tools/sess/pkg/agent"
)

// Interface is the version of what maps and this package say to each other.
const Interface = 1

// A header is the constant that a map begins with.
type header struct {
	agent         agent.Agent
	provider, api string
	each          string // the member of a document that holds the values

	files, except, beside, ahead []string
	lines                        []lines // files of JSON Lines beside a session

	sqlite   *tables  // nil for a map of files
	registry []string // a file in the place, a list in it, and the member that names a directory with sessions

	kind           []kindMember // whose texts are the kind of a value
	id, parent     []string     // paths of members of a value
	time           [][]string   // paths, the first that is a time counts
	track          []string
	keepKind, skip map[string]bool
}

// A lines member is a file of JSON Lines beside a session, and the paths of the members of its values that the map sees.
type lines struct {
	file    string
	members [][]string
}

// A kindMember is a member whose text is a part of the kind of a value; itself is one that is its own name
// if it is there.
type kindMember struct {
	path   []string
	itself bool
}

// A SyntaxError is the error of a file that is no map. Line and Column count from 1, the column in
// bytes; both are 0 if the place is not known.
type SyntaxError struct {
	File         string
	Line, Column int
	Reason       string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Reason
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Reason)
}

// syntaxError returns the error at an offset of the text of a map, -1 if that is not known.
func syntaxError(file, text string, offset int, reason string) error {
	if offset < 0 {
		return &SyntaxError{File: file, Reason: reason}
	}
	begun := text[:offset]
	return &SyntaxError{file, strings.Count(begun, "\n") + 1, offset - strings.LastIndexByte(begun, '\n'), reason}
}

// parseHeader reads the header of the map in a file. The program behind it is not looked at.
func parseHeader(file string, text []byte) (*header, error) {
	head := agent.HeaderText(string(text))
	q, err := gojq.Parse(head)
	switch {
	case err != nil:
		return nil, syntaxError(file, head, jq.Offset(head, err), err.Error())
	case q.Meta == nil:
		return nil, syntaxError(file, head, 0, "a map begins with module {…};")
	}
	m := &members{file: file, of: q.Meta.ToValue()}
	if n, ok := m.take("interface").(int); !ok || n != Interface {
		return nil, syntaxError(file, head, -1, fmt.Sprintf("interface %v: this program speaks interface %d", m.of["interface"], Interface))
	}
	h := &header{
		agent: m.agent(head), provider: m.text("provider"), api: m.text("api"), each: m.text("each"),
		files: m.list("files"), except: m.list("except"), sqlite: m.sqlite(), registry: m.list("registry"), beside: m.list("beside"), ahead: m.list("ahead"),
		lines: m.lines(),
		id:    path(m.text("id")), parent: path(m.text("parent")), track: path(m.text("track")),
		keepKind: set(m.list("keep")), skip: set(m.list("skip")),
	}
	for _, member := range m.list("kind") {
		name, itself := strings.CutPrefix(member, "?")
		h.kind = append(h.kind, kindMember{path(name), itself})
	}
	for _, member := range m.list("time") {
		h.time = append(h.time, path(member))
	}
	switch {
	case h.sqlite != nil && (h.each != "" || len(h.beside)+len(h.ahead)+len(h.lines) > 0):
		m.wrong("the members each, beside, lines and ahead of the header are of files, and not of sqlite")
	case len(h.registry) != 0 && (len(h.registry) != 3 || h.sqlite == nil):
		m.wrong("the member registry of the header is not a file, a list and a member, of sqlite")
	case len(h.except) > 0 && h.agent.Like == "":
		m.wrong("the member except of the header is of like")
	}
	for name := range m.of {
		if !slices.Contains(m.taken, name) {
			m.wrong("interface %d has no member %s of the header", Interface, name)
		}
	}
	return h, m.err
}

func path(member string) []string {
	if member == "" {
		return nil
	}
	return strings.Split(member, ".")
}

func set(list []string) map[string]bool {
	out := map[string]bool{}
	for _, s := range list {
		out[s] = true
	}
	return out
}

// members takes the members of a header one by one, and remembers the first that is wrong.
type members struct {
	file  string
	of    map[string]any
	taken []string
	err   error
}

func (m *members) take(name string) any {
	m.taken = append(m.taken, name)
	return m.of[name]
}

func (m *members) wrong(format string, args ...any) {
	if m.err == nil {
		m.err = &SyntaxError{File: m.file, Reason: fmt.Sprintf(format, args...)}
	}
}

// agent returns what the header says of the agent, whose text it is.
func (m *members) agent(head string) agent.Agent {
	m.taken = append(m.taken, agent.HeaderMembers()...)
	a, err := agent.ParseHeader(head)
	if err != nil {
		m.wrong("%v", err)
	}
	for _, t := range a.Tools {
		if !slices.Contains(calls.Kinds(), t.Kind) {
			m.wrong("the member tools of the header has %s, which is no kind of calls", t.Kind)
		}
	}
	return a
}

func (m *members) text(name string) string {
	v := m.take(name)
	text, ok := v.(string)
	if !ok && v != nil {
		m.wrong("the member %s of the header is not a string", name)
	}
	return text
}

// lines returns the files of lines beside a session, in the order of their names.
func (m *members) lines() (out []lines) {
	v := m.take("lines")
	files, ok := v.(map[string]any)
	if v != nil && !ok {
		m.wrong("the member lines of the header is not an object of lists of strings")
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		of := lines{file: file}
		for _, member := range m.strings("lines", files[file]) {
			of.members = append(of.members, path(member))
		}
		out = append(out, of)
	}
	return out
}

// list returns a member that is a list of strings; one string is a list of it.
func (m *members) list(name string) []string { return m.strings(name, m.take(name)) }

func (m *members) strings(name string, of any) (out []string) {
	switch v := of.(type) {
	case nil:
	case string:
		out = []string{v}
	case []any:
		for _, e := range v {
			text, ok := e.(string)
			if !ok {
				m.wrong("the member %s of the header is not a list of strings", name)
			}
			out = append(out, text)
		}
	default:
		m.wrong("the member %s of the header is not a list of strings", name)
	}
	return out
}
