package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// required lists, for each known type, the members an entry must have, as
// name:form. Forms are the JSON types, any, and a choice of two by a bar.
var required = map[string][]string{
	TypeMessage:       {"message:object"},
	TypeThinkingLevel: {"thinkingLevel:string|null"},
	TypeModelChange:   {}, // provider and modelId, or model: checked apart
	TypeCompaction:    {"summary:string", "firstKeptEntryId:string", "tokensBefore:number"},
	TypeBranchSummary: {"fromId:string", "summary:string"},
	TypeCustom:        {"customType:string"},
	TypeCustomMessage: {"customType:string", "content:string|array", "display:boolean"},
	TypeLabel:         {"targetId:string"},
	TypeSessionInfo:   {"name:string"},
	TypeUsage:         {"kind:string", "provider:string", "model:string", "usage:object"},
	TypeContextEdit:   {"targetId:string", "replacement:object|null"},
	TypeSessionInit:   {"systemPrompt:string", "task:string", "tools:array"},
	TypeModeChange:    {"mode:string"},
	TypeTTSRInjection: {"injectedRules:array"},
	TypeServiceTier:   {"serviceTier:any"},
	TypeMCPSelection:  {"selectedToolNames:array"},
	TypeTitleChange:   {"title:string", "source:string"},
	TypeCredentialPin: {"provider:string", "hash:string"},
	TypeResetBoundary: {},
	TypeModelUsage:    {"purpose:string", "provider:string", "model:string", "usage:object"},
}

// Types returns the entry types this package knows, sorted.
func Types() []string { return slices.Sorted(maps.Keys(required)) }

func checkRequired(e Entry) error {
	for _, want := range required[e.typ] {
		name, form, _ := strings.Cut(want, ":")
		raw := e.Get(name)
		if raw == "" {
			return fmt.Errorf("%w: a %s entry needs %s", ErrRefused, e.typ, name)
		}
		if form != "any" && !slices.Contains(strings.Split(form, "|"), js.Value(raw).Type()) {
			return fmt.Errorf("%w: %s of a %s entry must be %s, not %s", ErrRefused, name, e.typ,
				strings.ReplaceAll(form, "|", " or "), js.Value(raw).Type())
		}
	}
	if e.typ == TypeModelChange && e.Str("model") == "" && (e.Str("provider") == "" || e.Str("modelId") == "") {
		return fmt.Errorf("%w: a model_change entry needs provider and modelId, or model", ErrRefused)
	}
	return nil
}
