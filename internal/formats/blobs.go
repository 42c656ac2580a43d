package formats

import (
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// Resolve returns an entry with the data of its images in place of references to blobs,
// for an agent that keeps entries as we do but knows no blobs. What stays a reference is a loss.
func (t *Target) Resolve(e session.Entry) session.Entry {
	return resolve(e, t.Blobs, t.Lose)
}

// Inline is Resolve for an agent that would take a reference for the data of an image: in the
// place of one stands a text that says so.
func (t *Target) Inline(e session.Entry) session.Entry {
	if e = t.Resolve(e); !refersToBlob(e) {
		return e
	}
	if m, ok := e.Message(); ok {
		return e.WithRaw("message", With(m.Raw(), "content", withoutRefs(m.Get("content"))))
	}
	if content := e.Get("content"); content != "" {
		return e.WithRaw("content", withoutRefs(content))
	}
	return e
}

// withoutRefs returns a content with texts in the place of images that are elsewhere.
func withoutRefs(content string) string {
	if !strings.HasPrefix(content, "[") {
		return content
	}
	var out []string
	for b := range js.Elements(content) {
		if js.Value(b).Get("type").Str() == "image" && convo.IsBlobRef(js.Value(b).Get("data").Str()) {
			b = Text("[image left out: its data is kept outside the session]")
		}
		out = append(out, b)
	}
	return Array(out...)
}

// Resolve returns an entry as it is to be added, with the data of its images in place of
// references to the blobs in dir, unless that is "". What stays a reference is a loss.
func (b *Builder) Resolve(e session.Entry, dir string) session.Entry {
	return resolve(e, dir, b.Lose)
}

func refersToBlob(e session.Entry) bool { return strings.Contains(e.Raw(), `"blob:sha256:`) }

func resolve(e session.Entry, dir string, lose func(where, kind, format string, args ...any)) session.Entry {
	if dir == "" {
		if refersToBlob(e) {
			lose(At(e), KindBlob, "refers to a blob, which --blobs would resolve")
		}
		return e
	}
	e, problems := convo.ResolveBlobs(e, store.OpenBlobs(dir).Get)
	for _, p := range problems {
		lose(At(e), KindBlob, "%s", p.Text)
	}
	return e
}
