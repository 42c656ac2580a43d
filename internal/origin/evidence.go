package origin

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/calls"
	"github.com/sess-tools/sess/internal/lazy"
)

// A Deed is a call of a session, as far as it may lead to a commit.
type Deed struct {
	calls.Call
	Entry        string // the id of the entry that has it
	Began, Ended int64  // when it was made, and when its result came, in milliseconds since the epoch; 0 if that is not known
	Output       string // its result
	CWD          string // the session's directory
}

// Evidence is what a call says of a commit.
type Evidence struct {
	commit int
	rule   string
	entry  string
	call   string
	began  int64
	key    uint64 // of a line
	file   int32
	times  int32
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

// Look returns what a call says of commits. A call that was denied, or an edit that failed, says nothing.
func (x *Index) Look(d *Deed) (found []Evidence) {
	if d.Began == 0 || d.Outcome == calls.Denied {
		return nil
	}
	if Commits(&d.Call) {
		found = x.made(d)
	}
	if d.Outcome != calls.Fail && (d.Kind == calls.Write || d.Patched) {
		found = append(found, x.typed(d)...)
	}
	if len(found) > 0 { // the session's text is not kept
		entry, call := strings.Clone(d.Entry), strings.Clone(d.ID)
		for i := range found {
			found[i].entry, found[i].call = entry, call
		}
	}
	return found
}

// Commits reports whether a call runs a command that may make or rewrite a commit, whose result matters.
func Commits(c *calls.Call) bool {
	return strings.Contains(c.Command, "git") && commits().MatchString(c.Command)
}

// made finds the commits that a command made or rewrote.
func (x *Index) made(d *Deed) (found []Evidence) {
	from, to := d.Began/1000-slack, d.Began/1000+open
	if d.Ended != 0 {
		to = (d.Ended+999)/1000 + slack
	}
	add := func(commit int, rule string) {
		found = append(found, Evidence{commit: commit, rule: rule, began: d.Began})
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
			add(commit, RuleHash)
		case at < from && rewrites().MatchString(d.Command):
			add(commit, ruleRewritten)
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
			add(commit, RuleMessage)
		}
	}
	return found
}

// typed finds the commits that add lines which a call typed into their files.
func (x *Index) typed(d *Deed) (found []Evidence) {
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
			places := x.lines[key]
			if len(places) == 0 || stood[line] || seen[key] {
				continue
			}
			seen[key] = true
			for _, p := range places {
				at := x.commits[p.commit].Author - d.Began/1000
				if file := x.files[p.file]; at >= -late && at <= longest && (strings.HasSuffix(name, "/"+file) || name == file) {
					found = append(found, Evidence{commit: int(p.commit), rule: RuleLines, began: d.Began, key: key, file: p.file, times: p.times})
				}
			}
		}
	}
	return found
}

// A Session is what is known of one.
type Session struct {
	ID      string
	Created int64 // in milliseconds since the epoch
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
	Lines, Of int // of the informative lines that the commit adds, with RuleLines
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

	ruleRewritten = "rewritten"
)

// How sure rows are.
const (
	Sure   = "sure"
	Likely = "likely"
	Part   = "part" // of a commit, too small to say that the session wrote it

)

// Origins are what came of looking at all sessions.
type Origins struct {
	Rows []Row // by commit; of one, the surest first

	typed map[line]typing
}

// A line is one that a commit adds.
type line struct {
	commit int
	key    uint64
	file   string
}

// Line returns the row of the session that typed a line of a file which a commit adds; ok is false if none did.
func (o *Origins) Line(commit int, file, text string) (r Row, ok bool) {
	t, ok := o.typed[line{commit, Key(text), file}]
	return Row{Commit: commit, Session: t.session, Relation: Wrote, Rule: RuleLines, Certainty: Sure, Entry: t.entry, Call: t.call}, ok
}

// Of decides what sessions have to do with commits, by the evidence of each. What two sessions have alike, as a fork has
// what was said before, is that of the one that was created first.
func (x *Index) Of(sessions []Session, evidence [][]Evidence) *Origins {
	order := make([]int, len(sessions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(sessions[a].Created, sessions[b].Created), cmp.Compare(sessions[a].ID, sessions[b].ID))
	})
	owner := map[event]int{}
	best := map[line]typing{}
	rows := map[[2]int]map[string]Row{}
	for _, s := range order {
		for _, e := range evidence[s] {
			ev := event{call: e.call, began: e.began}
			if of, ok := owner[ev]; ok && of != s && e.call != "" {
				continue
			}
			owner[ev] = s
			if e.rule != RuleLines {
				addMade(rows, s, e)
				continue
			}
			l := line{e.commit, e.key, x.files[e.file]}
			if b, ok := best[l]; !ok || e.began >= b.began {
				best[l] = typing{s, e}
			}
		}
	}
	o := &Origins{typed: x.consumed(best)}
	x.addWrote(rows, o.typed)
	for _, of := range rows {
		for _, r := range of {
			o.Rows = append(o.Rows, r)
		}
	}
	slices.SortFunc(o.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Commit, b.Commit), cmp.Compare(rank(a), rank(b)), -cmp.Compare(a.Lines, b.Lines), cmp.Compare(a.Session, b.Session))
	})
	return o
}

// A typing is that of a line.
type typing struct {
	session int
	Evidence
}

func addMade(rows map[[2]int]map[string]Row, s int, e Evidence) {
	relation := Made
	if e.rule == ruleRewritten {
		relation = Rewrote
	}
	of := rows[[2]int{e.commit, s}]
	if of == nil {
		of = map[string]Row{}
		rows[[2]int{e.commit, s}] = of
	}
	if had, ok := of[relation]; ok && had.Rule == RuleHash || relation == Rewrote && of[Made].Rule != "" {
		return
	}
	if relation == Made {
		delete(of, Rewrote)
	}
	r := Row{Commit: e.commit, Session: s, Relation: relation, Rule: e.rule, Certainty: Sure, Entry: e.entry, Call: e.call}
	if relation == Rewrote {
		r.Rule = RuleHash
	}
	of[relation] = r
}

// An event is that a session typed a text.
type event struct {
	session int
	call    string
	began   int64
	key     uint64
}

// consumed leaves out the lines whose typing counts for an ancestor of their commit.
func (x *Index) consumed(best map[line]typing) map[line]typing {
	by := map[event][]int{} // the commits that add what was typed
	for l, t := range best {
		ev := event{t.session, t.call, t.began, l.key}
		by[ev] = append(by[ev], l.commit)
	}
	above := ancestry{Index: x, known: map[[2]int]bool{}}
	out := map[line]typing{}
	for l, t := range best {
		if !slices.ContainsFunc(by[event{t.session, t.call, t.began, l.key}], func(other int) bool { return above.has(l.commit, other) }) {
			out[l] = t
		}
	}
	return out
}

// addWrote adds the rows of sessions that typed lines of commits.
func (x *Index) addWrote(rows map[[2]int]map[string]Row, lines map[line]typing) {
	last := map[[2]int]int64{}
	for l, t := range lines {
		at := [2]int{l.commit, t.session}
		if rows[at] == nil {
			rows[at] = map[string]Row{}
		}
		r := rows[at][Wrote]
		r.Commit, r.Session, r.Relation, r.Rule, r.Of = l.commit, t.session, Wrote, RuleLines, x.of[l.commit]
		r.Lines += int(t.times)
		if t.began > last[at] || t.began == last[at] && t.entry > r.Entry {
			last[at], r.Entry, r.Call = t.began, t.entry, t.call
		}
		rows[at][Wrote] = r
	}
	for _, of := range rows {
		r, ok := of[Wrote]
		switch {
		case !ok:
			continue
		case r.Lines >= 3 && 2*r.Lines >= r.Of:
			r.Certainty = Sure
		case r.Lines >= 2 && 10*r.Lines >= 3*r.Of:
			r.Certainty = Likely
		case r.Lines >= 2 && 10*r.Lines >= r.Of:
			r.Certainty = Part
		default:
			delete(of, Wrote)
			continue
		}
		of[Wrote] = r
	}
}

// rank is how much a row says.
func rank(r Row) int {
	return slices.Index([]string{Made + Sure, Wrote + Sure, Wrote + Likely, Wrote + Part, Rewrote + Sure}, r.Relation+r.Certainty)
}
