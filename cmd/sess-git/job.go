package main

import (
	"cmp"
	"context"
	"errors"
	"math"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/git"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/blame"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// A job finds what sessions have to do with commits.
type job struct {
	*config
	streams *cli.Streams
	screen  *screen.Screen // nil off a terminal
	repo    *git.Repository
	parts   bool // rows of a part of a commit are printed, too

	commits  map[string]*git.Commit
	place    map[string]int // of a commit among those of the index
	index    *blame.Index
	touched  map[string]bool // the last elements of the files that wanted commits touched
	sessions []looked
	origins  *blame.Origins
	claims   map[string][]claim
	failed   error // what was not read
}

// A looked is a session that was looked at.
type looked struct {
	src      selection.Source
	place    row.Place
	parent   string
	created  int64
	evidence []blame.Evidence
	heading  screen.Heading // for people, of one with evidence
}

// around is by how many seconds clocks may differ.
const around = 5

// lookBack is how many seconds before a commit its lines may have been typed.
const lookBack = 14 * 24 * 3600

// spare is how many bytes are taken and never used, so that the collector does not run for each session.
const spare = 16 << 20

// run looks for the sessions of commits. What cannot be read is told by warnings, and by the status.
func (j *job) run(ctx context.Context, wanted []string) error {
	if len(wanted) == 0 {
		return cli.No("no commits")
	}
	var found selection.Found
	var failed error
	var listing sync.WaitGroup
	listing.Go(func() { found, failed = j.list(ctx) })
	err := j.read(ctx, wanted)
	listing.Wait()
	if err = cmp.Or(err, failed); err != nil {
		return err
	}
	found.List = j.near(ctx, wanted, found.List)
	defer runtime.KeepAlive(make([]byte, spare))
	all, reading := selection.Read(ctx, j.streams, found, j.config.sessions.Subagents, nil, j.look)
	var of []blame.Session
	var evidence [][]blame.Evidence
	for l := range all {
		if l.place.Session == "" {
			continue
		}
		j.sessions = append(j.sessions, l)
		of, evidence = append(of, blame.Session{ID: l.place.Session, Created: l.created}), append(evidence, l.evidence)
	}
	agents := map[string]bool{} // the sessions that agents have, which a copy in the store is called as
	for _, l := range j.sessions {
		agents[l.place.Session] = agents[l.place.Session] || l.src.Owner() != ""
	}
	for i, l := range j.sessions {
		of[i].Copy = l.src.Owner() == "" && agents[l.place.Session]
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	j.origins = j.index.Of(of, evidence)
	if err := reading.Err(); err != nil {
		j.failed = cli.WithStatus(errors.Join(j.failed, err), cli.ExitUsage)
	}
	j.claims = map[string][]claim{}
	for _, id := range wanted {
		c := j.commits[id]
		if c == nil {
			continue
		}
		for _, t := range c.Trailers {
			if name := strings.ToLower(t[0]); slices.Contains(trailers, name) && t[1] != "" {
				j.claim(id, t[0], t[1])
			}
		}
		for _, s := range c.Noted {
			j.claim(id, "notes/"+j.notes, s)
		}
	}
	return nil
}

// read reads the wanted commits, and those above them which may have taken what was typed for them.
func (j *job) read(ctx context.Context, wanted []string) error {
	first, err := j.repo.Commits(ctx, wanted, "")
	if err != nil {
		if len(first) == 0 {
			return err
		}
		j.fail(err)
	}
	oldest, newest := int64(math.MaxInt64), int64(math.MinInt64)
	for _, c := range first {
		oldest, newest = min(oldest, c.Author), max(newest, c.Author)
	}
	ids, err := j.repo.Since(ctx, oldest-lookBack, wanted)
	if err != nil {
		j.fail(err)
	}
	if j.commits, err = j.repo.Commits(ctx, slices.Concat(wanted, ids), j.notes); err != nil {
		j.fail(err)
	}
	var list []blame.Commit
	var diffed []string
	j.place, j.touched = map[string]int{}, map[string]bool{}
	for _, id := range slices.Concat(wanted, ids) {
		c := j.commits[id]
		if _, ok := j.place[id]; ok || c == nil {
			continue
		}
		j.place[id] = len(list)
		list = append(list, blame.Commit{ID: id, Subject: c.Subject, Parents: c.Parents, Author: c.Author, Committed: c.Committed})
		if len(c.Parents) < 2 && c.Author >= oldest-lookBack && c.Author <= newest {
			diffed = append(diffed, id)
		}
	}
	j.index = blame.New(list)
	isWanted := map[string]bool{}
	for _, id := range wanted {
		isWanted[id] = true
	}
	err = j.repo.Added(ctx, diffed, func(id, file, line string) {
		j.index.Add(id, file, line)
		if isWanted[id] {
			j.touched[path.Base(file)] = true
		}
	})
	if err != nil && ctx.Err() == nil {
		j.fail(err)
		err = nil
	}
	return err
}

// fail tells that something of git was not read.
func (j *job) fail(err error) {
	j.streams.Warn(cli.Unseen, "%v", err)
	j.failed = cmp.Or(j.failed, cli.WithStatus(errors.New("not all commits were read"), cli.ExitUsage))
}

// look takes in the calls of a session.
func (j *job) look(_ context.Context, src selection.Source, whole *address.Source) (l looked, err error) {
	h := whole.Header
	if !src.Named && !j.here(h.CWD) {
		return l, nil
	}
	l = looked{src: src, place: whole.Place(), parent: strings.Clone(h.ParentSession), created: cmp.Or(src.Time("created"), created(whole))}
	l.place.Session = strings.Clone(l.place.Session) // the session's text is not kept
	own := 0                                         // entries in front of this one were handed over
	for i, e := range slices.Backward(whole.Entries) {
		if _, ok := typed.Moved(e); ok {
			own = i
			break
		}
	}
	for _, c := range calls.Of(whole.Entries, h.CWD) {
		if c.By != "" {
			continue // made away from this machine
		}
		d := blame.Deed{Call: c, Entry: whole.Entries[c.Entry].ID(), CWD: h.CWD, Copied: c.Entry < own}
		d.Began, _ = whole.Entries[c.Entry].Timestamp()
		if m, ok := whole.Entries[c.Entry].Message(); ok {
			d.Model = strings.Trim(m.Str("provider")+"/"+m.Str("model"), "/")
		}
		if c.Result >= 0 {
			d.Ended, _ = whole.Entries[c.Result].Timestamp()
			for _, i := range append(c.Beside, c.Result) {
				if m, ok := whole.Entries[i].Message(); ok && blame.Commits(&c) {
					d.Output += m.Text("\n") + "\n"
				}
			}
		}
		if e, ok := j.index.Look(&d); ok {
			l.evidence = append(l.evidence, e)
		}
	}
	if j.screen != nil && len(l.evidence) > 0 {
		l.heading, err = src.HeadingOf(whole, strings.Clone)
		l.heading.Title = strings.Clone(l.heading.Title)
	}
	return l, err
}

// created is when a session was made, in milliseconds since the epoch.
func created(s *address.Source) int64 {
	ms, _ := js.ParseTime(s.Header.Timestamp)
	return ms
}

// A claim is what a trailer or a note says.
type claim struct {
	by, session string // the session's address, or the claim about it
	id          string // of the session, or its beginning
	known       int    // the session, if it is one of those that were looked at, else -1
}

// names reports whether a claim names the session of an id.
func (c claim) names(id string) bool {
	return id != "" && (strings.HasSuffix("-"+c.id, "-"+id) || len(c.id) >= 8 && strings.HasPrefix(id, c.id))
}

// trailers are those that name a session.
var trailers = []string{"session", "claude-session", "entire-session", "entire-checkpoint", "amp-thread-id"}

// claim adds a claim. The session is named by the last element of an address on the web, and by the id in an address of
// ours.
func (j *job) claim(commit, by, value string) {
	c := claim{by: by, session: path.Base(strings.TrimSpace(value))}
	c.id = strings.TrimSuffix(c.session[strings.LastIndexByte(c.session, ':')+1:], ".jsonl")
	c.known = slices.IndexFunc(j.sessions, func(s looked) bool { return c.names(s.place.Session) })
	if c.known >= 0 {
		c.session = j.name(c.known)
	}
	if strings.EqualFold(by, "Entire-Checkpoint") {
		c.session = "entire:" + c.session
	}
	j.claims[commit] = append(j.claims[commit], c)
}

// rowsOf are the rows of evidence of a commit that are wanted.
func (j *job) rowsOf(id string) (rows []blame.Row) {
	commit, ok := j.place[id]
	if !ok {
		return nil
	}
	at, _ := slices.BinarySearchFunc(j.origins.Rows, commit, func(r blame.Row, c int) int { return cmp.Compare(r.Commit, c) })
	for ; at < len(j.origins.Rows) && j.origins.Rows[at].Commit == commit; at++ {
		r := j.origins.Rows[at]
		if r.Certainty != blame.Part || j.parts {
			rows = append(rows, r)
		}
	}
	return rows
}

// contradicted reports whether evidence says that another session led to a commit than a claim does. One that the session
// which is named has begun, as for a part of its work, is no other.
func (j *job) contradicted(id string, c claim) bool {
	other := false
	for _, r := range j.rowsOf(id) {
		s := j.sessions[r.Session]
		switch {
		case r.Relation == blame.Rewrote || r.Certainty != blame.Sure:
		case c.names(s.place.Session), c.names(s.parent):
			return false
		default:
			other = true
		}
	}
	return other && !strings.HasPrefix(c.session, "entire:")
}

// asked returns what the user asked before an entry, and the calls from there up to a time.
func (j *job) asked(ctx context.Context, r blame.Row, until int64) (prompt string, list []calls.Call, entries []session.Entry) {
	quiet := j.streams.Quiet
	j.streams.Quiet = true // it was read before, and its warnings were given
	defer func() { j.streams.Quiet = quiet }()
	in, err := j.sessions[r.Session].src.Open(ctx, j.streams)
	if err != nil {
		return "", nil, nil
	}
	defer in.Close()
	whole, err := in.Session()
	if err != nil {
		return "", nil, nil
	}
	at, err := whole.Leaf(r.Entry)
	if err != nil {
		return "", nil, nil
	}
	since := map[int]bool{} // the entries behind the prompt
	path, _ := whole.PathIndex(at)
	for _, i := range slices.Backward(path) {
		if m, ok := whole.Entries[i].Message(); ok && m.Role() == session.RoleUser {
			prompt = m.Text("\n")
			break
		}
		since[i] = true
	}
	for _, c := range calls.Of(whole.Entries, whole.Header.CWD) {
		if t, ok := whole.Entries[c.Entry].Timestamp(); c.By == "" && since[c.Entry] && (!ok || t/1000 <= until+around) {
			list = append(list, c)
		}
	}
	return prompt, list, whole.Entries
}
