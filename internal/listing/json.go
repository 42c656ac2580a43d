package listing

import (
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// JSON returns the JSON of a row.
func JSON(r Row) string {
	var b strings.Builder
	_ = Write(&b, r) // a Builder takes everything
	return b.String()
}

// Write writes the JSON of a row, without a line feed. Fields are only ever added.
func Write(w io.Writer, r Row) error {
	o := &writer{w: w, buf: make([]byte, 0, 2<<10)}
	o.text(`{"path":`, r.Path)
	o.text(`,"id":`, r.ID)
	o.text(`,"cwd":`, r.CWD)
	o.text(`,"name":`, r.Name)
	o.text(`,"parentSession":`, r.ParentSession)
	o.number(`,"version":`, int64(r.Version))
	o.moment(`,"created":`, r.Created)
	o.moment(`,"modified":`, r.Modified)
	o.number(`,"size":`, r.Size)
	o.number(`,"entries":`, int64(r.Entries))
	o.number(`,"messages":`, int64(r.Messages))
	o.text(`,"firstMessage":`, r.FirstMessage)
	o.text(`,"lastMessage":`, r.LastMessage)
	o.number(`,"usage":{"input":`, r.Spent.Input)
	o.number(`,"output":`, r.Spent.Output)
	o.number(`,"cacheRead":`, r.Spent.CacheRead)
	o.number(`,"cacheWrite":`, r.Spent.CacheWrite)
	o.raw(`,"cost":` + Cost(r.Spent) + `},"exact":`)
	o.buf = strconv.AppendBool(o.buf, r.Exact) // if not, entries and messages are lower bounds
	o.agent(r)
	o.raw("}")
	o.flush()
	return o.err
}

// Cost returns what was spent as JSON, to a millionth.
func Cost(s session.Spent) string {
	if math.IsInf(s.Cost, 0) || math.IsNaN(s.Cost) {
		return "null"
	}
	return strconv.FormatFloat(math.Round(s.Cost*1e6)/1e6, 'f', -1, 64)
}

// A writer writes until something fails.
type writer struct {
	w   io.Writer
	buf []byte
	err error
}

func (o *writer) raw(s string) { o.buf = append(o.buf, s...) }

func (o *writer) flush() {
	if o.err == nil {
		_, o.err = o.w.Write(o.buf)
	}
	o.buf = o.buf[:0]
}

func (o *writer) number(before string, n int64) {
	o.raw(before)
	o.buf = strconv.AppendInt(o.buf, n, 10)
}

// moment adds a time, null for one that is not known.
func (o *writer) moment(before string, t time.Time) {
	if t.IsZero() {
		o.raw(before + "null")
		return
	}
	o.text(before, js.FormatTime(t.UnixMilli()))
}

// text adds a text as a JSON string. One that is huge is quoted a piece at a time.
func (o *writer) text(before, text string) {
	const most = 64 << 10
	o.raw(before)
	text = js.ValidText(text)
	if len(text) <= most {
		o.buf = js.AppendQuote(o.buf, text)
		return
	}
	o.raw(`"`)
	for text != "" && o.err == nil {
		n := min(len(text), most)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		o.flush()
		o.buf = js.AppendQuote(o.buf, text[:n])
		o.buf = o.buf[:copy(o.buf, o.buf[1:len(o.buf)-1])] // without its quotes
		text = text[n:]
	}
	o.raw(`"`)
}

// agent adds the members of a row of another agent's store.
func (o *writer) agent(r Row) {
	if r.Agent == "" {
		return
	}
	o.text(`,"agent":`, r.Agent)
	if !r.ModTime.IsZero() {
		o.text(`,"written":`, r.ModTime.UTC().Format(time.RFC3339Nano))
	}
}
