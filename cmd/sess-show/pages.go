package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/homes"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/page"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/titles"
)

// What one page has at most, of a session that is larger.
const (
	maxPage    = 20_000_000 // bytes of its entries
	maxEntries = 2000
)

// makePages makes the page of a session, or several if it is large, and returns their names.
func (c *config) makePages(s *cli.Streams, d *document, name string, o page.Options) (made []string, err error) {
	parts := split(d)
	if len(parts) == 1 || c.all {
		parts = [][2]int{{0, 0}}
	}
	ext := filepath.Ext(name)
	names := []string{name}
	for n := 2; n <= len(parts); n++ {
		names = append(names, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext))
	}
	for n, part := range parts {
		o.From, o.To, o.Previous, o.Next = part[0], part[1], "", ""
		if n > 0 {
			o.Previous = filepath.Base(names[n-1])
		}
		if n+1 < len(parts) {
			o.Next = filepath.Base(names[n+1])
		}
		var stats page.Stats
		write := func(w io.Writer) (err error) {
			stats, err = page.Write(w, d.src.Session, d.path, o)
			return err
		}
		if err := c.make(names[n], write); err != nil {
			return made, err
		}
		made = append(made, names[n])
		s.Notef("%s: %s", names[n], stats.Describe())
	}
	return made, nil
}

// split returns the parts of the path that are pages.
func split(d *document) (parts [][2]int) {
	total, path := 0, page.Said(d.src.Session, d.path)
	for _, i := range path {
		total += len(d.src.Entries[i].Raw())
	}
	if total <= maxPage {
		return [][2]int{{0, 0}}
	}
	from, bytes := 0, 0
	for n, i := range path {
		bytes += len(d.src.Entries[i].Raw())
		if n > from && (bytes > maxPage || n-from >= maxEntries) {
			parts = append(parts, [2]int{from, n})
			from, bytes = n, len(d.src.Entries[i].Raw())
		}
	}
	return append(parts, [2]int{from, len(path)})
}

// makeDirectory makes a page of each session, and an index of them.
func (c *config) makeDirectory(ctx context.Context, s *cli.Streams, operands []string) error {
	for _, name := range operands {
		if err := address.RefuseEmpty(name); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(c.dest.File, 0o700); err != nil {
		return err
	}
	if len(operands) == 0 {
		operands = []string{""}
	}
	var index []page.Link
	var failed error
	m := maker{c, s, map[string]bool{"index": true}, map[string]string{}}
	for _, name := range operands {
		d, err := c.read(ctx, s, name)
		if err == nil {
			var l page.Link
			if l, err = m.page(ctx, d, nil, nil); err == nil {
				index = append(index, l)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed = errors.Join(failed, err) // and go on with the others
	}
	file := filepath.Join(c.dest.File, "index.html")
	write := func(w io.Writer) error { return page.Index(w, index) }
	if err := c.make(file, write); err != nil {
		return errors.Join(failed, err)
	}
	if _, err := fmt.Fprintln(s.Out, file); err != nil {
		return err
	}
	return errors.Join(failed, c.opened(s, file))
}

// A maker makes pages that are linked, in one directory.
type maker struct {
	c     *config
	s     *cli.Streams
	taken map[string]bool   // names of pages, without regard to case
	made  map[string]string // the pages of sessions, by agent and id
}

// page makes the page of a session, and those of the sessions that it started; parent is the one that started it, if a page
// is made of that, and total what sess-stat counts, if that is known.
func (m maker) page(ctx context.Context, d *document, parent *page.Child, total *js.Value) (l page.Link, err error) {
	l = page.LinkTo(d.src.Session, d.path)
	l.Agent = d.kept()
	if total == nil {
		counted, err := m.c.priced(ctx, m.s, d)
		if err != nil {
			return l, err
		}
		total = &counted
	}
	l.Cost = total.Get("cost").Float()
	key := d.owner() + ":" + d.src.Header.ID
	if l.File = m.made[key]; l.File != "" {
		return l, nil
	}
	base := cmp.Or(fileName(d.src.Header.ID), "session")
	name := base
	for n := 2; m.taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	m.taken[strings.ToLower(name)] = true
	l.File = name + ".html"
	if d.agent != "" { // and no copy of one of its sessions
		m.made[key] = l.File
	}
	o := m.c.options(d, *total)
	o.Parent = parent
	own := page.Child{Address: key, Title: cmp.Or(l.Title, key), File: l.File}
	o.Children, err = m.c.children(ctx, m.s, d, func(child *document, total js.Value) (string, error) {
		of, err := m.page(ctx, child, &own, &total)
		return of.File, err
	})
	if err == nil {
		_, err = m.c.makePages(m.s, d, filepath.Join(m.c.dest.File, l.File), o)
	}
	return l, err
}

// priced returns the total of a session for its page. A page without it is better than none: that sess-stat is not at hand, or
// failed, is said.
func (c *config) priced(ctx context.Context, s *cli.Streams, d *document) (js.Value, error) {
	total, err := totalOf(ctx, d)
	if err != nil && ctx.Err() == nil {
		s.Warnf("the page has no cost: %v", err)
		return "", nil
	}
	return total, err
}

// kept is the agent that an index names: the owner, or the one in whose directory the file is, or sess for a session of no agent.
func (d *document) kept() string {
	return cmp.Or(d.owner(), homes.NativeAt(homes.Here(), d.src.Path), ours)
}

// ours is what an index calls a session of no agent.
const ours = "sess"

// owner is the agent whose session it is: the one that its address names, or the one whose
// lines or words an importer kept in it.
func (d *document) owner() string {
	if d.agent != "" {
		return d.agent
	}
	for _, i := range d.path {
		e := d.src.Entries[i]
		if agent := cmp.Or(e.Aside(), e.Harness()); known.IsAgent(agent) {
			return agent
		}
	}
	return ""
}

// fileName returns an id as the name of a file.
func fileName(id string) string {
	id = strings.Map(func(r rune) rune {
		if r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
	return id[:min(len(id), 80)]
}

// heading writes the title of a session.
func (d *document) heading(b *bufio.Writer) {
	title, _ := titles.OfSession(d.src.Header, d.src.Entries)
	name := session.OneLine(title)
	if name == "" {
		name = tty.Clean(js.ValidText("Session " + d.src.Header.ID))
	}
	b.WriteString("# " + page.InlineText(name) + "\n")
}

// markdownMessage writes a message. The text below its heading is that of sess-path
// --as markdown.
func markdownMessage(b *bufio.Writer, e session.Entry, m session.Message) error {
	var text bytes.Buffer
	if err := render.Markdown(&text, []session.Message{m}); err != nil || text.Len() == 0 {
		return err
	}
	heading, body, _ := strings.Cut(text.String(), "\n")
	b.WriteString("\n" + heading)
	if ms, ok := e.Timestamp(); ok {
		b.WriteString(" · " + time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05"))
	}
	b.WriteString("\n\n")
	body = strings.Trim(body, "\n")
	if !page.Harmless(body) {
		body = "> " + strings.ReplaceAll(body, "\n", "\n> ")
	}
	b.WriteString(body + "\n")
	return nil
}

// colours of roles: what people said, results, and what failed.
var colours = map[string]tty.Style{
	session.RoleUser: tty.BoldGreen, session.RoleAssistant: tty.BoldBlue, session.RoleToolResult: tty.Yellow,
}

// writeText writes the messages of a path as sess-path --as text does, in colours if wanted: only
// the line in front of a message has one, and no message can make itself look like another.
//
// Words of an agent in the user's name are one line for a row of them, unless they are kept.
func (c *config) writeText(w io.Writer, d *document, colored bool) error {
	var out tty.Text
	for _, commit := range d.commits {
		out.Add(tty.Plain, "commit: "+commit+"\n")
	}
	first := len(d.commits) == 0
	apart := func() {
		if !first {
			out.Add(tty.Plain, "\n")
		}
		first = false
	}
	flush := func(least int) error {
		if out.Len() < least {
			return nil
		}
		_, err := out.WriteTo(w)
		out = tty.Text{}
		return err
	}
	note := func(notes convo.Notes) error {
		apart()
		out.Add(tty.Plain, "context: "+notes.String()+"\n")
		return nil
	}
	err := c.eachSaid(d.entries(), note, func(_ session.Entry, m session.Message) error {
		var text bytes.Buffer
		if err := render.Text(&text, []session.Message{m}); err != nil || text.Len() == 0 {
			return err
		}
		apart()
		addMessage(&out, m, text.String(), colored)
		return flush(64 << 10)
	})
	if err != nil {
		return err
	}
	return flush(0)
}

// eachSaid calls say for the messages of a path as they are to be shown, and note in the place of each row of words
// that agents put in between, unless they are kept.
func (c *config) eachSaid(path []session.Entry, note func(convo.Notes) error, say func(session.Entry, session.Message) error) error {
	var notes convo.Notes
	tell := func() error {
		if notes.Count == 0 {
			return nil
		}
		told := notes
		notes = convo.Notes{}
		return note(told)
	}
	for _, e := range path {
		if e.IsCopy() {
			continue
		}
		messages := convo.EntryMessages(e)
		if m, ok := e.AsResult(); ok {
			messages = []session.Message{m}
		}
		for _, m := range messages {
			if e.Type() == session.TypeCompaction && strings.TrimSpace(e.Str("summary")) == "" {
				m = session.NewTextMessage(session.RoleUser, "compacted: "+page.NoSummary)
			}
			said, own := convo.Spoken([]session.Message{m})
			notes.Plus(own)
			for _, one := range said {
				one, ok := c.shown(one)
				if !ok {
					continue
				}
				if err := tell(); err != nil {
					return err
				}
				if err := say(e, one); err != nil {
					return err
				}
			}
		}
	}
	return tell()
}

// shown returns a message without the calls, the results and the thinking that are not to be shown; ok is false if nothing
// is left of it.
func (c *config) shown(m session.Message) (shown session.Message, ok bool) {
	calls, thinking := page.Fold(c.tools), page.Fold(c.thinking)
	left := calls == page.None || calls == page.Names
	switch {
	case left && m.Role() == session.RoleToolResult:
		return m, false
	case m.Role() != session.RoleAssistant || !left && thinking != page.None:
		return m, true
	}
	var blocks []string
	for b := range m.Blocks() {
		_, provided := b.Provided()
		switch isCall := provided || b.Type == session.BlockToolCall; {
		case thinking == page.None && b.IsThinking(), calls == page.None && isCall:
		case calls == page.Names && isCall:
			blocks = append(blocks, js.Object(js.StringField("type", b.Type), js.RawField("id", b.Get("id")), js.RawField("name", b.Get("name")), js.RawField("arguments", "{}")))
		default:
			blocks = append(blocks, b.Raw())
		}
	}
	return m.WithContent("[" + strings.Join(blocks, ",") + "]"), len(blocks) > 0 || m.Failed()
}

func addMessage(out *tty.Text, m session.Message, text string, colored bool) {
	style := tty.Plain
	if colored {
		style = colours[m.Role()]
	}
	if style != tty.Plain && m.IsError() {
		style = tty.BoldRed
	}
	end := strings.IndexByte(text, ':') + 1
	out.Add(style, text[:end])
	out.Add(tty.Plain, text[end:])
}
