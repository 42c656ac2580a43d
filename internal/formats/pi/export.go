package pi

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// Export writes one file.
func (f format) Export(ctx context.Context, s *session.Session, t *formats.Target) error {
	v, ok := versionCalled(cmp.Or(t.Version, f.versions[0]))
	if !ok {
		return fmt.Errorf("exporting to %s: no version %q", f.name, t.Version)
	}
	x := exporter{version: v, s: s, t: t}
	lead, err := x.lead()
	if err != nil {
		return err
	}
	entries := unlooped(s, x.rooted)
	lines := lead
	for _, e := range x.untitled(entries) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.ID() == "" {
			t.Lose(formats.At(e), formats.KindTree, "an entry without id, left out; no path leads to it")
			continue
		}
		lines = append(lines, x.entry(e).Raw())
	}
	if x.named != "" {
		lines = append(lines, x.named)
	}
	x.unheld.Tell(t, v.title, "")
	return t.File(formats.FileName(s.Header), jsonl.Content(lines))
}

// An exporter is the writing of one session.
type exporter struct {
	version version
	s       *session.Session
	t       *formats.Target

	kept   session.Entry // the custom entry that keeps a title slot, if that is put back
	named  string        // an entry to add at the end, for the name
	unheld formats.Unheld
}

// wrap returns a custom entry that holds e: every version carries it along.
func wrap(e session.Entry) session.Entry {
	at := e.Get("timestamp")
	line := js.Object(
		js.StringField("type", session.TypeCustom), js.StringField("customType", customEntry),
		js.RawField("data", strings.TrimSpace(e.Raw())),
		js.StringField("id", e.ID()), js.RawField("parentId", parent(e)), js.RawField("timestamp", at),
	)
	out, err := session.ParseEntry(line)
	if err != nil {
		return e
	}
	return out
}

func parent(e session.Entry) string {
	if e.ParentID() == "" {
		return "null"
	}
	return js.Quote(e.ParentID())
}

// rooted tells that a cycle of parents was cut.
func (x *exporter) rooted(e session.Entry) {
	x.t.Lose(formats.At(e), formats.KindTree, "a cycle of parents ends here, in a root")
}
