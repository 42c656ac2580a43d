package pi

import (
	"slices"

	"github.com/sess-tools/sess/pkg/session"
)

// A version is a program that is to open what is written (docs/formats/pi.md,
// docs/formats/omp.md).
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
	{name: "omp-13", title: "oh-my-pi 13", omp: true, types: []string{
		session.TypeSessionInit, session.TypeModeChange, session.TypeTTSRInjection, session.TypeServiceTier, session.TypeMCPSelection,
	}},
	{name: "omp-18", title: "oh-my-pi 18", omp: true, slot: true, types: []string{
		session.TypeSessionInit, session.TypeModeChange, session.TypeTTSRInjection, session.TypeServiceTier, session.TypeTitleChange,
		session.TypeCredentialPin, session.TypeResetBoundary, session.TypeModelUsage,
	}},
}

// versionCalled returns the version called name.
func versionCalled(name string) (version, bool) {
	i := slices.IndexFunc(versions, func(v version) bool { return v.name == name })
	if i < 0 {
		return version{}, false
	}
	return versions[i], true
}

// knows reports whether the version gives entries of a type a meaning.
func (v version) knows(typ string) bool {
	return slices.Contains(common, typ) || slices.Contains(v.types, typ)
}

// edits reports whether context edits, system messages and what a compaction
// keeps of them count: they came to pi together.
func (v version) edits() bool { return v.knows(session.TypeContextEdit) }
