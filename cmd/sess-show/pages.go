package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/show/page"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
)

// What one page has at most, of a session that is larger.
const (
	maxPage    = 20_000_000 // bytes of its entries
	maxEntries = 2000
)

// makePages makes the page of a session, or several if it is large, and returns their names.
func (c *config) makePages(s *clikit.Streams, d *document, name string) (made []string, err error) {
	o := c.options()
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
func (c *config) makeDirectory(ctx context.Context, s *clikit.Streams, operands []string) error {
	for _, name := range operands {
		if err := operand.Named(name); err != nil {
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
	taken := map[string]bool{"index": true}
	for _, name := range operands {
		d, err := c.read(ctx, s, name)
		if err == nil {
			var l page.Link
			if l, err = c.makeLinked(s, d, taken); err == nil {
				index = append(index, l)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed = errors.Join(failed, err) // and go on with the others
	}
	file := filepath.Join(c.dest.File, "index.html")
	write := func(w io.Writer) error { return page.Index(w, index, c.options()) }
	if err := c.make(file, write); err != nil {
		return errors.Join(failed, err)
	}
	if _, err := fmt.Fprintln(s.Out, file); err != nil {
		return err
	}
	return errors.Join(failed, c.opened(s, file))
}

// makeLinked makes the page of a session in the directory.
func (c *config) makeLinked(s *clikit.Streams, d *document, taken map[string]bool) (l page.Link, err error) {
	base := cmp.Or(fileName(d.src.Header.ID), "session")
	name := base
	for n := 2; taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	taken[strings.ToLower(name)] = true
	if _, err = c.makePages(s, d, filepath.Join(c.dest.File, name+".html")); err != nil {
		return l, err
	}
	l = page.LinkTo(d.src.Session, d.path)
	l.File, l.Agent = name+".html", d.owner()
	return l, nil
}

// owner is the agent whose session it is: the one that its address names, or the one whose
// lines or words an importer kept in it.
func (d *document) owner() string {
	if d.agent != "" {
		return d.agent
	}
	for _, i := range d.path {
		e := d.src.Entries[i]
		if agent := cmp.Or(e.Aside(), e.Harness()); operand.IsAgent(agent) {
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
