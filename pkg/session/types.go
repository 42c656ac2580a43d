package session

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
