package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/findings"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/core/redact/rules"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/secret"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// checkAll prints where secrets are in sessions.
func (c *config) checkAll(ctx context.Context, s *cli.Streams, r *redact.Redactor, operands []string) error {
	var err error
	if c.base, err = c.openBaseline(s); err != nil {
		return err
	}
	s.Gate()
	if !c.damagedOK {
		ctx = address.Whole(ctx, false)
	}
	all, err := c.sessions.Find(ctx, s, operands)
	if err != nil {
		return err
	}
	p := &findings.Printer{Form: c.form(), Out: s.Out, Tool: "sess-redact", Version: secret.GitleaksVersion}
	if sc := screen.On(s.Out, s.OutFile(), ""); sc != nil && p.Form == findings.Lines {
		c.screen = &screened{Screen: sc, short: all.Short()}
	}
	count := &counted{kinds: map[string]int{}}
	checked, unread, status, failed := 0, 0, cli.ExitUsage, all.Failed
	show := s.Progress()
	defer show.Clear()
	for i, src := range all.List {
		show.Showf("%d of %d sessions", i, len(all.List))
		before := count.total
		err := c.checkOne(ctx, s, r, src, p, count)
		if count.total > before || err != nil {
			show.Clear()
			err = errors.Join(err, s.Flush())
		}
		switch {
		case errors.Is(err, selection.ErrNotHere):
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			failed = errors.Join(failed, err) // and go on with the others
			unread, status = unread+1, max(status, cli.Status(err))
		}
		checked++
	}
	if len(all.List) > 1 {
		failed = errors.Join(failed, s.Unread(unread, len(all.List), status))
	}
	if err := p.End(func() string { return count.row(checked, len(c.set.Rules())) }, nil); err != nil {
		return err
	}
	if c.screen != nil && !s.Quiet {
		show.Clear()
		if err := c.screen.foot(count, checked); err != nil {
			return err
		}
	}
	s.Notef("%s", count.summary(checked))
	all.TellOutputs(ctx, s, true, "not checked")
	if failed != nil {
		return failed
	}
	if c.newBaseline != "" {
		if err := jsonl.Create(c.newBaseline, jsonl.Content(c.base.lines), false); err != nil {
			return cli.WithHint(fmt.Errorf("creating %s: %w", strings.TrimSpace(c.newBaseline), err), "an existing file is never overwritten: choose another name")
		}
		return nil
	}
	if count.total > 0 {
		return cli.No("")
	}
	return nil
}

// checkOne prints where secrets are in a session.
func (c *config) checkOne(ctx context.Context, s *cli.Streams, r *redact.Redactor, src selection.Source, p *findings.Printer, count *counted) error {
	in, err := src.Open(ctx, s)
	if err != nil {
		return err
	}
	defer in.Close()
	count.last = ""
	place := in.Place("")
	src.Name, place.Address, place.Path = c.shown(src.Name), c.shown(place.Address), c.shown(place.Path) // in rows
	var failed error
	var group *found
	flush := func() {
		switch {
		case group == nil || failed != nil:
		case c.screen != nil:
			failed = c.screen.print(*group)
		default:
			failed = p.Print(*group)
		}
		group = nil
	}
	err = c.scan(ctx, r, in, nil, func(f redact.Found) {
		mark := c.base.fingerprint(f)
		if mark != "" && c.base.known[mark] {
			return
		}
		c.base.add(mark, f)
		count.add(f)
		next := found{src: src, place: place, Found: f, count: 1, fingerprint: mark}
		if group != nil && !c.json && group.same(next) {
			group.count++
			return
		}
		flush()
		group = &next
	})
	flush()
	return errors.Join(err, failed, c.unread(s, in))
}

// unread is the error of a session with lines that are not JSON, of which a part of a secret may be left. The last line of a file
// that was just written to may be one that is being written.
func (c *config) unread(s *cli.Streams, in *address.Input) error {
	s.Unjudged(in.Name, len(c.broken))
	last := len(c.broken) - 1
	if last >= 0 && c.broken[last].Torn && address.Fresh(in.Path()) {
		last--
	}
	if last < 0 || c.damagedOK {
		return nil
	}
	return address.NotWhole(fmt.Errorf("%s:%d: a line that is not JSON", in.Name, c.broken[0].Number))
}

// A found secret is a finding as it is printed, or several of one kind in one place.
type found struct {
	redact.Found
	src         selection.Source
	place       row.Place
	count       int
	fingerprint string
}

func (r found) same(o found) bool {
	return r.src.Name == o.src.Name && r.Found.Line == o.Found.Line && r.Entry == o.Entry && r.Field == o.Field && r.Rule == o.Rule && r.Structural == o.Structural
}

// counted is how much was found.
type counted struct {
	total   int
	entries int
	kinds   map[string]int
	last    string // entry
}

func (n *counted) add(f redact.Found) {
	n.total++
	n.kinds[f.Rule]++
	if f.Entry != n.last {
		n.entries++
		n.last = f.Entry
	}
}

func (n *counted) summary(sessions int) string {
	return fmt.Sprintf("%s in %s of %s (%s)", tty.Count(n.total, "finding", "findings"), tty.Count(n.entries, "entry", "entries"),
		tty.Count(sessions, "session", "sessions"), tty.Count(len(n.kinds), "kind", "kinds"))
}

// taken says how many secrets of which kinds went out.
func (n *counted) taken() string {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(n.kinds)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", n.kinds[kind], kind))
	}
	return fmt.Sprintf("took out %s: %s", tty.Count(n.total, "secret", "secrets"), strings.Join(kinds, ", "))
}

// A baseline has the fingerprints of earlier findings, by which they are known again, and not their
// texts. Its key makes those of two projects differ.
type baseline struct {
	key   []byte // nil: there are no fingerprints
	known map[string]bool
	lines []string // of the file
	added map[string]bool
}

// A baselineLine is the first line of the file, or one of a finding.
type baselineLine struct {
	Type        string `json:"type"`
	Version     int    `json:"version"`
	Key         string `json:"key"`
	Fingerprint string `json:"fingerprint"`
}

// openBaseline reads --baseline, and makes a key if --write-baseline wants one.
func (c *config) openBaseline(s *cli.Streams) (*baseline, error) {
	b := &baseline{known: map[string]bool{}, added: map[string]bool{}}
	switch {
	case c.baseline != "":
		return b, b.read(s, c.baseline)
	case c.newBaseline != "":
		b.key = make([]byte, rules.KeySize)
		if _, err := rand.Read(b.key); err != nil {
			return nil, err
		}
		b.lines = []string{js.Object(js.StringField("type", "baseline"), js.IntField("version", 1), js.StringField("key", hex.EncodeToString(b.key)))}
	}
	return b, nil
}

func (b *baseline) read(s *cli.Streams, name string) error {
	list, err := rules.Lines(s, name, "--baseline")
	if err != nil {
		return err
	}
	for n, text := range list {
		var l baselineLine
		bad := json.Unmarshal([]byte(text), &l) != nil
		if n == 0 {
			b.key, err = hex.DecodeString(l.Key)
			bad = bad || err != nil || l.Type != "baseline" || l.Version != 1 || len(b.key) != rules.KeySize
		} else {
			bad = bad || l.Type != "finding" || l.Fingerprint == ""
		}
		if bad {
			return cli.WithHint(cli.UsageError("%s:%d: it is no line of a baseline", name, n+1), "--check --write-baseline makes one")
		}
		b.known[l.Fingerprint] = n > 0
		b.lines = append(b.lines, text)
	}
	if b.key == nil {
		return cli.UsageError("%s: empty", name)
	}
	return nil
}

// fingerprint returns by what a finding is known again: "" without a baseline.
func (b *baseline) fingerprint(f redact.Found) string {
	if b.key == nil {
		return ""
	}
	return hex.EncodeToString(f.Sum(append([]byte(f.Rule+"\x00"), b.key...))[:16])
}

// add adds a finding to the lines.
func (b *baseline) add(mark string, f redact.Found) {
	if mark == "" || b.added[mark] {
		return
	}
	b.added[mark] = true
	b.lines = append(b.lines, js.Object(js.StringField("type", "finding"), js.StringField("fingerprint", mark),
		js.StringField("kind", f.Rule), js.StringField("field", f.Field), js.StringField("date", time.Now().UTC().Format(time.DateOnly))))
}
