package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/agent"
)

// Each row says what the tools ask of it, and no two share a name or a variable.
func TestAll(t *testing.T) {
	t.Parallel()
	names, variables := map[string]bool{}, map[string]string{}
	for _, a := range agent.All() {
		if !agent.ValidName(a.Name) || names[a.Name] || a.Program == "" || a.Summary == "" {
			t.Errorf("%+v", a)
		}
		names[a.Name] = true
		if a.Map != (len(a.Homes) > 0 && (len(a.Signs) > 0 || a.Like != "")) || a.Map && a.Written {
			t.Errorf("%s: a map has homes, and signs unless it is like another format, and is not written", a.Name)
		}
		if a.Resume != nil && !slices.Contains(a.Resume, agent.ID) {
			t.Errorf("%s resumes with %q, in which no id stands", a.Name, a.Resume)
		}
		for _, variable := range append(slices.Clone(a.Running), a.Mark) {
			if other := variables[variable]; variable != "" && other != "" {
				t.Errorf("%s is a variable of %s and of %s", variable, other, a.Name)
			}
			variables[variable] = a.Name
		}
		if got, ok := agent.Named(a.Name); !ok || got.Program != a.Program || !agent.Has(a.Name) {
			t.Errorf("%s is not found by its name", a.Name)
		}
	}
	if a, ok := agent.Named("openai"); !ok || a.Program != "OpenAI's API" || agent.Has("openai") || names["openai"] {
		t.Errorf("an API is named and is no agent: %+v", a)
	}
	if _, ok := agent.Named("nobody"); ok || agent.Has("nobody") {
		t.Error("nobody is an agent")
	}
}

// A tool that two agents have is of one kind.
func TestToolsAgree(t *testing.T) {
	t.Parallel()
	kinds := map[string]string{}
	for _, a := range agent.All() {
		for _, tools := range a.Tools {
			for _, name := range tools.Names {
				if kind := kinds[name]; kind != "" && kind != tools.Kind {
					t.Errorf("%s is of the kind %s, and of %s for %s", name, kind, tools.Kind, a.Name)
				}
				kinds[name] = tools.Kind
			}
		}
	}
	if len(kinds) < 10 {
		t.Errorf("%d tools", len(kinds))
	}
}

func TestResumeWith(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"pi": "[pi --session x]", "omp": "[omp --resume x]", "codex": "[codex resume x]", "opencode": "[opencode -s x]", "claude": "[claude --resume x]",
		"copilot": "[copilot --resume x]", "qwen": "[qwen --resume x]", "kimicli": "[kimi --session x]", "grok": "[grok --resume x]", "aider": "[]", "openai": "[]",
	} {
		a, _ := agent.Named(name)
		if got := fmt.Sprint(a.ResumeWith("x")); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if got := a.ResumeWith("agent-x"); got != nil {
			t.Errorf("%s goes on with a sub-agent: %q", name, got)
		}
	}
}

func TestValidName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a": true, "kimi2": true, strings.Repeat("x", 31): true,
		"": false, "2kimi": false, "Kimi": false, "a-b": false, "a.b": false, "é": false, "a/b": false, strings.Repeat("x", 32): false,
	} {
		if agent.ValidName(name) != want {
			t.Errorf("%q: %t", name, !want)
		}
	}
}
