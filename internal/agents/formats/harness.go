package formats

import (
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// LeaveHarness takes words out of s that agents other than the target put in in the user's name:
// the model there would take them for the user's. An entry that has only such words is replaced by
// one that says nothing, so that the tree stays the same. The loss is told, and does not fail a
// strict export: no word of the user or of a model is lost.
func (t *Target) LeaveHarness(s *session.Session, agent string) {
	var notes convo.Notes
	first := ""
	for i, e := range s.Entries {
		said, own := convo.Spoken(convo.EntryMessages(e))
		if own.Count == 0 || own.Agents()[0] == agent {
			continue
		}
		if notes.Plus(own); first == "" {
			first = At(e)
		}
		if len(said) == 0 {
			s.Entries[i] = emptied(e, own.Agents()[0])
		} else {
			s.Entries[i] = e.WithRaw("message", said[0].Raw())
		}
	}
	if notes.Count > 0 {
		t.Note(first, KindContext, "%s, left out: they are meant for that agent", notes)
	}
}

// Silent reports whether an entry may be left out without a word: no person said it, and no
// model sees it. It keeps what an importer needs, tells of a run, or names the model that
// the replies behind it name as well.
func Silent(e session.Entry) bool { return e.IsAside() || e.Type() == session.TypeModelChange }

// emptied returns an entry in the place of e that says nothing.
func emptied(e session.Entry, agent string) session.Entry {
	return e.Rewritten(js.Object(
		js.StringField("type", session.TypeCustom), js.StringField("customType", agent+":left-out"), js.StringField("id", e.ID()),
		js.RawField("parentId", e.Get("parentId")), js.RawField("timestamp", e.Get("timestamp"))))
}
