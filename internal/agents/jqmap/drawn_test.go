package jqmap_test

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
)

// Whatever stands in the place of values of a session, and of its bytes, a map reads it, the same twice, or says what is wrong with the file by its name, and
// soon.
func TestDrawnMutations(t *testing.T) {
	t.Parallel()
	for _, f := range own() {
		name := f.About().Name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			paths, err := filepath.Glob(filepath.Join(corpus.Dir(), "agents", name, "*"))
			must.Do(t, err)
			for _, r := range drawn.Cases(t, 1000) {
				path := paths[r.IntN(len(paths))]
				text := must.Read(t, path)
				source := mutated(t, r, text, filepath.Ext(path), base(name))
				begun := time.Now()
				if _, err := formatstest.Twice(t, f, source); err != nil && !strings.Contains(err.Error(), source.Path) && !errors.Is(err, formats.ErrUnread) {
					t.Fatalf("%v, of\n%.4000q", err, must.Read(t, source.Path))
				}
				if took := time.Since(begun); took > 2*time.Minute {
					t.Fatalf("it took %v:\n%.4000q", took, must.Read(t, source.Path))
				}
				if t.Failed() {
					t.Fatalf("of\n%.4000q", must.Read(t, source.Path))
				}
			}
		})
	}
}

// mutated returns a source that is a sample with other values or other bytes in it.
func mutated(t *testing.T, r *rand.Rand, text, ext, base string) *formats.Source {
	t.Helper()
	switch ext {
	case ".sql":
		text = strings.NewReplacer(" NOT NULL", "", "TEXT PRIMARY KEY", "TEXT", " UNIQUE ON CONFLICT REPLACE", "").Replace(text) // which would refuse some
		text = quotedJSON.ReplaceAllStringFunc(text, func(literal string) string {
			if r.IntN(6) > 0 {
				return literal
			}
			inner := strings.ReplaceAll(literal[1:len(literal)-1], "''", "'")
			return "'" + strings.ReplaceAll(changedText(r, inner), "'", "''") + "'"
		})
		text = plainValue.ReplaceAllStringFunc(text, func(value string) string {
			if r.IntN(12) > 0 {
				return value
			}
			return "," + []string{"NULL", "7", "-1.5e300", "'words'", "x'ff00'", "''", "9223372036854775807"}[r.IntN(7)] + ","
		})
		path := filepath.Join(t.TempDir(), filepath.FromSlash(base))
		formatstest.Put(t, path, "")
		formatstest.Execute(t, path, text)
		text = must.Read(t, path)
		if r.IntN(4) == 0 {
			text = changedBytes(r, text)
		}
	case ".jsonl":
		lines := strings.SplitAfter(text, "\n")
		for range 1 + r.IntN(3) {
			i := r.IntN(len(lines) - 1)
			lines[i] = changedText(r, lines[i]) + "\n"
		}
		if text = strings.Join(lines, ""); r.IntN(8) == 0 {
			text = changedBytes(r, text)
		}
	default:
		for range 1 + r.IntN(3) {
			text = changedText(r, text)
		}
		if r.IntN(8) == 0 {
			text = changedBytes(r, text)
		}
	}
	return source(formatstest.File(t, base, text))
}

var (
	quotedJSON = regexp.MustCompile(`'[{\[](?:[^']|'')*'`)
	plainValue = regexp.MustCompile(`,(?:-?[0-9.]+|NULL|'[^'{\[]*'),`)
)

// changedText returns a JSON text with another value somewhere in it.
func changedText(r *rand.Rand, text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	out, err := json.Marshal(changedValue(r, v))
	if err != nil {
		return text
	}
	return string(out)
}

// changedValue changes a value, or one in it.
func changedValue(r *rand.Rand, v any) any {
	if r.IntN(4) > 0 {
		switch v := v.(type) {
		case map[string]any:
			if len(v) > 0 {
				names := slices.Sorted(maps.Keys(v))
				name := names[r.IntN(len(names))]
				switch r.IntN(8) {
				case 0:
					delete(v, name)
				case 1:
					v[names[r.IntN(len(names))]] = v[name]
				default:
					v[name] = changedValue(r, v[name])
				}
				return v
			}
		case []any:
			if len(v) > 0 {
				i := r.IntN(len(v))
				switch r.IntN(8) {
				case 0:
					return slices.Delete(v, i, i+1)
				case 1:
					return append(v, v[i])
				default:
					v[i] = changedValue(r, v[i])
				}
				return v
			}
		}
	}
	deep := any("x")
	for range 300 {
		deep = []any{map[string]any{"a": deep}}
	}
	others := []any{nil, true, false, 0.0, -1.0, 1e300, 1.5, "", "words", "[x for 'y'] Result: exit code: 99999999999", strings.Repeat("<execute_command>", 300), []any{}, []any{nil}, []any{"a", 1.0}, map[string]any{}, map[string]any{"type": "text"}, map[string]any{"text": 7.0}, deep}
	return others[r.IntN(len(others))]
}

// changedBytes returns a text with other bytes in it, or cut.
func changedBytes(r *rand.Rand, text string) string {
	data := []byte(text)
	for range 1 + r.IntN(6) {
		if len(data) > 0 {
			data[r.IntN(len(data))] = byte(r.Uint32())
		}
	}
	if r.IntN(3) == 0 {
		data = data[:r.IntN(len(data)+1)]
	}
	return string(data)
}
