package pi

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// Export writes one file.
func (f format) Export(ctx context.Context, s *session.Session, t *formats.Target) error {
	called := cmp.Or(t.Version, f.versions[0])
	i := slices.IndexFunc(versions, func(v version) bool { return v.name == called })
	if i < 0 {
		return fmt.Errorf("exporting to %s: no version %q", f.name, t.Version)
	}
	v := versions[i]
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
	x.lost.Tell(t)
	there, err := f.there(ctx, t.Path, s.Header.ID)
	if err != nil {
		return err
	}
	name := formats.FileName(s.Header)
	if filepath.Base(filepath.Clean(t.Path)) == "sessions" { // the agent looks below, in a directory of the session's own
		name = filepath.Join(directory(v.omp, s.Header.CWD, t.Env), name)
	}
	if err := t.Instead(there, name, jsonl.Content(lines)); err != nil || len(t.Made) == 0 {
		return err
	}
	of := s.Header.ID
	if filepath.Base(filepath.Clean(t.Path)) != "sessions" { // the agent does not look there
		if of, err = filepath.Abs(t.Made[0]); err != nil {
			return err
		}
	}
	t.Next = formats.ResumeWith(map[bool]string{false: "pi", true: "omp"}[v.omp], of)
	return nil
}

// there returns the file of a directory that has a session already, "" for none.
func (f format) there(ctx context.Context, dir, id string) (string, error) {
	if id == "" || !formats.IsDir(dir) {
		return "", nil
	}
	called := func(base string) bool { return strings.HasSuffix(base, "_"+id+".jsonl") }
	for path, err := range formats.Walk(ctx, dir, 1, called) {
		if err != nil {
			return "", err
		}
		return path, nil
	}
	return "", nil
}

// directory returns the name of the directory in which an agent looks for the sessions of a
// working directory (docs/formats/omp.md).
func directory(omp bool, cwd string, env formats.Env) string {
	if !omp {
		return store.EncodeCWD(cwd)
	}
	for _, place := range []struct{ dir, name string }{{env.Home, "-"}, {os.TempDir(), "-tmp"}} {
		if place.dir == "" || cwd == "" {
			continue
		}
		rel, err := filepath.Rel(resolved(place.dir), resolved(cwd))
		switch {
		case err != nil || !filepath.IsLocal(rel):
		case rel == ".":
			return place.name
		default:
			return strings.TrimSuffix(place.name, "-") + "-" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(rel)
		}
	}
	return store.EncodeCWD(resolved(cwd))
}

// resolved returns a path without symbolic links, or as it is where that cannot be known.
func resolved(path string) string {
	if name, err := filepath.EvalSymlinks(path); err == nil {
		return name
	}
	return filepath.Clean(path)
}

// An exporter is the writing of one session.
type exporter struct {
	version version
	s       *session.Session
	t       *formats.Target

	kept  session.Entry // the custom entry that keeps a title slot, if that is put back
	named string        // an entry to add at the end, for the name
	lost  formats.Lost
}

// wrap returns a custom entry that holds e: every version carries it along.
func wrap(e session.Entry) session.Entry {
	parent := "null"
	if e.ParentID() != "" {
		parent = js.Quote(e.ParentID())
	}
	line := js.Object(
		js.StringField("type", session.TypeCustom), js.StringField("customType", customEntry),
		js.RawField("data", strings.TrimSpace(e.Raw())),
		js.StringField("id", e.ID()), js.RawField("parentId", parent), js.RawField("timestamp", e.Get("timestamp")),
	)
	out, err := session.ParseEntry(line)
	if err != nil {
		return e
	}
	return out
}

// rooted tells that a cycle of parents was cut.
func (x *exporter) rooted(e session.Entry) {
	x.t.Lose(formats.At(e), formats.KindTree, "a cycle of parents ends here, in a root")
}
