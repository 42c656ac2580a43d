package main

import (
	"context"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// lines returns the new session: its header, and the entries it begins with.
func (c *config) lines(s *cli.Streams, h session.HeaderFields) ([]string, error) {
	b := session.Batch{Now: time.Now().UnixMilli()}
	h.Time = b.Now
	if err := c.addInit(s, &b); err != nil {
		return nil, err
	}
	if h.Title != "" {
		// Pi reads a name from an entry alone, oh-my-pi from the header.
		if _, err := b.Add(session.TypeSessionInfo, js.StringField("name", h.Title)); err != nil {
			return nil, err
		}
	}
	lines := []string{session.NewHeader(h)}
	for _, e := range b.Entries {
		lines = append(lines, e.Raw())
	}
	return lines, nil
}

// header returns the fields of the new header but for its time.
func (c *config) header(ctx context.Context, s *cli.Streams) (h session.HeaderFields, err error) {
	if err := cli.UTF8("--title", c.title); err != nil {
		return h, err
	}
	h.Title = session.OneLine(c.title)
	if h.CWD, err = address.CWD(c.cwd); err != nil {
		return h, err
	}
	if h.ParentSession, err = address.Reference(ctx, s, c.parent); err != nil {
		return h, err
	}
	if h.ID = c.id; h.ID == "" {
		h.ID = session.NewSessionID()
	} else if !session.ValidSessionID(h.ID) {
		return h, cli.UsageError("bad session id %q: letters, digits, dots, underscores and hyphens, a letter or digit at both ends", h.ID)
	}
	return h, nil
}

// addInit adds the session_init entry, if there is a system prompt.
func (c *config) addInit(s *cli.Streams, b *session.Batch) error {
	if c.system == "" {
		return nil
	}
	prompt, err := s.ReadText(c.system, "system prompt", "--system FILE")
	if err != nil {
		return err
	}
	_, err = b.Add(session.TypeSessionInit, js.StringField("systemPrompt", prompt), js.StringField("task", ""), js.RawField("tools", "[]"))
	return err
}

type config struct {
	cwd, title, id, parent, system string
	dest                           address.Destination
}

func (c *config) flags() []cli.Flag {
	return append([]cli.Flag{
		cli.String(&c.cwd, "cwd", "", "use `DIR` as the working directory of the new session, instead of this one"),
		cli.String(&c.title, "title", "", "the title is `TITLE`"),
		cli.String(&c.id, "id", "", "use `ID` as the session's id, instead of a new UUID"),
		cli.String(&c.parent, "from", "", "record that the session descends from `SESSION`"),
		cli.String(&c.system, "system", "", "begin with the system prompt in `FILE`"),
		cli.Bool(&c.dest.Defer, "defer", "keep it as an unlisted draft until the first assistant message"),
		address.CreateFlag(&c.dest.Create),
	}, c.dest.Flags()...)
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
cwd: use DIR as the working directory
title
system
create
store
output
`
