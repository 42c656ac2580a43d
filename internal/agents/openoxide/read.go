package openoxide

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// The types of custom entries, without the format's name.
const (
	customSession = "session" // data: the row of the session
	customHeader  = "header"  // data: {"header":…}, of a session that did not come from OpenOxide
	customContent = "content" // a message that is nothing here
)

func (a *archive) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	row, err := strconv.ParseInt(info.Key, 10, 64)
	if err != nil {
		return fmt.Errorf("reading %s: no session %q", a.path, info.Key)
	}
	var r record
	found := false
	for err := range a.records(ctx, &r, "WHERE rowid = ?", row) {
		if err != nil {
			return err
		}
		found = true
	}
	if !found {
		return fmt.Errorf("reading %s: no session %q", a.path, info.Key)
	}
	c := &conversion{a: a, r: r, b: b, now: r.created}
	if err := c.header(); err != nil {
		return err
	}
	if err := c.messages(ctx); err != nil {
		return err
	}
	if name := session.OneLine(r.title); name != "" && name != c.name { // the entries do not have it
		if _, err := b.Add(formats.Place{ID: titleID(r.headerID())}, session.TypeSessionInfo, js.StringField("name", name)); err != nil {
			return err
		}
	}
	return a.db.Verify()
}

// A conversion is the reading of one session.
type conversion struct {
	a    *archive
	r    record
	b    *formats.Builder
	name string // of the session, as its entries have it

	// The time and the ids that messages with entries have had so far, by the rule for them.
	now int64
	ids ids
}

// header begins the session.
func (c *conversion) header() error {
	r := c.r
	h := session.HeaderFields{ID: r.headerID(), CWD: r.directory, ParentSession: r.parent}
	if timely(r.created) {
		h.Time = r.created
	} else {
		c.b.Lose(c.a.path, formats.KindTime, "session %s: no time: %d", r.id, r.created)
	}
	if err := c.b.Header(h); err != nil {
		return err
	}
	c.b.Defaults.Model = r.model
	c.b.BeginKeeping()
	revert := ""
	if r.revert.Valid {
		revert = js.Quote(js.ValidText(r.revert.String))
	}
	_, err := c.b.Custom(formats.Place{Key: "session"}, customSession, js.Object(
		js.StringField("id", r.id), js.StringField("project_id", r.project), js.StringField("title", r.title),
		js.StringField("directory", r.directory), js.StringField("model_id", r.model),
		js.IntField("time_updated", r.updated), js.RawField("revert_oid", revert)))
	return err
}

// titleID is the id of the entry that holds the title.
func titleID(session string) string {
	return formats.EntryID(func(string) bool { return false }, session, "title")
}

// messages reads the messages in their order. Their rows are looked up first, so that
// contents are never sorted.
func (c *conversion) messages(ctx context.Context) error {
	db := c.a.db
	var row, ms int64
	var id, role sqldb.Text
	for err := range db.Rows(ctx, []any{&row}, `SELECT rowid FROM message WHERE session_id = ? ORDER BY time_created, id`, c.r.id) {
		if err != nil {
			return err
		}
		var content []byte
		err := db.QueryRowContext(ctx, `SELECT CAST(id AS TEXT), CAST(role AS TEXT), coalesce(CAST(time_created AS INTEGER), 0), CAST(content AS BLOB) FROM message WHERE rowid = ?`, row).
			Scan(&id, &role, &ms, &content)
		if err != nil {
			return db.Err(err)
		}
		if err := c.message(message{js.ValidText(string(id)), js.ValidText(string(role)), ms, content}); err != nil {
			return err
		}
	}
	return nil
}

func (c *conversion) at(m message) string { return fmt.Sprintf("%s: message %s", c.a.path, m.id) }

// message adds what a message holds.
func (c *conversion) message(m message) error {
	text, err := unpack(m.content)
	if err != nil {
		c.b.Lose(c.at(m), formats.KindDamage, "its content is no MessagePack that JSON could say: %v; its bytes were kept", err)
		return c.opaque(m)
	}
	if entry := entryIn(js.Value(text)); entry != "" {
		e, err := session.ParseEntry(entry)
		switch {
		case err == nil && e.Type() == session.TypeSession:
			_, err := c.b.Custom(formats.Place{Key: headerKey}, customHeader, js.Object(js.RawField("header", entry)))
			if err != nil || c.usual(m, "tool", 0, headerKey) {
				return err
			}
			return c.keep(m)
		case err == nil && e.ID() != "":
			return c.entry(m, e)
		}
	}
	if msg, ok := foreign(m.role, js.Value(text)); ok {
		if _, err := c.b.Message(m.place(), msg); err != nil {
			return err
		}
		return c.keep(m)
	}
	c.b.Lose(c.at(m), formats.KindEntry, "its content is laid out in a way that is not known; its bytes were kept")
	return c.opaque(m)
}

// entry adds the entry that is the content of a message, below the one before it.
func (c *conversion) entry(m message, e session.Entry) error {
	if c.b.Known(e.ID()) {
		id := formats.EntryID(c.b.Known, c.r.id, m.id)
		c.b.Lose(c.at(m), formats.KindTree, "a second entry %s, which was given the id %s", e.ID(), id)
		e = e.WithRaw("id", js.Quote(id))
	}
	if e.Type() == session.TypeSessionInfo {
		c.name = session.OneLine(e.Str("name"))
	}
	if err := c.b.Entry(e.WithParent(c.b.Leaf())); err != nil {
		return err
	}
	if ms, _ := e.Timestamp(); c.usual(m, role(e), ms, e.ID()) {
		return nil
	}
	return c.keep(m)
}

// role returns the role of the message that an entry is the content of, of the three there are.
func role(e session.Entry) string {
	switch e.Type() {
	case session.TypeMessage:
		switch e.Role() {
		case session.RoleUser, session.RoleAssistant:
			return e.Role()
		}
	case session.TypeCompaction, session.TypeBranchSummary:
		return "assistant"
	}
	return "tool"
}

// usual reports whether id, time and role of a message follow from the entry that key means, so that nothing of its row
// has to be kept.
func (c *conversion) usual(m message, role string, ms int64, key string) bool {
	next, at := c.ids, max(c.now, ms)
	if next.next(at, "message", c.r.id, key) != m.id || m.ms != at || m.role != role {
		return false
	}
	c.ids, c.now = next, at
	return true
}

// A message is a row of messages.
type message struct {
	id, role string
	ms       int64
	content  []byte
}

func (m message) place() formats.Place {
	p := formats.Place{ID: m.id, Key: m.id}
	if timely(m.ms) {
		p.Time = m.ms
	}
	return p
}

// entryIn returns the entry that the content of a message holds, "" if none.
func entryIn(content js.Value) string {
	if content.Get("v") != "1" {
		return ""
	}
	raw, entry := content.Get("raw").Str(), content.Get("entry")
	if raw != "" && js.Valid([]byte(raw)) && raw[0] == '{' && !strings.ContainsAny(raw, "\r\n") {
		return raw
	}
	if entry.IsObject() {
		return string(entry)
	}
	return ""
}

// foreign returns the message that a content says in one of the ways that come to
// mind: a text, or a map with "content" or "text", or with "content" or "parts" that are
// blocks of text.
func foreign(role string, content js.Value) (session.Message, bool) {
	for _, v := range []js.Value{content, content.Get("content"), content.Get("text"), content.Get("parts")} {
		blocks, ok := texts(v)
		switch {
		case !ok:
		case role == "user":
			return api.User(blocks), true
		case role == "assistant":
			return api.Assistant(blocks), true
		case role == "tool":
			return api.ToolResult(content.Get("tool_call_id").Str(), "unknown", blocks, false), true
		default:
			return session.Message{}, false
		}
	}
	return session.Message{}, false
}

// texts returns the blocks of a text, or of an array of blocks of text.
func texts(v js.Value) (blocks []string, ok bool) {
	if v.IsString() {
		return []string{api.Text(v.Str())}, true
	}
	for part := range v.Elements() {
		text, ok := part.Get("text").Text()
		if !ok || part.Get("type").Str() != "text" {
			return nil, false
		}
		blocks = append(blocks, api.Text(text))
	}
	return blocks, blocks != nil
}

// keep keeps a message as it is with the entry that was made of it.
func (c *conversion) keep(m message) error {
	c.now = max(c.now, m.ms)
	return c.b.Keep(nil, m.kept())
}

// opaque keeps a message that is nothing here.
func (c *conversion) opaque(m message) error {
	c.now = max(c.now, m.ms)
	p := m.place()
	p.ID, p.Key = "", "content "+m.id
	_, err := c.b.Aside(p, customContent, "", m.kept())
	return err
}

// kept returns the row as it is kept.
func (m message) kept() formats.KeptLine {
	return formats.KeptLine{Text: js.Object(js.StringField("id", m.id), js.StringField("role", m.role),
		js.IntField("time_created", m.ms), js.StringField("content", base64.StdEncoding.EncodeToString(m.content)))}
}
