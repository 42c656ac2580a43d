package session

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// Version is the version of the sessions this package writes. It reads 1 to 3.
const Version = 3

// A Header is the first line of a session.
type Header struct {
	raw           string
	ID            string
	Version       int // 1 if the line has none
	Timestamp     string
	CWD           string // "" if the line has none
	Title         string // oh-my-pi; "" if the line has none
	ParentSession string // path or id of the session this one was forked from

	offset   int64  // of the line's first byte
	importer string // the agent that the first entries tell, if the line names none
}

// Raw returns the header's line, byte for byte, or "" for a header that was
// not read.
func (h Header) Raw() string { return h.raw }

// Of is the member of a header with the id that a session has with its agent, where an import gave it
// another one: there are several of that id.
const Of = "of"

// Original returns the header as its agent has it, with the id of the member [Of] if there is one.
func (h Header) Original() Header {
	if of := js.Value(h.raw).Get(Of).Str(); of != "" {
		h.ID, h.raw = of, string(js.Value(h.raw).With("id", js.Value(js.Quote(of))).Without(Of))
	}
	return h
}

// An Origin says where a session is from, in members of its header. Each is "" if that is not known.
type Origin struct {
	Harness string // the agent that it was made of, by the name that addresses begin with
	Host    string // the machine
	User    string
	Git     string // an object with remote, branch and commit, as JSON
}

// Origin returns what the header says of where the session is from. Imports of earlier versions do not name the agent: it is told
// by the first 64 entries, if they were read.
func (h Header) Origin() Origin {
	v := js.Value(h.raw)
	o := Origin{Harness: cmp.Or(v.Get(harnessKey).Str(), h.importer), Host: v.Get("host").Str(), User: v.Get("user").Str()}
	if git := v.Get("git"); git.IsObject() {
		o.Git = string(git)
	}
	return o
}

// originEntries are the entries by which an import of an earlier version is known, and originBytes the most bytes that are read for that.
const (
	originEntries = 64
	originBytes   = 1 << 20
)

// MemberRedacted is the member of the header of a copy of which no line has its secrets.
const MemberRedacted = "redacted"

// IsRedacted reports whether the header says that no line has its secrets.
func (h Header) IsRedacted() bool { return js.Value(h.raw).Get(MemberRedacted) == "true" }

// Git returns the member git of a header, "" if nothing is known. The remote loses what its address has of a user.
func Git(remote, branch, commit string) string {
	if u, err := url.Parse(remote); err == nil && u.Host != "" {
		u.User = nil
		remote = u.String()
	}
	var fields []js.Field
	for _, f := range [][2]string{{"remote", remote}, {"branch", branch}, {"commit", commit}} {
		if f[1] != "" {
			fields = append(fields, js.StringField(f[0], f[1]))
		}
	}
	if len(fields) == 0 {
		return ""
	}
	return js.Object(fields...)
}

// Repo returns the address of the repository, "" if it is not known.
func (o Origin) Repo() string { return js.Value(o.Git).Get("remote").Str() }

// Branch returns the name of the branch, "" if it is not known.
func (o Origin) Branch() string { return js.Value(o.Git).Get("branch").Str() }

// On returns a header with the members of an origin that it has not.
func (o Origin) On(header string) string {
	v, has := js.Value(header), Header{raw: header}.Origin()
	for _, m := range []struct{ name, text, has string }{{harnessKey, o.Harness, has.Harness}, {"host", o.Host, has.Host}, {"user", o.User, has.User}} {
		if m.text != "" && m.has == "" {
			v = v.With(m.name, js.Value(js.Quote(m.text)))
		}
	}
	if o.Git != "" && has.Git == "" {
		v = v.With("git", js.Value(o.Git))
	}
	return string(v)
}

// HeaderOf reads a header line without its line feed. The error matches
// ErrNotSession, or ErrVersion for a session of a later version.
func HeaderOf(line []byte) (Header, error) {
	e, err := ParseEntry(string(line))
	if err != nil {
		return Header{}, problem(0, 0, NoHeader, "", "not a session: the first line is not JSON")
	}
	return headerOf(e)
}

// WithoutHeader returns the problem of a file whose first JSON value, on a line that counts from 1
// and at an offset in bytes, is no header. Lines that are no JSON may stand in front of it.
func WithoutHeader(line int, offset int64) Problem {
	return problem(line, offset, NoHeader, "", "not a session: it does not begin with a session header")
}

func headerOf(e Entry) (Header, error) {
	if e.typ == "" && e.Str("kind") == "header" {
		return Header{}, problem(e.Line(), 0, BadVersion, "", "a version 4 store of pi-agent-core, which this tool cannot read")
	}
	if e.typ != TypeSession || !e.hasID {
		return Header{}, WithoutHeader(e.Line(), 0)
	}
	h := Header{
		raw: e.raw, ID: e.id, Timestamp: e.Str("timestamp"), CWD: e.Str("cwd"),
		Title: e.Str("title"), ParentSession: e.Str("parentSession"), Version: 1,
	}
	n := versionOf(e.Get("version"))
	if n > Version {
		return Header{}, problem(e.Line(), 0, BadVersion, "", "session version %s is newer than this tool reads (%d)", e.Get("version"), Version)
	}
	h.Version = int(max(n, 1))
	return h, nil
}

// versionOf reads a header's version as pi compares it: absent and null stand for 1, a string for
// the number it spells. Any other value is never below 3, so that nothing is migrated.
func versionOf(raw string) float64 {
	switch {
	case raw == "" || raw == "null":
		return 1
	case raw[0] == '"':
		if raw = js.Trim(js.Unquote(raw)); raw == "" {
			return 0
		}
	case raw == "true" || raw == "false":
		return 1
	}
	n, err := strconv.ParseFloat(raw, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(n) {
		return Version
	}
	return n
}

// CanAppend reports whether entries may be added to a session with this header. A version 1 file
// has no ids: new entries would not join its tree.
func (h Header) CanAppend() error {
	if h.Version < 2 {
		return fmt.Errorf("%w: a version 1 session cannot be added to", ErrVersion)
	}
	return nil
}

// HeaderFields are the fields of a new header.
type HeaderFields struct {
	ID            string
	Time          int64 // milliseconds since the epoch
	CWD           string
	Title         string
	ParentSession string
	Origin        Origin
}

// NewHeader returns the header line of a new session, without a line feed.
func NewHeader(f HeaderFields) string {
	fields := []js.Field{
		js.StringField("type", TypeSession), js.IntField("version", Version), js.StringField("id", f.ID),
		js.StringField("timestamp", js.FormatTime(f.Time)), js.StringField("cwd", f.CWD),
	}
	if f.Title != "" {
		fields = append(fields, js.StringField("title", f.Title))
	}
	if f.ParentSession != "" {
		fields = append(fields, js.StringField("parentSession", f.ParentSession))
	}
	return f.Origin.On(js.Object(fields...))
}

// titleSlot reads oh-my-pi's title slot, the fixed-size line it keeps in front
// of the header (docs/formats/omp.md). ok is false for any other line.
func titleSlot(e Entry) (title string, ok bool) {
	if e.typ != TypeTitle || e.Get("v") != "1" {
		return "", false
	}
	for _, name := range []string{"title", "updatedAt", "pad"} {
		if !strings.HasPrefix(e.Get(name), `"`) {
			return "", false
		}
	}
	return e.Str("title"), true
}

// IsTitleSlot reports whether the entry is oh-my-pi's title slot: a line in front of the
// header, which its owner overwrites in place.
func (e Entry) IsTitleSlot() bool {
	_, ok := titleSlot(e)
	return ok
}

// OneLine returns a session's name as pi writes it: trimmed, line breaks as
// single spaces.
func OneLine(name string) string {
	breaks := func(r rune) bool { return r == '\r' || r == '\n' }
	return js.Trim(strings.Join(strings.FieldsFunc(name, breaks), " "))
}

// migrate upgrades the entries to version 3 as pi does on open, in memory
// (docs/formats/pi.md, migration). Version 1 entries have no ids; here an
// entry's id is its position, 1 for the first after the header, in eight hex
// digits, so that its address is the same at every reading.
func (rd *reader) migrate() {
	s := rd.s
	if s.Header.Version < 2 {
		for i, e := range s.Entries {
			s.Entries[i] = rd.fromV1(i, e)
		}
	}
	if s.Header.Version < 3 {
		for i, e := range s.Entries {
			s.Entries[i] = fromV2(e)
		}
	}
}

// PositionID returns the id of the n-th entry of a version 1 session, counted
// from 1.
func PositionID(n int) string { return fmt.Sprintf("%08x", n) }

func (rd *reader) fromV1(i int, e Entry) Entry {
	parent := ""
	if i > 0 {
		parent = PositionID(i)
	}
	raw := e.raw
	place := []js.Field{js.StringField("id", PositionID(i+1)), js.RawField("parentId", parentLiteral(parent))}
	if e.Get("id") == "" && e.Get("parentId") == "" {
		raw = string(js.Value(raw).Add(place...)) // at once: the entry may be huge
	} else {
		raw = string(js.Value(raw).With("id", js.Value(place[0].Raw)).With("parentId", js.Value(place[1].Raw)))
	}
	if index := e.Get(typeFirstKeptIndex); e.typ == TypeCompaction && index != "" && js.Value(index).Type() == "number" {
		if kept, ok := rd.elementAt(index); ok && kept < i {
			raw = string(js.Value(raw).With("firstKeptEntryId", js.Value(js.Quote(PositionID(kept+1)))))
		}
		raw = string(js.Value(raw).Without(typeFirstKeptIndex))
	}
	return e.Rewritten(raw)
}

// elementAt returns the entry at a version 1 index, which counts every parsed
// line from 0, the header's.
func (rd *reader) elementAt(index string) (entry int, ok bool) {
	n, err := strconv.Atoi(js.Stringify(index))
	if err != nil || n < 0 || n >= len(rd.elements) || rd.elements[n] < 0 {
		return 0, false
	}
	return rd.elements[n], true
}

func fromV2(e Entry) Entry {
	m, ok := e.Message()
	if !ok || m.Role() != RoleHookMessage {
		return e
	}
	return e.WithRaw("message", string(js.Value(m.Raw()).With("role", js.Value(js.Quote(RoleCustom)))))
}
