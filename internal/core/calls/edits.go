package calls

import (
	"iter"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// An Edit is a text that a call puts into a file, in place of another one.
type Edit struct {
	Path     string // as the call has it
	Old, New string // Old is "" where there was nothing, or where the call does not say it
}

// The arguments with the new and the old text of an edit, by agents' names for them.
var (
	newArguments = []string{"content", "new_string", "newString", "newText", "new_str", "file_text", "new_source", "insert_text"}
	oldArguments = []string{"old_string", "oldString", "oldText", "old_str"}
)

// Edits returns what a call puts into files, as far as its arguments say it: the texts of a write or an edit,
// each of several edits, and the lines of a patch. A call that only reads, and a file that a command writes, has none.
func (c Call) Edits() (edits []Edit) {
	if c.Kind != Write && !c.Patched {
		return nil
	}
	arguments := js.Value(js.Trim(c.Arguments))
	take := func(path string, v js.Value) {
		if text := one(v, newArguments); text != "" {
			edits = append(edits, Edit{path, one(v, oldArguments), text})
		}
	}
	take(c.File(), arguments)
	for e := range arguments.Get("edits").Elements() {
		path := c.File()
		if own := e.Get("path").Str(); own != "" {
			path = own
		}
		take(path, e)
	}
	for patch := range c.patches() {
		edits = append(edits, patched(patch)...)
	}
	return edits
}

func one(v js.Value, names []string) string {
	for _, name := range names {
		if text := v.Get(name).Str(); text != "" {
			return text
		}
	}
	return ""
}

// patches yields the patches that a call has as an argument, or that a command hands to apply_patch.
func (c Call) patches() iter.Seq[string] {
	return func(yield func(string) bool) {
		if !strings.Contains(c.Arguments, patchBegins) {
			return
		}
		texts := []string{c.Command}
		if c.Command == "" {
			arguments := js.Value(js.Trim(c.Arguments))
			texts = []string{arguments.Get("input").Str(), arguments.Get("patchText").Str(), arguments.Get("patch").Str(), arguments.Str()}
		} else if !strings.Contains(c.Command, "apply_patch") {
			return
		}
		for _, text := range texts {
			if _, patch, ok := strings.Cut(text, patchBegins); ok && !yield(patch) {
				return
			}
		}
	}
}

// patched returns the edits of a patch, one for each file, with the lines that it adds; Old are those that stand
// there before and after it.
func patched(patch string) (edits []Edit) {
	patch, _, _ = strings.Cut(patch, "\n*** End Patch")
	var e Edit
	var before, added strings.Builder
	end := func() {
		if e.Old, e.New = before.String(), added.String(); e.New != "" {
			edits = append(edits, e)
		}
		before.Reset()
		added.Reset()
	}
	for line := range strings.Lines(patch) {
		m := patchHeads().FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		switch {
		case m != nil && strings.HasPrefix(line, "*** Move to"):
			e.Path = strings.TrimSpace(m[1])
		case m != nil:
			end()
			e = Edit{Path: strings.TrimSpace(m[1])}
		case line[0] == '+':
			added.WriteString(line[1:])
		case line[0] == ' ', line[0] == '-':
			before.WriteString(line[1:])
		}
	}
	end()
	return edits
}
