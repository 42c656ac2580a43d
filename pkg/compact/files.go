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

// A fileSet gathers FileOps. Its lists are sets in the order of insertion.
type fileSet struct{ read, written, edited orderedSet }

type orderedSet struct {
	list []string
	has  map[string]bool
}

func (s *orderedSet) add(paths ...string) {
	if s.has == nil && len(paths) > 0 {
		s.has = map[string]bool{}
	}
	for _, p := range paths {
		if !s.has[p] {
			s.has[p] = true
			s.list = append(s.list, p)
		}
	}
}

func (f *fileSet) ops() FileOps {
	return FileOps{Read: f.read.list, Written: f.written.list, Edited: f.edited.list}
}

// carry takes over the lists of an earlier compaction, unless an extension made
// it, whose details mean something else.
func (f *fileSet) carry(compaction session.Entry) {
	fromHook := compaction.Get("fromHook") == "true" || compaction.Get("fromExtension") == "true"
	details := compaction.Get("details")
	if fromHook || !strings.HasPrefix(details, "{") {
		return
	}
	m := session.NewMessage(details)
	f.read.add(stringList(m.Get("readFiles"))...)
	f.edited.add(stringList(m.Get("modifiedFiles"))...)
}

func stringList(raw string) []string {
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
func (f *fileSet) collect(parts []Part) {
	for _, p := range parts {
		for _, call := range p.Message.ToolCalls() {
			f.call(call.Name, call.Arguments)
		}
		f.nested(p.Message)
	}
}

// nested adds the files of the calls within a result.
func (f *fileSet) nested(m session.Message) {
	calls, _ := m.NestedCalls()
	for _, c := range calls {
		f.call(c.Name, c.Arguments)
	}
}

func (f *fileSet) call(name, arguments string) {
	if !strings.HasPrefix(arguments, "{") {
		return
	}
	path := session.NewMessage(arguments).Str("path")
	if path == "" {
		return
	}
	switch name {
	case "read":
		f.read.add(path)
	case "write":
		f.written.add(path)
	case "edit":
		f.edited.add(path)
	}
}

// Lists returns the files that were only read and those that were modified,
// each sorted by UTF-16 units.
func (f FileOps) Lists() (read, modified []string) {
	var changed orderedSet
	changed.add(f.Edited...)
	changed.add(f.Written...)
	modified = changed.list
	for _, p := range f.Read {
		if !changed.has[p] {
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
	return fileList(readTag, read) + fileList(modifiedTag, modified)
}

// The tags around the lists in a summary.
const (
	readTag     = "read-files"
	modifiedTag = "modified-files"
)

func fileList(tag string, files []string) string {
	if len(files) == 0 {
		return ""
	}
	return "\n\n<" + tag + ">\n" + strings.Join(files, "\n") + "\n</" + tag + ">"
}

// WithoutFileLists returns a summary without the lists that Text put at its
// end.
func WithoutFileLists(summary string) string {
	for _, tag := range []string{modifiedTag, readTag} {
		if !strings.HasSuffix(summary, "\n</"+tag+">") {
			continue
		}
		if at := strings.LastIndex(summary, "\n\n<"+tag+">\n"); at >= 0 {
			summary = summary[:at]
		}
	}
	return summary
}
