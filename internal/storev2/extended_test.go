package storev2

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/must"
)

// extendedBundle is the bundle of a store with the documents of our own.
func extendedBundle(t *testing.T, dir string) map[string]any {
	t.Helper()
	b := bundle(t, dir)
	b["schema"] = "sess.session_store_v2.contract.v1"
	states := []any{}
	for name, text := range tree(t, dir) {
		switch name {
		case stateFile:
			for line := range strings.Lines(text) {
				v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
				must.Do(t, err)
				states = append(states, v)
			}
		case markerFile:
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			must.Do(t, err)
			b["commit"] = v
		}
	}
	b["states"] = states
	return b
}

// Every document of an extended store, at every stage of its life, is what the
// schema says that we publish for it; so is that of a store which is not extended.
func TestExtendedSchema(t *testing.T) {
	t.Parallel()
	schema := schemaOf(t, filepath.Join(corpus.Dir(), "..", "docs", "formats", "store-v2-extended.json"))
	for what, header := range map[string]string{"session id": strings.Replace(testHeader, "f4c03c8c-", "mine", 1), "entries": testHeader} {
		name := writeSession(t, header, entryLine(1),
			`{"type":"mode_change","id":"x1","parentId":"e0000001","mode":"plan"}`, `{"type":"label","id":"a b","parentId":"x1"}`)
		o := testOptions
		o.Extended, o.MaxSegment = true, 1200
		m, err := Migrate(t.Context(), name, o)
		must.Do(t, err)
		if m.Unfit.Session != (what == "session id") || m.Unfit.Types["mode_change"] != 1 || m.Unfit.IDs != 1 || m.Unfit.FirstID != "a b" {
			t.Errorf("unfit: %+v", m.Unfit)
		}
		s := mustOpen(t, m.Dir, o)
		stage := func(stage string, err error) {
			t.Helper()
			must.Do(t, err)
			if err := schema.Validate(extendedBundle(t, s.dir)); err != nil {
				t.Errorf("%s, after %s: %v", what, stage, err)
			}
		}
		stage("migration", nil)
		stage("append", s.Append(t.Context(), []byte(`{"type":"x/y","id":"ü","parentId":"a b"}`), []byte(`{"type":"label","id":"plain","parentId":null}`)))
		_, err = s.Checkpoint(t.Context(), "manual")
		stage("checkpoint", err)
		stage("append after it", s.Append(t.Context(), []byte(`{"type":"label","id":"q","parentId":"ü"}`)))
		stage("rollback to it", s.RollbackTo(t.Context(), 1))
		_, err = s.Rebuild(t.Context())
		stage("rebuild", err)
	}
	plain, _ := newTestStore(t, 4)
	if err := schema.Validate(extendedBundle(t, plain.dir)); err != nil {
		t.Errorf("not extended: %v", err)
	}
}

// The schema can say no: to what only fits under our ids but has pi's, and to what
// is not of the format at all.
func TestExtendedSchemaRefuses(t *testing.T) {
	t.Parallel()
	schema := schemaOf(t, filepath.Join(corpus.Dir(), "..", "docs", "formats", "store-v2-extended.json"))
	name := writeSession(t, testHeader, `{"type":"mode_change","id":"a b","parentId":null}`)
	o := testOptions
	o.Extended = true
	m, err := Migrate(t.Context(), name, o)
	must.Do(t, err)
	for what, spoil := range map[string]func(b map[string]any){
		"frame under pi's id":  func(b map[string]any) { b["segments"].([]any)[0].(map[string]any)["schema"] = frameSchema },
		"row under pi's id":    func(b map[string]any) { b["offsetIndex"].([]any)[0].(map[string]any)["schema"] = rowSchema },
		"manifest of pi's":     func(b map[string]any) { b["manifest"].(map[string]any)["schema"] = manifestSchema },
		"frame without a type": func(b map[string]any) { b["segments"].([]any)[0].(map[string]any)["entryType"] = "" },
		"unknown member":       func(b map[string]any) { b["segments"].([]any)[0].(map[string]any)["x"] = true },
		"state":                func(b map[string]any) { b["states"].([]any)[0].(map[string]any)["toState"] = "HAPPY" },
		"commit":               func(b map[string]any) { delete(b["commit"].(map[string]any), "preface") },
	} {
		b := maps.Clone(extendedBundle(t, m.Dir))
		if spoil(b); schema.Validate(b) == nil {
			t.Errorf("%s is taken", what)
		}
	}
}
