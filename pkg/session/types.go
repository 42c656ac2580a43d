package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// Entry types, as pi 1.5 and oh-my-pi 18 write them (sess-format(5)).
const (
	TypeSession        = "session"
	TypeTitle          = "title" // oh-my-pi's title slot, before the header
	TypeMessage        = "message"
	TypeThinkingLevel  = "thinking_level_change"
	TypeModelChange    = "model_change"
	TypeCompaction     = "compaction"
	TypeBranchSummary  = "branch_summary"
	TypeCustom         = "custom"
	TypeCustomMessage  = "custom_message"
	TypeLabel          = "label"
	TypeSessionInfo    = "session_info"
	TypeUsage          = "usage"
	TypeContextEdit    = "context_edit"
	TypeSessionInit    = "session_init"
	TypeModeChange     = "mode_change"
	TypeTTSRInjection  = "ttsr_injection"
	TypeServiceTier    = "service_tier_change"
	TypeMCPSelection   = "mcp_tool_selection"
	TypeTitleChange    = "title_change"
	TypeCredentialPin  = "credential_pin"
	TypeResetBoundary  = "reset_boundary"
	TypeModelUsage     = "model_usage"
	typeFirstKeptIndex = "firstKeptEntryIndex" // v1 compactions
)

// CustomRun is the customType of the entries of type custom in which a recording says who ran,
// and how the run ended. They are about how a session was made and no part of what was said.
const CustomRun = "sess:run"

// Message roles.
const (
	RoleUser              = "user"
	RoleAssistant         = "assistant"
	RoleToolResult        = "toolResult"
	RoleSystem            = "system"
	RoleDeveloper         = "developer"
	RoleBashExecution     = "bashExecution"
	RolePythonExecution   = "pythonExecution"
	RoleFileMention       = "fileMention"
	RoleCustom            = "custom"
	RoleHookMessage       = "hookMessage"
	RoleBranchSummary     = "branchSummary"
	RoleCompactionSummary = "compactionSummary"
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
