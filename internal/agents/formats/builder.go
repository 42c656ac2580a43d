package formats

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/core/intern"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A Builder makes a session of version 3, line by line, of what a format finds in
// its source: first [Builder.Header], then the entries, parents before children.
// Each entry hangs from the one before it unless its [Place] says otherwise.
//
// Nothing is kept but the ids, and from [Builder.BeginKeeping] on what lines may be kept with, so a
// session may be larger than memory. The first error of the function that takes the lines
// is what every further call returns.
type Builder struct {
	// Defaults fill what assistant messages do not say.
	Defaults session.Defaults

	// Growth says what becomes of the end of a source to which more may be written.
	Growth Growth

	// Cuts are where a growing source ended each time that it was quiet and read whole, in bytes, in ascending order. The entries of the
	// lines in front of a cut stay, so lines behind it that continue one become further entries.
	Cuts []int64

	// Unkept leaves out the lines of the source that entries keep for an export, for a reader that has no use for them.
	Unkept bool

	// UsageOnly says that the reader wants what was used: Unkept holds, and a format may leave out other entries, and tell of damage and of
	// lost parents alone. Where an entry hangs says nothing, then.
	UsageOnly bool

	// HeaderOnly says that the reader wants the header alone: behind it reading ends with [ErrHeaderOnly].
	HeaderOnly bool

	// Kinds counts what became of values, by the kinds that a map finds. Nil counts nothing.
	Kinds Kinds

	format string
	out    func(line string) error
	lose   func(Loss)

	opened  bool
	session string // its id
	leaf    string
	now     int64 // time of the last line
	entries int
	known   intern.Table      // the ids of entries
	numbers map[string]int    // of the last id that was made of a kind and a text
	held    *heldEntry        // the entry added last
	recent  map[string]string // entries added since lines were kept, by their ids; nil if none are
	style   style             // of the lines that are kept
	common  commonMembers     // of the lines of the source
	spoke   bool              // a message, or a call of a model, was added
	claim   string            // what says that there is one
	err     error
}

// A Growth says what a reader makes of the end of a source: that of a part of a source is to be the beginning of that of all of
// it, so that a copy grows by appending.
type Growth int

// The growths.
const (
	Whole  Growth = iota // all there is, as it stands
	Closed               // what no later line can change
	Quiet                // all there is, as if the next turn came, without what only marks the end
)

// Cut reports whether a value of the source, which ends at a byte, is the first one behind a cut. Values are asked about in order.
func (b *Builder) Cut(end int64) (cut bool) {
	for len(b.Cuts) > 0 && end > b.Cuts[0] {
		b.Cuts, cut = b.Cuts[1:], true
	}
	return cut
}

// Kinds are numbers of values, by their kind and what became of them.
type Kinds map[string]map[string]int

// Count counts a value. The kind may be a part of a line.
func (k Kinds) Count(kind, became string) {
	if k == nil {
		return
	}
	of := k[kind]
	if of == nil {
		of = map[string]int{}
		k[strings.Clone(kind)] = of
	}
	of[became]++
}

// String names the kinds in their order, each with its numbers.
func (k Kinds) String() string {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(k)) {
		for _, became := range slices.Sorted(maps.Keys(k[kind])) {
			list = append(list, fmt.Sprintf("%.60q %d %s", kind, k[kind][became], became))
		}
	}
	return strings.Join(list, ", ")
}

// IsUUID reports whether an id is a UUID in lower case. It is asked of the name of each file, so there is no regular expression.
func IsUUID(id string) bool {
	for i := range len(id) {
		switch c := id[i]; {
		case i == 8, i == 13, i == 18, i == 23:
			if c != '-' {
				return false
			}
		case c < '0' || c > '9' && c < 'a' || c > 'f':
			return false
		}
	}
	return len(id) == 36
}

// NewBuilder returns a builder for a session from the format called name. It
// gives each line, without its line feed, to out, and each loss to lose.
func NewBuilder(name string, out func(line string) error, lose func(Loss)) *Builder {
	return &Builder{format: name, out: out, lose: lose}
}

// A Place says where an entry stands, when it was made, and how it is called.
// The zero place is behind the entry before it, at the same time.
type Place struct {
	// ID is the id the entry has in its source. One that is taken already gives
	// way to one made of it.
	ID string

	// Key is what the entry is known by in its source, if it has no ID: its id is
	// made of that and of the session's id. Without one the entry's number
	// serves, and then an entry more in the source changes all ids behind it.
	Key string

	// Parent is the id of the entry's parent, which must have been added. "" is the entry
	// added last.
	Parent string

	// Root says that the entry has no parent.
	Root bool

	// Time is when it was made, in milliseconds since the epoch. 0 is the time of the
	// line before.
	Time int64
}

var (
	errNoHeader  = errors.New("an entry before the session's header")
	errTwoHeader = errors.New("a second header for one session")
)

// Header begins the session. An id that no session file can have is an error:
// [SessionID] makes one that can be had.
func (b *Builder) Header(h session.HeaderFields) error {
	if !session.ValidSessionID(h.ID) {
		return fmt.Errorf("making the header: %q is no session id", h.ID)
	}
	return b.RawHeader(session.NewHeader(h))
}

// RawHeader begins the session with a header line of version 3 that the source
// has already.
func (b *Builder) RawHeader(line string) error {
	h, err := session.HeaderOf([]byte(line))
	if err != nil {
		return err
	}
	if b.opened {
		return errTwoHeader
	}
	b.opened, b.session = true, strings.Clone(h.ID)
	b.now, _ = js.ParseTime(h.Timestamp)
	if err := b.emit(line); err != nil || !b.HeaderOnly {
		return err
	}
	b.err = ErrHeaderOnly
	return b.err
}

// ErrHeaderOnly is the error of reading a session behind its header, where [Builder.HeaderOnly] is set.
var ErrHeaderOnly = errors.New("only the header is read")

// Add adds an entry of one of sess's own types and returns its id. What such an
// entry must have is checked. A label or an edit must name an entry that has been
// added.
func (b *Builder) Add(p Place, typ string, fields ...js.Field) (id string, err error) {
	return b.add(p, func(batch *session.Batch) error {
		if err := batch.Check(typ, fields...); err != nil {
			return err
		}
		_, err := batch.Add(typ, fields...)
		return err
	})
}

// Message adds a message and returns its entry's id. What pi wants of a message
// and it does not have is filled in, for an assistant's message with Defaults and
// a usage of nothing.
func (b *Builder) Message(p Place, m session.Message) (id string, err error) {
	return b.add(p, func(batch *session.Batch) error {
		_, err := batch.AddMessage(m.JoinTexts())
		return err
	})
}

// Compaction adds a compaction and returns its id. An empty firstKept keeps nothing of what was before it.
func (b *Builder) Compaction(p Place, summary, firstKept string, tokensBefore int64, more ...js.Field) (id string, err error) {
	if firstKept != "" && !b.Known(firstKept) {
		return "", fmt.Errorf("adding a compaction: it keeps entries from %q on, which has not been added", firstKept)
	}
	return b.add(p, func(batch *session.Batch) error {
		_, err := batch.AddFunc(session.TypeCompaction, func(id string) []js.Field {
			kept := firstKept
			if kept == "" {
				kept = id
			}
			return append([]js.Field{
				js.StringField("summary", summary),
				js.StringField("firstKeptEntryId", kept),
				{Name: "tokensBefore", Raw: api.Int(tokensBefore)},
			}, more...)
		})
		return err
	})
}

// Custom adds a custom entry of the type "FORMAT:name" with the JSON text data:
// what version 3 has no field for, so that exporting gives it back.
func (b *Builder) Custom(p Place, name, data string) (id string, err error) {
	return b.Add(p, session.TypeCustom, js.StringField("customType", b.format+":"+name),
		js.RawField("data", api.Compact(data)))
}

// CustomName returns the name that [Builder.Custom] of a format gave an entry, "" for any
// other entry.
func CustomName(e session.Entry, format string) string {
	if e.Type() != session.TypeCustom {
		return ""
	}
	name, ok := strings.CutPrefix(e.Str("customType"), format+":")
	if !ok {
		return ""
	}
	return name
}

// Entry adds an entry that the source has as we do, byte for byte and unchecked.
func (b *Builder) Entry(e session.Entry) error {
	if ms, ok := e.Timestamp(); ok {
		b.now = ms
	}
	return b.entry(e)
}

// Known reports whether an entry with that id has been added.
func (b *Builder) Known(id string) bool {
	_, ok := b.known.Number(id)
	return ok
}

// Leaf returns the id of the entry that was added last, "" without any.
func (b *Builder) Leaf() string { return b.leaf }

// Opened reports whether the session has its header.
func (b *Builder) Opened() bool { return b.opened }

// Lose tells of a loss.
func (b *Builder) Lose(where, kind, format string, args ...any) {
	b.Lost(loss(where, kind, format, args))
}

// Lost tells of a loss.
func (b *Builder) Lost(l Loss) { b.lose(l) }

// LoseLine tells of a line that is not JSON, with its size in bytes; a torn one is the last of its file and has no line feed.
func (b *Builder) LoseLine(where string, torn bool, size int) {
	what := "not JSON, line"
	if torn {
		what = tornLine
	}
	b.Lose(where, KindDamage, what+" of %d bytes skipped", size)
}

// add makes one entry. A batch of one entry is used for it, since a batch keeps the entries that it made.
func (b *Builder) add(p Place, into func(*session.Batch) error) (string, error) {
	switch {
	case b.err != nil:
		return "", b.err
	case !b.opened:
		return "", errNoHeader
	case p.Parent != "" && !b.Known(p.Parent):
		return "", fmt.Errorf("adding an entry: its parent %q has not been added", p.Parent)
	}
	if p.Time != 0 {
		b.now = p.Time
	}
	batch := session.Batch{
		Leaf: b.leaf, Now: b.now, Known: b.Known, Defaults: b.Defaults, Force: true,
		NewID: func(func(string) bool) (string, error) { return b.id(p), nil },
	}
	if p.Parent != "" || p.Root {
		batch.Leaf = p.Parent
	}
	if err := into(&batch); err != nil {
		return "", err
	}
	if err := b.entry(batch.Entries[0]); err != nil {
		return "", err
	}
	return b.leaf, nil
}

func (b *Builder) id(p Place) string {
	switch {
	case p.ID != "" && !b.Known(p.ID):
		return p.ID
	case p.ID != "":
		return b.again("id", p.ID)
	case p.Key != "":
		return b.again("key", p.Key)
	}
	return EntryID(b.Known, b.session, "number", api.Int(int64(b.entries)))
}

// again returns a new id of an entry whose own one may have been there many times: it goes on with the number of the last.
func (b *Builder) again(kind, of string) string {
	if b.numbers == nil {
		b.numbers = map[string]int{}
	}
	id, n := entryID(b.Known, b.numbers[kind+of], b.session, kind, of)
	if n > 0 {
		b.numbers[kind+of] = n
	}
	return id
}

func (b *Builder) entry(e session.Entry) error {
	if !b.opened {
		return errNoHeader
	}
	if id := e.ID(); id != "" {
		b.leaf = b.known.Text(b.known.Add(id))
	}
	b.entries++
	b.weigh(e)
	if b.recent == nil {
		return b.emit(e.Raw())
	}
	err := b.release()
	b.held = &heldEntry{line: e.Raw(), has: map[string]bool{b.leaf: true}}
	b.recent[b.leaf] = e.Raw()
	return err
}

func (b *Builder) emit(line string) error {
	if b.err == nil {
		b.err = b.out(line)
	}
	return b.err
}
