// Package selection finds the sessions that a tool reads many of: those that are named,
// those of directories, of the store, and of other agents where they keep them.
package selection

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/agent"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
	"github.com/sess-tools/sess/pkg/typed"
)

// lister is the program that knows which sessions were written when, and those of
// other agents.
const lister = "sess-ls"

var (
	// ErrNotHere is returned by [Source.Here].
	ErrNotHere = errors.New("of another working directory")
	// errUnseen is what failed if directories or agents could not be listed.
	errUnseen = errors.New("not all sessions were found")
)

// A Selection says which sessions are meant, in the words that all tools have for it.
type Selection struct {
	Agents       []string // whose stores they are in, [address.EveryAgent] for those of all; none is ours
	CWD          string   // the working directory of the sessions, "" for the current one
	Since, Until string   // when a session was modified last, as listing.When reads it
	All          bool     // every project of the store
	Subagents    Subagents
	NoSelf       bool // without the session that is running

	Fell  bool // the store has none of this directory: see [Selection.Here]
	lists bool // it is of a tool that lists what there is, with the flags Agent and CWD

	// Rows wants of each session the row that sess-ls prints, and those of all agents in one order, the one
	// written last first.
	Rows bool
	// WrittenSince leaves out sessions whose files were written to before, unless it is zero, and Timed has
	// [Source.Written] say of the others when they were, so that a tool leaves out old ones. Exact says that it reads all.
	WrittenSince time.Time
	Timed, Exact bool
	// Tells says that the tool sees by itself which sessions are those of sub-agents.
	Tells bool
}

// A Flag is one of those that fill a selection. They have the same words in every tool that has them.
type Flag int

// The flags of a selection. A tool has those for which it has a user.
const (
	All      Flag = iota // of a tool that takes sessions of the store
	AllBelow             // of a tool that also takes directories
	Agent
	CWD
	WhichSubagents
	Since
	Until
	NoSelf // of a tool that finds what was said or done
)

// Flags are the flags that fill the selection.
func (c *Selection) Flags(of ...Flag) []cli.Flag {
	c.Subagents, c.lists = WithSubagents, slices.Contains(of, Agent) && slices.Contains(of, CWD)
	flags := make([]cli.Flag, len(of))
	for i, f := range of {
		flags[i] = c.flag(f)
	}
	return flags
}

func (c *Selection) flag(f Flag) cli.Flag {
	const all = "take all sessions of every project of the store"
	switch f {
	case All:
		return cli.Bool(&c.All, "all, a", all)
	case AllBelow:
		return cli.Bool(&c.All, "all, a", all+", or one level below each DIR")
	case Agent:
		return cli.ChoicesOr(&c.Agents, "agent", append(known.Names(), address.EveryAgent), known.IsAgent, "only sessions of the agents `NAME,NAME`, where they keep them")
	case CWD:
		return cli.String(&c.CWD, "cwd", "", "only sessions of the working directory `DIR`")
	case WhichSubagents:
		return cli.Choice((*string)(&c.Subagents), "subagents", []string{string(WithSubagents), string(WithoutSubagents), string(OnlySubagents)}, "take the sessions of sub-agents, `WHICH`")
	case Since:
		return cli.String(&c.Since, "since", "", "only sessions modified since `WHEN`: 90m, 12h, 7d, 2w, a date or a time")
	case Until:
		return cli.String(&c.Until, "until", "", "only sessions modified before `WHEN`")
	default:
		return cli.Bool(&c.NoSelf, "no-self", "leave out the running session, its copies and its sub-agents")
	}
}

// Given reports whether one of the flags was given.
func (c *Selection) Given() bool { return c.selects() || c.All || c.CWD != "" }

// Named are the agents whose sessions are meant, each once and in the order of [known.Names]; none
// for our own.
func (c *Selection) Named() []string {
	if slices.Contains(c.Agents, address.EveryAgent) {
		return known.Names()
	}
	return slices.DeleteFunc(known.Names(), func(name string) bool { return !slices.Contains(c.Agents, name) })
}

// Present are those of [Selection.Named] that may have sessions: where every agent is meant, those of the program that keep none on this machine are
// left out, so that no process is started for each. A map of the user's that is broken has no place, and its listing tells the error.
func (c *Selection) Present(ctx context.Context) []string {
	agents := c.Named()
	if !slices.Contains(c.Agents, address.EveryAgent) {
		return agents
	}
	text, err := subprocess.Output(ctx, address.Importer, "--homes")
	if err != nil && cli.Status(err) != cli.ExitNo {
		return agents // the listing of each tells the error
	}
	keeps := map[string]bool{}
	for line := range strings.Lines(text) {
		name, _, _ := strings.Cut(line, "\t")
		keeps[name] = true
	}
	for _, path := range known.MapFiles(known.MapDir()) {
		keeps[known.MapName(path)] = true
	}
	return slices.DeleteFunc(agents, func(name string) bool {
		a, _ := agent.Named(name)
		return !a.Native && !keeps[name]
	})
}

// A Source is a session to read.
type Source struct {
	Name  string                             // what other tools take for it, "-" for standard input
	Agent string                             // whose it is, "" for ours
	Named bool                               // by the user, who wants to know its damage
	Plain bool                               // a file that was found in a directory
	cwd   string                             // the working directory its header must have, "" for any
	self  func(id, path, parent string) bool // says which are left out, nil for none

	Row js.Value // of sess-ls, if the selection wants rows or times, or the sessions are of several agents

	beside *address.Neighbours // of a plain one

	pools []*subprocess.Pool // for the sessions of agents and of the remote, nil if there is one session
}

// IsFile reports whether no segmented store stands for a file of the name.
func (src Source) IsFile() bool {
	stored, err := src.beside.Stored(src.Name)
	return stored == "" && err == nil
}

// slack is by how much the file system may put the time of a file too early.
const slack = 2 * time.Second

// Old returns the test for paths of sessions that have nothing since then, by the times of their files: not where a
// segmented store stands for the file.
func Old(since time.Time) func(path string) bool {
	beside := &address.Neighbours{}
	return func(path string) bool {
		return Source{Name: path, Plain: true, beside: beside}.Written().Before(since)
	}
}

// Written returns when the file of the session was written to, or somewhat later; a time to come if that is not known.
func (src Source) Written() time.Time {
	if fi, err := os.Stat(src.Name); src.Plain && err == nil && src.IsFile() {
		return fi.ModTime().Add(slack)
	}
	if ms := src.Time("written"); ms > 0 && !src.Plain {
		return time.UnixMilli(ms).Add(slack)
	}
	return time.Now().Add(24 * time.Hour)
}

// Open opens the session. A file that was found in a directory is opened as it is, unless a
// segmented store stands for it: to look for other names takes several system calls.
func (src Source) Open(ctx context.Context, s *cli.Streams) (*address.Input, error) {
	if src.Plain {
		return address.OpenFound(ctx, s, src.Name, src.beside)
	}
	return address.OpenAny(address.WithPools(ctx, src.pools), s, src.Name)
}

// Read reads the session whole.
func (src Source) Read(ctx context.Context, s *cli.Streams) (*address.Source, error) {
	in, err := src.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.Session()
}

// Found are the sessions to read, in their order.
type Found struct {
	List   []Source
	Single bool  // one session that was named: rows about it need no name
	Failed error // why there may be more of them; the warnings say which

	nothing func() string // the words if the store has none of them
}

// TellOutputs is [address.TellOutputs] for the sessions.
func (f Found) TellOutputs(ctx context.Context, s *cli.Streams, gate bool, done string) {
	var names []string
	for _, src := range f.List {
		names = append(names, src.Name)
	}
	address.TellOutputs(ctx, s, gate, done, names...)
}

// SayNothing says where to look if the store has no session that is wanted.
func (f Found) SayNothing(s *cli.Streams) {
	if f.nothing != nil {
		s.Infof("%s", f.nothing())
	}
}

// FindOrNewest is [Selection.Find] for a tool that reads one session if nothing says which: where standard input is a
// terminal that is the newest one here.
func (c Selection) FindOrNewest(ctx context.Context, s *cli.Streams, operands []string) (Found, error) {
	if len(operands) == 0 && !c.Given() {
		name, err := address.OneOrNewest(ctx, s, nil)
		if err != nil {
			return Found{}, err
		}
		if name != "" {
			operands = []string{name}
		}
	}
	return c.Find(ctx, s, operands)
}

// Without returns the test for the sessions that NoSelf leaves out, nil for none, and warns of an agent that does not say which
// session is running.
func (c Selection) Without(s *cli.Streams) func(id, path, parent string) bool {
	if !c.NoSelf {
		return nil
	}
	running := address.RunningSessions(os.Getenv)
	if note := running.Note(); note != "" {
		s.Warnf("%s", note)
	}
	return running.Known()
}

// Which is the rule of [Selection.Here] in the help of the tools that have it.
const Which = "Without a flag or an operand: the sessions of this directory, in the store or, where it has none, of every agent.\n" +
	"--agent all takes those of all agents everywhere."

// Here has a list that was told nothing, neither by a flag nor by an operand, take the sessions of this directory of every agent, as sess
// counts them, where the store has none of it. A gate reads the sessions that are named, and a tool that stands alone knows no agents.
func (c *Selection) Here(s *cli.Streams, operands []string) error {
	if !c.lists || len(operands) > 0 || len(c.Agents) > 0 || c.All || c.CWD != "" || s.Judges() {
		return nil
	}
	root, err := address.StoreDir()
	if err != nil {
		return err
	}
	cwd, err := address.CWD("")
	if err != nil {
		return err
	}
	if store.HasFiles(store.Open(root).Project(cwd)) {
		return nil
	}
	for _, tool := range []string{lister, "sess-import"} {
		if _, err := subprocess.Find(tool); err != nil {
			return nil
		}
	}
	c.Agents, c.CWD, c.Fell = []string{address.EveryAgent}, cwd, true
	return nil
}

// Find finds the sessions that operands and the selection mean: standard input if there
// is neither and it is a pipe or a file. An address means one session, but remote:, which means all of the remote.
func (c Selection) Find(ctx context.Context, s *cli.Streams, operands []string) (Found, error) {
	out, err := c.find(ctx, s, operands)
	return out.ready(s, c.Without(s)), err
}

func (c Selection) find(ctx context.Context, s *cli.Streams, operands []string) (Found, error) {
	operands = slices.Clone(operands)
	for i, op := range operands {
		var err error
		if operands[i], err = address.Newest(ctx, s, op, c.CWD); err != nil {
			return Found{}, cli.WithStatus(err, cli.ExitUsage) // as for any address that names nothing
		}
	}
	if len(operands) == 0 && !c.selects() && !c.All && c.CWD == "" && isInput(s) {
		operands = []string{"-"}
	} else if err := c.Here(s, operands); err != nil {
		return Found{}, err
	}
	switch {
	case c.selects():
		return c.listed(ctx, s, operands)
	case len(operands) == 0:
		return c.stored(ctx, s)
	}
	var out Found
	if len(operands) > 1 {
		s.Fold()
	}
	for _, op := range operands {
		if err := address.RefuseEmpty(op); err != nil {
			return out, err
		}
		if op == address.Remote+":" {
			of := Found{}
			if err := c.listAgent(ctx, s, &of, "", false, []string{op}); err != nil {
				return out, err
			}
			out.add(of.List)
			continue
		}
		fi, err := os.Stat(op)
		if err != nil || !fi.IsDir() || address.Segmented(op) {
			out.List = append(out.List, Source{Name: op, Named: true})
			continue
		}
		if packed, err := filepath.Glob(filepath.Join(op, "*.jsonl.[bgxz]*")); err == nil && len(packed) > 0 {
			s.Warnf("%s: a compressed file is not read, named or not: %s", op, strings.Join(packed[:min(len(packed), 3)], ", "))
		}
		if err := c.directory(s, &out, op); err != nil {
			return out, err
		}
	}
	out.Single = len(operands) == 1 && len(out.List) == 1 && out.List[0].Named
	return out, nil
}

// Stored finds the sessions that the selection means, and never reads standard input.
func (c Selection) Stored(ctx context.Context, s *cli.Streams) (out Found, err error) {
	if err := c.Here(s, nil); err != nil {
		return out, err
	}
	if c.selects() {
		out, err = c.listed(ctx, s, nil)
	} else {
		out, err = c.stored(ctx, s)
	}
	return out.ready(s, c.Without(s)), err
}

// selects reports whether sess-ls has to say which sessions are meant.
func (c Selection) selects() bool {
	return c.Rows || len(c.Agents) > 0 || c.Since != "" || c.Until != "" || c.Subagents.leavesOut() && !c.Tells
}

// isInput reports whether standard input is something to search: a pipe or a file.
func isInput(s *cli.Streams) bool {
	f := s.InFile()
	if f == nil {
		return true
	}
	fi, err := f.Stat()
	return err == nil && (fi.Mode().IsRegular() || fi.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0)
}

// stored adds the sessions of the store.
func (c *Selection) stored(ctx context.Context, s *cli.Streams) (Found, error) {
	var out Found
	root, err := address.StoreDir()
	if err != nil {
		return out, err
	}
	st, named := store.Open(root), c.CWD
	dir := st.Dir()
	if !c.All {
		if c.CWD, err = address.CWD(c.CWD); err != nil {
			return out, err
		}
		dir = st.Project(c.CWD)
	}
	err = c.directory(s, &out, dir)
	if err == nil && len(out.List) == 0 && out.Failed == nil && c.WrittenSince.IsZero() {
		out.nothing = func() string { return address.NothingStored(ctx, s, c.All, named) }
	}
	return out, err
}

// directory adds the sessions of a directory, the newest first.
func (c *Selection) directory(s *cli.Streams, out *Found, dir string) (err error) {
	s.Fold()
	cwd := c.CWD
	if cwd != "" {
		if cwd, err = address.CWD(cwd); err != nil {
			return err
		}
	}
	warn := func(path string, err error) {
		if !errors.Is(err, fs.ErrNotExist) {
			s.Warn(cli.Unseen, "%s: %v", path, err)
			out.Failed = errUnseen
		}
	}
	beside := &address.Neighbours{}
	old := Old(c.WrittenSince)
	for _, path := range store.Files([]string{dir}, store.Options{Recursive: c.All, Warn: warn}) {
		if !c.WrittenSince.IsZero() && old(path) {
			continue
		}
		src := Source{Name: path, Plain: true, cwd: cwd, beside: beside}
		if disk.IsEmpty(path) && src.IsFile() {
			s.PassOver(path)
			continue
		}
		out.List = append(out.List, src)
	}
	return nil
}

// listed has the sessions listed, each agent's by one process: one that cannot be listed does not
// hide the others. Those of several agents come in one order, the one written last first, as those of each do.
func (c *Selection) listed(ctx context.Context, s *cli.Streams, operands []string) (Found, error) {
	agents := c.Present(ctx)
	switch {
	case len(c.Agents) == 0:
		agents = []string{""}
	case len(agents) > 1 && len(operands) > 0:
		return Found{}, cli.UsageError("unexpected operand %q: --agent %s looks where agents keep their sessions", operands[0], strings.Join(c.Agents, ","))
	}
	found := make([]Found, len(agents))
	var wg sync.WaitGroup
	ordered := len(agents) > 1 && !s.Judges()
	for i, agent := range agents {
		wg.Go(func() { found[i].Failed = c.listAgent(ctx, s, &found[i], agent, ordered, operands) })
	}
	wg.Wait()
	var all Found
	for i, f := range found {
		all.add(f.List)
		switch {
		case f.Failed == nil || cli.Status(f.Failed) == cli.ExitNo:
		case len(agents) == 1:
			return all, f.Failed
		default:
			s.Warn(cli.Unseen, "%s: %v", agents[i], f.Failed)
			all.Failed = errUnseen
		}
	}
	if len(all.List) == 0 && all.Failed == nil && c.Fell {
		all.nothing = func() string { return address.NothingHere }
	} else if len(all.List) == 0 && all.Failed == nil && c.Since == "" && c.Until == "" && c.CWD == "" && address.OfNoAgent(s, c.Agents) {
		all.nothing = func() string { return address.NoSessions }
	}
	if c.Rows {
		slices.SortStableFunc(all.List, func(a, b Source) int { return cmp.Compare(b.Time("modified"), a.Time("modified")) })
	} else if ordered {
		slices.SortStableFunc(all.List, func(a, b Source) int { return cmp.Compare(b.Time("written"), a.Time("written")) })
	}
	return all, ctx.Err()
}

// add adds sessions that are not there yet.
func (f *Found) add(more []Source) {
	seen := map[string]bool{}
	for _, src := range f.List {
		seen[src.Name] = true
	}
	for _, src := range more {
		if !seen[src.Name] {
			f.List = append(f.List, src)
		}
		seen[src.Name] = true
	}
}

// listAgent adds the sessions of an agent, of our store if it is "", with when they were written if that is wanted.
func (c *Selection) listAgent(ctx context.Context, s *cli.Streams, out *Found, agent string, written bool, operands []string) error {
	s.Fold()
	args := []string{"-0", "--sort=written"} // the names that other tools take, which need not be read for that
	timed := !c.Rows && (c.Timed || !c.WrittenSince.IsZero())
	switch {
	case c.Rows:
		args = []string{"--json"}
	case timed:
		args = []string{"--json", "--sort=written", "--beginnings"}
		if !c.WrittenSince.IsZero() {
			args = append(args, "--since="+js.FormatTime(c.WrittenSince.Add(-slack).UnixMilli()))
		}
	case written:
		args = []string{"--json", "--sort=written"}
		if c.Since == "" && c.Until == "" && !c.Subagents.leavesOut() {
			args = append(args, "--beginnings") // nothing is asked of a session that it has to be read for
		}
	}
	if s.Verbose {
		args = append(args, "--verbose")
	}
	for _, f := range [][2]string{{"--agent", agent}, {"--cwd", c.CWD}, {"--since", c.Since}, {"--until", c.Until}} {
		if f[1] != "" {
			args = append(args, f[0]+"="+f[1])
		}
	}
	if c.Subagents.leavesOut() && !c.Tells {
		args = append(args, "--subagents="+string(c.Subagents))
	}
	if c.All {
		args = append(args, "--all")
	}
	if s.Judges() && (agent != "" || c.Since != "") || c.Exact && c.Since != "" {
		args = append(args, "--exact")
	}
	p, err := subprocess.Program{Name: lister, Args: append(append(args, "--"), operands...), Say: address.Say(s, cli.Unseen)}.Start(ctx)
	if err != nil {
		return err
	}
	defer p.Close()
	names, err := io.ReadAll(p)
	if err != nil {
		return err
	}
	if c.Rows || timed || written {
		for line := range strings.Lines(string(names)) {
			row := js.Value(line)
			out.List = append(out.List, Source{Name: cmp.Or(row.Get("address").Str(), row.Get("path").Str()), Agent: agent, Row: row})
		}
		return nil
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		out.List = append(out.List, Source{Name: name, Agent: agent})
	}
	return nil
}

// ready makes sessions ready to be read: those of self are left out when their headers are read.
func (f Found) ready(s *cli.Streams, self func(id, path, parent string) bool) Found {
	var pools []*subprocess.Pool
	if len(f.List) > 1 {
		pools = []*subprocess.Pool{{Name: address.Importer}, {Name: address.Syncer, Args: []string{"cat"}}}
		for _, p := range pools {
			s.AtEnd(p.Close)
		}
	}
	for i := range f.List {
		f.List[i].self, f.List[i].pools = self, pools
	}
	return f
}

// Here returns ErrNotHere if the session is of another working directory than the one
// wanted, or the running one where that is left out.
func (src Source) Here(h session.Header) error {
	if src.self != nil && src.self(h.ID, src.Name, h.ParentSession) {
		return ErrNotHere
	}
	if src.cwd == "" || store.SameDir(src.cwd)(h.CWD) {
		return nil
	}
	return ErrNotHere
}

// Time returns a time of the session's row, in milliseconds since the epoch, 0 if it is not known.
func (src Source) Time(member string) int64 {
	ms, _ := js.ParseTime(src.Row.Get(member).Str())
	return ms
}

// Owner is the agent whose session it is, because that was asked for or by its address: ""
// for ours.
func (src Source) Owner() string { return cmp.Or(src.Agent, address.AgentOf(src.Name)) }

// Label is the name of a source in a row.
func (src Source) Label() string {
	if src.Name == "-" {
		return "(standard input)"
	}
	return tty.Clean(src.Name)
}

// File is the name of a source alone, as other tools take it.
func (src Source) File() string {
	if src.Name == "-" {
		return "(standard input)"
	}
	return src.Name
}

var seed = maphash.MakeSeed()

// mostSpelled is the length in bytes up to which an entry is compared by its decoded value. A
// longer one is compared by its bytes: its spelling would take as much memory again.
const mostSpelled = 1 << 20

// Key returns what the copies of an entry have in common in this process, whatever
// session they are in; 0 if there can be none. A fork may hang an entry from another
// parent, and an importer keeps other lines with it: those of a side question of Claude Code name its agent. In a fork
// of opencode, and in one of codex as it is read, an entry has another id as well, and what was said was said at the same
// millisecond.
func (src Source) Key(e session.Entry) uint64 {
	if e.ID() == "" {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(seed)
	if m, ok := e.Message(); ok && (src.isOf("opencode") || src.isOf("codex")) {
		_, _ = h.WriteString(e.Str("timestamp"))
		_, _ = h.WriteString(m.Raw()) // it comes from an importer, which spells alike
		return max(1, h.Sum64())
	}
	raw, from, at := e.Raw(), 0, 0
	if len(raw) <= mostSpelled { // pi spells the entries that it copies into a fork anew
		raw = js.Spelled(raw)
	}
	for name, value := range js.Members(raw) { // and not of a copied text, as an entry may be huge
		begin := at + strings.Index(raw[at:], name)
		at = begin + len(name)
		at += strings.Index(raw[at:], value)
		switch {
		case js.IsKey(name, "parentId"):
			_, _ = h.WriteString(raw[from:at])
			from = at + len(value)
		case js.IsKey(name, session.MemberKept):
			_, _ = h.WriteString(strings.TrimRight(raw[from:begin], ", "))
			from = at + len(value)
		}
		at += len(value)
	}
	_, _ = h.WriteString(raw[from:])
	return max(1, h.Sum64())
}

// sessionUUID is the id that the name of a session's file, or its address, may end with.
var sessionUUID = lazy.Regexp(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// Origin returns what the names of a session have in common: the id if they have it, else what tells its file from others.
func Origin(name string) string {
	base := strings.TrimSuffix(name, ".jsonl")
	if id := base[max(0, len(base)-36):]; sessionUUID().MatchString(id) {
		return id
	}
	if agent := address.AgentOf(name); agent != "" {
		return strings.TrimPrefix(name, agent+":")
	}
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return name
}

// Said returns what a message has in common with its copies in sessions that the one of an [Origin] was handed over to,
// where it has another id, other names of calls and no secrets: who spoke, and at which millisecond. It is 0 if there can be
// none: for other entries, and for what a hand-off says itself.
func Said(origin string, e session.Entry) uint64 {
	at, ok := e.Timestamp()
	role := session.RoleUser // of commands of the user and of summaries, too
	if m, is := e.Message(); is {
		if typed.IsBrief(m) {
			return 0
		}
		if m.Role() == session.RoleAssistant || m.Role() == session.RoleToolResult {
			role = m.Role()
		}
	}
	if !ok || e.Type() == session.TypeCustom {
		return 0
	}
	return SaidAt(origin, role, at)
}

// SaidAt is [Said] for a message of a role and a time in milliseconds since the epoch, 0 if it is not known.
func SaidAt(origin, role string, at int64) uint64 {
	if at == 0 {
		return 0
	}
	return max(1, maphash.Comparable(seed, said{origin, role, at}))
}

type said struct {
	origin, role string
	at           int64
}

// isOf reports whether a session is one of an agent: it was listed so, or its name is an
// address that begins so.
func (src Source) isOf(agent string) bool { return src.Owner() == agent }

// Subagents says what becomes of the sessions of sub-agents.
type Subagents string

// What --subagents says.
const (
	WithSubagents    Subagents = "yes"
	WithoutSubagents Subagents = "no"
	OnlySubagents    Subagents = "only"
)

// leavesOut reports whether some sessions are left out.
func (w Subagents) leavesOut() bool { return w == WithoutSubagents || w == OnlySubagents }

// Takes reports whether sessions are meant of which sub says whether a sub-agent had them.
func (w Subagents) Takes(sub bool) bool { return !w.leavesOut() || sub == (w == OnlySubagents) }

// IsPart reports whether a file is below the directory of the session that its session comes from, which is where
// agents keep those of sub-agents.
func IsPart(path, parent string) bool {
	dirs := strings.Split(filepath.ToSlash(filepath.Dir(path)), "/")
	return store.ParentFile(path) != "" || parent != "" && slices.Contains(dirs, parent)
}

// OfSubagent reads a session in a file, "" for none, of which h is the header, for what [IsSubagent] tells a sub-agent by.
func OfSubagent(path string, h session.Header, entries io.Reader) (bool, error) {
	if IsSubagent(h, session.Entry{}) || IsPart(path, h.ParentSession) {
		return true, nil
	}
	for l, err := range jsonl.Lines(entries) {
		if err != nil {
			return false, err
		}
		if !marked(l.Data) {
			continue
		}
		if e, err := session.ParseEntry(l.Text()); err == nil && IsSubagent(h, e) {
			return true, nil
		}
	}
	return false, nil
}

// marked reports whether a line has one of the marks, or an escape that may stand for a character
// of one.
func marked(line []byte) bool {
	return bytes.Contains(line, []byte(`\u00`)) || slices.ContainsFunc(marks, func(mark []byte) bool { return bytes.Contains(line, mark) })
}

var marks = func() (all [][]byte) {
	for _, mark := range SubagentMarks() {
		all = append(all, []byte(mark))
	}
	return all
}()

// SubagentMarks are texts of which one is in the line of every entry that
// [IsSubagent] tells a sub-agent by.
func SubagentMarks() []string {
	return []string{session.TypeSessionInit, "codex:meta", "opencode:session"}
}

// IsSubagent reports whether a session is one that an agent started to do a part of its
// work, by its header or one of its entries: a task that oh-my-pi hands on, a thread that
// codex spawns, a child session of opencode, an agent of Claude Code.
func IsSubagent(h session.Header, e session.Entry) bool {
	if h.ParentSession != "" && strings.HasPrefix(h.ID, "agent-") {
		return true // as Claude Code names them
	}
	switch {
	case e.Type() == session.TypeSessionInit:
		return true
	case e.Type() != session.TypeCustom:
		return false
	}
	switch e.Str("customType") {
	case "codex:meta":
		for line := range e.KeptLines("codex") {
			return typed.IsCodexSubagent(line.Get("payload"))
		}
	case "opencode:session":
		return js.Value(e.Get("data")).Get("parentID").Str() != ""
	}
	return false
}
