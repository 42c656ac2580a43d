package session

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// Info is what a listing says about a session (docs/formats/pi.md, listing).
type Info struct {
	ID            string
	CWD           string // "" if the header has none
	Name          string // "" if it has none
	ParentSession string
	Origin        Origin
	Version       int
	Created       time.Time // of the header; zero if it does not parse
	Modified      time.Time // newest user or assistant message, else the header's time; zero if neither
	Entries       int       // lines that are entries, on all branches, but for those of [Entry.IsAside] and [Entry.IsCopy]
	Messages      int       // "message" entries of every role, on all branches, that are not [Entry.IsHarness]
	FirstMessage  string    // text of the first user message that has one, in file order; "" if that is not in the part that was read
	Prompts       []string  // beginnings and ends of the first texts of the user, at most [MostPrompts], for a title; the task of a sub-agent if there are none
	LastMessage   string    // text of the last user or assistant message that has one, in file order
	Spent         Spent     // what calls of models report, on all branches: each reply once
	Exact         bool      // false if only head and tail were read: then counts are lower bounds
}

// Spent sums up usage: tokens, and their cost in the unit of the messages, dollars as a rule.
type Spent struct {
	Input, Output, CacheRead, CacheWrite int64
	Reasoning                            int64 // of Output
	Unsplit                              int64 // of calls that tell the sum of their tokens alone
	Cost                                 float64
	Priced                               bool // a message has a cost
	Silent                               bool // a reply says of neither
}

// Unknown reports whether there are replies, and none of them has a usage.
func (s Spent) Unknown() bool { return s == Spent{Silent: true} }

// spentOf returns what a usage reports, a JSON text. A cost of 0 is not known to be one, unless
// the provider said so: subscriptions and proxies store it for all calls.
func spentOf(usage string) (s Spent) {
	total := int64(0)
	js.WalkObject(usage, 0, func(key string, at int) int {
		end := js.ValueEnd(usage, at)
		value := usage[at:end]
		switch js.PlainKey(key) {
		case `"input"`:
			s.Input += js.Value(value).Int()
		case `"output"`:
			s.Output += js.Value(value).Int()
		case `"cacheRead"`:
			s.CacheRead += js.Value(value).Int()
		case `"cacheWrite"`:
			s.CacheWrite += js.Value(value).Int()
		case `"reasoning"`, `"reasoningTokens"`:
			s.Reasoning += js.Value(value).Int()
		case `"totalTokens"`:
			total = js.Value(value).Int()
		case `"cost"`:
			if total := js.Value(js.Member(value, "total")); total.IsNumber() {
				s.Cost += total.Float()
				s.Priced = s.Priced || total.Float() != 0 || js.Member(value, "totalFromProvider") == "true"
			}
		}
		return end
	})
	if s.Total() == 0 {
		s.Unsplit = total
	}
	return s
}

// Total is the number of tokens.
func (s *Spent) Total() int64 { return s.Input + s.Output + s.CacheRead + s.CacheWrite + s.Unsplit }

// add adds what another call reports.
func (s *Spent) add(t Spent) {
	s.Input, s.Output, s.CacheRead, s.CacheWrite = s.Input+t.Input, s.Output+t.Output, s.CacheRead+t.CacheRead, s.CacheWrite+t.CacheWrite
	s.Reasoning, s.Unsplit, s.Cost, s.Priced = s.Reasoning+t.Reasoning, s.Unsplit+t.Unsplit, s.Cost+t.Cost, s.Priced || t.Priced
	s.Silent = s.Silent || t.Silent
}

// ScanInfo reads a whole session for a listing, in one pass and without
// keeping it. Its errors are those of Read.
func ScanInfo(r io.Reader) (Info, error) { return InfoReader{}.Read(r) }

// ScanWritten is ScanInfo for a session while write writes it; failed is its error, unless that
// is because the session is not read any further.
func ScanWritten(write func(io.Writer) error) (info Info, failed, err error) {
	r, w := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := write(w)
		_ = w.CloseWithError(err)
		written <- err
	}()
	info, err = ScanInfo(r)
	_ = r.Close() // ends the writing, if that was not at its end
	if failed = <-written; errors.Is(failed, io.ErrClosedPipe) {
		failed = nil
	}
	return info, failed, err
}

// ScanLines is ScanWritten for a session that comes line by line, each without its line feed.
func ScanLines(give func(line func(text string) error) error) (info Info, failed, err error) {
	s, offset := infoScan{info: Info{Exact: true}}, int64(0)
	failed = give(func(text string) error {
		if err == nil {
			err = s.line(jsonl.Line{Data: unsafe.Slice(unsafe.StringData(text), len(text)), Offset: offset})
			offset += int64(len(text)) + 1
		}
		return err
	})
	if err != nil {
		return Info{}, nil, err
	}
	if failed != nil {
		return Info{}, failed, failed
	}
	info, err = s.result()
	return info, nil, err
}

// An InfoReader reads sessions for a listing. Its errors are those of Read.
type InfoReader struct {
	Omit Details // what may be left empty
}

// Details are the members of Info that take longest, and that not every listing
// shows.
type Details int

// The details.
const (
	LastMessage Details = 1 << iota
	Expenses            // Spent
)

// Read is ScanInfo.
func (o InfoReader) Read(r io.Reader) (Info, error) {
	s := infoScan{info: Info{Exact: true}, omit: o.Omit}
	for l, err := range jsonl.Lines(r) {
		if err != nil {
			return Info{}, err
		}
		if err := s.line(l); err != nil {
			return Info{}, err
		}
	}
	return s.result()
}

// Of reads a session that is in memory. Nothing of it is kept.
func (o InfoReader) Of(data []byte) (Info, error) {
	s := infoScan{info: Info{Exact: true}, omit: o.Omit, stays: true}
	if err := s.data(data); err != nil {
		return Info{}, err
	}
	return s.result()
}

// Ends reads the first and the last bytes of a session too large to read whole.
// The tail's first line is taken for a fragment. FirstMessage and Prompts are those of the head alone: what was said first
// may stand between the two.
func (o InfoReader) Ends(head, tail []byte) (Info, error) {
	s := infoScan{omit: o.Omit, stays: true}
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	if i := bytes.IndexByte(tail, '\n'); i >= 0 {
		tail = tail[i+1:]
	}
	if err := s.data(head); err != nil {
		return Info{}, err
	}
	if s.opened {
		s.tail = true
		if err := s.data(tail); err != nil {
			return Info{}, err
		}
	}
	return s.result()
}

// mostCopied is the length in bytes up to which a content that may be the last one
// is copied, to be decoded only if it is.
const mostCopied = 1 << 20

// infoScan is the state of scanning one session.
type infoScan struct {
	info     Info
	omit     Details
	lines    int
	opened   bool
	replies  Replies
	slot     bool
	tail     bool // the lines are those of the end, and others stand in front of them
	title    string
	task     string // the first text that an agent wrote in the user's name
	named    bool
	name     string
	modified int64
	last     []string // contents of the messages behind LastMessage, of which the last with a text counts
	buf      []byte   // what the only one of them is a copy in, unless lines stay
	stays    bool     // lines stay in memory to the end: only then is looked for the last with a text

	current lineInfo
}

// data scans the lines of a session in memory.
func (s *infoScan) data(data []byte) error {
	for at := 0; at < len(data); {
		l := jsonl.Line{Offset: int64(at)}
		n := bytes.IndexByte(data[at:], '\n')
		if l.Torn = n < 0; l.Torn {
			n = len(data) - at
		}
		l.Data = data[at : at+n : at+n]
		if err := s.line(l); err != nil {
			return err
		}
		at += n + 1
	}
	return nil
}

// line scans a line.
func (s *infoScan) line(l jsonl.Line) error {
	s.lines++
	if !s.opened {
		data := l.Data
		if s.lines == 1 {
			data = data[len(bom(data)):]
		}
		switch k := parseLine(l, data, keepLine); k.kind {
		case isEntry:
			k.entry.line = uint32(s.lines)
			return s.header(k.entry, l.Offset)
		case isOther:
			return WithoutHeader(s.lines, l.Offset)
		}
		return nil
	}
	g := &s.current
	if !g.read(l) {
		return nil
	}
	typ := g.typ.Str()
	if typ == TypeSession {
		return nil
	}
	if typ == TypeCustom && agentOf(g.customType.Str()) != "" || g.copied == "true" {
		return nil // kept by an importer for itself, or said before
	}
	if s.info.Entries++; s.info.Entries <= originEntries && s.info.Origin.Harness == "" && !s.tail && bytes.Contains(l.Data, []byte(`"`+MemberKept+`"`)) {
		s.info.Origin.Harness = Entry{entry: &entry{raw: string(l.Data)}}.Importer()
	}
	switch typ {
	default:
		if s.omit&Expenses == 0 && g.usage != "" && MayCall(typ) {
			s.info.Spent.add(spentOf(string(g.usage)))
		}
	case TypeMessage:
		if s.omit&Expenses == 0 && g.message.usage != "" {
			if spent, again := s.replies.spent(g.message.response.Str(), g.message.model.Str(), string(g.message.usage)); !again {
				spent.Silent = spent == Spent{}
				s.info.Spent.add(spent)
			}
		}
		if isUsers(g.message.role.Str()) && marked(string(g.message.content)) {
			if g.message.content = js.Value(saidOf(g.message)); g.message.content == "" {
				break
			}
		}
		s.info.Messages++
		s.message(g)
	case TypeSessionInfo:
		s.named, s.name = true, strings.Clone(js.Trim(g.name.Str()))
	}
	return nil
}

// saidOf returns the content of a message without words of an agent, "" if it has no others.
func saidOf(m messageInfo) string {
	role := m.role.Str()
	sent := NewMessage(js.Object(js.StringField("role", role), js.RawField("content", string(m.content))))
	if sent.Harness() != "" {
		return ""
	}
	said, _, _ := sent.Said()
	return said.Get("content")
}

// message takes a message into account.
func (s *infoScan) message(g *lineInfo) {
	m := g.message
	role := m.role.Str()
	if role != RoleUser && role != RoleAssistant || m.content == "" {
		return
	}
	s.modified = max(s.modified, g.time())
	if role == RoleUser && !s.tail {
		s.asked(m)
	}
	switch {
	case s.omit&LastMessage != 0:
	case s.stays:
		s.last = append(s.last, string(m.content))
	case !hasText(string(m.content)):
	case len(m.content) > mostCopied:
		s.info.LastMessage, s.last = ownText(string(m.content)), s.last[:0]
	default:
		s.buf = append(s.buf[:0], m.content...)
		s.last = append(s.last[:0], unsafe.String(unsafe.SliceData(s.buf), len(s.buf)))
	}
}

// MostPrompts is how many prompts are read for the title of a session, and mostOfPrompt how many bytes of one.
const (
	MostPrompts  = 8
	mostOfPrompt = 8 << 10
)

// asked takes a message of the user for what was said first.
func (s *infoScan) asked(m messageInfo) {
	first := s.info.FirstMessage == ""
	if first {
		s.info.FirstMessage = ownText(string(m.content))
	}
	byAgent := m.attribution.Str() == "agent"
	if len(s.info.Prompts) == MostPrompts || m.synthetic.Truthy() || byAgent && s.task != "" {
		return
	}
	text := s.info.FirstMessage
	if !first || len(m.content) <= 1<<20 { // else it is not made once more
		text = TextOf(string(m.content), "\n")
	}
	switch text = js.Trim(text); {
	case text == "":
	case byAgent:
		s.task = strings.Clone(abridged(text))
	default:
		s.info.Prompts = append(s.info.Prompts, strings.Clone(abridged(text)))
	}
}

// abridged returns a text, of a long one whole lines from its beginning and whole paragraphs from its end.
func abridged(text string) string {
	if len(text) <= mostOfPrompt {
		return text
	}
	head, tail := text[:mostOfPrompt*3/4], text[len(text)-mostOfPrompt/4:]
	if at := strings.LastIndexByte(head, '\n'); at >= 0 {
		head = head[:at]
	}
	_, tail, _ = strings.Cut(tail, "\n\n")
	return head + "\n\n" + tail
}

func (s *infoScan) header(e Entry, offset int64) error {
	if title, ok := titleSlot(e); ok {
		s.slot, s.title = true, title
		return nil
	}
	h, err := headerOf(e)
	if p, ok := errors.AsType[Problem](err); ok {
		p.Offset = offset
		return p
	}
	s.opened = true
	s.info.ID, s.info.CWD, s.info.ParentSession, s.info.Version, s.info.Origin = h.ID, h.CWD, h.ParentSession, h.Version, h.Origin()
	if ms, ok := js.ParseTime(h.Timestamp); ok {
		s.info.Created = time.UnixMilli(ms).UTC()
	}
	if !s.slot {
		s.title = h.Title
	}
	return nil
}

// ownText returns the text of a content as [Message.Text] does, in new memory.
func ownText(content string) string {
	text := TextOf(content, " ")
	for b := range Blocks(content) {
		if b.Type == BlockText && len(b.text) == len(text)+len(`""`) {
			return strings.Clone(text) // it may be a part of the line
		}
	}
	return text
}

func (s *infoScan) result() (Info, error) {
	switch {
	case s.lines == 0:
		return Info{}, problem(0, 0, Empty, "", "not a session: empty")
	case !s.opened:
		return Info{}, problem(1, 0, NoHeader, "", "not a session: no session header")
	}
	i := s.info
	if len(i.Prompts) == 0 && s.task != "" {
		i.Prompts = []string{s.task}
	}
	for _, content := range slices.Backward(s.last) {
		if hasText(content) {
			i.LastMessage = ownText(content)
			break
		}
	}
	i.Modified = i.Created
	if s.modified > 0 {
		i.Modified = time.UnixMilli(s.modified).UTC()
	}
	if i.Name = s.name; !s.named {
		i.Name = strings.TrimSpace(s.title)
	}
	return i, nil
}

// A lineInfo holds what a listing wants to know of a line. Its values are parts of the line,
// which is borrowed.
type lineInfo struct {
	pick                                            *js.Pick
	typ, timestamp, name, customType, usage, copied js.Value
	message                                         messageInfo
}

// A messageInfo holds what a listing wants to know of a message.
type messageInfo struct {
	role, content, sent, usage, response, model, synthetic, attribution js.Value
}

// read reads a line. It reports false if the line is not one object.
func (g *lineInfo) read(l jsonl.Line) bool {
	if !isObject(unsafe.String(unsafe.SliceData(l.Data), len(l.Data))) {
		return false
	}
	if g.pick == nil {
		m := &g.message
		g.pick = js.NewPick(
			[]js.Want{{Name: "type", Into: &g.typ}, {Name: "timestamp", Into: &g.timestamp}, {Name: "name", Into: &g.name}, {Name: "customType", Into: &g.customType}, {Name: "usage", Into: &g.usage}, {Name: MemberCopy, Into: &g.copied}},
			"message",
			[]js.Want{{Name: "role", Into: &m.role}, {Name: "content", Into: &m.content}, {Name: "timestamp", Into: &m.sent}, {Name: "usage", Into: &m.usage}, {Name: "responseId", Into: &m.response}, {Name: "model", Into: &m.model}, {Name: "synthetic", Into: &m.synthetic}, {Name: "attribution", Into: &m.attribution}})
	}
	return g.pick.Valid(l.Data)
}

// time is that of the message, as messageTime has it.
func (g *lineInfo) time() int64 {
	if g.message.sent.IsNumber() {
		return g.message.sent.Int()
	}
	ms, _ := js.ParseTime(g.timestamp.Str())
	return ms
}

// hasText reports whether textOf a content, with a separator, is not empty.
func hasText(content string) bool {
	n := 0
	for b := range Blocks(content) {
		if b.Type != BlockText {
			continue
		}
		if n++; n > 1 || len(b.text) > len(`""`) && b.text[0] == '"' {
			return true
		}
	}
	return false
}
