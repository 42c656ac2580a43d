package blame

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"unique"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/lazy"
)

// A Deed is a call of a session, as far as it may lead to a commit.
type Deed struct {
	calls.Call
	Entry        string // the id of the entry that has it
	Model        string // that made it, as PROVIDER/MODEL; "" if that is not known
	Began, Ended int64  // when it was made, and when its result came, in milliseconds since the epoch; 0 if that is not known
	Output       string // its result
	CWD          string // the session's directory
	Copied       bool   // it is another session's, which was handed over to this one
}

// Evidence is what a call says of commits.
type Evidence struct {
	entry, call string
	model       string
	began       int64
	copied      bool
	made        []made
	typed       []int32 // places of lines
}

// A made commit is one that a command made, or rewrote.
type made struct {
	commit         int
	relation, rule string
}

// The slack of times, in seconds.
const (
	slack   = 2              // clocks and rounding
	late    = 5              // how far behind its commit a typed line may be
	open    = 15 * 60        // how long a call without a result may go on
	longest = 14 * 24 * 3600 // from typing a line to its commit
)

var (
	commits  = lazy.Regexp(`\bgit\b[^\n|;&]*\s(?:commit|merge|cherry-pick|revert|rebase|am|pull)\b`)
	rewrites = lazy.Regexp(`\bgit\b[^\n|;&]*\s(?:cherry-pick|rebase|am|--amend)\b`)
	hashes   = lazy.Regexp(`\b[0-9a-f]{7,64}\b`)
)

// Look returns what a call says of commits; ok is false if that is nothing. A call that was denied, or an edit that
// failed, says nothing.
func (x *Index) Look(d *Deed) (e Evidence, ok bool) {
	if d.Began == 0 || d.Outcome == calls.Denied {
		return e, false
	}
	if Commits(&d.Call) {
		e.made = x.made(d)
	}
	if d.Outcome != calls.Fail && (d.Kind == calls.Write || d.Patched) {
		e.typed = x.typed(d)
	}
	if len(e.made)+len(e.typed) == 0 {
		return e, false
	}
	e.entry, e.call, e.began, e.copied = strings.Clone(d.Entry), strings.Clone(d.ID), d.Began, d.Copied // the session's text is not kept
	e.model = unique.Make(d.Model).Value()
	return e, true
}

// Commits reports whether a call runs a command that may make or rewrite a commit, whose result matters.
func Commits(c *calls.Call) bool {
	return strings.Contains(c.Command, "git") && commits().MatchString(c.Command)
}

// made finds the commits that a command made or rewrote.
func (x *Index) made(d *Deed) (found []made) {
	from, to := d.Began/1000-slack, d.Began/1000+open
	if d.Ended != 0 {
		to = (d.Ended+999)/1000 + slack
	}
	seen := map[int]bool{}
	for _, word := range hashes().FindAllString(d.Output, -1) {
		commit := x.begun(word)
		if commit < 0 || seen[commit] {
			continue
		}
		seen[commit] = true
		switch at := x.commits[commit].Author; {
		case at >= from && at <= to:
			found = append(found, made{commit, Made, RuleHash})
		case at < from && rewrites().MatchString(d.Command):
			found = append(found, made{commit, Rewrote, RuleHash})
		}
	}
	command := ""
	for _, commit := range x.authored(from, to) {
		if len(x.subjects[commit]) < 8 || seen[commit] {
			continue
		}
		if command == "" {
			command = folded(d.Command)
		}
		if strings.Contains(command, x.subjects[commit]) {
			found = append(found, made{commit, Made, RuleMessage})
		}
	}
	return found
}

// typed finds the commits that add lines which a call typed into their files.
func (x *Index) typed(d *Deed) (found []int32) {
	for _, e := range d.Edits() {
		name := e.Path
		if !path.IsAbs(name) {
			name = path.Join(d.CWD, name)
		}
		name = strings.ReplaceAll(name, `\`, "/")
		stood := map[string]bool{}
		for line := range strings.SplitSeq(e.Old, "\n") {
			stood[strings.TrimSuffix(line, "\r")] = true
		}
		seen := map[uint64]bool{}
		for line := range strings.SplitSeq(e.New, "\n") {
			line = strings.TrimSuffix(line, "\r")
			key := Key(line)
			if stood[line] || seen[key] {
				continue
			}
			seen[key] = true
			for i := range x.each(key) {
				at := x.commits[x.places[i].commit].Author - d.Began/1000
				if file := x.files[x.places[i].file]; at >= -late && at <= longest && (strings.HasSuffix(name, "/"+file) || name == file) {
					found = append(found, i)
				}
			}
		}
	}
	return found
}

// A Session has the facts about one session.
type Session struct {
	ID      string
	Created int64 // in milliseconds since the epoch
	Copy    bool  // the session that it was copied from is among them
}

// A Row says what a session has to do with a commit.
type Row struct {
	Commit    int // of those that the index was made of
	Session   int // of those that were taken
	Relation  string
	Rule      string
	Certainty string
	Entry     string // the last one that says it
	Call      string
	Model     string // that made the call, as PROVIDER/MODEL
	Lines, Of int    // of the informative lines that the commit adds, with RuleLines
}

// Relations of sessions to commits.
const (
	Made    = "made"    // the session ran the command that made the commit
	Wrote   = "wrote"   // its edits contain the lines of the commit
	Rewrote = "rewrote" // it rebased, picked or amended a commit that had been made before
	Claimed = "claimed" // a trailer or a note says so
	None    = "none"
)

// The rules that rows follow.
const (
	RuleHash    = "hash"
	RuleMessage = "message"
	RuleLines   = "lines"
	RuleCommit  = "commit" // of a line: it is not informative, and its commit is this session's
)

// How sure rows are.
const (
	Sure   = "sure"
	Likely = "likely"
	Part   = "part" // of a commit, too small to say that the session wrote it

)

// Origins are what came of looking at all sessions.
type Origins struct {
	Rows []Row // by commit; of one, the surest first, and of the session that was created first

	index    *Index
	evidence [][]Evidence
	typed    []typing // by place
}

// A typing is that of a line: the session, and which of its evidence.
type typing struct{ session, at int32 }

var nobody = typing{-1, -1}

// Line returns the row of the session that typed a line of a file which a commit adds; ok is false if none did.
func (o *Origins) Line(commit int, file, text string) (r Row, ok bool) {
	for i := range o.index.each(Key(text)) {
		if p := o.index.places[i]; int(p.commit) == commit && o.index.files[p.file] == file && o.typed[i] != nobody {
			e := o.of(o.typed[i])
			return Row{Commit: commit, Session: int(o.typed[i].session), Relation: Wrote, Rule: RuleLines, Certainty: Sure, Entry: e.entry, Call: e.call, Model: e.model}, true
		}
	}
	return Row{}, false
}

func (o *Origins) of(t typing) *Evidence { return &o.evidence[t.session][t.at] }

// Of decides what sessions have to do with commits, by the evidence of each. What two sessions have alike, as a fork has
// what was said before, is that of the one that was created first, and of a copy only if the other has it no longer; what sess-handoff carried is that of the one it came from.
func (x *Index) Of(sessions []Session, evidence [][]Evidence) *Origins {
	order := make([]int, len(sessions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if sessions[a].Copy != sessions[b].Copy {
			if sessions[a].Copy {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(sessions[a].Created, sessions[b].Created), cmp.Compare(sessions[a].ID, sessions[b].ID))
	})
	o := &Origins{index: x, evidence: evidence, typed: slices.Repeat([]typing{nobody}, len(x.places))}
	type event struct {
		call  string
		began int64
	}
	owner := map[event]int{}
	rows := map[about]Row{}
	begun := map[int64]int{} // the sessions of calls, by their times
	for n := range 2 * len(order) {
		s, copied := order[n%len(order)], n >= len(order) // what was handed over comes last, under another id
		for i := range evidence[s] {
			e := &evidence[s][i]
			if e.copied != copied {
				continue
			}
			if of, ok := owner[event{e.call, e.began}]; ok && of != s && e.call != "" {
				continue
			}
			if of, ok := begun[e.began]; ok && of != s && copied {
				continue
			}
			owner[event{e.call, e.began}], begun[e.began] = s, s
			for _, m := range e.made {
				addMade(rows, s, e, m)
			}
			for _, p := range e.typed {
				if t := o.typed[p]; t == nobody || e.began >= o.of(t).began {
					o.typed[p] = typing{int32(s), int32(i)}
				}
			}
		}
	}
	o.consume()
	o.addWrote(rows)
	o.Rows = slices.Collect(maps.Values(rows))
	at := make([]int, len(order))
	for i, s := range order {
		at[s] = i
	}
	slices.SortFunc(o.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Commit, b.Commit), cmp.Compare(rank(a), rank(b)), -cmp.Compare(a.Lines, b.Lines), cmp.Compare(at[a.Session], at[b.Session]))
	})
	return o
}

// An about is what a row is about; there is one row for each.
type about struct {
	commit, session int
	relation        string
}

// addMade adds the row of a session that made or rewrote a commit: a hash says more than a message, and who made it did not
// rewrite it.
func addMade(rows map[about]Row, s int, e *Evidence, m made) {
	at := about{m.commit, s, m.relation}
	_, isMade := rows[about{m.commit, s, Made}]
	if rows[at].Rule == RuleHash || m.relation == Rewrote && isMade {
		return
	}
	if m.relation == Made {
		delete(rows, about{m.commit, s, Rewrote})
	}
	rows[at] = Row{Commit: m.commit, Session: s, Relation: m.relation, Rule: m.rule, Certainty: Sure, Entry: e.entry, Call: e.call, Model: e.model}
}

// consume takes the lines away whose typing counts for an ancestor of their commit.
func (o *Origins) consume() {
	above := ancestry{Index: o.index, known: map[[2]int]bool{}}
	by, taken := map[typing][]int32{}, []int32(nil)
	for key := range o.index.lines {
		clear(by)
		for i := range o.index.each(key) {
			if o.typed[i] != nobody {
				by[o.typed[i]] = append(by[o.typed[i]], i)
			}
		}
		for _, same := range by {
			for _, i := range same {
				if slices.ContainsFunc(same, func(other int32) bool {
					return above.has(int(o.index.places[i].commit), int(o.index.places[other].commit))
				}) {
					taken = append(taken, i)
				}
			}
		}
	}
	for _, i := range taken {
		o.typed[i] = nobody
	}
}

// addWrote adds the rows of sessions that typed lines of commits.
func (o *Origins) addWrote(rows map[about]Row) {
	last := map[about]int64{}
	for i, t := range o.typed {
		if t == nobody {
			continue
		}
		p, e := o.index.places[i], o.of(t)
		at := about{int(p.commit), int(t.session), Wrote}
		r := rows[at]
		r.Commit, r.Session, r.Relation, r.Rule, r.Of = at.commit, at.session, Wrote, RuleLines, o.index.of[p.commit]
		r.Lines += int(p.times)
		if e.began > last[at] || e.began == last[at] && e.entry > r.Entry {
			last[at], r.Entry, r.Call, r.Model = e.began, e.entry, e.call, e.model
		}
		rows[at] = r
	}
	for at := range last {
		r := rows[at]
		switch {
		case r.Lines >= 3 && 2*r.Lines >= r.Of:
			r.Certainty = Sure
		case r.Lines >= 2 && 10*r.Lines >= 3*r.Of:
			r.Certainty = Likely
		case r.Lines >= 2 && 10*r.Lines >= r.Of:
			r.Certainty = Part
		default:
			delete(rows, at)
			continue
		}
		rows[at] = r
	}
}

// rank is how much a row says.
func rank(r Row) int {
	return slices.Index([]string{Made + Sure, Wrote + Sure, Wrote + Likely, Wrote + Part, Rewrote + Sure}, r.Relation+r.Certainty)
}
