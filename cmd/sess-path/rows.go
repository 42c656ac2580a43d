package main

import (
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/pkg/js"
)

// A stateRow is the settings in force at the end of a path.
type stateRow struct {
	row.Kind       `row:"state"`
	Session        string            `row:"session,known"`  // The session's id.
	CWD            string            `row:"cwd,null"`       // The working directory; null if the header names none.
	Title          string            `row:"title,null"`     // The session's name; null if it has none.
	Leaf           string            `row:"leaf,null"`      // The id of the leaf; null if there is none.
	Heads          []string          `row:"heads"`          // The ids of the ends of all branches.
	Labels         []js.Field        `row:"labels"`         // The labels in force, by the ids of their entries.
	Entries        int               `row:"entries"`        // The number of entries on the path.
	Messages       int               `row:"messages"`       // The number of messages that a model would see.
	Model          *modelRow         `row:"model"`          // The model in force; null if none was ever set.
	Models         map[string]string `row:"models"`         // The models of oh-my-pi, PROVIDER/ID by role.
	ThinkingLevel  js.Value          `row:"thinkingLevel"`  // The thinking level, as an entry has it; null if an entry unsets it.
	Mode           string            `row:"mode,null"`      // The mode, none if none was ever set; null if an entry has none.
	ModeData       js.Value          `row:"modeData"`       // What belongs to the mode, as the entry has it; null if nothing does.
	InjectedRules  []string          `row:"injectedRules"`  // The names of the rules that were injected.
	ServiceTier    js.Value          `row:"serviceTier"`    // The service tier, as an entry has it; null if there is none.
	ContextTokens  int64             `row:"contextTokens"`  // The tokens of the context: usageTokens and trailingTokens.
	UsageTokens    int64             `row:"usageTokens"`    // The tokens that the last usable answer reports.
	TrailingTokens int64             `row:"trailingTokens"` // The tokens of what follows it, as they are estimated.
	Problems       int               `row:"problems"`       // The number of problems of the session.
}

// A modelRow is the model in force.
type modelRow struct {
	Provider string `row:"provider,null"` // The provider; null if it is not named.
	ModelID  string `row:"modelId,null"`  // The model; null if it is not named.
}
