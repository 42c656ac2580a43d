package replica

import (
	"bytes"
	"fmt"
	"io"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// suspect warns of lines of the remote that no program would append: an entry that the file
// has with other words, which would take its place, a second header, and bytes of zero. They are
// taken, or the copies would differ for ever.
func (s *sync) suspect(theirs own, file io.Reader) {
	told := 0
	warn := func(format string, args ...any) {
		if told++; told <= mostSuspects {
			s.Warn("%s: from the remote: %s", s.path, fmt.Sprintf(format, args...))
		}
	}
	ids := map[string][]byte{}
	for _, line := range theirs {
		if why := odd(line); why != "" {
			warn("a line is %s: %.40q", why, line)
		}
		if id := idOf(bytes.TrimSuffix(line, []byte("\n"))); id != "" {
			ids[id] = line
		}
	}
	for l, err := range jsonl.Lines(file) {
		if err != nil {
			return // who reads the file next says so
		}
		id := idIn(l.Data, ids)
		if id != "" && idOf(l.Data) == id && !bytes.Equal(bytes.TrimSuffix(ids[id], []byte("\n")), l.Data) {
			warn("the entry %.80q comes once more, with other words, and the last one counts", id)
			delete(ids, id)
		}
	}
	if told > mostSuspects {
		s.Warn("%s: from the remote: %d more such lines", s.path, told-mostSuspects)
	}
}

// mostSuspects is how many lines of one pull are named.
const mostSuspects = 10

const secondHeader = "a second header"

// odd says what is wrong with a line that no program appends, "" for nothing. The header is asked
// for behind the first line alone.
func odd(line []byte) string {
	if bytes.IndexByte(line, 0) >= 0 {
		return "of bytes of zero"
	}
	if !bytes.Contains(line, []byte(`"`+session.TypeSession+`"`)) {
		return ""
	}
	if typ, _ := js.Value(bytes.TrimSpace(line)).Get("type").Text(); typ == session.TypeSession {
		return secondHeader
	}
	return ""
}

// idIn returns the one of some ids that a line may be the entry of, without reading the line
// as JSON: most are none of them.
func idIn(line []byte, ids map[string][]byte) string {
	for rest := line; ; {
		_, behind, ok := bytes.Cut(rest, []byte(`"id"`))
		if !ok {
			return ""
		}
		rest = behind
		value := bytes.TrimLeft(behind, " \t:")
		if len(value) == 0 || value[0] != '"' {
			continue
		}
		if end := bytes.IndexByte(value[1:], '"'); end >= 0 {
			if _, ok := ids[string(value[1:1+end])]; ok {
				return string(value[1 : 1+end])
			}
		}
	}
}
