package pi

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
	"github.com/sess-tools/sess/pkg/session"
)

// entry returns e as the version can open it, and tells of the parts that the version will not see.
func (x *exporter) entry(e session.Entry) session.Entry {
	if !x.version.omp || x.t.Blobs != "" { // pi knows no references to blobs
		e = x.t.Resolve(e)
	}
	switch e.Type() {
	case session.TypeMessage:
		return x.message(e)
	case session.TypeModelChange:
		return x.model(e)
	case session.TypeThinkingLevel:
		return x.thinking(e)
	case session.TypeCompaction, session.TypeBranchSummary:
		return x.summary(e)
	case session.TypeCustomMessage:
		if !contentful(e.Get("content")) {
			return e.WithRaw("content", `""`) // none of them can compact it else
		}
		return e
	case session.TypeTTSRInjection:
		if x.version.omp && !strings.HasPrefix(e.Get("injectedRules"), "[") {
			return wrap(e)
		}
	case session.TypeServiceTier:
		if x.version.name == "omp-13" && strings.HasPrefix(e.Get("serviceTier"), "{") {
			x.unknown(e)
			return wrap(e)
		}
	case session.TypeContextEdit:
		if !x.version.knows(e.Type()) {
			x.t.Lose(formats.At(e), formats.KindContext, "%s does not know context edits, and will see entry %s as it was",
				x.version.title, e.Str("targetId"))
		}
		return e
	case session.TypeResetBoundary:
		if !x.version.knows(e.Type()) {
			x.t.Lose(formats.At(e), formats.KindContext, "%s does not know resets, and will see what was before", x.version.title)
		}
		return e
	case session.TypeSessionInfo, session.TypeTitleChange:
		return e // the name is written where the version looks for it
	}
	if !x.version.knows(e.Type()) {
		x.unknown(e)
	}
	return e
}

// unknown counts an entry that the version keeps, and takes for nothing.
func (x *exporter) unknown(e session.Entry) {
	x.lost.Say(e, formats.KindEntry, "%s means nothing to %s", e.Type(), x.version.title)
}

// contentful reports whether raw is content as a message may have it.
func contentful(raw string) bool { return raw != "" && (raw[0] == '"' || raw[0] == '[') }

// model gives a change of the model the form of the version, beside its own.
func (x *exporter) model(e session.Entry) session.Entry {
	full, provider, id := e.Str("model"), e.Str("provider"), e.Str("modelId")
	switch {
	case x.version.omp && full == "" && provider != "" && id != "":
		return e.WithRaw("model", js.Quote(provider+"/"+id))
	case x.version.omp || id != "":
		return e
	}
	if role := e.Str("role"); role != "" && role != "default" {
		x.unknown(e) // pi has one model, and this is another
		return wrap(e)
	}
	provider, id, ok := strings.Cut(full, "/")
	if !ok {
		return wrap(e)
	}
	return e.WithRaw("provider", js.Quote(provider)).WithRaw("modelId", js.Quote(id))
}

// thinking gives a thinking level a form that pi knows.
func (x *exporter) thinking(e session.Entry) session.Entry {
	if x.version.omp {
		return e
	}
	if raw := e.Get("thinkingLevel"); raw == "" || raw == "null" {
		return e.WithRaw("thinkingLevel", `"off"`)
	}
	if x.version.name == "pi-0.73" && e.Str("thinkingLevel") == "max" {
		x.t.Lose(formats.At(e), formats.KindThinking, "%s has no thinking level max, so it is xhigh", x.version.title)
		return e.WithRaw("thinkingLevel", `"xhigh"`)
	}
	return e
}

// summary says who made a summary in the version's word for it.
func (x *exporter) summary(e session.Entry) session.Entry {
	if e.Get("systemMessage") != "" && !x.version.edits() {
		x.t.Lose(formats.At(e), formats.KindSystem, "%s does not know the system message that a compaction keeps", x.version.title)
	}
	from, to := "fromHook", "fromExtension"
	if !x.version.omp {
		from, to = to, from
	}
	if e.Get(from) == "true" && e.Get(to) == "" {
		return e.WithRaw(to, "true")
	}
	return e
}

// message makes a message one that the version can open.
func (x *exporter) message(e session.Entry) session.Entry {
	m, ok := e.Message()
	if !ok {
		return wrap(e) // oh-my-pi cannot open a file with such a line
	}
	x.role(e, m)
	switch m.Role() {
	case session.RoleUser, session.RoleAssistant, session.RoleToolResult:
		if !contentful(m.Get("content")) {
			e = with(e, "content", "[]")
		}
	}
	if m.Role() == session.RoleAssistant {
		e = x.usage(e, m)
	}
	return e
}

// role tells of messages that the version shows to no model.
func (x *exporter) role(e session.Entry, m session.Message) {
	kind := formats.KindRole
	switch role := m.Role(); role {
	case session.RoleSystem:
		if x.version.edits() {
			return
		}
		kind = formats.KindSystem
	case session.RoleDeveloper, session.RolePythonExecution, session.RoleFileMention:
		if x.version.omp {
			return
		}
	default:
		return
	}
	x.t.Lose(formats.At(e), kind, "%s shows no model a message of role %s", x.version.title, m.Role())
}

// usage completes the usage of an assistant message: without one pi 0.73 and
// oh-my-pi 13 do not come up, and oh-my-pi 18 does not with half of one.
func (x *exporter) usage(e session.Entry, m session.Message) session.Entry {
	raw := m.Get("usage")
	given := raw
	if raw == "" || raw == "null" {
		given = "{}"
	}
	full, err := metering.CompleteUsage(given)
	if err != nil {
		x.t.Lose(formats.At(e), formats.KindUsage, "what %s would take for a usage is none, so nothing was used", x.version.title)
		full, _ = metering.CompleteUsage("{}")
	}
	if full != raw {
		e = with(e, "usage", full)
	}
	return e
}

// with returns the entry with a member of its message set.
func with(e session.Entry, name, value string) session.Entry {
	inner, err := session.ParseEntry(e.Get("message"))
	if err != nil {
		return e
	}
	return e.WithRaw("message", inner.WithRaw(name, value).Raw())
}

// unlooped returns the entries with every cycle of parents cut, since pi and
// oh-my-pi 13 never come out of one: the first entry of a cycle in the file
// becomes a root, and is told to cut.
func unlooped(s *session.Session, cut func(session.Entry)) []session.Entry {
	const (
		unseen = iota
		under
		done
	)
	state := make([]byte, len(s.Entries))
	roots := map[int]bool{}
	for i := range s.Entries {
		var trail []int
		at := i
		for state[at] == unseen {
			state[at] = under
			trail = append(trail, at)
			up, ok := s.Parent(at)
			if !ok {
				break
			}
			at = up
		}
		if _, hasParent := s.Parent(at); hasParent && state[at] == under {
			roots[firstOfCycle(s, at)] = true
		}
		for _, j := range trail {
			state[j] = done
		}
	}
	if len(roots) == 0 {
		return s.Entries
	}
	out := append([]session.Entry(nil), s.Entries...)
	for i, e := range out {
		if roots[i] {
			cut(e)
			out[i] = e.WithParent("")
		}
	}
	return out
}

// firstOfCycle returns the entry of the cycle through at that stands first in the
// file.
func firstOfCycle(s *session.Session, at int) int {
	first := at
	for up, ok := s.Parent(at); ok && up != at; up, ok = s.Parent(up) {
		first = min(first, up)
	}
	return first
}

// A version is a program that is to open the file (docs/formats/pi.md, docs/formats/omp.md).
type version struct {
	name  string
	title string // as it is called in messages
	omp   bool
	slot  bool // it begins a file with a title slot
	types []string
}

// common are the types that all versions know.
var common = []string{
	session.TypeMessage, session.TypeThinkingLevel, session.TypeModelChange, session.TypeCompaction, session.TypeBranchSummary,
	session.TypeCustom, session.TypeCustomMessage, session.TypeLabel,
}

var versions = []version{
	{name: "pi-0.73", title: "pi 0.73", types: []string{session.TypeSessionInfo}},
	{name: "pi-0.87", title: "pi 0.87", types: []string{session.TypeSessionInfo, session.TypeUsage, session.TypeContextEdit}},
	{name: "pi-1.5", title: "pi 1.5", types: []string{session.TypeSessionInfo, session.TypeUsage, session.TypeContextEdit}},
	{name: "omp-13", title: "oh-my-pi 13", omp: true, types: []string{
		session.TypeSessionInit, session.TypeModeChange, session.TypeTTSRInjection, session.TypeServiceTier, session.TypeMCPSelection,
	}},
	{name: "omp-18", title: "oh-my-pi 18", omp: true, slot: true, types: []string{
		session.TypeSessionInit, session.TypeModeChange, session.TypeTTSRInjection, session.TypeServiceTier, session.TypeTitleChange,
		session.TypeCredentialPin, session.TypeResetBoundary, session.TypeModelUsage,
	}},
}

// knows reports whether the version gives entries of a type a meaning.
func (v version) knows(typ string) bool {
	return slices.Contains(common, typ) || slices.Contains(v.types, typ)
}

// edits reports whether context edits, system messages and what a compaction
// keeps of them count: they came to pi together.
func (v version) edits() bool { return v.knows(session.TypeContextEdit) }
