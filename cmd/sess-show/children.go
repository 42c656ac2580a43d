package main

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/page"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// children returns what a page says of the sessions that calls of other agents started, by [calls.Started]. Those are read
// where their agent keeps them. What a transcript names is no more than a name: only a session that names this one as its
// parent is shown. With link, which makes the page of one and returns its file, their text is not in the page.
func (c *config) children(ctx context.Context, s *cli.Streams, d *document, link func(*document, js.Value) (string, error)) (map[string]page.Child, error) {
	agent, all := d.owner(), map[string]page.Child{}
	if agent == "" || c.tools == string(page.None) {
		return nil, nil
	}
	for _, i := range d.path {
		m, ok := d.src.Entries[i].Message()
		if !ok || m.Role() != session.RoleToolResult || calls.KindOf(m.Str("toolName")) != calls.Agent {
			continue
		}
		id := calls.Started(m)
		if _, again := all[id]; again || strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" || id == "" {
			continue
		}
		made := page.Child{Address: agent + ":" + id, Title: "not at hand", About: "its session is not at hand"}
		child, err := c.read(ctx, s, made.Address)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil && child.src.Header.ParentSession == d.src.Header.ID:
			total, err := c.priced(ctx, s, child)
			if err != nil {
				return nil, err
			}
			if made, err = c.child(child, made.Address, total); err != nil {
				return nil, err
			}
			if link != nil {
				if made.File, err = link(child, total); err != nil {
					return nil, err
				}
				made.Text = ""
			}
		}
		all[id] = made
	}
	return all, nil
}

// child returns what a page says of a session that another one started.
func (c *config) child(d *document, name string, total js.Value) (page.Child, error) {
	l := page.LinkTo(d.src.Session, d.path)
	about := []string{tty.Count(int64(l.Messages), "message", "messages")}
	if cost := total.Get("cost"); cost.IsNumber() {
		about = append(about, screen.USD(cost.Float()))
	}
	if !l.First.IsZero() {
		about = append(about, l.Last.Sub(l.First).Round(time.Second).String())
	}
	var text strings.Builder
	err := c.writeText(&text, d, false)
	return page.Child{Address: name, Title: cmp.Or(l.Title, name), About: strings.Join(about, ", "), Text: text.String()}, err
}
