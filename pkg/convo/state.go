package convo

import (
	"slices"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A State is what the entries of a path set, apart from messages: pi's model
// and thinking level and what oh-my-pi keeps beside them.
type State struct {
	ThinkingLevel string            // JSON text, as in Context
	Model         *Model            // pi's rule: the last model change or assistant message
	Models        map[string]string // oh-my-pi's: "provider/id" by role
	Mode          string            // "none" if none was ever set
	ModeData      string            // JSON text, "" if none
	InjectedRules []string          // names, in the order of first injection
	ServiceTier   string            // JSON text, "" if none
}

// WindowOf returns how many tokens the context of a model holds, the one in use at the end of a path, as the agent said last of it; 0
// if it did not say so.
func WindowOf(path []session.Entry, model string) int64 {
	for _, e := range slices.Backward(path) {
		m, ok := e.Message()
		if !ok || m.Role() != session.RoleAssistant {
			continue
		}
		if m.Str("model") != model {
			return 0
		}
		told := js.Value(m.Get(session.MemberWindow))
		if told == "" { // a recorded run of Claude Code says it at its end
			told = js.Value(m.Get("details")).Get("modelUsage", m.Str("model"), session.MemberWindow)
		}
		if tokens := told.Int(); tokens > 0 {
			return tokens
		}
	}
	return 0
}

// StateOf folds a path into its state.
//
// An explicit model for the default role, once seen, is not overridden by the
// models that later assistant messages name (oh-my-pi 18; docs/formats/omp.md).
func StateOf(path []session.Entry) State {
	s := State{ThinkingLevel: js.Quote("off"), Models: map[string]string{}, Mode: "none"}
	explicit := false
	for _, e := range path {
		switch e.Type() {
		case session.TypeThinkingLevel:
			s.ThinkingLevel = levelOf(e)
		case session.TypeModelChange:
			s.Model = changedModel(e, s.Model)
			explicit = s.changeModel(e) || explicit
		case session.TypeModeChange:
			s.Mode, s.ModeData = e.Str("mode"), e.Get("data")
		case session.TypeTTSRInjection:
			s.inject(e.Get("injectedRules"))
		case session.TypeServiceTier:
			if s.ServiceTier = e.Get("serviceTier"); s.ServiceTier == "null" {
				s.ServiceTier = ""
			}
		case session.TypeMessage:
			m, ok := e.Message()
			if !ok || m.Role() != session.RoleAssistant {
				continue
			}
			s.Model = &Model{Provider: m.Str("provider"), ID: m.Str("model")}
			if !explicit {
				s.Models["default"] = m.Str("provider") + "/" + m.Str("model")
			}
		}
	}
	return s
}

// changeModel records a model change and reports whether it was for the
// default role.
func (s *State) changeModel(e session.Entry) bool {
	name := e.Str("model")
	if name == "" && e.Str("modelId") != "" {
		name = e.Str("provider") + "/" + e.Str("modelId")
	}
	if name == "" {
		return false
	}
	role := e.Str("role")
	if role == "" {
		role = "default"
	}
	s.Models[role] = name
	return role == "default"
}

func (s *State) inject(raw string) {
	if arrayOnly(raw) == "" {
		return
	}
next:
	for value := range js.Value(raw).Elements() {
		name, ok := value.Text()
		if !ok {
			continue
		}
		for _, known := range s.InjectedRules {
			if known == name {
				continue next
			}
		}
		s.InjectedRules = append(s.InjectedRules, name)
	}
}
