package opencode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode/parts"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// An exportFile is an export, or the list of a shared session.
type exportFile struct {
	damaged
	name     string
	file     *formats.File
	about    js.Value
	messages []ref
	moved    map[string][]js.Value // parts that stand elsewhere, by their message
	shared   bool
	known    map[string]int // how many messages have an id
}

// newScanner begins to read a file.
func newScanner(ctx context.Context, name string, file *formats.File) *scanner {
	s := &scanner{name: name, r: file.Reader(ctx)}
	if begin, err := s.r.Peek(len(jsonl.ByteOrderMark)); err == nil && string(begin) == jsonl.ByteOrderMark {
		n, _ := s.r.Discard(len(begin))
		s.at = int64(n)
	}
	begin, _ := s.r.Peek(mostStatus)
	if n := statusIn(begin); n > 0 {
		n, _ = s.r.Discard(n)
		s.at, s.status = s.at+int64(n), true
	}
	return s
}

// mostStatus is how many bytes a status line has at most.
const mostStatus = 512

// statusIn returns how long the status line is that a file begins with, 0 if there is none: opencode says on standard error which
// session it exports, and the file has that as well if both went into it.
func statusIn(begin []byte) int {
	n := max(0, bytes.IndexByte(begin[:min(len(begin), mostStatus)], '{'))
	if !bytes.Contains(begin[:n], []byte("Exporting session: ")) {
		return 0
	}
	return n
}

// errDone ends a scan that has found its value.
var errDone = errors.New("done")

// openExport reads an export once, to know where its messages are.
func openExport(ctx context.Context, name string, file *formats.File) (*exportFile, error) {
	x := &exportFile{name: name, file: file, moved: map[string][]js.Value{}, known: map[string]int{}}
	s := newScanner(ctx, name, file)
	if s.status {
		x.lose(name, "a status line of opencode in front of the export, left out: only standard output is the export")
	}
	if err := x.scan(s, nil); err != nil {
		return nil, err
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	if err := x.hasInfo(); err != nil {
		return nil, err
	}
	order(x.messages)
	for i := range x.messages {
		for _, p := range x.moved[x.messages[i].key] {
			x.messages[i].notePart(p)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(x.moved)) {
		if id, _, _ := strings.Cut(id, twin); x.known[id] == 0 {
			x.lose("message "+id, "there are parts of it, but not itself; they are left out")
		}
	}
	return x, nil
}

// readInfo reads no further than the facts about the session.
func readInfo(ctx context.Context, name string, file *formats.File) (js.Value, error) {
	x := &exportFile{name: name, file: file, known: map[string]int{}}
	err := x.scan(newScanner(ctx, name, file), errDone)
	if err != nil && !errors.Is(err, errDone) {
		return "", err
	}
	return x.about, x.hasInfo()
}

func (x *exportFile) hasInfo() error {
	if !x.about.IsObject() {
		return formats.Damaged("%s: no export of opencode: it has no info; a file of its older store is read where it lies, as storage/session/PROJECT/SESSION.json, with the messages and parts beside it", x.name)
	}
	return nil
}

// scan reads the file. The error atInfo, if it is one, ends it when it is known what
// the session is.
func (x *exportFile) scan(s *scanner, atInfo error) error {
	c, err := s.next()
	if err != nil {
		return err
	}
	s.back()
	if c == '[' {
		x.shared = true
		return s.elements(func() error { return x.item(s, atInfo) })
	}
	return s.members(func(name string) error {
		switch name {
		case "info":
			if _, err := s.value(); err != nil {
				return err
			}
			x.valid(s.piece, x.name+": info")
			x.about = compact(string(s.piece))
			return atInfo
		case "messages":
			return s.elements(func() error {
				where, err := s.value()
				if err == nil && atInfo == nil {
					x.valid(s.piece, fmt.Sprintf("%s: byte %d", x.name, where.at))
					x.note(js.Value(s.piece), where)
				}
				return err
			})
		}
		_, err := s.value()
		return err
	})
}

// item reads an element of a shared session's list.
func (x *exportFile) item(s *scanner, atInfo error) error {
	where, err := s.value()
	if err != nil {
		return err
	}
	raw := js.Value(s.piece)
	data := raw.Get("data")
	if atInfo == nil {
		x.valid(s.piece, fmt.Sprintf("%s: byte %d", x.name, where.at))
	}
	switch raw.Get("type").Str() {
	case "session":
		x.about = compact(string(data))
		return atInfo
	case "message":
		x.noteInfo(data, where)
	case "part":
		owner := x.key(strings.Clone(data.Get("messageID").Str()))
		x.moved[owner] = append(x.moved[owner], compact(string(data)))
	}
	return nil
}

// note notes a message of an export.
func (x *exportFile) note(raw js.Value, where span) {
	r := x.noteInfo(raw.Get("info"), where)
	if r == nil {
		return
	}
	for _, p := range slices.Collect(raw.Get("parts").Elements()) {
		owner := p.Get("messageID").Str()
		if owner == "" || owner == r.id {
			r.notePart(p)
			continue
		}
		owner = x.key(strings.Clone(owner))
		x.moved[owner] = append(x.moved[owner], compact(string(p)))
	}
}

// noteInfo notes what a message says of itself, nil if it is none.
func (x *exportFile) noteInfo(info js.Value, where span) *ref {
	role, place := info.Get("role").Str(), fmt.Sprintf("%s: byte %d", x.name, where.at)
	switch {
	case role == "" || info.Get("id").Str() == "":
		x.lose(place, "a message without role or id, skipped")
		return nil
	case x.known[info.Get("id").Str()] > 0 && !x.again(where):
		x.lose(place, "message %s once more, skipped", info.Get("id").Str())
		return nil
	case x.known[info.Get("id").Str()] > 0:
		x.lose(place, "another message has the id %s: this one gets one of its own", info.Get("id").Str())
	case role != "user" && role != "assistant":
		x.lose(place, "a message of role %q, which nothing is made of", role)
	}
	r := ref{where: where, created: parts.Int(info, "time", "created")}
	r.note(info)
	x.known[r.id]++
	r.key = x.key(r.id)
	x.messages = append(x.messages, r)
	return &x.messages[len(x.messages)-1]
}

// twin stands between an id and the number of a message whose id others had before.
const twin = "\x00"

// key is what the last message of an id is known by: parts behind it are its own.
func (x *exportFile) key(id string) string {
	if n := x.known[id]; n > 1 {
		return id + twin + strconv.Itoa(n)
	}
	return id
}

// again reports whether a message of an id that another one has is a further message, and
// not the same once more.
func (x *exportFile) again(where span) bool {
	piece := func(at span) string {
		b := make([]byte, at.size)
		n, _ := x.file.ReadAt(b, at.at)
		return string(b[:n])
	}
	now := piece(where)
	for _, r := range x.messages {
		if r.where.size == where.size && piece(r.where) == now {
			return false
		}
	}
	return true
}

// valid tells of a piece that is not valid UTF-8.
func (x *exportFile) valid(piece []byte, where string) {
	if !utf8.Valid(piece) {
		x.damaged = append(x.damaged, formats.Loss{Where: where, Kind: formats.KindText, What: "invalid UTF-8, which became U+FFFD"})
	}
}

func (x *exportFile) info() js.Value { return x.about }

func (x *exportFile) refs() []ref { return x.messages }

func (x *exportFile) message(_ context.Context, r ref) (message, error) {
	piece := make([]byte, r.where.size)
	if _, err := x.file.ReadAt(piece, r.where.at); err != nil && !errors.Is(err, io.EOF) {
		return message{}, fmt.Errorf("reading %s: %w", x.name, err)
	}
	if !js.Valid(piece) {
		return message{}, formats.Damaged("%s: at byte %d: it has changed while it was read", x.name, r.where.at)
	}
	raw := compact(string(piece))
	m := message{info: raw.Get("info")}
	if x.shared {
		m.info = raw.Get("data")
	}
	for _, p := range slices.Collect(raw.Get("parts").Elements()) {
		if owner := p.Get("messageID").Str(); owner == "" || owner == r.id {
			m.parts = append(m.parts, p)
		}
	}
	m.parts = sorted(append(m.parts, x.moved[r.key]...))
	return m, nil
}

// An exportArchive is a file with one session.
type exportArchive struct {
	src  *formats.Source
	file *formats.File
}

func (a *exportArchive) Close() error { return a.file.Close() }

func (a *exportArchive) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		info := formats.Info{Row: store.Row{Path: a.src.Path, Size: a.file.Size, ModTime: a.file.ModTime}}
		about, err := readInfo(ctx, a.src.Name(), a.file)
		if err == nil {
			describe(&info, header(about), parts.Int(about, "time", "updated"))
			if info.ID != q.ID && about.Get("slug").Str() == q.ID {
				info.Alias = q.ID
			}
			if q.Detailed(info) {
				info, err = formats.Describe(ctx, a, info)
			}
		}
		yield(info, err)
	}
}

// describe fills in a listing.
func describe(info *formats.Info, h session.HeaderFields, modified int64) {
	info.ID, info.CWD, info.Name, info.ParentSession, info.Version = h.ID, h.CWD, h.Title, h.ParentSession, session.Version
	info.Created = time.UnixMilli(h.Time).UTC()
	info.Modified = time.UnixMilli(max(modified, h.Time)).UTC()
}

// maxTime is the last time that JavaScript has, in milliseconds.
const maxTime = 8_640_000_000_000_000

// untitled is the title that opencode and Kilo give a session until a model has named it.
var untitled = lazy.Regexp(`^(?:New|Child) session - \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// titleOf returns the title of a session, "" for one that says when it was begun and no more.
func titleOf(about js.Value) string {
	title := session.OneLine(about.Get("title").Str())
	if strings.Contains(title, " session - ") && untitled().MatchString(title) {
		return ""
	}
	return title
}

// header returns the header of a session.
func header(about js.Value) session.HeaderFields {
	h := session.HeaderFields{
		ID: about.Get("id").Str(), Time: parts.Int(about, "time", "created"), CWD: about.Get("directory").Str(),
		Title: titleOf(about), ParentSession: about.Get("parentID").Str(),
	}
	if !session.ValidSessionID(h.ID) {
		h.ID = formats.SessionID("opencode", h.ID)
	}
	if h.Time < -maxTime || h.Time > maxTime {
		h.Time = 0
	}
	return h
}

func (a *exportArchive) Read(ctx context.Context, _ formats.Info, b *formats.Builder) error {
	doc, err := openExport(ctx, a.src.Name(), a.file)
	if err != nil {
		return err
	}
	if err := convert(ctx, doc, header(doc.info()), b); err != nil {
		return fmt.Errorf("%s: %w", a.src.Name(), err)
	}
	return nil
}
