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

	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// A Row is a session of a listing, and whose it is.
type Row struct {
	store.Row
	Agent   string // the format of the store it is in, "" for ours
	Address string // what other tools take for it, "" if they take nothing
	Unspent bool   // nothing is known of what was spent
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

// Write writes the JSON of a row, without a line feed.
func Write(w io.Writer, r Row) error {
	o := &writer{w: w, buf: make([]byte, 0, 2<<10)}
	o.raw("{")
	o.fields(row.Kind("session"))
	o.fields(row.Place{Address: r.Address, Path: r.Path, Session: r.ID}.Fields()...)
	o.fields(row.Parent(r.ParentSession), row.Text("cwd", r.CWD), row.Text("agent", r.Agent))
	o.text("title", r.Name)
	o.fields(
		js.IntField("version", int64(r.Version)), moment("created", r.Created), moment("modified", r.Modified), moment("written", r.ModTime),
		js.IntField("size", r.Size), js.IntField("entries", int64(r.Entries)), js.IntField("messages", int64(r.Messages)), row.Bool("exact", r.Exact))
	o.text("firstMessage", r.FirstMessage)
	o.text("lastMessage", r.LastMessage)
	tokens, cost := row.Null("tokens"), row.Cost(r.Spent.Cost, r.Spent.Priced && !r.Unspent)
	if s := r.Spent; !r.Unspent {
		tokens = row.Tokens{
			Input: s.Input, Output: s.Output, CacheRead: s.CacheRead, CacheWrite: s.CacheWrite, Reasoning: s.Reasoning,
			Total: s.Input + s.Output + s.CacheRead + s.CacheWrite,
		}.Field()
	}
	o.fields(tokens, cost)
	o.raw("}")
	o.flush()
	return o.err
}

// Cost returns what was spent for people, to a millionth.
func Cost(s session.Spent) string {
	if math.IsInf(s.Cost, 0) || math.IsNaN(s.Cost) {
		return "null"
	}
	return strconv.FormatFloat(math.Round(s.Cost*1e6)/1e6, 'f', -1, 64)
}

// moment returns a member with a time, null for one that is not known.
func moment(name string, t time.Time) js.Field {
	return row.Time(name, t.UnixMilli(), !t.IsZero())
}

// A writer writes until something fails.
type writer struct {
	w    io.Writer
	buf  []byte
	some bool // there is a member
	err  error
}

func (o *writer) raw(s string) { o.buf = append(o.buf, s...) }

func (o *writer) flush() {
	if o.err == nil {
		_, o.err = o.w.Write(o.buf)
	}
	o.buf = o.buf[:0]
}

// fields adds members.
func (o *writer) fields(fields ...js.Field) {
	for _, f := range fields {
		o.name(f.Name)
		o.raw(f.Raw)
	}
}

// name adds the name of a member.
func (o *writer) name(name string) {
	if o.some {
		o.raw(",")
	}
	o.some = true
	o.buf = js.AppendQuote(o.buf, name)
	o.raw(":")
}

// text is fields with [row.Text]. A text that is huge is quoted a piece at a time.
func (o *writer) text(name, text string) {
	const most = 64 << 10
	if text == "" {
		o.fields(row.Null(name))
		return
	}
	o.name(name)
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
		Kind                                              string
		Address, Path, Session, Parent, CWD, Agent, Title string
		Created, Modified, Written                        string
		FirstMessage, LastMessage                         string
		Version, Entries, Messages                        int
		Size                                              int64
		Exact                                             bool
		Tokens                                            *struct {
			Input, Output, CacheRead, CacheWrite, Reasoning int64
		}
		Cost *float64
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return Row{}, fmt.Errorf("reading a row: %w", err)
	}
	if v.Kind != "session" {
		return Row{}, fmt.Errorf("reading a row: it is of kind %q, and not a session", v.Kind)
	}
	r := Row{Agent: v.Agent, Address: v.Address, Unspent: v.Tokens == nil, Row: store.Row{
		Path: v.Path, Size: v.Size, ModTime: timeOf(v.Written),
		Info: session.Info{
			ID: v.Session, CWD: v.CWD, Name: v.Title, ParentSession: v.Parent, Version: v.Version,
			Created: timeOf(v.Created), Modified: timeOf(v.Modified), Entries: v.Entries, Messages: v.Messages,
			FirstMessage: v.FirstMessage, LastMessage: v.LastMessage, Exact: v.Exact,
		},
	}}
	if t := v.Tokens; t != nil {
		r.Spent = session.Spent{Input: t.Input, Output: t.Output, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite, Reasoning: t.Reasoning}
	}
	if v.Cost != nil {
		r.Spent.Cost, r.Spent.Priced = *v.Cost, true
	}
	return r, nil
}

// timeOf returns a time that a row has, the zero time if it has none.
func timeOf(text string) time.Time {
	ms, ok := js.ParseTime(text)
	if !ok {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// units are the units of an age, beside those of Go's durations.
var units = map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}

// When reads a time given as an age or as a date. The zero time stands for "".
func When(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if unit, ok := units[text[len(text)-1]]; ok {
		if n, err := strconv.Atoi(text[:len(text)-1]); err == nil && n >= 0 {
			return now.Add(-time.Duration(n) * unit), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return day, nil
	}
	if ms, ok := js.ParseTime(text); ok {
		return time.UnixMilli(ms), nil
	}
	return time.Time{}, fmt.Errorf("%q is neither an age like 7d nor a date like 2026-01-31", text)
}

// Ago returns a time as an age or, from two weeks on, as a date.
func Ago(t, now time.Time) string {
	switch d := now.Sub(t); {
	case d < 0 || d >= 14*24*time.Hour:
		return t.In(now.Location()).Format(time.DateOnly)
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	default:
		return fmt.Sprintf("%dd ago", d/(24*time.Hour))
	}
}
