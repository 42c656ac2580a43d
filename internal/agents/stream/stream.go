package stream

import (
	"errors"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Auto has the decoder find out what the stream is, Text takes all of it as an answer.
const (
	Auto = "auto"
	Text = "text"
)

// ErrUnread is matched by the error of [Decoder.Close] if a part of the stream could not
// be made entries of. That error matches session.ErrMalformed as well.
var ErrUnread = errors.New("not all of the stream is recorded")

type unread struct{ text string }

func (u *unread) Error() string        { return u.text }
func (u *unread) Is(target error) bool { return target == ErrUnread || target == session.ErrMalformed }

// Options choose what the decoder keeps, and whom it tells of problems.
type Options struct {
	// From is one of Names; "" is Auto.
	From string

	// Prompt is what the user said, where the stream does not have it. Where it has,
	// they are compared.
	Prompt string

	// KeepUnknown makes custom entries of the events that mean nothing here.
	KeepUnknown bool

	// Now returns the time in milliseconds since the epoch, for events without one.
	Now func() int64

	// Live says that the stream passes while the agent works: its times can be compared with Now.
	Live bool

	// Emit takes entries that are whole, in order. Its error ends the decoding.
	Emit func(group []*Item) error

	// Warn is told of what was not recorded, or not as it should be. It may be called
	// very often for what an attacker wrote. Note is told of details. It may be nil.
	Warn, Note func(format string, args ...any)

	// Say is told of what the assistant says as text: in pieces as they come where the stream
	// has pieces, else message by message. It may be nil.
	Say func(text string)

	// Totals returns the member "details" of the last recorded entry that counts up the
	// usage of an agent's session, by the id of that session; "" if there is none. Nil
	// is a new session.
	Totals func(sessionID string) js.Value
}

// An Item is an entry to be.
type Item struct {
	Type    string          // of the entry, such as session.TypeMessage
	Message session.Message // of a message
	Fields  []js.Field      // of any other entry
	Time    int64           // in milliseconds since the epoch; 0 is not known
	Of      *Item           // what an edit targets, or what a compaction keeps first; nil for none
	ID      string          // of the entry, once AddTo has made it
}

// Failed reports whether the item is a reply that ended in an error or was aborted.
func (i *Item) Failed() bool { return i.Type == session.TypeMessage && i.Message.Failed() }

// Forget lets go of what the entry was made of. Its id stays, for items that name it.
func (i *Item) Forget() { *i = Item{Type: i.Type, ID: strings.Clone(i.ID)} }

// AddTo adds entries for the items to a batch, and gives the items their ids.
func AddTo(b *session.Batch, items []*Item) error {
	now := b.Now
	defer func() { b.Now = now }()
	for _, i := range items {
		if b.Now = now; i.Time > 0 {
			b.Now = i.Time
		}
		e, err := i.add(b)
		if err != nil {
			return err
		}
		i.ID = e.ID()
	}
	return nil
}

func (i *Item) add(b *session.Batch) (session.Entry, error) {
	switch i.Type {
	case session.TypeMessage:
		return b.AddMessage(i.Message)
	case session.TypeCompaction:
		return b.AddFunc(i.Type, func(id string) []js.Field {
			kept := id
			if i.Of != nil {
				kept = i.Of.ID
			}
			return append(slices.Clone(i.Fields), js.StringField("firstKeptEntryId", kept))
		})
	case session.TypeContextEdit:
		return b.Add(i.Type, append([]js.Field{js.StringField("targetId", i.Of.ID)}, i.Fields...)...)
	}
	return b.Add(i.Type, i.Fields...)
}

// A Decoder makes entries of one stream. Write to it what passes, and Close it at the end.
type Decoder struct {
	rec    *recorder
	frame  framer
	format *format    // that From names, nil to find out
	now    reader     // of the document that has begun, nil between documents
	name   string     // of its format
	plain  plain      // the answer, if the stream is text
	stray  int        // lines in front of the first known one
	room   []js.Field // for the members of a value
	lost   bool       // what passes is no stream that is known
	head   bool       // it begins with the head of an HTTP response, and nothing of it is read
	err    error      // of Emit
}

// New returns a decoder. From has to be one of [Names].
func New(o Options) *Decoder {
	d := &Decoder{rec: newRecorder(o)}
	for _, f := range formatList() {
		if f.name == o.From {
			d.format = &f
		}
	}
	return d
}

// Decode makes entries of a whole stream.
func Decode(data []byte, o Options) ([]*Item, error) {
	var items []*Item
	o.Emit = func(group []*Item) error {
		items = append(items, group...)
		return nil
	}
	d := New(o)
	_, err := d.Write(data)
	return items, errors.Join(err, d.Close())
}

// Write takes the next bytes of the stream. Its error is that of Options.Emit.
func (d *Decoder) Write(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	if d.rec.o.From == Text {
		room := maxValue - d.plain.size
		if len(p) > room && !d.lost {
			d.lost = true
			d.rec.problem("the text is longer than %d bytes, and is cut", maxValue)
		}
		d.plain.write(p[:min(len(p), room)])
		if d.rec.o.Say != nil {
			d.rec.hear(string(p))
		}
		return len(p), nil
	}
	d.err = d.frame.feed(p, d)
	return len(p), d.err
}

// Close says that the stream has ended: what has begun is finished as far as it came.
// The error matches [ErrUnread] if something of the stream is in no entry and should be.
func (d *Decoder) Close() error {
	if d.err != nil {
		return d.err
	}
	if d.rec.o.From == Text {
		d.rec.prompt()
		d.rec.said(&d.plain)
		d.rec.failNewest()
		return errors.Join(d.rec.close(), d.rec.verdict())
	}
	if err := d.frame.end(d); err != nil {
		return err
	}
	if d.now != nil {
		d.ended()
	}
	d.rec.failNewest()
	switch {
	case d.rec.known || d.rec.problems > 0 || d.rec.failure != nil:
	case d.frame.number == 0:
		d.rec.problem("the stream is empty")
	default:
		d.rec.problem("it is no stream that is known; --reply %s takes it as an answer", Text)
	}
	d.rec.words()
	return errors.Join(d.rec.close(), d.rec.verdict())
}

// finish ends the document that has begun.
func (d *Decoder) finish() error {
	if d.now != nil {
		d.ended()
	}
	return d.rec.flush()
}

// ended ends the document, and records the calls of sub-agents that no result has.
func (d *Decoder) ended() {
	d.now.end()
	d.now = nil
	d.rec.subagents(true)
}

// value takes one JSON value, with the name of the event that it is if it came as a
// server-sent one.
func (d *Decoder) value(v js.Value, event string) error {
	if d.head || v == done && d.now == nil { // an end behind an error, which was the end
		return nil
	}
	if v.IsArray() {
		return d.array(v)
	}
	o := js.DictOf(v, d.room)
	d.room = o.Room()
	if d.now != nil {
		switch d.now.value(o, event) {
		case more:
			return d.rec.flush()
		case over:
			return d.finish()
		}
		if detect(o) == nil {
			d.rec.unknown(d.name, v)
			return d.rec.flush()
		}
		if err := d.finish(); err != nil {
			return err
		}
	}
	if d.begin(o); d.now == nil {
		return d.rec.flush()
	}
	switch d.now.value(o, event) {
	case over:
		return d.finish()
	case other:
		d.rec.unknown(d.name, v)
	}
	return d.rec.flush()
}

// array takes the elements of an array of events, or of pieces of a response.
func (d *Decoder) array(v js.Value) error {
	for element := range v.Elements() {
		if element.IsArray() {
			d.rec.problem("an array of arrays is no stream")
			return nil
		}
		if err := d.value(element, ""); err != nil {
			return err
		}
	}
	return d.finish()
}

// begin finds out what a first value belongs to.
func (d *Decoder) begin(v js.Dict) {
	f := d.format
	if f == nil {
		f = detect(v)
	}
	if f == nil {
		if !d.lost { // what follows is no better
			d.rec.problem("%s", reasonAgainst(v.Value))
		}
		d.lost = true
		d.rec.keep("unknown", v.Value)
		return
	}
	d.lost = false
	d.rec.known = true
	d.rec.note("it is a stream of %s", f.name)
	if !f.says {
		d.rec.prompt()
	}
	d.now, d.name = f.read(d.rec), f.name
}

// mostPrinted is how many lines beside a stream are kept, to say why there is no answer.
const mostPrinted = 3

// malformed takes a line that is no JSON.
func (d *Decoder) malformed(line string, number int, torn bool) {
	if len(d.rec.printed) < mostPrinted {
		d.rec.printed = append(d.rec.printed, strings.Clone(short(strings.ToValidUTF8(line, "\uFFFD"))))
	}
	switch {
	case d.head:
	case d.now == nil && strings.HasPrefix(line, "HTTP/"):
		d.head = true
		d.rec.problem("line %d is the head of an HTTP response, so nothing is recorded: call curl without -i", number)
	case torn:
		d.rec.problem("the stream was cut in line %d, at its byte %d", number, len(line))
	case d.now == nil && d.rec.items == 0: // a banner in front of the stream
		if d.stray++; d.stray == 1 {
			d.rec.warn("line %d is not JSON and is left out: %.60q", number, line)
		}
	default:
		d.rec.problem("line %d is not JSON: %.60q", number, line)
	}
}
