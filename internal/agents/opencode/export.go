package opencode

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode/parts"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// version is the version of opencode whose sessions are written.
const version = "1.18.33"

// Export writes the branch to the leaf, as opencode has but one. A session that was
// reverted when it was imported, and has not been continued, has what was reverted as
// well.
func (format) Export(ctx context.Context, s *session.Session, t *formats.Target) error {
	x := &exporter{t: t, s: s, ids: map[string]string{}, keeper: t.Keeper(s, agent)}
	x.choose()
	for i, e := range x.path {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i >= x.begin {
			x.entry(i, e)
		}
	}
	x.lost.Tell(t)
	if x.late > 0 {
		t.Lost(formats.Many(x.late, "", formats.KindTime, "1 message made later, since opencode puts them in the order of their times", "%d messages made later, since opencode puts them in the order of their times"))
	}
	doc := exported{info: x.session(), messages: x.out}
	if isOwn(t.Path) {
		return fmt.Errorf("writing to %s: opencode's database is only read: sess-export opencode -o FILE, and then opencode import FILE", t.Path)
	}
	if err := t.File(doc.info.Get("id").Str()+".json", doc); err != nil {
		return err
	}
	if len(t.Made) > 0 {
		made, err := filepath.Abs(t.Made[0]) // it is run in the directory of the session
		if err != nil {
			return err
		}
		// Without a model opencode takes the one that the session names, which it may not have.
		t.Next = [][]string{{"opencode", "import", made}, {"opencode", "run", "-s", doc.info.Get("id").Str(), "-m", "PROVIDER/MODEL"}}
	}
	return nil
}

// isOwn reports whether path is a database, or a directory in which opencode keeps one or its
// storage: a file there would not be seen, and a database is not replaced by a file.
func isOwn(path string) bool {
	if formats.IsDir(path) {
		_, err := os.Stat(filepath.Join(path, "opencode.db"))
		return err == nil || formats.IsDir(filepath.Join(path, "storage", "session"))
	}
	f, err := disk.OpenRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(sqldb.Magic))
	n, _ := io.ReadFull(f, begin)
	return string(begin[:n]) == sqldb.Magic
}

// An exporter is the writing of one session.
type exporter struct {
	t    *formats.Target
	s    *session.Session
	path []session.Entry

	about    js.Value // what was known of the session when it was imported, "" if it was not
	fresh    bool     // it is another session now, and all ids are new
	id       string
	reverted js.Value // what was reverted is on the path: in opencode's words how
	wentOn   bool     // it had been reverted, and something came behind that

	places
	projected [][]session.Message // what each entry shows a model
	begin     int                 // of the path, before which nothing is written
	results   map[callAt]*answer
	answered  map[int]bool // results that have a call

	// From where to where on the path older compactions are out of sight.
	hiddenFrom, hiddenTo int

	keeper *formats.Keeper
	intact map[int]intact      // messages that came in, by the first of their entries on the path
	within map[int]bool        // entries of those messages
	edits  map[string]js.Value // what the last context_edit puts in place of an entry

	out     []written
	ids     map[string]string // new ones for old ones
	user    string            // id of the last message of the user
	model   model
	taken   idCounter
	late    int // messages that were made later, to keep the order
	changed bool
	rest    []js.Value // usages that the session counts in all, and no message
	lost    formats.Lost
}

// A written message is one as it will be stored.
type written struct {
	message
	created     int64
	first, last int // of the entries it was made of, on the path
}

// A model is what answers.
type model struct{ provider, id string }

// choose finds out which messages are to be written.
func (x *exporter) choose() {
	at, ok := x.s.Leaf()
	if !ok {
		x.identify()
		return
	}
	x.path, _ = x.s.Path(at)
	on := map[string]bool{}
	for _, e := range x.path {
		on[e.ID()] = true
	}
	if leaf := x.s.Entries[at]; formats.CustomName(leaf, agent) == customRevert {
		x.restore(leaf)
	}
	x.path = slices.Clone(x.path)
	for i, e := range x.path {
		on[e.ID()] = true
		x.path[i] = x.t.Inline(e)
		switch formats.CustomName(e, agent) {
		case customSession:
			x.about = js.Value(e.Get("data"))
		case customRevert:
			x.wentOn = true
		}
	}
	x.t.LoseBranches(x.s, func(_ int, e session.Entry) bool { return on[e.ID()] })
	x.t.LoseNested(x.s, nil)
	x.identify()
	x.indexPath()
	x.project()
	x.pair()
	x.findIntact()
}

// restore takes the path to what was reverted, if that still is behind where the session stands.
func (x *exporter) restore(leaf session.Entry) {
	data := js.Value(leaf.Get("data"))
	undone, stand := data.Get("leaf").Str(), data.Get("stand").Str()
	for i, e := range x.s.Entries {
		if e.ID() != undone {
			continue
		}
		path, _ := x.s.Path(i)
		for _, p := range path {
			if p.ID() == stand {
				x.path, x.reverted = path, data.Get("revert")
				return
			}
		}
	}
}

func (x *exporter) entry(i int, e session.Entry) {
	switch typ := e.Type(); {
	case x.within[i]:
		if w, ok := x.intact[i]; ok {
			x.put(w.message, w.first, w.last)
		}
	case formats.CustomName(e, agent) == customMessage:
		for _, m := range x.keptBy(e) {
			if m.role() == "user" || m.role() == "assistant" {
				x.put(m, i, i)
			}
		}
	case typ == session.TypeModelChange:
		if id := e.Str("modelId"); id != "" {
			x.model = model{e.Str("provider"), id}
		}
	case formats.Silent(e), typ == session.TypeSessionInfo, typ == session.TypeContextEdit, typ == session.TypeTitleChange:
	case typ == session.TypeCompaction:
		x.compaction(i, e)
	case len(x.projected[i]) > 0:
		for _, m := range x.projected[i] {
			x.message(i, e, m)
		}
	case typ == session.TypeMessage: // taken out of the context
		x.lost.Say(e, formats.KindEntry, "a message that was taken out of the context, left out")
	case typ == session.TypeUsage && e.Str("kind") == "rest":
		x.rest = append(x.rest, tokens(js.Value(e.Get("usage"))))
	default:
		x.lost.Entry(e, "opencode")
	}
}

// message writes one message of an entry.
func (x *exporter) message(i int, e session.Entry, m session.Message) {
	switch m.Role() {
	case session.RoleToolResult:
		if !x.answered[i] {
			x.lost.Say(e, formats.KindTool, "the result of no call, left out")
		}
		return
	case session.RoleSystem:
		x.lost.Add(e, formats.KindSystem)
		return
	}
	x.changed = true
	if m.Role() == session.RoleAssistant {
		x.assistant(i, e, m)
		return
	}
	llm := convo.ToLLM([]session.Message{m})
	if m.Role() != session.RoleUser {
		if len(llm) == 0 {
			x.lost.Entry(e, "opencode")
			return
		}
		x.lost.Say(e, formats.KindRole, "a message of role %s, which becomes a user's", m.Role())
	}
	for _, one := range llm {
		x.userMessage(i, e, one, m.Role() != session.RoleUser)
	}
}

// identify gives the session its id: the one it came in with, unless it is another
// session now, whose messages must not have the ids of those that opencode has already.
func (x *exporter) identify() {
	own := x.s.Header.ID
	came := x.about.Get("id").Str()
	at, _ := js.ParseTime(x.s.Header.Timestamp)
	switch {
	case came != "" && (came == own || !session.ValidSessionID(came) && formats.SessionID("opencode", came) == own):
		x.id = came
	case strings.HasPrefix(own, "ses_"):
		x.id, x.fresh = own, came != ""
	default:
		x.fresh = came != ""
	}
	if !strings.HasPrefix(x.id, "ses") {
		x.id = makeID("ses", ^(at << 12), own)
	}
}

// session returns what opencode is to know of the session.
func (x *exporter) session() js.Value {
	about := objectOr(x.about, "{}")
	at, _ := js.ParseTime(x.s.Header.Timestamp)
	if x.fresh {
		about = about.Without("parentID", "share", "summary", "revert", "permission", "workspaceID", "cost", "tokens", "time")
	}
	about = x.identity(about)
	if x.reverted == "" {
		if x.wentOn || x.changed { // and so what was reverted is gone
			about = about.Without("revert")
		}
	} else if x.fresh {
		about = about.With("revert", object(js.StringField("messageID", x.renamed(x.reverted.Get("messageID").Str()))))
	}
	about = x.spent(about)
	if x.fresh || x.about == "" {
		origin := object(js.StringField("session", x.s.Header.ID), api.Str("parent", x.s.Header.ParentSession))
		about = about.With("metadata", objectOr(about.Get("metadata"), "{}").With("sess", origin))
	}
	updated := at
	if n := len(x.out); n > 0 {
		updated = max(at, x.out[n-1].created)
	}
	times := withDefaults(about.Get("time"), object(js.IntField("created", max(at, 0))))
	if x.changed || times.Get("updated") == "" {
		times = times.With("updated", intValue(max(updated, parts.Int(times, "updated"), 0)))
	}
	return about.With("time", whole(times, "created", "updated", "compacting", "archived"))
}

// identity fills in how the session is called and where it belongs.
func (x *exporter) identity(about js.Value) js.Value {
	about = whole(about).With("id", quote(x.id))
	slug := "sess-" + formats.EntryID(func(string) bool { return false }, x.id)
	directory := x.s.Header.CWD
	if directory != "" && directory != about.Get("directory").Str() { // it is at home elsewhere now
		about = about.Without("directory", "projectID", "path")
	}
	about = withDefaults(about, object(
		js.StringField("slug", slug), js.StringField("projectID", "global"), js.StringField("directory", directory)))
	if title := about.Get("title").Str(); x.title() != session.OneLine(title) || title == "" {
		about = about.With("title", quote(x.title()))
	}
	if m := x.model; x.about.Get("time", "updated") == "" && m.id != "" { // of a copy that grows there is no more than [begun]
		about = about.With("agent", `"build"`).With("model", object(js.StringField("id", m.known().id), js.StringField("providerID", m.known().provider)))
	}
	return withDefaults(about, object(js.StringField("version", version)))
}

// titleLength is how much of what was said first serves as a title, in characters.
const titleLength = 50

// title returns the name of the session, or its first words.
func (x *exporter) title() string {
	if name := session.OneLine(session.NameOf(x.s.Header, x.s.Entries)); name != "" {
		return name
	}
	if title := session.OneLine(x.about.Get("title").Str()); title != "" {
		return title
	}
	for i := range x.path {
		for _, m := range x.projected[i] {
			if text := session.OneLine(m.Text(" ")); m.Role() == session.RoleUser && text != "" {
				if r := []rune(js.ValidText(text)); len(r) > titleLength {
					text = string(r[:titleLength-1]) + "…"
				}
				return text
			}
		}
	}
	return "New session - " + x.s.Header.Timestamp
}

// spent fills in what all messages cost, unless that came with the session and still holds.
func (x *exporter) spent(about js.Value) js.Value {
	if !x.changed && about.Get("cost") != "" && about.Get("tokens") != "" {
		return about
	}
	var sum float64
	var n [5]int64
	all := slices.Clone(x.rest)
	for _, w := range x.out {
		if w.role() == "assistant" {
			sum += number(w.info.Get("cost"))
			all = append(all, w.told()...)
		}
	}
	for _, t := range all {
		for i, v := range []int64{parts.Int(t, "input"), parts.Int(t, "output"), parts.Int(t, "reasoning"), parts.Int(t, "cache", "read"), parts.Int(t, "cache", "write")} {
			n[i] += v
		}
	}
	field := func(name string, i int) js.Field { return js.IntField(name, n[i]) }
	about = about.With("cost", float(sum))
	return about.With("tokens", object(field("input", 0), field("output", 1), field("reasoning", 2),
		js.RawField("cache", js.Object(field("read", 3), field("write", 4)))))
}

// places are what of a path, and of what was written, is asked for again and again.
type places struct {
	firsts   map[string]int // the first place of each id
	speaks   []int          // from each place on, where the next user or model speaks; the length of the path for nowhere
	furthest []int          // of each message written, the furthest first place so far
}

// indexPath fills in x.firsts, the first entry with each id, and x.speaks, where the next user or model speaks.
func (x *exporter) indexPath() {
	x.firsts = make(map[string]int, len(x.path))
	for i, e := range x.path {
		if _, ok := x.firsts[e.ID()]; !ok {
			x.firsts[e.ID()] = i
		}
	}
	x.speaks = make([]int, len(x.path)+1)
	next := len(x.path)
	x.speaks[next] = next
	for i := len(x.path) - 1; i >= 0; i-- {
		e := x.path[i]
		switch e.Role() {
		case session.RoleUser:
			next = i
		case session.RoleAssistant:
			if m, _ := e.Message(); m.Str("model") != "" {
				next = i
			}
		}
		x.speaks[i] = next
	}
}
