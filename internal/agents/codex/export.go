package codex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// Export writes a rollout of the path to the leaf, and with [formats.Target.Index] the line of codex's index that has the
// title of the session.
func (format) Export(ctx context.Context, s *session.Session, t *formats.Target) error {
	if t.Index && !t.DryRun && !formats.IsDir(t.Path) {
		return fmt.Errorf("naming the session in %s: %s is no directory", indexFile, t.Path)
	}
	x := &exporter{s: s, t: t, keeper: t.Keeper(s, agent), covered: map[string]bool{}, held: map[int]bool{}, placeOf: map[string]int{}, calls: map[string]session.ToolCall{}}
	if leaf, ok := s.Leaf(); ok {
		x.path, _ = s.PathIndex(leaf)
	}
	x.own = slices.ContainsFunc(s.Entries, func(e session.Entry) bool { return e.Aside() == agent })
	for n, i := range x.path {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.plan(n, i)
	}
	x.identify()
	if err := x.write(ctx); err != nil {
		return err
	}
	t.LoseBranches(s, func(i int, _ session.Entry) bool { return x.held[i] })
	t.LoseNested(s, func(e session.Entry) bool { return x.covered[e.ID()] })
	x.lost.Tell(t.Lost)
	// Codex itself takes the local time; here it is the same everywhere.
	at := time.UnixMilli(x.at).UTC()
	if x.at < 0 || at.Year() > 9999 {
		at = time.UnixMilli(0).UTC()
	}
	id := x.id
	if !formats.IsUUID(strings.ToLower(id)) {
		id = formats.SessionID("codex", id)
	}
	name := dirSessions + at.Format("/2006/01/02/") + namePrefix + at.Format("2006-01-02T15-04-05") + "-" + id + suffix
	if filepath.Base(t.Path) == dirSessions {
		name = strings.TrimPrefix(name, dirSessions+"/")
	}
	there, err := x.there(ctx)
	if err != nil {
		return err
	}
	if err := t.Instead(there, filepath.FromSlash(name), rollout{x.lines, x.large}); err != nil {
		return err
	}
	if formats.IsDir(t.Path) { // else codex does not look there
		t.Next = formats.ResumeWith(agent, x.id)
	}
	return x.index(ctx)
}

// there returns the rollout of this id that the directory has, "" for none: codex knows a
// session by its id, whatever its file is called.
func (x *exporter) there(ctx context.Context) (string, error) {
	if x.t.Path == "" || x.t.DryRun || !formats.IsDir(x.t.Path) {
		return "", nil
	}
	tree, err := scan(ctx, x.t.Path)
	if err != nil {
		return "", err
	}
	return tree.rollout[x.id], nil
}

// An exporter is the writing of one rollout.
type exporter struct {
	s       *session.Session
	keeper  *formats.Keeper
	t       *formats.Target
	path    []int // entries, from the root to the leaf
	steps   []step
	covered map[string]bool // entries that lines of codex stand for
	held    map[int]bool    // entries that are in the rollout, in some way
	lost    formats.Tally
	again   bool // messages are written once more

	meta     string // the first line that codex wrote, "" if it did not
	id       string // of the thread
	was      string // that it had
	at       int64  // when it was made
	original bool   // the first line stays as it was
	named    string // what the lines call the thread
	legacy   bool
	own      bool // the session came from codex: another agent's thinking is encrypted for another account

	writer
	entries   []session.Entry             // of the path
	placeOf   map[string]int              // of the path, the first places of ids
	given     int64                       // bytes of the path
	fixes     []repair                    // of the path
	withCalls map[string]bool             // results that were told with their calls
	calls     map[string]session.ToolCall // by their ids
}

// A step has the lines of one entry: those that codex wrote, or, without any, those that it would
// have written.
type step struct {
	index int // in the path
	entry session.Entry
	lines []line
}

// plan adds the step for the n-th entry of the path.
func (x *exporter) plan(n, i int) {
	e := x.t.Inline(x.s.Entries[i])
	if _, twice := x.placeOf[e.ID()]; !twice {
		x.placeOf[e.ID()] = len(x.entries)
	}
	x.entries = append(x.entries, e)
	x.given += int64(len(e.Raw()))
	x.held[i] = true
	st := step{index: n, entry: e, lines: x.restore(i, 0)}
	switch formats.CustomName(e, agent) {
	case customMeta:
		if len(st.lines) > 0 {
			x.meta, st.lines = st.lines[0].raw, st.lines[1:]
		}
	case customName:
		x.named = session.OneLine(js.Value(e.Get("data")).Get("thread_name").Str())
		return
	}
	if st.lines != nil || formats.CustomName(e, agent) == "" {
		x.steps = append(x.steps, st)
	}
}

// maxNested is how many rollbacks may be abandoned by each other.
const maxNested = 1000

// restore returns the lines that the i-th entry keeps.
func (x *exporter) restore(i, depth int) (out []line) {
	lines, of := x.keeper.Lines(i)
	if lines == nil {
		return nil
	}
	e := x.s.Entries[i]
	if formats.CustomName(e, agent) == customRollback {
		var ok bool
		if out, ok = x.abandoned(e, js.Value(e.Get("data")).Get("leaf").Str(), depth); !ok {
			return nil
		}
	}
	for _, kept := range lines {
		l := parseLine(kept.Text)
		if l.typ == typeEvent && l.kind == "thread_name_updated" {
			x.named = session.OneLine(l.payload.Get("thread_name").Str())
		}
		out = append(out, l)
	}
	for _, id := range append(of, e.ID()) {
		x.covered[id] = true
	}
	return out
}

// abandoned returns the lines of the branch that ends in the entry id, from where it
// leaves the path to e. ok is false if that is not there.
func (x *exporter) abandoned(e session.Entry, id string, depth int) (out []line, ok bool) {
	end, ok := x.s.Index(id)
	if !ok || depth > maxNested {
		return nil, false
	}
	branch, _ := x.s.PathIndex(end)
	from := 0
	if here, ok := x.s.Index(e.ID()); ok {
		path, _ := x.s.PathIndex(here)
		for from < len(branch) && from < len(path) && branch[from] == path[from] {
			from++
		}
	}
	for _, i := range branch[from:] {
		x.held[i] = true
		out = append(out, x.restore(i, depth+1)...)
	}
	return out, true
}

// customName is the custom entry for the name that the home of codex has.
const customName = "name"

// identify finds out what the thread is called and what its first line is.
func (x *exporter) identify() {
	h := x.s.Header
	x.legacy = x.t.Version != paginated
	x.at, _ = js.ParseTime(h.Timestamp)
	x.id = strings.ToLower(h.ID)
	if x.meta != "" {
		l := parseLine(x.meta)
		head, err := parseHead(l)
		x.legacy = l.payload.Get("history_mode").Str() != paginated
		if err == nil {
			x.was, x.original = head.id, head.base == nil && sessionID(head.id) == h.ID && (head.cwd == h.CWD || head.cwd == "")
		}
		if x.original {
			x.id = head.id
			return
		}
	}
	if !formats.IsUUID(x.id) {
		x.id = formats.SessionID("codex", h.ID)
		x.lost.Add("", formats.KindReference, "codex wants a UUID for an id, and %q is none: it is %s", h.ID, x.id)
	}
}

// first returns the payload of the first line.
func (x *exporter) first() string {
	h := x.s.Header
	own := []js.Field{
		js.StringField("session_id", x.id), js.StringField("id", x.id),
		js.StringField("timestamp", js.FormatTime(x.at)), js.StringField("cwd", h.CWD),
	}
	if x.meta == "" {
		own = append(own, js.StringField("originator", "sess"), js.StringField("cli_version", "0.169.0"),
			js.StringField("source", "cli"), js.StringField("thread_source", "user"))
		if parent := strings.ToLower(h.ParentSession); formats.IsUUID(parent) {
			own = append(own, js.StringField("forked_from_id", parent))
		}
		if !x.legacy {
			own = append(own, js.StringField("history_mode", paginated))
		}
		return js.Object(own...)
	}
	l := parseLine(x.meta)
	copied := formats.IsUUID(x.was) && x.was != x.id
	if copied {
		own = append(own, js.StringField("forked_from_id", x.was))
	}
	for key, value := range js.Members(string(l.payload)) {
		switch key {
		case `"forked_from_id"`:
			if copied {
				continue
			}
			own = append(own, js.RawField(js.Unquote(key), value))
		case `"session_id"`, `"id"`, `"timestamp"`, `"cwd"`, `"history_base"`, `"forked_from_ordinal_exclusive"`:
		default:
			own = append(own, js.RawField(js.Unquote(key), value))
		}
	}
	return js.Object(own...)
}

// index adds the session's name to those that a home of codex has.
func (x *exporter) index(ctx context.Context) error {
	if !x.t.Index || x.s.Name == "" {
		return nil
	}
	line := js.Object(js.StringField("id", x.id), js.StringField("thread_name", x.s.Name),
		js.StringField("updated_at", js.FormatTime(x.last)))
	home := x.t.Path
	if filepath.Base(home) == dirSessions {
		home = filepath.Dir(home)
	}
	if x.t.DryRun || !formats.IsDir(home) {
		return nil
	}
	path := filepath.Join(home, indexFile)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|disk.Nonblock, 0o600)
	if err != nil {
		return fmt.Errorf("opening %s: %w", path, disk.Cause(err))
	}
	if err := f.Close(); err != nil {
		return err
	}
	a, err := jsonl.OpenAppender(ctx, path, jsonl.Options{})
	if err != nil {
		return err
	}
	return errors.Join(a.Append([]byte(line)), a.Close())
}

// compacted adds a line with the context of the first n entries of the path, since it is no longer
// the sum of the lines before.
func (x *exporter) compacted(n int, at session.Entry) {
	x.end()
	if js.Value(at.Get("systemMessage")).IsObject() {
		x.lost.Add(formats.At(at), formats.KindSystem, "%s", ownPrompt)
	}
	x.again = true // what of these messages is left out is told where they stand
	defer func() { x.again = false }()
	var messages []session.Message
	var of []string // ids of their entries
	summary := ""
	for _, p := range convo.Project(x.entries[x.contextFrom(n):n]) {
		for _, m := range convo.ToLLM(p.Messages) {
			messages, of = append(messages, m), append(of, p.Entry.ID())
		}
		if p.Entry.Type() == session.TypeCompaction && summary == "" {
			summary = p.Entry.Str("summary")
		}
	}
	var items []string
	for i, r := range repairs(messages) {
		if r.drop || r.moved {
			continue
		}
		items = append(items, x.items(messages[i])...)
		for _, j := range r.results {
			items = append(items, x.items(messages[j])...)
		}
		for _, c := range r.unanswered {
			items = append(items, x.later(of[i], c, n))
		}
	}
	ms, _ := at.Timestamp()
	x.put(typeCompacted, js.Object(js.StringField("message", summary),
		js.RawField("replacement_history", api.Array(items...)), js.IntField("window_number", x.windows+1)), ms)
	x.count(counts{}, ms)
	if x.legacy {
		x.event("context_compacted", ms)
		return
	}
	x.item("ContextCompaction", at.ID(), ms)
	x.end()
}

const ownPrompt = "codex has its own system prompt"

// lose tells of a part of a message that is left out.
func (x *exporter) lose(kind, format string, args ...any) {
	if !x.again {
		x.lost.Add("", kind, format, args...)
	}
}

// later returns the result of a call in a context that ends before the n-th entry of the
// path: one from behind it, since results are told with their calls, or one that is made
// up.
func (x *exporter) later(reply string, c session.ToolCall, n int) string {
	i, ok := x.placeOf[reply]
	if !ok || i >= n {
		return madeUpItem(c)
	}
	for _, j := range x.fixes[i].results {
		if m, ok := x.entries[j].Message(); ok && j >= n && m.Str("toolCallId") == c.ID && !x.covered[x.entries[j].ID()] {
			return x.outputItem(m)
		}
	}
	return madeUpItem(c)
}

// contextFrom returns the first place of the path that matters for the context of its first
// n entries: the first one that the newest compaction keeps, or that compaction itself.
func (x *exporter) contextFrom(n int) int {
	i := n - 1
	for i >= 0 && x.entries[i].Type() != session.TypeCompaction {
		i--
	}
	if i < 0 {
		return 0
	}
	if kept, ok := x.placeOf[x.entries[i].Str("firstKeptEntryId")]; ok {
		return min(i, kept)
	}
	return i
}
