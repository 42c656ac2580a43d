package session

import (
	"errors"
	"math"
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

	offset int64 // of the line's first byte
}

// Raw returns the header's line, byte for byte, or "" for a header that was
// not read.
func (h Header) Raw() string { return h.raw }

// HeaderOf reads a header line without its line feed. The error matches
// ErrNotSession, or ErrVersion for a session of a later version.
func HeaderOf(line []byte) (Header, error) {
	e, err := ParseEntry(string(line))
	if err != nil {
		return Header{}, problem(0, 0, NoHeader, "", "not a session: the first line is not JSON")
	}
	return headerOf(e)
}

func headerOf(e Entry) (Header, error) {
	if e.typ == "" && e.Str("kind") == "header" {
		return Header{}, problem(e.line, 0, BadVersion, "", "a version 4 store of pi-agent-core, which this tool cannot read")
	}
	if e.typ != TypeSession || !e.hasID {
		return Header{}, problem(e.line, 0, NoHeader, "", "not a session: the first line is no session header")
	}
	h := Header{
		raw: e.raw, ID: e.id, Timestamp: e.Str("timestamp"), CWD: e.Str("cwd"),
		Title: e.Str("title"), ParentSession: e.Str("parentSession"), Version: 1,
	}
	n := versionOf(e.Get("version"))
	if n > Version {
		return Header{}, problem(e.line, 0, BadVersion, "", "session version %s is newer than this tool reads (%d)", e.Get("version"), Version)
	}
	h.Version = int(max(n, 1))
	return h, nil
}

// versionOf reads a header's version as pi compares it: absent and null stand
// for 1, a string for the number it spells. What is no number is never below 3,
// so that nothing is migrated.
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

// HeaderFields are the fields of a new header.
type HeaderFields struct {
	ID            string
	Time          int64 // milliseconds since the epoch
	CWD           string
	Title         string
	ParentSession string
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
	return js.Object(fields...)
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

// OneLine returns a session's name as pi writes it: trimmed, line breaks as
// single spaces.
func OneLine(name string) string {
	breaks := func(r rune) bool { return r == '\r' || r == '\n' }
	return js.Trim(strings.Join(strings.FieldsFunc(name, breaks), " "))
}
