package pi

import (
	"context"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/store"
)

// byName returns the file of a directory that has the whole of an id in its name, as
// the agents and the store call their files, if there is one and its header agrees.
// Nothing else then has to be opened to find the session.
func (a *archive) byName(ctx context.Context, id string) (path string, ok bool) {
	if id == "" {
		return "", false
	}
	called := func(base string) bool { return strings.HasSuffix(base, "_"+id+".jsonl") }
	for p, err := range formats.Walk(ctx, a.src.Path, 1, called) {
		if err != nil {
			continue // said by whoever has to look at it
		}
		if ok {
			return "", false
		}
		path, ok = p, true
	}
	if !ok {
		return "", false
	}
	info, err := header(ctx, &formats.Source{Path: path})
	return path, err == nil && info.ID == id
}

// exactly lists one file of a directory with all that it says.
func exactly(ctx context.Context, path string) (formats.Info, error) {
	row, err := store.Stat(ctx, path, true)
	if err != nil {
		return formats.Info{Row: store.Row{Path: path}}, (&formats.Source{Path: path}).Located(err)
	}
	return formats.Info{Row: row}, nil
}
