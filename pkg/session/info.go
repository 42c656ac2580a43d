package session

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// Info is what a listing says about a session (docs/formats/pi.md, listing).
type Info struct {
	ID            string
	CWD           string // "" if the header has none
	Name          string // "" if it has none
	ParentSession string
	Version       int
	Created       time.Time // of the header; zero if it does not parse
	Modified      time.Time // newest user or assistant message, else the header's time; zero if neither
	Entries       int       // lines that are entries, on all branches
	Messages      int       // "message" entries of every role, on all branches
	FirstMessage  string    // text of the first user message that has one, in file order
	LastMessage   string    // text of the last user or assistant message that has one, in file order
	Spent         Spent     // what the assistant messages report, on all branches
	Exact         bool      // false if only head and tail were read: then counts are lower bounds
}

// Spent sums up usage: tokens, and what they cost in the unit of the messages,
// dollars as a rule.
type Spent struct {
	Input, Output, CacheRead, CacheWrite int64
	Cost                                 float64
}

// add adds the usage of a message, a JSON text.
func (s *Spent) add(usage string) {
	js.WalkObject(usage, 0, func(key string, at int) int {
		end := js.ValueEnd(usage, at)
		value := usage[at:end]
		switch js.PlainKey(key) {
		case `"input"`:
			s.Input += js.Value(value).Int()
		case `"output"`:
			s.Output += js.Value(value).Int()
		case `"cacheRead"`:
			s.CacheRead += js.Value(value).Int()
		case `"cacheWrite"`:
			s.CacheWrite += js.Value(value).Int()
		case `"cost"`:
			if total := js.Member(value, "total"); js.Value(total).IsNumber() {
				s.Cost += js.Value(total).Float()
			}
		}
		return end
	})
}

// ScanInfo reads a whole session for a listing, in one pass and without
// keeping it, but that a message which is most of its line may keep the line.
// Its errors are those of Read.
func ScanInfo(r io.Reader) (Info, error) { return InfoReader{}.Read(r) }

// An InfoReader reads sessions for a listing. Its errors are those of Read.
type InfoReader struct {
	Omit Details // what may be left empty
}

// Details are the members of Info that take longest, and that not every listing
// shows.
type Details int

// The details.
const (
	LastMessage Details = 1 << iota
	Expenses            // Spent
)

// Read is ScanInfo.
func (o InfoReader) Read(r io.Reader) (Info, error) {
	s := infoScan{info: Info{Exact: true}, omit: o.Omit}
	for l, err := range jsonl.Lines(r) {
		if err != nil {
			return Info{}, err
		}
		if err := s.line(l); err != nil {
			return Info{}, err
		}
	}
	return s.result()
}

// Of reads a session that is in memory. Nothing of it is kept.
func (o InfoReader) Of(data []byte) (Info, error) {
	s := infoScan{info: Info{Exact: true}, omit: o.Omit, stays: true}
	if err := s.data(data); err != nil {
		return Info{}, err
	}
	return s.result()
}

// Ends reads the first and the last bytes of a session too large to read whole.
// The tail's first line is taken for a fragment.
func (o InfoReader) Ends(head, tail []byte) (Info, error) {
	s := infoScan{omit: o.Omit, stays: true}
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	if i := bytes.IndexByte(tail, '\n'); i >= 0 {
		tail = tail[i+1:]
	}
	if err := s.data(head); err != nil {
		return Info{}, err
	}
	if s.opened {
		if err := s.data(tail); err != nil {
			return Info{}, err
		}
	}
	return s.result()
}

// infoScan is the state of scanning one session.
type infoScan struct {
	info     Info
	omit     Details
	lines    int
	opened   bool
	slot     bool
	title    string
	named    bool
	name     string
	modified int64
	spans    [2]int   // lengths of the lines of the first and the last message, in bytes
	last     []string // contents of the messages behind LastMessage, of which the last with a text counts
	buf      []byte   // what the only one of them is a copy in, unless lines stay
	stays    bool     // lines are there until the end: who has a text can be found out then

	glance glance
}

// data scans the lines of a session in memory.
func (s *infoScan) data(data []byte) error {
	for at := 0; at < len(data); {
		l := jsonl.Line{Offset: int64(at)}
		n := bytes.IndexByte(data[at:], '\n')
		if l.Torn = n < 0; l.Torn {
			n = len(data) - at
		}
		l.Data = data[at : at+n : at+n]
		if err := s.line(l); err != nil {
			return err
		}
		at += n + 1
	}
	return nil
}

// line scans a line: at a glance if that tells enough of it, else with care.
func (s *infoScan) line(l jsonl.Line) error {
	s.lines++
	if !s.opened || !s.glance.at(l) {
		return s.examine(l)
	}
	g := &s.glance
	typ, _ := js.Value(g.typ).Text()
	if typ == TypeSession {
		return nil
	}
	s.info.Entries++
	switch typ {
	case TypeMessage:
		s.info.Messages++
		s.glimpsed(g)
	case TypeSessionInfo:
		name, _ := js.Value(g.name).Text()
		s.named, s.name = true, strings.Clone(js.Trim(name))
	}
	return nil
}

// glimpsed takes a message into account.
func (s *infoScan) glimpsed(g *glance) {
	m := g.message
	role, _ := js.Value(m.role).Text()
	if role != RoleUser && role != RoleAssistant || m.content == "" {
		return
	}
	s.modified = max(s.modified, g.time())
	if role == RoleAssistant && s.omit&Expenses == 0 {
		s.info.Spent.add(m.usage)
	}
	if role == RoleUser && s.info.FirstMessage == "" {
		s.info.FirstMessage, s.spans[0] = strings.Clone(textOf(m.content, " ")), 0
	}
	switch {
	case s.omit&LastMessage != 0:
	case s.stays:
		s.last = append(s.last, m.content)
	case hasText(m.content):
		s.buf = append(s.buf[:0], m.content...)
		s.last = append(s.last[:0], unsafe.String(unsafe.SliceData(s.buf), len(s.buf)))
	}
}

// examine reads a line as Read does.
func (s *infoScan) examine(l jsonl.Line) error {
	data := l.Data
	if s.lines == 1 {
		data = data[len(bom(data)):]
	}
	if len(bytes.TrimSpace(data)) == 0 || !js.Valid(data) {
		return nil
	}
	text := l.Text()
	text = text[len(text)-len(data):]
	if !isObject(text) {
		if !s.opened {
			return problem(s.lines, l.Offset, NoHeader, "", "not a session: the first line is no session header")
		}
		return nil
	}
	e := scan(text)
	e.line = s.lines
	switch {
	case !s.opened:
		return s.header(e, l.Offset)
	case e.typ == TypeSession:
		return nil
	}
	s.info.Entries++
	switch e.typ {
	case TypeMessage:
		s.info.Messages++
		s.message(e)
	case TypeSessionInfo:
		s.named, s.name = true, js.Trim(e.Str("name"))
	}
	return nil
}

func (s *infoScan) header(e Entry, offset int64) error {
	if title, ok := titleSlot(e); ok {
		s.slot, s.title = true, title
		return nil
	}
	h, err := headerOf(e)
	if p, ok := errors.AsType[Problem](err); ok {
		p.Offset = offset
		return p
	}
	s.opened = true
	s.info.ID, s.info.CWD, s.info.ParentSession, s.info.Version = h.ID, h.CWD, h.ParentSession, h.Version
	if ms, ok := js.ParseTime(h.Timestamp); ok {
		s.info.Created = time.UnixMilli(ms).UTC()
	}
	if !s.slot {
		s.title = h.Title
	}
	return nil
}

func (s *infoScan) message(e Entry) {
	m, ok := e.Message()
	if !ok || m.role != RoleUser && m.role != RoleAssistant {
		return
	}
	if m.Get("content") == "" {
		return
	}
	s.modified = max(s.modified, messageTime(e, m))
	if m.role == RoleAssistant && s.omit&Expenses == 0 {
		s.info.Spent.add(m.usage)
	}
	first := m.role == RoleUser && s.info.FirstMessage == ""
	if s.omit&LastMessage != 0 && !first {
		return
	}
	text := m.Text(" ")
	if text == "" {
		return
	}
	if first {
		s.info.FirstMessage, s.spans[0] = text, len(e.raw)
	}
	if s.omit&LastMessage == 0 {
		s.info.LastMessage, s.spans[1], s.last = text, len(e.raw), s.last[:0]
	}
}

// detached returns a text that may be a slice of a line of span bytes, as a copy
// unless it is most of the line: a question of ten bytes beside an image must
// not keep the image in memory, and a huge one is better not there twice.
func detached(text string, span int) string {
	if len(text) > span/2 {
		return text
	}
	return strings.Clone(text)
}

func (s *infoScan) result() (Info, error) {
	switch {
	case s.lines == 0:
		return Info{}, problem(0, 0, Empty, "", "not a session: empty")
	case !s.opened:
		return Info{}, problem(1, 0, NoHeader, "", "not a session: no session header")
	}
	i := s.info
	for _, content := range slices.Backward(s.last) {
		if hasText(content) {
			i.LastMessage, s.spans[1] = strings.Clone(textOf(content, " ")), 0
			break
		}
	}
	i.FirstMessage, i.LastMessage = detached(i.FirstMessage, s.spans[0]), detached(i.LastMessage, s.spans[1])
	i.Modified = i.Created
	if s.modified > 0 {
		i.Modified = time.UnixMilli(s.modified).UTC()
	}
	if i.Name = s.name; !s.named {
		i.Name = strings.TrimSpace(s.title)
	}
	return i, nil
}
