package convo_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// addSmall seeds f with the small sessions of the corpus.
func addSmall(f *testing.F) {
	f.Helper()
	for _, path := range append(corpus.Sessions(f, "omp/edge"), append(corpus.Sessions(f, "omp/damaged"), corpus.Sessions(f, "pi/sessions")...)...) {
		if data := corpus.Session(f, path); len(data) < 16<<10 {
			f.Add(data)
		}
	}
	f.Add([]byte(join(head, user("a", "b", "x"), user("b", "a", "y"), edit("c", "b", "a", "null"), compaction("d", "c", "a"))))
}

// Laws: a projection has no more entries than the path; what a model reads is
// valid JSON, at most one message for each of the context, and stays the same if
// it is made again; sizes are not negative.
func FuzzContext(f *testing.F) {
	addSmall(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := session.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for i := range min(len(s.Entries), 20) {
			path, _ := s.Path(len(s.Entries) - 1 - i)
			projection := convo.Project(path)
			if len(projection) > len(path) {
				t.Errorf("%d of %d entries", len(projection), len(path))
			}
			c := convo.ContextOf(convo.Project(path), path)
			if !json.Valid([]byte(whole(c))) {
				t.Errorf("context %s", whole(c))
			}
			llm := convo.ToLLM(c.Messages)
			raw := array(llm)
			if len(llm) > len(c.Messages) || !json.Valid([]byte(raw)) {
				t.Errorf("%d messages for %d: %s", len(llm), len(c.Messages), raw)
			}
			if again := array(convo.ToLLM(llm)); again != raw {
				t.Errorf("%s, again %s", raw, again)
			}
			for _, m := range c.Messages {
				if convo.Estimate(m) < 0 || convo.EstimatePi073(m) > convo.Estimate(m) {
					t.Errorf("%s: %d tokens", m.Raw(), convo.Estimate(m))
				}
			}
			if size := convo.MeasureProjection(projection, path, convo.Estimate); size.Tokens < 0 || size.Tokens != size.Usage+size.Trailing {
				t.Errorf("%+v", size)
			}
			if m, ok := convo.FoldSystem(c.Messages); ok && !json.Valid([]byte(m.Raw())) {
				t.Errorf("system %s", m.Raw())
			}
			convo.StateOf(path)
		}
	})
}
