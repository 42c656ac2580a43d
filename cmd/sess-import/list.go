package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// none is the result without a session: status 1 for a listing and for all that there are, an error if a
// session was asked for.
func (c *config) none(format string, args ...any) error {
	if c.list || c.all {
		return cli.No(format, args...)
	}
	return fmt.Errorf(format, args...)
}

// print prints the sessions of an archive, or the one that is chosen.
func (c *config) print(ctx context.Context, j *job, a formats.Archive) error {
	if c.recent || c.session != "" {
		info, err := c.choose(ctx, j, a)
		if several, ok := errors.AsType[*formats.Several](err); ok {
			return j.details(ctx, a, several.Sessions)
		}
		if err != nil {
			return err
		}
		if c.recent {
			return j.row(info) // it has its details
		}
		return j.details(ctx, a, []formats.Info{info})
	}
	var list []formats.Info // an address says whether others have the id
	failed, lost, status := 0, 0, cli.ExitDone
	for info, err := range j.listed(ctx, a, c.query(ctx, j, a)) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			info = j.said.details(info)
		}
		if err != nil {
			err = named(info, err)
			failed, status = failed+1, max(status, cli.Status(err))
			j.streams.Warnf("%v", err)
			if !info.Unread { // which has a row that says so
				lost++
				continue
			}
		}
		if j.having[info.ID]++; j.wants(info) {
			if c.heads && !info.Alone {
				info.ModTime = info.Latest // the file does not say when the session was written to
			}
			list = append(list, info)
		}
	}
	for _, info := range newest(list, c.limit) {
		if err := j.row(info); err != nil {
			return err
		}
	}
	if a, ok := a.(surveyed); ok && j.streams.Verbose {
		for _, other := range a.Others(ctx) {
			if !other.Output {
				j.streams.Notef("%s: may be a session, and is not read", other.Path)
			}
		}
	}
	switch {
	case failed > 0:
		return j.streams.Unread(failed, len(list)+lost, status)
	case len(list) == 0:
		return cli.No("no session")
	}
	return nil
}

// listed yields the sessions of an archive. A file of no bytes in a directory is passed over, with a warning: it is one error less.
func (j *job) listed(ctx context.Context, a formats.Archive, q formats.Query) iter.Seq2[formats.Info, error] {
	return listed(ctx, j.streams, j.root, a, q)
}

func listed(ctx context.Context, s *cli.Streams, root string, a formats.Archive, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		for info, err := range a.List(ctx, q) {
			if err != nil && info.Path != root && disk.IsEmpty(info.Path) {
				s.PassOver(info.Path)
			} else if !yield(info, err) {
				return
			}
		}
	}
}

// query asks for the details of those sessions alone that may be listed, and whose details are not known.
func (c *config) query(ctx context.Context, j *job, a formats.Archive) formats.Query {
	may := func(formats.Info) bool { return true }
	switch {
	case c.heads:
		return undetailed
	case c.exact:
		return formats.Query{Details: true}
	case c.limit > 0:
		may = j.since(c.oldest(ctx, j, a))
	case c.cwd != "" || !j.from.IsZero():
		may = j.since(j.from)
	case j.said.memo == nil:
		return formats.Query{Details: true}
	}
	return j.unknown(ctx, a, may)
}

// unknown asks for the details of those sessions that may be wanted and are not known.
func (j *job) unknown(ctx context.Context, a formats.Archive, may func(formats.Info) bool) formats.Query {
	return formats.Query{Details: true, Only: func(info formats.Info) bool { return may(info) && !j.said.knows(ctx, a, info) }}
}

// undetailed asks for the beginnings of sessions, and when the last of them was written.
var undetailed = formats.Query{Details: true, Only: func(formats.Info) bool { return false }}

// since returns a function that says of a session, before it is read, whether it may be wanted and have something since
// then: not if its file was written to before, or its last row.
func (j *job) since(when time.Time) func(formats.Info) bool {
	return func(info formats.Info) bool {
		last := info.Last()
		return (info.CWD == "" || j.here(info)) && (last.IsZero() || !last.Before(when))
	}
}

// wants reports whether a session that was read is to be listed.
func (j *job) wants(info formats.Info) bool { return j.here(info) && !info.Modified.Before(j.from) }

// oldest returns a time so that the sessions that --limit lists have something since then. To know it those are read that were written to
// last.
func (c *config) oldest(ctx context.Context, j *job, a formats.Archive) time.Time {
	may, dated := j.since(j.from), true
	var times []time.Time
	for info, err := range a.List(ctx, undetailed) {
		if err != nil || !may(info) {
			continue
		}
		if info.Last().IsZero() {
			return j.from // nothing is known without reading it
		}
		times, dated = append(times, info.Last()), dated && info.Dated
	}
	if len(times) <= c.limit {
		return j.from
	}
	slices.SortFunc(times, func(x, y time.Time) int { return y.Compare(x) })
	if dated { // a session has nothing later than its own time
		return times[c.limit-1]
	}
	may = j.since(times[c.limit-1])
	times = times[:0]
	for info, err := range a.List(ctx, j.unknown(ctx, a, may)) {
		if err != nil || !may(info) {
			continue
		}
		info = j.said.details(info)
		j.said.keep(info)
		if j.wants(info) {
			times = append(times, info.Modified)
		}
	}
	if len(times) < c.limit {
		return j.from
	}
	slices.SortFunc(times, func(x, y time.Time) int { return y.Compare(x) })
	return times[c.limit-1]
}

// newest returns those sessions of a list that were modified last, in the order of the list: limit of them, or all if that is 0.
func newest(list []formats.Info, limit int) []formats.Info {
	if limit == 0 || len(list) <= limit {
		return list
	}
	rows := make([]store.Row, 0, len(list))
	for _, info := range list {
		rows = append(rows, info.Row)
	}
	store.Sort(rows, store.ByModified)
	type key struct{ path, id string }
	last := map[key]bool{}
	for _, row := range rows[limit:] {
		last[key{row.Path, row.ID}] = true
	}
	return slices.DeleteFunc(list, func(info formats.Info) bool { return last[key{info.Path, info.ID}] })
}

// here returns a function that says whether a session is one of the working directory whose sessions are wanted, by the
// agent's own rule. One of which nothing says where it ran is of none.
func (c *config) here(about formats.About) (func(formats.Info) bool, error) {
	if c.cwd == "" {
		return func(formats.Info) bool { return true }, nil
	}
	dir, err := address.CWD(c.cwd)
	if err != nil {
		return nil, err
	}
	return isOf(about, dir), nil
}

func isOf(about formats.About, dir string) func(formats.Info) bool {
	same, hashed := store.SameDir(dir), formats.Hashed(dir)
	if about.Here != nil {
		same = about.Here(dir)
	}
	return func(info formats.Info) bool { return same(info.CWD) || info.CWD == "" && hashed(info.CWDHash) }
}

// filed returns a function that says whether a session is one of the directory that is wanted, as the agent finds the
// newest one.
func (c *config) filed(about formats.About, here func(formats.Info) bool) (func(formats.Info) bool, error) {
	if c.cwd == "" || !c.own || about.Filed == nil {
		return here, nil
	}
	dir, err := address.CWD(c.cwd)
	return about.Filed(dir), err
}

// newest returns the session that was written to last, of those that are wanted: one with messages, and no sub-agent's. That
// others cannot be listed is a warning.
func (c *config) newest(ctx context.Context, j *job, a formats.Archive) (formats.Info, error) {
	var here, elsewhere []*formats.Info // of thousands of which one counts
	var first error
	for info, err := range j.listed(ctx, a, formats.Query{}) {
		if ctx.Err() != nil {
			return formats.Info{}, ctx.Err()
		}
		j.having[info.ID]++
		switch {
		case err != nil:
			j.streams.Warnf("%v", named(info, err))
			if first == nil {
				first = err
			}
		case j.filed(info):
			here = append(here, &info)
		default:
			elsewhere = append(elsewhere, &info)
		}
	}
	if info, ok := j.latest(ctx, a, here); ok {
		return c.taken(ctx, j, a, info, here)
	}
	switch {
	case first != nil:
		return formats.Info{}, first
	case !c.own && len(here) > 0: // it was named
		return *here[0], nil
	}
	if info, ok := j.latest(ctx, a, elsewhere); ok {
		return formats.Info{}, c.away(j, info)
	}
	return formats.Info{}, c.none("no session of %s", j.name)
}

// latest returns the session of a list that was written to last, of those with messages that are no sub-agent's.
func (j *job) latest(ctx context.Context, a formats.Archive, list []*formats.Info) (formats.Info, bool) {
	slices.Reverse(list) // of two that were written to at one time the later one of the list
	slices.SortStableFunc(list, func(x, y *formats.Info) int { return listing.Later(y.Row, x.Row) })
	for _, info := range list {
		if !info.Aside && !selection.IsPart(info.Path, info.ParentSession) && (info.Main || j.isMain(ctx, a, *info)) {
			return *info, true
		}
	}
	return formats.Info{}, false
}

// isMain reads the beginning of a session, up to its first message, and reports whether it has one, and is no
// sub-agent's. One that cannot be read is what its error is about.
func (j *job) isMain(ctx context.Context, a formats.Archive, info formats.Info) (main bool) {
	enough := errors.New("enough was read")
	var header session.Header
	err := formats.NewBuilder(j.kept, func(line string) (err error) {
		if header.ID == "" {
			header, err = session.HeaderOf([]byte(line))
			return err
		}
		e, err := session.ParseEntry(line)
		if err != nil {
			return err
		}
		role := e.Role()
		main = role == session.RoleUser || role == session.RoleAssistant
		if sub := selection.IsSubagent(header, e); main || sub {
			main = main && !sub
			return enough
		}
		return nil
	}, func(formats.Loss) {}).Read(ctx, a, info)
	return main || err != nil && !errors.Is(err, enough)
}

// away is the result if there is no session here: it names the newest one.
func (c *config) away(j *job, elsewhere formats.Info) error {
	dir, err := address.CWD(c.cwd)
	if err != nil {
		return err
	}
	err = c.none("no session of %s in %s", j.name, dir)
	of := cmp.Or(elsewhere.CWD, "a directory that is not known")
	if !j.own {
		return cli.WithHint(err, "the newest elsewhere is %s, of %s; --cwd DIR takes that of another directory", elsewhere.ID, of)
	}
	return cli.WithHint(err, "the newest elsewhere is %s, of %s; %s:DIR is the newest of a directory, with its path as /DIR or ./DIR",
		j.address(elsewhere), of, j.name)
}

// address is what other tools take for a session, or its id if it is not where they look.
func (j *job) address(info formats.Info) string {
	if !j.own {
		return info.ID
	}
	return addressOf(j.name, info, j.having[info.ID] > 1)
}

// addressOf returns the address of an agent's session: by the path of its file if others have its id.
func addressOf(agent string, info formats.Info, shared bool) string {
	if shared {
		return agent + ":" + info.Path
	}
	return agent + ":" + info.ID
}

// taken returns the newest session of several with its details, if they are printed, and says with -v and on a terminal which
// one it is.
func (c *config) taken(ctx context.Context, j *job, a formats.Archive, info formats.Info, of []*formats.Info) (formats.Info, error) {
	tells := j.streams.Verbose || !c.list && tty.IsTerminal(j.streams.ErrFile())
	if !tells && !c.list {
		return info, nil
	}
	info, err := detailed(ctx, a, info)
	if err != nil || !tells {
		return info, err
	}
	whole, names := 0, make([]string, 0, len(of))
	for _, other := range of {
		names = append(names, j.address(*other))
		if !other.Aside && !selection.IsPart(other.Path, other.ParentSession) {
			whole++
		}
	}
	where := ""
	if c.cwd == "." {
		where = " here"
	} else if c.cwd != "" {
		where = " in " + disk.Subject(c.cwd)
	}
	title, _ := info.Title()
	j.streams.Lightf("taking %s, the newest%s of %d: %s", screen.Short(names)(j.address(info)), where, whole, cmp.Or(tty.Clean(title), "without a title"))
	return info, nil
}

// details prints the rows of sessions that were listed without details.
func (j *job) details(ctx context.Context, a formats.Archive, list []formats.Info) error {
	for _, info := range list {
		j.having[info.ID]++
	}
	for _, info := range list {
		info, err := detailed(ctx, a, info)
		if err != nil && !info.Unread {
			return err
		}
		if err := errors.Join(j.row(info), err); err != nil {
			return err
		}
	}
	return nil
}

// detailed lists one session once more, with its details.
func detailed(ctx context.Context, a formats.Archive, info formats.Info) (formats.Info, error) {
	for found, err := range a.List(ctx, formats.Query{ID: info.ID, Details: true}) {
		if ctx.Err() != nil {
			return info, ctx.Err()
		}
		if found.Path == info.Path && found.Key == info.Key && (err != nil || found.ID == info.ID) {
			return found, named(info, err)
		}
	}
	return info, fmt.Errorf("%w %s", formats.ErrNotFound, info.ID)
}

func (j *job) row(info formats.Info) error {
	row := listing.Row{Row: info.Row, Agent: j.name, Unread: info.Unread}
	if j.recalls != "" {
		row.FirstMessage, row.LastMessage = "", ""
	}
	switch {
	case j.native:
		row.Address = info.Path
	case j.own && info.ID != "":
		row.Address = j.address(info)
	}
	return printRow(j.streams, row)
}

// printRow prints the row of a session, with the line that resumes it.
func printRow(s *cli.Streams, row listing.Row) error {
	row.Resume = address.ResumeLine(row.Agent, row.ID, row.CWD)
	if err := listing.Write(s.Out, row); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.Out)
	return err
}
