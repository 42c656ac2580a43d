package main

import (
	"path/filepath"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// entries are those of the source that the fork takes over.
func (c *config) entries(src *address.Source) ([]session.Entry, error) {
	if c.all {
		return src.Entries, nil
	}
	leaf := -1
	var err error
	if c.at != "null" {
		if leaf, err = src.Leaf(c.at); err != nil {
			return nil, err
		}
	}
	_, problems := src.Session.Path(leaf)
	src.Warn(problems)
	return src.Branch(leaf, nil)
}

// lines returns the new session: header, entries, and the name if it has one.
func (c *config) lines(src *address.Source, entries []session.Entry) ([]string, error) {
	h, err := c.header(src)
	if err != nil {
		return nil, err
	}
	b := src.Draft()
	h.Time, b.Leaf = b.Now, ""
	if n := len(entries); n > 0 {
		b.Leaf = entries[n-1].ID()
	}
	// An empty name hides the one that the path may bring with it.
	if h.Title != "" || c.title != nil && src.Session.Name != "" {
		if _, err := b.Add(session.TypeSessionInfo, js.StringField("name", h.Title)); err != nil {
			return nil, err
		}
	}
	lines := append(make([]string, 0, 1+len(entries)+len(b.Entries)), session.NewHeader(h))
	for _, of := range [][]session.Entry{entries, b.Entries} {
		for _, e := range of {
			lines = append(lines, e.Raw())
		}
	}
	return lines, nil
}

func (c *config) header(src *address.Source) (h session.HeaderFields, err error) {
	if h.Title = session.ForkTitle(src.Session.Name); c.title != nil {
		h.Title = session.OneLine(*c.title)
	}
	if h.CWD = src.Header.CWD; h.CWD == "" || c.cwd != "" {
		if h.CWD, err = address.CWD(c.cwd); err != nil {
			return h, err
		}
	}
	if h.ParentSession = src.Header.ID; src.Path != "" {
		if h.ParentSession, err = filepath.Abs(src.Path); err != nil {
			return h, err
		}
	}
	h.ID, h.Origin = session.NewSessionID(), src.Header.Origin()
	return h, nil
}

type config struct {
	at, cwd string
	title   *string
	all     bool
	dest    address.Destination
}

func (c *config) flags() []cli.Flag {
	return append([]cli.Flag{
		cli.String(&c.at, "at", "", "fork at the entry `REF` instead of the leaf"),
		cli.Bool(&c.all, "branches", "take the entries of all branches instead of one path"),
		cli.String(&c.cwd, "cwd", "", "use `DIR` as the working directory of the new session, instead of that of the old one"),
		cli.Optional(&c.title, "title", "the title is `TITLE`, instead of the old one and \"(fork #N)\""),
	}, c.dest.Flags()...)
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
at
cwd: use DIR as the working directory
store
output
`
