package listing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// A Row is a session of a listing, and whose it is.
type Row struct {
	store.Row
	Agent string // the format of the store it is in, "" for ours
}

// Later compares sessions by when they were written to: by the time of the file,
// or of the newest message where the session is in no file. Of those written at
// one time, as all in one file are, the one with the newest message is the later.
func Later(a, b store.Row) int {
	return cmp.Or(written(a).Compare(written(b)), a.Modified.Compare(b.Modified), a.Created.Compare(b.Created))
}

func written(r store.Row) time.Time {
	if r.ModTime.IsZero() {
		return r.Modified
	}
	return r.ModTime
}

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

// Rows iterates over the rows that r holds as lines of JSON. An error of r, or a
// line that is no row, ends the iteration.
func Rows(r io.Reader) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for l, err := range jsonl.Lines(r) {
			if err != nil {
				yield(Row{}, err)
				return
			}
			row, err := Parse(l.Data)
			if err != nil {
				yield(Row{}, fmt.Errorf("line %d: %w", l.Number, err))
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// Parse returns the row that [Write] wrote as data.
func Parse(data []byte) (Row, error) {
	var v struct {
		Path, ID, CWD, Name, ParentSession, Created, Modified string
		FirstMessage, LastMessage, Agent                      string
		Version, Entries, Messages                            int
		Size                                                  int64
		Usage                                                 struct {
			Input, Output, CacheRead, CacheWrite int64
			Cost                                 *float64
		}
		Exact   bool
		Written time.Time
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return Row{}, fmt.Errorf("reading a row: %w", err)
	}
	cost := math.Inf(1) // which no JSON number is
	if v.Usage.Cost != nil {
		cost = *v.Usage.Cost
	}
	u := v.Usage
	return Row{Agent: v.Agent, Row: store.Row{
		Path: v.Path, Size: v.Size, ModTime: v.Written,
		Info: session.Info{
			ID: v.ID, CWD: v.CWD, Name: v.Name, ParentSession: v.ParentSession, Version: v.Version,
			Created: moment(v.Created), Modified: moment(v.Modified), Entries: v.Entries, Messages: v.Messages,
			FirstMessage: v.FirstMessage, LastMessage: v.LastMessage, Exact: v.Exact,
			Spent: session.Spent{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Cost: cost},
		},
	}}, nil
}

// moment returns a time that a row has, the zero time if it has none.
func moment(text string) time.Time {
	ms, ok := js.ParseTime(text)
	if !ok {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
