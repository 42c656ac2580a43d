package seg

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sess-tools/sess/internal/test/corpus"
)

func contract(t *testing.T) *jsonschema.Schema {
	t.Helper()
	return schemaOf(t, filepath.Join(corpus.Dir(), "v2", "contract.json"))
}

func schemaOf(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	b, err := os.ReadFile(file)
	must(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	must(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	must(t, c.AddResource("contract.json", doc))
	schema, err := c.Compile("contract.json")
	must(t, err)
	return schema
}

// bundle puts the documents of a store together as the contract wants to see them.
func bundle(t *testing.T, dir string) map[string]any {
	t.Helper()
	value := func(text string) any {
		t.Helper()
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v in %.200q", err, text)
		}
		return v
	}
	lines := func(text string) []any {
		out := []any{}
		for line := range strings.Lines(text) {
			out = append(out, value(line))
		}
		return out
	}
	b := map[string]any{
		"schema": "pi.session_store_v2.contract.v1", "segments": []any{}, "offsetIndex": []any{},
		"checkpoints": []any{}, "migrationEvents": []any{}, "stateTransitions": []any{},
	}
	add := func(name string, docs ...any) { b[name] = append(b[name].([]any), docs...) }
	for name, text := range tree(t, dir) {
		switch {
		case name == manifestFile:
			b["manifest"] = value(text)
		case strings.HasSuffix(name, ".seg"):
			add("segments", lines(text)...)
		case name == indexFile:
			add("offsetIndex", lines(text)...)
		case name == ledgerFile:
			add("migrationEvents", lines(text)...)
		case strings.HasPrefix(name, "checkpoints/") && strings.HasSuffix(name, ".json"):
			add("checkpoints", value(text))
		case name == stateFile:
			for _, v := range lines(text) {
				m := v.(map[string]any)
				add("stateTransitions", map[string]any{
					"fromState": m["fromState"], "toState": m["toState"], "reason": m["reason"], "at": m["at"],
				})
			}
		}
	}
	return b
}

// Every document of a store of ours, at every stage of its life, is what the
// contract says.
func TestContract(t *testing.T) {
	t.Parallel()
	schema := contract(t)
	s, name := newTestStore(t, 5)
	stage := func(what string, err error) {
		t.Helper()
		must(t, err)
		if err := schema.Validate(bundle(t, s.dir)); err != nil {
			t.Errorf("after %s: %v", what, err)
		}
	}
	stage("migration", nil)
	stage("append", appendN(fastDisk{}, name, 6, 9))
	_, err := s.Checkpoint(t.Context(), "periodic")
	stage("checkpoint", err)
	must(t, appendN(fastDisk{}, name, 10, 12))
	cutIndex(t, name, 1)
	stage("mending", appendN(fastDisk{}, name, 13, 13))
	stage("rollback to a checkpoint", s.RollbackTo(t.Context(), 1))
	_, err = s.Rebuild(t.Context())
	stage("rebuild", err)
	out, err := Rollback(t.Context(), name, "test", testOptions)
	to := out.Dir
	s.dir = to
	stage("rollback", err)

	// The contract can say no.
	b := bundle(t, to)
	b["manifest"].(map[string]any)["storeVersion"] = json.Number("3")
	if schema.Validate(b) == nil {
		t.Error("a wrong version is taken")
	}
}

// What does not fit the contract is stored only under schema ids that it does not
// know.
func TestExtendedIsNotOfTheContract(t *testing.T) {
	t.Parallel()
	schema := contract(t)
	name := writeSession(t, testHeader,
		`{"type":"mode_change","id":"x1","parentId":null,"timestamp":"2026-02-15T18:10:00.000Z","mode":"plan"}`)
	o := testOptions
	o.Extended = true
	m, err := Migrate(t.Context(), name, o)
	must(t, err)
	if schema.Validate(bundle(t, m.Dir)) == nil {
		t.Error("the contract takes a store with a mode_change")
	}
}

// The table of states is the contract's.
func TestTransitionsOfTheContract(t *testing.T) {
	t.Parallel()
	schema := contract(t)
	s, _ := newTestStore(t, 1)
	b := bundle(t, s.dir)
	for from := range transitions {
		for to := range transitions {
			b["stateTransitions"] = []any{map[string]any{
				"fromState": string(from), "toState": string(to), "reason": "r", "at": "2026-02-15T18:10:00Z",
			}}
			if err := schema.Validate(b); (err == nil) != from.May(to) {
				t.Errorf("%s -> %s: ours %v, contract: %v", from, to, from.May(to), err)
			}
		}
	}
}
