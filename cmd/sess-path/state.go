package main

import (
	"encoding/json"

	"github.com/sess-tools/sess/pkg/convo"
)

// stateJSON is what --as state prints. Fields are only ever added.
type stateJSON struct {
	ID            string            `json:"id"`
	CWD           string            `json:"cwd"`
	Name          *string           `json:"name"`
	Leaf          *string           `json:"leaf"`
	Heads         []string          `json:"heads"`
	Labels        map[string]string `json:"labels"`
	Entries       int               `json:"entries"` // on the path
	Messages      int               `json:"messages"`
	Model         *modelJSON        `json:"model"`
	Models        map[string]string `json:"models"`
	ThinkingLevel json.RawMessage   `json:"thinkingLevel"`
	Mode          string            `json:"mode"`
	ModeData      json.RawMessage   `json:"modeData,omitempty"`
	InjectedRules []string          `json:"injectedRules"`
	ServiceTier   json.RawMessage   `json:"serviceTier,omitempty"`
	Tokens        tokensJSON        `json:"tokens"`
	Problems      int               `json:"problems"`
}

type modelJSON struct {
	Provider string `json:"provider"`
	ModelID  string `json:"modelId"`
}

type tokensJSON struct {
	Context  int64 `json:"context"`  // usage and trailing
	Usage    int64 `json:"usage"`    // reported by the last usable assistant message
	Trailing int64 `json:"trailing"` // estimated for what follows it
}

func (r *renderer) state() string {
	st := convo.StateOf(r.path)
	size := convo.MeasureProjection(r.projection, r.path, convo.Estimate)
	out := stateJSON{
		ID: r.header.ID, CWD: r.header.CWD, Labels: map[string]string{}, Heads: r.heads,
		Entries: r.count, Messages: len(convo.MessagesOf(r.projection)), Models: st.Models,
		ThinkingLevel: json.RawMessage(st.ThinkingLevel), Mode: st.Mode, ModeData: json.RawMessage(st.ModeData),
		InjectedRules: append([]string{}, st.InjectedRules...), ServiceTier: json.RawMessage(st.ServiceTier),
		Tokens:   tokensJSON{Context: size.Tokens, Usage: size.Usage, Trailing: size.Trailing},
		Problems: len(r.problems),
	}
	if r.title != "" {
		out.Name = &r.title
	}
	if r.leaf != "" {
		out.Leaf = &r.leaf
	}
	for _, l := range r.labels {
		out.Labels[l.Target] = l.Name
	}
	if st.Model != nil {
		out.Model = &modelJSON{Provider: st.Model.Provider, ModelID: st.Model.ID}
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err) // the raw members are JSON of a validated entry
	}
	return string(text)
}
