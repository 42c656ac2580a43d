package seg

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// An exact parser reads frames and rows the way both programs write them: members
// in their order, no white space, strings without escapes. It gives up, without a
// reason, on anything else, which the general parser may still take.
type exact struct {
	rest string
	bad  bool
}

// take reads the word w.
func (x *exact) take(w string) {
	var ok bool
	if x.rest, ok = strings.CutPrefix(x.rest, w); !ok {
		x.bad = true
	}
}

// count reads up to 18 digits, without a zero in front.
func (x *exact) count() int64 {
	n, i := int64(0), 0
	for i < len(x.rest) && isDigit(x.rest[i]) {
		n = n*10 + int64(x.rest[i]-'0')
		i++
	}
	if i == 0 || i > 18 || x.rest[0] == '0' && i > 1 {
		x.bad = true
	}
	x.rest = x.rest[min(i, len(x.rest)):]
	return n
}

// plain reads the rest of a string of printable ASCII and its end.
func (x *exact) plain() string {
	for i := range len(x.rest) {
		switch c := x.rest[i]; {
		case c == '"':
			s := x.rest[:i]
			x.rest = x.rest[i+1:]
			return s
		case c < ' ' || c > '~' || c == '\\':
			x.bad = true
			return ""
		}
	}
	x.bad = true
	return ""
}

// either reads the one or the other word, and reports whether it was the second.
func (x *exact) either(one, other string) bool {
	if rest, ok := strings.CutPrefix(x.rest, other); ok {
		x.rest = rest
		return true
	}
	x.take(one)
	return false
}

// exactRow is parseRow for a row that stands there as row.encode makes it.
func exactRow(line string) (r row, ok bool) {
	x := exact{rest: line}
	x.take(`{"schema":"`)
	r.extended = x.either(rowSchema, rowExtended)
	x.take(`","entrySeq":`)
	r.seq = x.count()
	x.take(`,"entryId":"`)
	r.id = x.plain()
	x.take(`,"segmentSeq":`)
	r.segment = x.count()
	x.take(`,"frameSeq":`)
	r.number = x.count()
	x.take(`,"byteOffset":`)
	r.offset = x.count()
	x.take(`,"byteLength":`)
	r.length = x.count()
	x.take(`,"crc32c":"`)
	r.crc = x.plain()
	x.take(`,"state":"active"}`)
	return r, !x.bad && x.rest == ""
}

// exactFrame is parseFrame for a frame that stands there as frame.encode makes it.
func exactFrame(line string) (f frame, ok bool) {
	x := exact{rest: line}
	x.take(`{"schema":"`)
	f.extended = x.either(frameSchema, frameExtended)
	x.take(`","segmentSeq":`)
	f.segment = x.count()
	x.take(`,"frameSeq":`)
	f.number = x.count()
	x.take(`,"entrySeq":`)
	f.seq = x.count()
	x.take(`,"entryId":"`)
	f.id = x.plain()
	if x.either("", `,"parentEntryId":"`) {
		if f.parent = x.plain(); f.parent == "" {
			return f, false
		}
	}
	x.take(`,"entryType":"`)
	f.typ = x.plain()
	x.take(`,"timestamp":"`)
	f.at = x.plain()
	x.take(`,"payloadSha256":"`)
	f.sha = x.plain()
	x.take(`,"payloadBytes":`)
	f.size = x.count()
	x.take(`,"payload":`)
	if x.bad || !strings.HasSuffix(x.rest, "}") {
		return f, false
	}
	f.line = x.rest[:len(x.rest)-1]
	f.payload = strings.Trim(f.line, " \t\r")
	// Behind the payload nothing may stand but the brace of the frame.
	return f, strings.HasPrefix(f.payload, "{") && js.Valid([]byte(f.payload))
}
