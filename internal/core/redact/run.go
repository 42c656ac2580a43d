package redact

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/internal/core/secret"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// Run looks at lines, with beside at several of them side by side, and calls report for the findings, in the order of the lines.
// It calls emit for the lines without their secrets, in pieces of any length; if emit is nil, it only looks. It returns an error
// of the lines or of emit as it is, and a [session.Problem] for a line of which a secret cannot be taken out; that line is not
// emitted. With beside it returns when the next line has come, or the end.
func (r *Redactor) Run(lines iter.Seq2[jsonl.Line, error], beside bool, emit func(string) error, report func(Found)) error {
	q := &queue{spoken: map[string]*speech{}}
	finish := func() error {
		for l, ok := q.next(); ok; l, ok = q.next() {
			if err := r.finish(l, emit, report); err != nil {
				return err
			}
		}
		return nil
	}
	for l, err := range r.looked(lines, beside) {
		if err != nil {
			return err
		}
		if l.panicked {
			r.line(l) // which panics here
		}
		if l.broken && r.o.Broken != nil && strings.TrimSpace(l.text) != "" {
			r.o.Broken(jsonl.Line{Number: l.number, Torn: l.end == ""})
		}
		q.add(r, l)
		if err := finish(); err != nil {
			return err
		}
	}
	q.close(r)
	return finish()
}

// ahead is how many lines are looked at ahead for each processor: some take a hundred times as long as the next.
const ahead = 8

// maxBeside is how long a line is that is looked at while another one is, in bytes: to look takes several times its length of
// memory.
const maxBeside = 256 << 10

// looked looks at lines, and yields them in their order.
func (r *Redactor) looked(lines iter.Seq2[jsonl.Line, error], beside bool) iter.Seq2[*line, error] {
	return func(yield func(*line, error) bool) {
		var failed error // of the lines
		jobs := func(yield func(*line) bool) {
			for raw, err := range lines {
				if failed = err; err != nil || !yield(newLine(raw)) {
					return
				}
			}
		}
		looked := func(yield func(*line) bool) {
			for l := range jobs {
				if !yield(r.line(l)) {
					return
				}
			}
		}
		if beside {
			looked = r.sideBySide(jobs)
		}
		for l := range looked {
			if !yield(l, nil) {
				return
			}
		}
		if failed != nil {
			yield(nil, failed)
		}
	}
}

// sideBySide looks at several lines at once, and yields them in their order.
func (r *Redactor) sideBySide(jobs iter.Seq[*line]) iter.Seq[*line] {
	workers := sync.Pool{New: func() any { return &Redactor{o: r.o, clean: map[string]bool{}} }}
	var long sync.Mutex
	look := func(_ context.Context, l *line) *line {
		before := *l
		defer func() {
			if recover() != nil {
				*l = before
				l.panicked = true
			}
		}()
		if len(l.text) > maxBeside {
			long.Lock()
			defer long.Unlock()
		}
		w := workers.Get().(*Redactor) //nolint:forcetypeassert // nothing else is in there
		defer workers.Put(w)
		return w.line(l)
	}
	return parallel.Map(context.Background(), ahead*runtime.GOMAXPROCS(0), jobs, look)
}

func newLine(raw jsonl.Line) *line {
	l := &line{text: string(raw.Data), number: raw.Number, end: "\n"}
	if raw.Torn {
		l.end = ""
	}
	if raw.Number == 1 {
		if rest, ok := strings.CutPrefix(l.text, jsonl.ByteOrderMark); ok {
			l.lead, l.text = jsonl.ByteOrderMark, rest
		}
	}
	return l
}

// line looks at a line.
func (r *Redactor) line(l *line) *line {
	l.first.index, l.last.index = -1, -1
	if !js.Valid([]byte(l.text)) {
		l.broken = true
		for _, f := range r.o.Set.Find(l.text) {
			l.found = append(l.found, Found{Finding: f, Line: l.number, Field: "line", Damaged: true})
		}
		l.entry = fmt.Sprintf("L%d", l.number)
		return l
	}
	l.text = r.prepared(l.text)
	r.look(l)
	return l
}

// finish reports what was found in a line, and emits it.
func (r *Redactor) finish(l *line, emit func(string) error, report func(Found)) error {
	damaged := false
	for _, f := range l.found {
		f.Entry = l.entry
		damaged = damaged || f.Damaged
		report(f)
	}
	if emit == nil {
		return nil
	}
	var text string
	switch {
	case damaged && !r.o.Damaged:
		return session.Problem{Kind: Damaged, Line: l.number, Text: "a secret is in a line that is not JSON"}
	case damaged:
		text = "[redacted:damaged-line]"
	default:
		var err error
		if text, err = r.replaced(l); err != nil {
			return session.Problem{Kind: Left, Line: l.number, Text: err.Error()}
		}
	}
	for _, part := range []string{l.lead, text, l.end} {
		if part == "" {
			continue
		}
		if err := emit(part); err != nil {
			return err
		}
	}
	return nil
}

// prepared returns a line without the signatures and images that are not wanted.
func (r *Redactor) prepared(text string) string {
	t := &r.tree
	if r.o.Signatures {
		t.read(text)
		var b strings.Builder
		done := 0
		for _, x := range t.texts {
			if t.opaque(x) {
				b.WriteString(text[done:x.From])
				b.WriteString(`""`)
				done = x.To
			}
		}
		text = b.String() + text[done:]
	}
	if r.o.Images == "" || r.o.Images == "keep" {
		return text
	}
	for {
		t.read(text)
		f, ok := t.image()
		if !ok {
			return text
		}
		text = r.withoutImage(text, f)
	}
}

// image returns the first block that is an image.
func (t *tree) image() (frame, bool) {
	for _, x := range t.texts {
		if x.key || !js.IsKey(x.name, "type") || x.in < 1 || t.frames[t.frames[x.in].up].object {
			continue
		}
		switch js.Unquote(t.literal(x)) {
		case "image", "input_image", "image_url":
			return t.frames[x.in], true
		}
	}
	return frame{}, false
}

// withoutImage returns the line without a block, or with a text in its place.
func (r *Redactor) withoutImage(text string, f frame) string {
	from, to := f.from, js.ValueEnd(text, f.from)
	if r.o.Images == "note" {
		note := js.Object(js.StringField("type", "text"), js.StringField("text", convo.ImageLeftOut("it was taken out")))
		return text[:from] + note + text[to:]
	}
	before, after := strings.TrimRight(text[:from], " \t\r\n"), strings.TrimLeft(text[to:], " \t\r\n")
	if rest, ok := strings.CutPrefix(after, ","); ok {
		return before + rest
	}
	return strings.TrimSuffix(before, ",") + after
}

// Default makes a redactor of the rules that are built in, for messages about a file of rules that could not be read. The rules
// are made once.
func Default() (*Redactor, error) {
	set, err := defaultRules()
	if err != nil {
		return nil, err
	}
	return New(Options{Set: set})
}

var defaultRules = sync.OnceValues(func() (*secret.Set, error) { return secret.New(secret.Options{Depth: secret.DefaultDepth}) })

// Problem returns the problem of a finding that was kept.
func (f Found) Problem() session.Problem {
	return session.Problem{Kind: Kept, Line: f.Line, Text: fmt.Sprintf("%s in %s, which other entries refer to: it was not changed", f.Rule, f.Field)}
}

// Session returns a session without its secrets. The error is a [session.Problem] if one
// cannot be taken out, and else that of reading.
func (r *Redactor) Session(in io.Reader) (io.Reader, error) {
	var clean bytes.Buffer
	err := refusing(func(report func(Found)) error {
		return r.Run(jsonl.Lines(in), true, func(text string) error {
			clean.WriteString(text)
			return nil
		}, func(f Found) {
			if f.Entry != "-" {
				r.taken++
			}
			report(f)
		})
	})
	return &clean, err
}

// Messages returns messages that follow each other without their secrets, also such as are divided between blocks of one reply. The
// error is that of [Redactor.Session]; with a problem of the kind [Kept] there are messages as well.
func (r *Redactor) Messages(all []session.Message) ([]session.Message, error) {
	var lines strings.Builder
	lines.WriteString(session.NewHeader(session.HeaderFields{ID: session.NewSessionID()}) + "\n")
	parent := "null"
	for i, m := range all {
		id := js.Quote(fmt.Sprintf("%08x", i))
		lines.WriteString(js.Object(js.StringField("type", session.TypeMessage), js.RawField("id", id), js.RawField("parentId", parent), js.RawField("message", m.Raw())) + "\n")
		parent = id
	}
	out, kept := r.Session(strings.NewReader(lines.String()))
	if p, is := errors.AsType[session.Problem](kept); kept != nil && (!is || p.Kind != Kept) {
		return nil, kept
	}
	s, err := session.Read(out)
	if err != nil || len(s.Entries) != len(all) {
		return nil, cmp.Or(err, errShape)
	}
	clean := make([]session.Message, len(all))
	for i, e := range s.Entries {
		clean[i], _ = e.Message()
	}
	return clean, kept
}

// Taken returns how many secrets Session has taken out of entries.
func (r *Redactor) Taken() int { return r.taken }

// refusing returns the error of work, or else the problem of the first finding that it reports as one that was kept.
func refusing(work func(report func(Found)) error) error {
	var kept error
	err := work(func(f Found) {
		if f.Structural && kept == nil {
			kept = f.Problem()
		}
	})
	return cmp.Or(err, kept)
}

// nothing is a replacement that is empty.
const nothing = "\x00"

// maxMask is how many characters of a secret may stay, at most.
const maxMask = 8

// A Style chooses the text that replaces a secret.
type Style struct {
	Hash bool   // with the first digits of a digest: what was the same stays the same
	Mask int    // with so many of the first characters, of at most a quarter of the secret
	Text string // this and nothing else
	Key  []byte // of the digest
}

// ParseStyle reads kind, hash, mask:N or a text.
func ParseStyle(word string) (s Style, err error) {
	number, mask := strings.CutPrefix(word, "mask:")
	switch {
	case word == "kind" || word == "":
	case word == "hash":
		s.Hash = true
	case mask:
		s.Mask, err = strconv.Atoi(number)
		if err != nil || s.Mask < 1 || s.Mask > maxMask {
			return s, fmt.Errorf("mask:%s: want 1 to %d characters", number, maxMask)
		}
	default:
		for _, c := range word {
			if c < ' ' || c == '"' || c == '\\' || c == '\'' || c == 0x7f {
				return s, fmt.Errorf("a replacement has no quotes, backslashes and control characters, for it stands in all kinds of text")
			}
		}
		s.Text = word
	}
	return s, nil
}

// marker returns what replaces a finding. It may stand in JSON, in a shell and in a URL as it
// does in text.
func (s Style) marker(f secret.Finding) string {
	switch {
	case f.As == nothing:
		return ""
	case f.As != "":
		return f.As
	case s.Text != "":
		return s.Text
	case s.Mask > 0:
		return head(f, s.Mask) + "***"
	case s.Hash:
		return "[redacted:" + f.Rule + ":" + hex.EncodeToString(f.Sum(s.Key))[:8] + "]"
	}
	return "[redacted:" + f.Rule + "]"
}

// head returns the first characters of a secret as far as they are harmless anywhere.
func head(f secret.Finding, n int) string {
	text := f.Head(min(n, f.Len()/4))
	for i, c := range []byte(text) {
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return text[:i]
		}
	}
	return text
}
