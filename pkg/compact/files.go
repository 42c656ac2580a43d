package compact

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// FileOps are the files a conversation read, wrote and edited, each in the
// order of first mention.
type FileOps struct {
	Read, Written, Edited []string
}

// carry takes over the lists of an earlier compaction, unless an extension made
// it, whose details mean something else.
func (f *FileOps) carry(compaction session.Entry) {
	fromHook := compaction.Get("fromHook") == "true" || compaction.Get("fromExtension") == "true"
	details := compaction.Get("details")
	if fromHook || !strings.HasPrefix(details, "{") {
		return
	}
	m := session.NewMessage(details)
	add(&f.Read, stringList(m.Get("readFiles"))...)
	add(&f.Edited, stringList(m.Get("modifiedFiles"))...)
}

func stringList(raw string) []string {
	if !strings.HasPrefix(raw, "[") {
		return nil
	}
	var out []string
	for value := range js.Elements(raw) {
		if strings.HasPrefix(value, `"`) {
			out = append(out, js.Unquote(value))
		}
	}
	return out
}

// collect adds the files that tool calls name, also those of calls nested in
// tool results.
func (f *FileOps) collect(parts []Part) {
	for _, p := range parts {
		for _, call := range p.Message.ToolCalls() {
			f.call(call.Name, call.Arguments)
		}
		if p.Message.Role() != session.RoleToolResult {
			continue
		}
		nested := p.Message.Get("nestedCalls")
		if !strings.HasPrefix(nested, "{") {
			continue
		}
		calls := session.NewMessage(nested).Get("calls")
		if !strings.HasPrefix(calls, "[") {
			continue
		}
		for raw := range js.Elements(calls) {
			if strings.HasPrefix(raw, "{") {
				call := session.NewMessage(raw)
				f.call(call.Str("name"), call.Get("arguments"))
			}
		}
	}
}

func (f *FileOps) call(name, arguments string) {
	if !strings.HasPrefix(arguments, "{") {
		return
	}
	path := session.NewMessage(arguments).Str("path")
	if path == "" {
		return
	}
	switch name {
	case "read":
		add(&f.Read, path)
	case "write":
		add(&f.Written, path)
	case "edit":
		add(&f.Edited, path)
	}
}

func add(list *[]string, paths ...string) {
	for _, p := range paths {
		if !slices.Contains(*list, p) {
			*list = append(*list, p)
		}
	}
}

// Lists returns the files that were only read and those that were modified,
// each sorted by UTF-16 units.
func (f FileOps) Lists() (read, modified []string) {
	add(&modified, f.Edited...)
	add(&modified, f.Written...)
	for _, p := range f.Read {
		if !slices.Contains(modified, p) {
			read = append(read, p)
		}
	}
	slices.SortFunc(read, js.Compare)
	slices.SortFunc(modified, js.Compare)
	return read, modified
}

// Text returns the lists as they stand at the end of a summary, "" if both are
// empty.
func (f FileOps) Text() string {
	read, modified := f.Lists()
	text := ""
	for _, list := range []struct {
		tag   string
		files []string
	}{{"read-files", read}, {"modified-files", modified}} {
		if len(list.files) > 0 {
			text += "\n\n<" + list.tag + ">\n" + strings.Join(list.files, "\n") + "\n</" + list.tag + ">"
		}
	}
	return text
}
