package main

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/git"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/selection"
)

type config struct {
	sessions       selection.Selection
	json           bool
	limit          int
	notes, session string
}

func (c *config) flags(name string) []cli.Flag {
	only := "only the session `SESSION`"
	if name == "log" {
		only += "; without a range, with the commits of all branches since it began"
	}
	flags := slices.Concat(
		c.sessions.Flags(selection.Agent),
		[]cli.Flag{
			cli.String(&c.session, "session", "", only),
			cli.Bool(&c.json, "json", "print a JSON object for each row"),
		},
	)
	if name == "log" {
		return append(append(flags, c.sessions.Flags(selection.All)...),
			cli.Count(&c.limit, "limit, n", "print at most `N` commits (default 50, without a range)"))
	}
	return append(flags, cli.String(&c.notes, "notes", "", "read what the notes of `REF` claim, such as ai"))
}

// defaultLimit is how many commits of a revision's history are looked at.
const defaultLimit = 50

// log prints the rows of commits.
func (c *config) log(ctx context.Context, s *cli.Streams, names []string) error {
	repo, err := git.Open(ctx, ".")
	if err != nil {
		return err
	}
	ids, err := c.wanted(ctx, s, repo, names)
	if err != nil {
		return err
	}
	j := &job{config: c, streams: s, screen: screen.On(s.Out, s.OutFile(), ""), repo: repo}
	if err := j.run(ctx, ids); err != nil {
		return err
	}
	return j.printLog(ids)
}

// wanted returns the ids of the commits to print the rows of.
func (c *config) wanted(ctx context.Context, s *cli.Streams, repo *git.Repository, names []string) ([]string, error) {
	switch {
	case c.session != "" && len(names) == 0:
		began, err := c.began(ctx, s)
		if err != nil {
			return nil, err
		}
		return repo.Branches(ctx, c.limit, began-around)
	case len(names) == 0:
		names = []string{"HEAD"}
	}
	most := c.limit
	if most == 0 && !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, "..") }) {
		most = defaultLimit
	}
	return repo.List(ctx, most, names...)
}

// began returns when the session that was named began, in seconds since the epoch.
func (c *config) began(ctx context.Context, s *cli.Streams) (int64, error) {
	in, err := address.OpenAny(ctx, s, c.session)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	whole, err := in.Session()
	if err != nil {
		return 0, err
	}
	return created(whole) / 1000, nil
}

// show prints the rows of one commit, and what led to it.
func (c *config) show(ctx context.Context, s *cli.Streams, operands []string) error {
	if err := cli.Operands(operands, "COMMIT"); err != nil {
		return err
	}
	repo, err := git.Open(ctx, ".")
	if err != nil {
		return err
	}
	id, err := repo.Revision(ctx, operands[0])
	if err != nil {
		return err
	}
	j := &job{config: c, streams: s, screen: screen.On(s.Out, s.OutFile(), ""), repo: repo, parts: true}
	if err := j.run(ctx, []string{id}); err != nil {
		return err
	}
	return j.printShow(ctx, id)
}

// blame prints a row for each line of a file.
func (c *config) blame(ctx context.Context, s *cli.Streams, operands []string) error {
	if len(operands) == 1 {
		operands = append(operands, "HEAD") // never the work tree, which git would run filters for
	}
	if err := cli.Operands(operands, "FILE", "REVISION"); err != nil {
		return err
	}
	repo, err := git.Open(ctx, ".")
	if err != nil {
		return err
	}
	id, err := repo.Revision(ctx, operands[1])
	if err != nil {
		return err
	}
	file, from, to, err := span(operands[0])
	if err != nil {
		return err
	}
	lines, err := repo.Blame(ctx, id, file)
	if err != nil {
		return err
	}
	if from > len(lines) {
		return cli.UsageError("%s has %d lines in %s", file, len(lines), operands[1])
	}
	lines = lines[max(from-1, 0):min(to, len(lines))]
	j := &job{config: c, streams: s, screen: screen.On(s.Out, s.OutFile(), ""), repo: repo, parts: true}
	var ids []string
	for _, l := range lines {
		ids = append(ids, l.Commit)
	}
	slices.Sort(ids)
	if err := j.run(ctx, slices.Compact(ids)); err != nil {
		return err
	}
	return j.printBlame(lines, max(from, 1))
}

// span reads FILE[:LINE[-LINE]]. A file of that name is itself.
func span(text string) (file string, from, to int, err error) {
	to = int(^uint(0) >> 1)
	at := strings.LastIndexByte(text, ':')
	if _, statErr := os.Stat(text); statErr == nil || at < 0 {
		return text, 0, to, nil
	}
	first, last, both := strings.Cut(text[at+1:], "-")
	from, err = strconv.Atoi(first)
	if !both {
		last = first
	}
	if err == nil {
		to, err = strconv.Atoi(last)
	}
	if err != nil || from < 1 || to < from {
		return "", 0, 0, cli.UsageError("%q: want FILE, FILE:LINE or FILE:LINE-LINE", text)
	}
	return text[:at], from, to, nil
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
agent: only sessions of the agents NAME,NAME
session: only the session SESSION
json
limit
`
