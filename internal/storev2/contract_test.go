package storev2

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/must"
)

func contract(t *testing.T) *jsonschema.Schema {
	t.Helper()
	return schemaOf(t, filepath.Join(corpus.Dir(), "v2", "contract.json"))
}

func schemaOf(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	b, err := os.ReadFile(file)
	must.Do(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	must.Do(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	must.Do(t, c.AddResource("contract.json", doc))
	schema, err := c.Compile("contract.json")
	must.Do(t, err)
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
		must.Do(t, err)
		if err := schema.Validate(bundle(t, s.dir)); err != nil {
			t.Errorf("after %s: %v", what, err)
		}
	}
	stage("migration", nil)
	stage("append", appendN(fastDisk{}, name, 6, 9))
	_, err := s.Checkpoint(t.Context(), "periodic")
	stage("checkpoint", err)
	must.Do(t, appendN(fastDisk{}, name, 10, 12))
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
	must.Do(t, err)
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

// The hand-written patterns are the regular expressions of the contract.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern string
		is      func(string) bool
	}{
		{`^[A-Za-z0-9_-]{1,128}$`, isEntryID},
		{`^[A-Za-z0-9._:-]{8,128}$`, isCorrelation},
		{`^[0-9a-f]{64}$`, hex64},
		{`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`, isUUID},
	} {
		pattern, is := tt.pattern, tt.is
		re := regexp.MustCompile(pattern)
		same := func(t rapid.TB, s string) {
			if is(s) != re.MatchString(s) {
				t.Errorf("%q: %v, and %s says %v", s, is(s), pattern, re.MatchString(s))
			}
		}
		for _, n := range []int{0, 1, 7, 8, 63, 64, 65, 127, 128, 129} {
			same(t, strings.Repeat("a", n))
		}
		for c := range 256 {
			same(t, "f4c03c8c-cf0a-4c90-9535-e95f2d02b39"+string([]byte{byte(c)}))
			same(t, strings.Repeat("0", 63)+string([]byte{byte(c)}))
		}
		rapid.Check(t, func(t *rapid.T) { same(t, rapid.StringMatching(strings.Trim(pattern, "^$")).Draw(t, "good")) })
		rapid.Check(t, func(t *rapid.T) {
			s := []byte(rapid.StringMatching(strings.Trim(pattern, "^$")).Draw(t, "good"))
			s[rapid.IntRange(0, len(s)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
			same(t, string(s))
		})
	}
}

// A state that cannot be read, or that the table does not know, stops writers.
func TestStateFailsClosed(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"garbage":          "garbage\n",
		"flipped":          "", // see below
		"not in the table": string((&transition{seq: 9, from: Clean, to: Migrated, reason: "r", at: "2026-02-15T18:11:00.000Z"}).encode()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newTestStore(t, 3)
			file := filepath.Join(s.dir, stateFile)
			if text == "" {
				text = strings.ReplaceAll(readText(t, file), "migration", "xigration")
			}
			must.Do(t, os.WriteFile(file, []byte(text), 0o600))
			if err := s.Append(t.Context(), []byte(entryLine(4))); !errors.Is(err, ErrState) {
				t.Errorf("appending: %v", err)
			}
			if got := ids(t, s); len(got) != 3 {
				t.Errorf("reading: %v", got)
			}
			if rep, err := s.Verify(t.Context()); err != nil || rep.OK() || rep.State != Failed {
				t.Errorf("verifying: %+v, %v", rep, err)
			}
			_, err := Recover(t.Context(), s.dir, testOptions)
			must.Do(t, err)
			must.Do(t, s.Append(t.Context(), []byte(entryLine(4))))
			wantSound(t, s)
		})
	}
}

// One torn slot leaves the transition before it.
func TestStateSurvivesTornWrite(t *testing.T) {
	t.Parallel()
	s, _ := newTestStore(t, 3)
	before, err := s.currentState()
	must.Do(t, err)
	next, err := before.nextTransition(Dirty, "test", "2026-02-15T18:11:00.000Z")
	must.Do(t, err)
	file := filepath.Join(s.dir, stateFile)
	old := readText(t, file)
	must.Do(t, writeState(disk.OS{}, s.dir, &next, true))
	whole := readText(t, file)
	for n := 1; n < stateSlot; n += 37 {
		at := int((next.seq + 1) % 2 * stateSlot)
		torn := old[:at] + whole[at:at+n] + old[min(at+n, len(old)):]
		must.Do(t, os.WriteFile(file, []byte(torn), 0o600))
		got, err := s.currentState()
		if err != nil || got.to != before.to && got.to != next.to {
			t.Fatalf("torn after %d bytes: %+v, %v", n, got, err)
		}
	}
}
