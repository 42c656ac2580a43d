package usage

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/pkg/metering"
)

// A Ledger holds the calls of many sessions, each once. Add sessions in any order, then call
// [Ledger.Settle]: the result does not depend on the order.
type Ledger struct {
	// KeepCopies counts each copy of a call as one more call.
	KeepCopies bool

	sessions []Session
	calls    records
	known    map[key]int32 // positions in calls
	copies   []copied
	names    map[string]uint32
	texts    []string
	prices   []metering.Price // but for the first, each is another than the usual one
	priced   map[metering.Price]uint32
	chains   map[int32][]link     // by session, of codex
	started  map[int32][]agentRun // by the calls that sum them up
}

// A record is a call as a ledger keeps it.
type record struct {
	time                                  int64
	tokens                                prices.Tokens
	stored                                prices.Money
	session                               int32 // it is charged to
	copies                                int32 // the first of a list in copies, -1 for none
	count                                 int32 // of copies
	same                                  int32 // the record that this is a copy of, -1 for none
	provider, model, purpose, stop, price uint32
	made                                  uint32 // the session that it names as the one that made it, 0 for none
	timed, abandoned, billed, bad, wrong  bool
	gone                                  bool // other calls count its tokens
}

// Records are calls in chunks, so that none is copied when there are more.
type records struct {
	chunks []*[chunk]record
	n      int32
}

const chunk = 1 << 10

func (r *records) at(i int32) *record { return &r.chunks[i/chunk][i%chunk] }

func (r *records) add(rec record) int32 {
	if r.n%chunk == 0 {
		r.chunks = append(r.chunks, new([chunk]record))
	}
	r.n++
	*r.at(r.n - 1) = rec
	return r.n - 1
}

// A copied is a session that has a copy of a call, in a list.
type copied struct{ session, next int32 }

// A link is a call of a session whose copies are told by what its calls begin with.
type link struct {
	chain key
	call  int32
	rest  bool // it is no reply, but what a total says that no reply did
}

// Add adds the calls of a session.
func (l *Ledger) Add(s Session, calls []Call) {
	if l.known == nil {
		l.known, l.names, l.chains = map[key]int32{}, map[string]uint32{}, map[int32][]link{}
	}
	at := int32(len(l.sessions))
	l.sessions = append(l.sessions, s)
	var keys, chain []key
	if !l.KeepCopies {
		keys, chain = identities(&s, calls), chained(&s, calls)
	}
	for i := range calls {
		var k key
		if !l.KeepCopies {
			k = keys[i]
		}
		rec := l.add(&calls[i], at, k)
		if runs := calls[i].agents; len(runs) > 0 {
			if l.started == nil {
				l.started = map[int32][]agentRun{}
			}
			l.started[rec] = runs
		}
		if chain != nil {
			l.chains[at] = append(l.chains[at], link{chain[i], rec, calls[i].Purpose == Rest})
		}
	}
}

// byPayload reports whether an agent gives copies of calls other ids.
func byPayload(agent string) bool { return agent == "codex" || agent == "opencode" }

// add adds a call with an identity, unless copies are kept, and returns its position.
func (l *Ledger) add(c *Call, session int32, k key) int32 {
	if !l.KeepCopies {
		if i, ok := l.known[k]; ok {
			l.copy(i, session)
			l.calls.at(i).made = max(l.calls.at(i).made, l.made(c))
			if l.better(c, l.calls.at(i)) {
				l.fill(l.calls.at(i), c)
			}
			return i
		}
	}
	i := l.calls.add(record{session: session, copies: -1, same: -1, made: l.made(c)})
	l.fill(l.calls.at(i), c)
	if !l.KeepCopies {
		l.known[k] = i
	}
	return i
}

// made returns the number of the session that a call names as the one that made it, 0 for none.
func (l *Ledger) made(c *Call) uint32 {
	if l.name(""); c.thread == "" { // which is the first
		return 0
	}
	return l.name(c.thread)
}

// copy takes note of a copy of call i.
func (l *Ledger) copy(i, session int32) {
	r := l.calls.at(i)
	l.copies = append(l.copies, copied{session, r.copies})
	r.copies, r.count = int32(len(l.copies)-1), r.count+1
}

// better reports whether a copy says more of a call than the record: of a reply that was written
// while it came in, the last copy has counted most.
func (l *Ledger) better(c *Call, r *record) bool {
	known := func(model string) int {
		if model == "" || model == "unknown" {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(c.Tokens.Total(), r.tokens.Total()), known(c.Model)-known(l.texts[r.model]), cmp.Compare(r.time, c.Time),
		cmp.Compare(c.Model, l.texts[r.model]), cmp.Compare(c.Stop, l.texts[r.stop])) > 0
}

// fill sets what a record says of its call.
func (l *Ledger) fill(r *record, c *Call) {
	r.time, r.timed, r.tokens, r.stored = c.Time, c.Timed, c.Tokens, c.Stored
	r.provider, r.model, r.purpose = l.name(c.Provider), l.name(c.Model), l.name(c.Purpose)
	r.stop, r.price = l.name(c.Stop), l.price(c.Price)
	r.abandoned, r.billed, r.bad, r.wrong = c.Abandoned, c.Billed, c.Bad, c.Mismatch
}

// name returns the number of a text that comes often.
func (l *Ledger) name(s string) uint32 {
	n, ok := l.names[s]
	if !ok {
		n = uint32(len(l.texts))
		s = strings.Clone(s)
		l.texts = append(l.texts, s)
		l.names[s] = n
	}
	return n
}

// price returns the number of what calls say of their prices. Few say anything.
func (l *Ledger) price(p metering.Price) uint32 {
	if l.priced == nil {
		l.prices, l.priced = []metering.Price{{}}, map[metering.Price]uint32{}
	}
	if p == (metering.Price{}) {
		return 0
	}
	n, ok := l.priced[p]
	if !ok {
		n = uint32(len(l.prices))
		l.prices, l.priced[p] = append(l.prices, p), n
	}
	return n
}

// Settle finds the copies that have ids of their own, and charges each call to the
// session that made it.
func (l *Ledger) Settle() {
	kin := newLineage(l.sessions)
	if !l.KeepCopies {
		l.joinFamilies(kin)
	}
	for i := range l.calls.n {
		if r := l.calls.at(i); r.copies >= 0 && r.same < 0 {
			l.charge(r, kin)
		}
	}
	l.leave()
}

// leave takes from the results of tools what agents used whose own sessions were read: there it counts. A result of which nothing is left is
// no call.
func (l *Ledger) leave() {
	if len(l.started) == 0 {
		return
	}
	files := newReadFiles(l.sessions)
	for i, runs := range l.started {
		r := l.calls.at(i)
		left := len(runs)
		for _, run := range runs {
			if files.has(run.file) {
				r.tokens, r.stored, left = r.tokens.Less(run.tokens), max(0, r.stored-run.cost), left-1
			}
		}
		r.gone = left == 0
	}
	l.started = nil
}

// readFiles are the files of sessions that were read, by their paths, and their directories, by the names of the files.
type readFiles struct {
	paths map[string]bool
	dirs  map[string][]string
}

func newReadFiles(sessions []Session) readFiles {
	f := readFiles{map[string]bool{}, map[string][]string{}}
	for i := range sessions {
		for _, path := range []string{sessions[i].Name, sessions[i].Path} {
			if path == "" || path == "-" {
				continue
			}
			f.paths[filepath.Clean(path)] = true
			if actual, err := filepath.EvalSymlinks(path); err == nil {
				f.paths[actual] = true
			}
			name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
			if dir := filepath.Dir(path); !slices.Contains(f.dirs[name], dir) {
				f.dirs[name] = append(f.dirs[name], dir)
			}
		}
	}
	return f
}

// has reports whether a file that a session names was read: where it was said to be, or in the directory of the same name beside the file of
// a session, if both were moved.
func (f readFiles) has(file string) bool {
	if file = filepath.Clean(file); f.paths[file] {
		return true
	}
	if actual, err := filepath.EvalSymlinks(file); err == nil && f.paths[actual] {
		return true
	}
	parts := strings.Split(filepath.ToSlash(file), "/")
	for i, name := range parts {
		for _, dir := range f.dirs[name] {
			if i < len(parts)-1 && f.paths[filepath.Join(append([]string{dir}, parts[i:]...)...)] {
				return true
			}
		}
	}
	return false
}

// All calls visit for each call, with the session it is charged to and the number of its
// copies that are left out.
func (l *Ledger) All(visit func(c Call, s *Session, copies int)) {
	for i := range l.calls.n {
		r := l.calls.at(i)
		if r.same >= 0 || r.gone {
			continue
		}
		visit(Call{
			Time: r.time, Timed: r.timed, Provider: l.texts[r.provider], Model: l.texts[r.model], Purpose: l.texts[r.purpose],
			Stop: l.texts[r.stop], Price: l.prices[r.price], Abandoned: r.abandoned, Tokens: r.tokens, Stored: r.stored,
			Billed: r.billed, Bad: r.bad, Mismatch: r.wrong,
		}, &l.sessions[r.session], int(r.count))
	}
}

// Copied is the number of sessions that have copies of calls that another one made.
func (l *Ledger) Copied() int {
	with := map[int32]bool{}
	for i := range l.calls.n {
		r := l.calls.at(i)
		for c := r.copies; c >= 0; c = l.copies[c].next {
			if l.copies[c].session != r.session {
				with[l.copies[c].session] = true
			}
		}
	}
	return len(with)
}

// joinFamilies joins the calls that forks of codex copy with other ids and times: those
// that a session begins with, as long as what was said and counted is what another session
// of its family begins with. A fork whose parent was not read may be of any family.
func (l *Ledger) joinFamilies(kin *lineage) {
	read := map[node]bool{}
	for i := range l.sessions {
		read[l.sessions[i].node()] = true
	}
	families := map[node][]int32{}
	for at := range l.chains {
		root := kin.root(l.sessions[at].node())
		families[root] = append(families[root], at)
	}
	oldest := func(a, b int32) int { return older(&l.sessions[a], &l.sessions[b]) }
	var orphans []int32
	all := map[key]int32{} // how sessions of whole families begin
	for root, members := range families {
		if !read[root] {
			orphans = append(orphans, members...)
			continue
		}
		slices.SortFunc(members, oldest)
		begun := map[key]int32{}
		for _, at := range members {
			l.joinChain(at, begun)
		}
		for k, call := range begun {
			if other, ok := all[k]; !ok || oldest(l.calls.at(call).session, l.calls.at(other).session) < 0 {
				all[k] = call
			}
		}
	}
	slices.SortFunc(orphans, oldest)
	for _, at := range orphans {
		l.joinChain(at, all)
	}
	l.chains = nil
}

// joinChain compares the calls at the beginning of a session with those at the beginning of the sessions
// before it. The chain of a call that is in none of them is noted in begun.
func (l *Ledger) joinChain(session int32, begun map[key]int32) {
	for _, next := range l.chains[session] {
		if first, ok := begun[next.chain]; ok {
			l.join(l.top(first), l.top(next.call))
		} else {
			begun[next.chain] = next.call
		}
	}
}

// top is the record that stands for record i.
func (l *Ledger) top(i int32) int32 {
	for l.calls.at(i).same >= 0 {
		i = l.calls.at(i).same
	}
	return i
}

// join makes call b a copy of call a, if it is not that call.
func (l *Ledger) join(a, b int32) {
	if a == b {
		return
	}
	l.copy(a, l.calls.at(b).session)
	for c := l.calls.at(b).copies; c >= 0; c = l.copies[c].next {
		l.copy(a, l.copies[c].session)
	}
	l.calls.at(b).same = a
	l.calls.at(a).time = min(l.calls.at(a).time, l.calls.at(b).time)
}

// charge charges a call that several sessions have to the one that made it: that which the call names, or which does not descend from
// another of them.
func (l *Ledger) charge(r *record, kin *lineage) {
	holders := []int32{r.session}
	for c := r.copies; c >= 0; c = l.copies[c].next {
		holders = append(holders, l.copies[c].session)
	}
	has := map[node]bool{}
	for _, h := range holders {
		has[l.sessions[h].node()] = true
	}
	if made := slices.DeleteFunc(slices.Clone(holders), func(h int32) bool { return r.made == 0 || l.sessions[h].ID != l.texts[r.made] }); len(made) > 0 {
		holders = made
	}
	first := slices.DeleteFunc(slices.Clone(holders), func(h int32) bool { return kin.descends(l.sessions[h].node(), has) })
	if len(first) == 0 { // sessions that are each other's parents
		first = holders
	}
	own := slices.MinFunc(first, func(a, b int32) int { return nearer(&l.sessions[a], &l.sessions[b], r.time) })
	if own == r.session {
		return
	}
	for c := r.copies; c >= 0; c = l.copies[c].next {
		if l.copies[c].session == own {
			l.copies[c].session = r.session
			break
		}
	}
	r.session = own
}

// older orders sessions by their age.
func older(a, b *Session) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Name, b.Name))
}

// nearer orders sessions by how likely it is that they made a call that was at a time:
// the last that was begun by then, else the oldest.
func nearer(a, b *Session, at int64) int {
	began := func(s *Session) bool { return s.Timed && s.Time <= at }
	switch {
	case began(a) && began(b) && a.Time != b.Time:
		return cmp.Compare(b.Time, a.Time)
	case began(a) != began(b):
		if began(a) {
			return -1
		}
		return 1
	}
	return older(a, b)
}
