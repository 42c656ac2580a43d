package opencode

import (
	"context"
	"slices"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// version is the version of opencode whose sessions are written.
const version = "1.18.33"

// Export writes the branch to the leaf, as opencode has but one. A session that was
// reverted when it was imported, and has not been continued, has what was reverted as
// well.
func (format) Export(ctx context.Context, s *session.Session, t *formats.Target) error {
	x := &exporter{t: t, s: s, ids: map[string]string{}}
	x.choose()
	if err := x.entries(ctx); err != nil {
		return err
	}
	x.tell()
	doc := exported{info: x.session(), messages: x.out}
	if t.DB != "" {
		return insert(ctx, t, doc)
	}
	return t.File(str(doc.info, "id")+".json", doc)
}

// An exporter is the writing of one session.
type exporter struct {
	t    *formats.Target
	s    *session.Session
	path []session.Entry

	about    string // what was known of the session when it was imported, "" if it was not
	fresh    bool   // it is another session now, and all ids are new
	id       string
	reverted string // what was reverted is on the path: in opencode's words how
	wentOn   bool   // it had been reverted, and something came behind that

	places
	shown    [][]session.Message // what each entry shows a model
	begin    int                 // of the path, before which nothing is written
	results  map[callAt]*answer
	answered map[int]bool // results that have a call

	// From where to where on the path older compactions are out of sight.
	hiddenFrom, hiddenTo int

	open *skeleton // the message whose entries are being read
	held *skeleton // a compaction whose summary is to come

	out     []written
	ids     map[string]string // new ones for old ones
	user    string            // id of the last message of the user
	model   model
	taken   idCounter
	late    int // messages that were made later, to keep the order
	changed bool
	unheld  formats.Unheld
}

// A written message is one as it will be stored.
type written struct {
	message
	created     int64
	first, last int // of the entries it was made of, on the path
}

// A model is what answers.
type model struct{ provider, id string }

// choose finds out what is to be written.
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
	if leaf := x.s.Entries[at]; customType(leaf) == customRevert {
		x.restore(leaf)
	}
	x.path = slices.Clone(x.path)
	for i, e := range x.path {
		on[e.ID()] = true
		x.path[i] = x.t.Inline(e)
		switch customType(e) {
		case customSession:
			x.about = e.Get("data")
		case customRevert:
			x.wentOn = true
		}
	}
	x.branches(on)
	x.identify()
	x.survey()
	x.project()
	x.pair()
}

// restore takes the path to what was reverted, if that still is behind where the session stands.
func (x *exporter) restore(leaf session.Entry) {
	data := leaf.Get("data")
	undone, stand := str(data, "leaf"), str(data, "stand")
	for i, e := range x.s.Entries {
		if e.ID() != undone {
			continue
		}
		path, _ := x.s.Path(i)
		for _, p := range path {
			if p.ID() == stand {
				x.path, x.reverted = path, get(data, "revert")
				return
			}
		}
	}
}

// branches tells of the messages that are on no branch that is written.
func (x *exporter) branches(on map[string]bool) {
	left, first := 0, ""
	for _, e := range x.s.Entries {
		if e.Type() == session.TypeMessage && !on[e.ID()] {
			if left++; left == 1 {
				first = formats.At(e)
			}
		}
	}
	if left > 0 {
		x.t.Lose(first, formats.KindBranch, "%s on other branches left out; sess-fork makes sessions of them", count(left, "message"))
	}
}

// customType returns the name of a custom entry of ours.
func customType(e session.Entry) string { return formats.CustomName(e, "opencode") }

// entries writes what the path has.
func (x *exporter) entries(ctx context.Context) error {
	for i, e := range x.path {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i >= x.begin {
			x.entry(i, e)
		}
	}
	x.flush()
	return nil
}

func (x *exporter) entry(i int, e session.Entry) {
	switch typ := e.Type(); {
	case customType(e) == customMessage:
		x.flush()
		x.open = x.skeleton(i, e.Get("data"))
	case customType(e) != "", typ == session.TypeSessionInfo, typ == session.TypeContextEdit, typ == session.TypeTitleChange:
	case typ == session.TypeModelChange:
		if id := e.Str("modelId"); id != "" {
			x.model = model{e.Str("provider"), id}
		}
	case typ == session.TypeCompaction:
		x.compaction(i, e)
	case len(x.shown[i]) > 0:
		for _, m := range x.shown[i] {
			x.message(i, e, m)
		}
	case typ == session.TypeMessage: // taken out of the context
		x.t.Lose(formats.At(e), formats.KindEntry, "a message that was taken out of the context left out")
	default:
		x.unheld.Add(e)
	}
}

// message writes one message of an entry.
func (x *exporter) message(i int, e session.Entry, m session.Message) {
	switch m.Role() {
	case session.RoleToolResult:
		if !x.answered[i] {
			x.t.Lose(formats.At(e), formats.KindTool, "the result of no call, left out")
		}
		return
	case session.RoleSystem:
		x.t.Lose(formats.At(e), formats.KindSystem, "a session of opencode has no system messages of its own")
		return
	}
	if x.open != nil && x.open.take(x, i, m) {
		return
	}
	x.flush()
	x.changed = true
	if m.Role() == session.RoleAssistant {
		x.assistant(i, e, m)
		return
	}
	said := convo.ToLLM([]session.Message{m})
	if m.Role() != session.RoleUser {
		if len(said) == 0 {
			x.unheld.Add(e)
			return
		}
		x.t.Lose(formats.At(e), formats.KindRole, "what the role %s says becomes what the user says", m.Role())
	}
	for _, one := range said {
		x.says(i, e, one, m.Role() != session.RoleUser)
	}
}
