package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/gate"
	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/titles"
)

// rows are those of a session, in the order of its file.
type rows struct {
	header   session.Header
	session  sessionRow
	messages []messageRow
	calls    []callRow
	usage    []usageRow
}

// read makes the rows of a session.
func (t *tables) read(ctx context.Context, src selection.Source) (r rows, err error) {
	in, err := src.Open(ctx, t.streams)
	if err != nil {
		return r, err
	}
	defer in.Close()
	text, err := in.Spool(ctx)
	if err != nil {
		return r, err
	}
	defer func(original *disk.Spool) { _ = original.Close() }(text) // it was read alone
	all := func() io.Reader {
		return disk.Reader{Ctx: ctx, R: io.NewSectionReader(text, 0, text.Size)}
	}
	sum, size := sha256.New(), text.Size
	if _, err := io.Copy(sum, all()); err != nil {
		return r, address.Locate(in.Name, err)
	}
	if t.rules != nil {
		secrets, err := t.rules.Redactor()
		if err != nil {
			return r, err
		}
		clean, err := secrets.Session(all())
		if err != nil {
			return r, address.Locate(in.Name, err)
		}
		if text, err = disk.Spooled(ctx, clean); err != nil {
			return r, err
		}
		redacted := text
		defer func() { _ = redacted.Close() }()
	}
	if err := in.Through(func(io.Reader) (io.Reader, error) { return all(), nil }); err != nil {
		return r, err
	}
	whole, err := in.Session()
	if err != nil {
		return r, err
	}
	content, err := usage.Read(all(), usage.Options{Agent: src.Owner(), Branches: true})
	if err != nil {
		return r, address.Locate(in.Name, err)
	}
	on := onPath(whole)
	if r.header, err = session.HeaderOf([]byte(whole.Header.Raw())); err != nil { // a copy, which does not hold the session in memory
		return r, address.Locate(in.Name, err)
	}
	r.session = t.sessionOf(src, whole)
	r.session.Size, r.session.SHA256 = size, hex.EncodeToString(sum.Sum(nil))
	r.messages = messagesOf(whole, on)
	r.calls = callsOf(whole, on)
	r.usage = t.usageOf(src, whole, content.Calls)
	if !t.content {
		r.bare()
	}
	return r, nil
}

// bare leaves out all texts.
func (r *rows) bare() {
	r.session = r.session.bare()
	for i, m := range r.messages {
		r.messages[i] = m.bare()
	}
	for i, c := range r.calls {
		r.calls[i] = c.bare()
	}
}

// onPath returns for each entry whether it is on the path to the leaf.
func onPath(whole *address.Source) []bool {
	on := make([]bool, len(whole.Entries))
	if leaf, ok := whole.Session.Leaf(); ok {
		path, _ := whole.PathIndex(leaf)
		for _, i := range path {
			on[i] = true
		}
	}
	return on
}

// known is a time for a row, nil for one that is not known.
func known(ms int64, ok bool) *int64 {
	if !ok {
		return nil
	}
	return &ms
}

// sessionOf makes the row of a session, but for its bytes.
func (t *tables) sessionOf(src selection.Source, whole *address.Source) sessionRow {
	h, from := whole.Header, whole.Header.Origin()
	s := usage.Session{Name: cmp.Or(whole.Path, src.Name), Parent: h.ParentSession, Agent: src.Owner(), Origin: from}
	r := sessionRow{
		Session: h.ID, Agent: s.Owner(), Host: from.Host, User: from.User, Repo: from.Repo(), Branch: from.Branch(), ParentAddress: h.ParentSession, CWD: h.CWD,
		Created: known(js.ParseTime(h.Timestamp)), Entries: int64(len(whole.Entries)), Lines: int64(whole.Lines),
		Redacted: t.redact || h.IsRedacted(), Reader: t.reader, Content: true,
	}
	if r.Name, r.ParentName, r.Parent = s.Names(); h.ParentSession == "" {
		r.ParentName, r.Parent = "", "" // the base of no path is a dot
	}
	r.Title, _ = titles.OfSession(h, whole.Entries)
	if leaf, ok := whole.Session.Leaf(); ok {
		r.Leaf = whole.Entries[leaf].ID()
	}
	for _, e := range whole.Entries {
		if at, ok := e.Timestamp(); ok && (r.Modified == nil || at > *r.Modified) {
			r.Modified = &at
		}
		if e.Type() == session.TypeMessage {
			r.Messages++
		}
	}
	return r
}

// messagesOf makes the rows of entries.
func messagesOf(whole *address.Source, on []bool) (all []messageRow) {
	for i, e := range whole.Entries {
		r := messageRow{
			Session: whole.Header.ID, Entry: e.ID(), Number: int32(i + 1), Parent: e.ParentID(), Timestamp: known(e.Timestamp()),
			OnPath: on[i], Type: e.Type(), Harness: e.IsHarness(), Text: e.Str("summary"),
		}
		if m, ok := e.Message(); ok {
			r.Role, r.Text, r.Error = m.Role(), m.Text("\n"), m.IsError() || m.Failed()
			if m.Role() == session.RoleAssistant {
				r.Provider, r.Model, r.Stop = m.Str("provider"), cmp.Or(m.Str("responseModel"), m.Str("model")), m.Str("stopReason")
			}
			for b := range m.Blocks() {
				if b.Type == session.BlockImage {
					r.Images++
				}
			}
		}
		r.TextBytes = int64(len(r.Text))
		all = append(all, r)
	}
	return all
}

// callsOf makes the rows of the calls of tools, on all branches.
func callsOf(whole *address.Source, on []bool) (all []callRow) {
	for n, call := range calls.Of(whole.Entries, whole.Header.CWD) {
		d, e := gate.Read(call), whole.Entries[call.Entry]
		r := callRow{
			Session: whole.Header.ID, Entry: e.ID(), CallID: d.ID, Timestamp: known(e.Timestamp()), Number: int32(n + 1), Kind: d.Kind, Tool: d.Name,
			Target: d.Target, Command: d.Command, Simple: [][]string{}, Paths: append([]string{}, d.Paths...), Outcome: d.Outcome, OnPath: on[call.Entry],
		}
		for _, c := range d.Commands {
			r.Simple = append(r.Simple, append([]string{}, c.Words...))
		}
		if d.Result >= 0 {
			result := whole.Entries[d.Result]
			r.Result, r.Ended = result.ID(), known(result.Timestamp())
		}
		if status := int32(d.Status); d.Known && int(status) == d.Status {
			r.Status = &status
		}
		key := fmt.Sprintf("%q %q %q", r.Entry, r.CallID, e.Str("timestamp"))
		if r.Entry == "" || r.CallID == "" { // nothing is the same
			key = fmt.Sprintf("%s %q %d", key, r.Session, n)
		}
		sum := sha256.Sum256([]byte(key))
		r.CallKey = hex.EncodeToString(sum[:16])
		all = append(all, r)
	}
	return all
}

// mostCost is what a cost has to be below to have a place in its column.
const mostCost = 1_000_000 * prices.USD

// usageOf makes the rows of the calls of models.
func (t *tables) usageOf(src selection.Source, whole *address.Source, made []usage.Call) (all []usageRow) {
	costing := usage.Costing{Mode: usage.Auto, Table: t.prices}
	keys := usage.CallKeys(&usage.Session{ID: whole.Header.ID, Agent: src.Owner()}, made)
	for i := range made {
		c := &made[i]
		if c.IsTotal() {
			continue
		}
		r := usageRow{
			Session: whole.Header.ID, Entry: c.ID, Timestamp: known(c.Time, c.Timed), Provider: c.Provider, Model: c.Model, Purpose: c.Purpose,
			Tier: cmp.Or(c.Price.Tier, c.Price.Speed), OnPath: !c.Abandoned, Stop: c.Stop, Input: c.Tokens.Input, Output: c.Tokens.Output,
			CacheRead: c.Tokens.CacheRead, CacheWrite: c.Tokens.CacheWrite, CacheWrite1h: c.Tokens.CacheWrite1h, Reasoning: c.Tokens.Reasoning,
			Unsplit: c.Tokens.Unsplit, Bad: c.Bad, CallKey: keys[i], Number: int32(i + 1),
		}
		charge := costing.Of(c)
		if charge.By != usage.ByNothing && charge.By != usage.Unpriced && charge.Cost < mostCost {
			cost := int64(charge.Cost)
			r.Cost, r.PricedBy = &cost, string(charge.By)
			if charge.By == usage.ByTable {
				r.Prices = t.prices.Date
			}
			if charge.Assumed != "" {
				r.PricedBy = "assumed"
			}
		}
		all = append(all, r)
	}
	return all
}
