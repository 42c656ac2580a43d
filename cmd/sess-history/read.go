package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/grep"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
	"github.com/sess-tools/sess/pkg/typed"
)

// A prompt is one request of a user.
type prompt struct {
	row.Place // of its session, without an address if that is unknown
	text      string
	time      int64  // in milliseconds since the epoch; 0 if it is unknown
	agent     string // whose session it is, "" for ours
	entry     string // "" if it is not in a session
	cwd       string
	part      bool   // its session is a sub-agent's, which may begin with a copy
	key       uint64 // what copies of the entry have in common, 0 for none

	// What copies have in common that were handed over, see [selection.Said]: of this session, and of those it was moved
	// here from, whose prompt it is.
	moved []uint64
}

// readAll reads the prompts of sessions, some sessions at once, and with --limit not more than those and the sessions that
// may have one of them. A session that cannot be read is a warning, and unread says how many there were.
func (c *config) readAll(ctx context.Context, s *cli.Streams, list []selection.Source, q *query) (all []prompt, unread, err error) {
	readers := sync.Pool{New: func() any { return &reader{streams: s, query: q, scanner: candidates.Scanner(false)} }}
	read := func(ctx context.Context, src selection.Source) ([]prompt, error) {
		r := readers.Get().(*reader)
		defer readers.Put(r)
		return r.read(ctx, src)
	}
	written := map[string]int64{}
	if c.sessions.Timed {
		for _, src := range list {
			written[src.Name] = src.Written().UnixMilli()
		}
		slices.SortStableFunc(list, func(a, b selection.Source) int { return cmp.Compare(written[b.Name], written[a.Name]) })
	}
	failed, looked, kept, oldest := 0, 0, 0, int64(0)
	for found, err := range parallel.MapErr(ctx, 2*runtime.GOMAXPROCS(0), slices.Values(list), read) {
		all = append(all, found...)
		if err != nil && !errors.Is(err, selection.ErrNotHere) && ctx.Err() == nil {
			failed++
			s.Warn(cli.Unseen, "%v", err)
		}
		if c.sessions.Timed && len(all) >= max(2*kept, c.limit) {
			all, oldest = c.newest(all)
			kept = len(all)
		}
		if looked++; c.sessions.Timed && looked < len(list) && written[list[looked].Name] < oldest {
			break // neither this session nor those behind it have a prompt to print
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	return all, s.Unread(failed, looked, cli.ExitUsage), nil
}

// newest leaves out the prompts that are older than all that --limit prints, and returns when the oldest of these was said, 0
// if there are not as many.
func (c *config) newest(list []prompt) ([]prompt, int64) {
	rows := c.fold(list)
	if !c.sessions.Timed || len(rows) < c.limit {
		return list, 0
	}
	oldest := rows[c.limit-1].time
	return slices.DeleteFunc(list, func(p prompt) bool { return p.time < oldest }), oldest
}

// A reader reads the prompts of sessions, one after the other.
type reader struct {
	streams *cli.Streams
	query   *query
	scanner *grep.Scanner
}

// candidates finds the lines that matter: messages of the user, what importers kept of
// those, and what sub-agents are told by.
var candidates = grep.MustCompile(append(selection.SubagentMarks(), session.RoleUser), grep.Options{Fixed: true})

// marks are in the lines that matter as whole strings, and an escape in those of a writer
// that has letters escaped; in other lines they are a part of some text.
var marks = func() (all [][]byte) {
	for _, text := range append(selection.SubagentMarks(), session.RoleUser) {
		all = append(all, []byte(`"`+text+`"`))
	}
	return append(all, []byte(`\u00`))
}()

// read reads a session. Prompts that it read before an error count.
func (r *reader) read(ctx context.Context, src selection.Source) (list []prompt, err error) {
	in, err := src.Open(address.Copied(ctx), r.streams)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	h, content, err := begin(disk.Reader{Ctx: ctx, R: in})
	if err != nil {
		return nil, address.Locate(in.Name, err)
	}
	if err := src.Here(h); err != nil {
		return nil, err
	}
	d := &document{reader: r, src: src, header: h, place: in.Place(h.ID), origin: selection.Origin(src.Name)}
	d.part = store.ParentFile(d.place.Path) != ""
	d.subagent = d.part
	err = d.read(content)
	if err != nil {
		err = address.Locate(in.Name, err)
	}
	if d.bad > 0 {
		r.streams.Warn(cli.Damage, "%s: %s, skipped", in.Name, tty.Count(d.bad, "line that may hold a prompt is no entry", "lines that may hold prompts are no entries"))
	}
	return d.prompts(), err
}

// begin reads the header of a session, and returns what reads all of it. Nearly always the
// header is the first line, and short: to read it with more care takes more memory than
// the rest of a small session.
func begin(r io.Reader) (session.Header, io.Reader, error) {
	head := make([]byte, 2<<10)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return session.Header{}, nil, err
	}
	all := io.MultiReader(bytes.NewReader(head[:n]), r)
	if line, _, whole := bytes.Cut(head[:n], []byte("\n")); whole {
		if h, err := session.HeaderOf(line); err == nil {
			return h, all, nil
		}
	}
	var read bytes.Buffer
	h, err := session.ReadHeader(io.TeeReader(all, &read))
	return h, io.MultiReader(&read, all), err
}

// A document is a session that is read.
type document struct {
	*reader
	src    selection.Source
	header session.Header
	place  row.Place
	origin string

	said     []message // by the user
	moves    []move
	bad      int  // lines that cannot be read
	part     bool // its file is a part of another session, whose agent speaks in the user's name
	subagent bool // as far as it was read
}

// A message is a prompt, unless the session turns out to be a sub-agent's further on.
type message struct {
	id, text string
	time     int64
	written  int64 // when its entry was, in milliseconds since the epoch
	key      uint64
}

// A move says that the messages in front of it are of another session, which was handed over.
type move struct {
	before int    // among what the user said
	from   string // the origin of the other session
}

// read takes in the prompts of a session, and the places where it was handed over.
func (d *document) read(r io.Reader) error {
	if d.header.Version < session.Version { // entries get ids when they are read
		s, err := session.Read(r)
		if err != nil {
			return err
		}
		for _, e := range s.Entries {
			if err := d.take(e); err != nil {
				return err
			}
		}
		return nil
	}
	for b, err := range jsonl.Blocks(r) {
		if err != nil {
			return err
		}
		if err := d.block(b); err != nil {
			return err
		}
		b.Free()
	}
	return nil
}

// block takes the lines of a block that matter.
func (d *document) block(b jsonl.Block) error {
	d.scanner.Reset(b.Data)
	for from, to, ok := d.scanner.Next(); ok; from, to, ok = d.scanner.Next() {
		line := b.Data[from:to]
		if !slices.ContainsFunc(marks, func(mark []byte) bool { return bytes.Contains(line, mark) }) {
			continue
		}
		e, err := session.ParseEntry(b.Text(from, to))
		if err != nil {
			if !b.Torn || to < len(b.Data) { // or another program is writing it
				d.bad++
			}
			continue
		}
		if err := d.take(e); err != nil {
			return err
		}
	}
	return nil
}

// take takes an entry.
func (d *document) take(e session.Entry) error {
	if !d.subagent && selection.IsSubagent(d.header, e) {
		d.subagent = true
	}
	if text, ok := typed.Prompt(e); ok {
		if d.part {
			return nil
		}
		written, _ := e.Timestamp()
		d.said = append(d.said, message{strings.Clone(e.ID()), text, saidAt(e), written, d.src.Key(e)})
	} else if from, ok := typed.Moved(e); ok {
		d.moves = append(d.moves, move{len(d.said), selection.Origin(from)})
	}
	return nil
}

// prompts returns the prompts that are wanted.
func (d *document) prompts() (list []prompt) {
	for i, m := range d.said {
		p := prompt{
			Place: d.place, text: m.text, time: m.time, agent: d.src.Owner(),
			entry: m.id, cwd: d.header.CWD, key: m.key, part: d.subagent,
		}
		if !d.query.wants(p) {
			continue
		}
		p.moved = append(p.moved, selection.SaidAt(d.origin, session.RoleUser, m.written))
		for _, to := range d.moves {
			if i < to.before {
				p.moved = append(p.moved, selection.SaidAt(to.from, session.RoleUser, m.written))
			}
		}
		list = append(list, p)
	}
	return list
}

// saidAt returns when a message was said, in milliseconds since the epoch: when it was
// sent if it says so, else when it was written down.
func saidAt(e session.Entry) int64 {
	if m, ok := e.Message(); ok {
		if v := js.Value(m.Get("timestamp")); v.IsNumber() && v.Int() > 0 {
			return v.Int()
		}
	}
	ms, _ := e.Timestamp()
	return ms
}

// readDatabase reads the prompts of a database of oh-my-pi, as sess-import prints them.
func (c *config) readDatabase(ctx context.Context, s *cli.Streams, q *query) ([]prompt, error) {
	here, err := c.here()
	if err != nil {
		return nil, err
	}
	p, err := subprocess.Program{Name: address.Importer, Args: []string{"--prompts", "--", c.database}, Say: address.Say(s, cli.Unseen)}.Start(ctx)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	var list []prompt
	for l, err := range jsonl.Lines(p) {
		switch {
		case err != nil && cli.Status(err) == cli.ExitNo:
			return nil, nil
		case err != nil:
			return nil, err
		case !js.Valid(l.Data):
			return nil, fmt.Errorf("reading what %s prints: not JSON: %.100q", address.Importer, l.Data)
		}
		v := js.Value(l.Text())
		one := prompt{text: v.Get("text").Str(), cwd: v.Get("cwd").Str(), agent: "omp"}
		one.Session = v.Get("session").Str()
		one.time, _ = js.ParseTime(v.Get("timestamp").Str())
		if here(one.cwd) && q.wants(one) {
			list = append(list, one)
		}
	}
	return list, nil
}

// here returns the function that reports whether a working directory is one of those
// whose prompts are listed.
func (c *config) here() (func(string) bool, error) {
	if c.sessions.CWD == "" && (c.sessions.All || len(c.sessions.Agents) > 0) {
		return store.SameDir(""), nil
	}
	dir, err := address.CWD(c.sessions.CWD)
	if err != nil {
		return nil, err
	}
	return store.SameDir(dir), nil
}

// A line is a prompt as it was said last, and how often it was said.
type line struct {
	prompt
	count int
}

// merge adds prompts of a database to those of sessions, but for those that the sessions
// have: of the same text and second.
func merge(list, more []prompt) []prompt {
	type said struct {
		text   string
		second int64
	}
	known := map[said]bool{}
	for _, p := range list {
		known[said{normal(p.text), p.time / 1000}] = true
	}
	for _, p := range more {
		if !known[said{normal(p.text), p.time / 1000}] {
			list = append(list, p)
		}
	}
	return list
}

// normal returns the form by which prompts are the same: line ends are line feeds, and
// white space at the ends of lines and of the text does not count. It is that in which
// oh-my-pi stores them.
func normal(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		cut, ended := strings.CutSuffix(line, "\n")
		b.WriteString(js.TrimEnd(cut))
		if ended {
			b.WriteByte('\n')
		}
	}
	return js.Trim(b.String())
}

// copies are prompts that were seen, by what copies of them have in common.
type copies struct {
	entries map[uint64]bool
	moved   map[uint64]*prompt
}

// has reports whether a prompt is a copy of one that was seen, and takes note of it.
func (c copies) has(p *prompt) bool {
	if p.key != 0 && c.entries[p.key] {
		return true
	}
	for i, key := range p.moved {
		if first := c.moved[key]; i > 0 && key != 0 && first != nil && first.Place != p.Place {
			return true
		}
	}
	c.entries[p.key] = true
	for _, key := range p.moved {
		if c.moved[key] == nil {
			c.moved[key] = p
		}
	}
	return false
}

// fold returns the rows to print, the newest first. An entry that is in several sessions,
// as in forks of one and in those that it was handed over to, was said once: in the session that it is of.
func (c *config) fold(list []prompt) (rows []line) {
	part := func(p prompt) int {
		if p.part {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b prompt) int {
		return cmp.Or(cmp.Compare(b.time, a.time), part(a)-part(b), len(a.moved)-len(b.moved))
	})
	seen := copies{map[uint64]bool{}, map[uint64]*prompt{}}
	same, seed := map[uint64]int{}, maphash.MakeSeed() // where the row of a text is
	for i, p := range list {
		if seen.has(&list[i]) {
			continue
		}
		if c.dup {
			rows = append(rows, line{p, 1})
			continue
		}
		text := maphash.String(seed, normal(p.text))
		if at, ok := same[text]; ok {
			rows[at].count++
			continue
		}
		same[text] = len(rows)
		rows = append(rows, line{p, 1})
	}
	if c.limit > 0 && len(rows) > c.limit {
		rows = rows[:c.limit]
	}
	return rows
}
