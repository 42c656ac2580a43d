package check

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A piece is a part of a line: one JSON object, or bytes that are none.
type piece struct {
	text string
	good bool
}

var entryStart = []byte(`{"type":"`)

// salvage takes a line apart that is not one JSON object: entries fused
// without a line feed, a torn entry with another behind it, NULs before, between
// and after. The pieces join to the line. Objects inside a torn entry are not
// taken for entries: those have a known type and an id.
func salvage(line []byte) []piece {
	var out []piece
	var bad []byte
	flush := func() {
		if len(bad) > 0 {
			out = append(out, piece{text: string(bad)})
			bad = nil
		}
	}
	for len(line) > 0 {
		if n := entryLen(line); n > 0 {
			flush()
			out = append(out, piece{text: string(line[:n]), good: true})
			line = line[n:]
			continue
		}
		// The next place where an entry may begin.
		skip := len(line)
		if i := bytes.Index(line[1:], entryStart); i >= 0 {
			skip = i + 1
		}
		bad = append(bad, line[:skip]...)
		line = line[skip:]
	}
	flush()
	return out
}

// entryLen returns the length of the entry that line begins with, 0 if it
// begins with none.
func entryLen(line []byte) int {
	if line[0] != '{' {
		return 0
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	var raw json.RawMessage
	if dec.Decode(&raw) != nil || !js.Valid(raw) {
		return 0
	}
	e, err := session.ParseEntry(string(raw))
	if err != nil || !isEntry(e) {
		return 0
	}
	return int(dec.InputOffset())
}

func isEntry(e session.Entry) bool {
	switch {
	case e.Type() == session.TypeSession:
		return e.ID() != ""
	case !slices.Contains(session.Types(), e.Type()):
		return false
	}
	return e.Get("id") != "" || e.Get("timestamp") != ""
}
