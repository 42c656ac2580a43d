package page

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/sess-tools/sess/pkg/js"
)

// maxDiff is how long two texts may be together to be compared, in bytes.
const maxDiff = 64 << 10

// A Change is what a call did to a file, as a patch.
type Change struct {
	Patch          string
	Added, Removed int // lines
}

// ChangeOf returns what a call of a tool that edits did, as its arguments or the details of its result
// tell it. ok is false if they tell of none.
func ChangeOf(arguments, details js.Value) (c Change, ok bool) {
	var patches []string
	if text := details.Get("diff").Str(); text != "" {
		patches = append(patches, text)
	} else if text := details.Get("patch").Str(); text != "" {
		patches = append(patches, text)
	} else {
		patches = compared(arguments)
		for edit := range arguments.Get("edits").Elements() {
			patches = append(patches, compared(edit)...)
		}
		for _, name := range []string{"patch", "input", "diff"} {
			if text := arguments.Get(name).Str(); isPatch(text) {
				patches = append(patches, text)
			}
		}
	}
	if len(patches) == 0 {
		return c, false
	}
	c.Patch = strings.Join(patches, "\n")
	for line := range strings.Lines(c.Patch) {
		switch KindOf(line) {
		case '+':
			c.Added++
		case '-':
			c.Removed++
		}
	}
	return c, true
}

// compared returns the patch between the old text of an edit and the new one.
func compared(edit js.Value) []string {
	for _, names := range [][2]string{{"oldText", "newText"}, {"old_string", "new_string"}, {"oldString", "newString"}, {"old_str", "new_str"}} {
		before, after := edit.Get(names[0]), edit.Get(names[1])
		if !before.IsString() || !after.IsString() {
			continue
		}
		a, b := before.Str(), after.Str()
		if len(a)+len(b) > maxDiff {
			return nil
		}
		return []string{hunks(udiff.Unified("", "", a, b))}
	}
	return nil
}

// hunks returns a patch without its heads: the lines are counted from where an edit begins,
// which are unknown.
func hunks(patch string) string {
	var b strings.Builder
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		case strings.HasPrefix(line, "@@ "):
			if b.Len() > 0 {
				b.WriteString("@@\n")
			}
		case strings.HasPrefix(line, `\ `): // about the end of a file, and these are parts of one
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

func isPatch(text string) bool {
	for _, head := range []string{"*** Begin Patch", "diff --git ", "--- ", "@@ "} {
		if strings.HasPrefix(text, head) {
			return true
		}
	}
	return false
}

// KindOf returns '+' or '-' for a line that a patch adds or removes, '@' for one that says
// where, and ' ' for another one.
func KindOf(line string) byte {
	switch {
	case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "***"):
		return '@'
	case line != "" && (line[0] == '+' || line[0] == '-'):
		return line[0]
	}
	return ' '
}

// diff writes a patch, each line in the colour of its kind.
func (m *markup) diff(patch string) {
	m.raw(`<pre class="diff"><code>`)
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		switch KindOf(line) {
		case '+':
			m.raw(`<span class="a">`)
		case '-':
			m.raw(`<span class="d">`)
		case '@':
			m.raw(`<span class="at">`)
		default:
			m.raw("<span>")
		}
		m.text(line)
		m.raw("\n</span>")
	}
	m.raw("</code></pre>")
}
