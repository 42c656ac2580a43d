package codex

import (
	"path/filepath"
	"slices"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A name is what a thread is called, and since when.
type name struct {
	name string
	at   int64 // milliseconds since the epoch, 0 if that is not said
}

// nameOf returns the name that the home has for a thread.
func (a *archive) nameOf(thread string) (name, bool) {
	a.names.Do(a.readNames)
	n, ok := a.byID[thread]
	return n, ok && n.name != ""
}

// called returns the threads that have a name.
func (a *archive) called(text string) []string {
	a.names.Do(a.readNames)
	var out []string
	for id, n := range a.byID {
		if n.name == text {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// readNames reads the names from their end on, since the last one for a thread
// counts. Without such a file there are none.
func (a *archive) readNames() {
	a.byID = map[string]name{}
	if a.home == "" {
		return
	}
	f, err := formats.OpenFile(filepath.Join(a.home, indexFile))
	if err != nil {
		return
	}
	defer f.Close()
	for l, err := range jsonl.Backward(f, f.Size) {
		if err != nil {
			return
		}
		raw := string(l.Data)
		if !js.Valid(l.Data) {
			continue
		}
		var id string
		var n name
		members(raw, span{0, len(raw)}, func(key string, v span) {
			switch key {
			case `"id"`:
				id = v.str(raw)
			case `"thread_name"`:
				n.name = v.str(raw)
			case `"updated_at"`:
				n.at, _ = js.ParseTime(v.str(raw))
			}
		})
		if _, ok := a.byID[id]; !ok && id != "" {
			a.byID[id] = n
		}
	}
}
