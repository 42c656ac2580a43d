package address

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/pkg/agent"
)

// Each agent's variable names its session; SESS_SELF goes before them; an agent hands on those of the one around it; and what
// is no id names nothing.
func TestSelfTable(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env    map[string]string
		choose string // an agent
		want   string // "" for none, with commas for several
		known  []string
		note   string // the agent that it names
	}{
		"nothing":                              {},
		"Claude":                               {env: map[string]string{"CLAUDE_CODE_SESSION_ID": "c1", "CLAUDECODE": "1"}, want: "claude:c1", known: []string{"c1"}},
		"codex":                                {env: map[string]string{"CODEX_THREAD_ID": "x1", "CODEX_SESSION_ID": "x1"}, want: "codex:x1", known: []string{"x1"}},
		"codex, one":                           {env: map[string]string{"CODEX_SESSION_ID": "x1"}, want: "codex:x1"},
		"a thread":                             {env: map[string]string{"CODEX_THREAD_ID": "x1", "CODEX_SESSION_ID": "x2"}, want: "codex:x1, codex:x2", known: []string{"x1", "x2"}},
		"pi":                                   {env: map[string]string{"PI_SESSION_ID": "p1", "PI_SESSION_FILE": "/p"}, want: "pi:p1"},
		"qwen":                                 {env: map[string]string{"QWEN_CODE_SESSION_ID": "q1"}, want: "qwen:q1"},
		"copilot":                              {env: map[string]string{"COPILOT_AGENT_SESSION_ID": "o1"}, want: "copilot:o1"},
		"opencode":                             {env: map[string]string{"OPENCODE": "1"}, note: "opencode"},
		"gemini":                               {env: map[string]string{"GEMINI_CLI": "1"}, note: "gemini"},
		"oh-my-pi says that it is Claude Code": {env: map[string]string{"OMPCODE": "1", "CLAUDECODE": "1"}, note: "omp"},
		"nested":                               {env: map[string]string{"CLAUDE_CODE_SESSION_ID": "c1", "CODEX_THREAD_ID": "x1"}, want: "codex:x1, claude:c1", known: []string{"c1", "x1"}},
		"nested, chosen":                       {env: map[string]string{"CLAUDE_CODE_SESSION_ID": "c1", "CODEX_THREAD_ID": "x1"}, choose: "codex", want: "codex:x1"},
		"in opencode":                          {env: map[string]string{"CLAUDE_CODE_SESSION_ID": "c1", "OPENCODE": "1"}, want: "claude:c1", note: "opencode"},
		"SESS_SELF":                            {env: map[string]string{"SESS_SELF": "opencode:ses_1", "CLAUDE_CODE_SESSION_ID": "c1", "OPENCODE": "1"}, want: "opencode:ses_1", known: []string{"ses_1", "c1"}},
		"two of them":                          {env: map[string]string{"SESS_SELF": "kimi:k1,omp:m1", "CLAUDE_CODE_SESSION_ID": "c1"}, want: "kimi:k1, omp:m1", known: []string{"k1", "m1", "c1"}},
		"chosen below":                         {env: map[string]string{"SESS_SELF": "kimi:k1", "CLAUDE_CODE_SESSION_ID": "c1"}, choose: "claude", want: "claude:c1"},
		"recorded":                             {env: map[string]string{"SESS_SELF": "sess:/w/a,b.jsonl", "CLAUDE_CODE_SESSION_ID": "c1"}, want: "/w/a,b.jsonl"},
		"recorded, and another":                {env: map[string]string{"SESS_SELF": "sess:/w/a.jsonl,kimi:k1"}, choose: "sess", want: "/w/a.jsonl"},
		"no ids":                               {env: map[string]string{"CLAUDE_CODE_SESSION_ID": "../x", "CODEX_THREAD_ID": "a b", "PI_SESSION_ID": "--x", "SESS_SELF": "x,claude:,nobody:c1,claude:a/b,sess:rel,:"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := RunningSessions(func(variable string) string { return tt.env[variable] })
			got, err := r.Address(tt.choose)
			if strings.Contains(tt.want, ", ") { // several
				if err == nil || cli.Status(err) != cli.ExitUsage || !strings.Contains(err.Error(), ": "+tt.want) {
					t.Errorf("%q, %v; want an error that lists %s", got, err, tt.want)
				}
			} else if got != tt.want || (err != nil) != (tt.want == "") || err != nil && cli.Status(err) != cli.ExitUsage {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
			if note := r.Note(); (note != "") != (tt.note != "") || !strings.Contains(note, "SESS_SELF="+tt.note) && tt.note != "" {
				t.Errorf("said %q, want %s", note, tt.note)
			}
			known := r.Known()
			for _, id := range tt.known {
				if !known(id, "", "") || !known("child", "", id) || !known("child", "", "/store/2026-01-02_"+id+".jsonl") || known(id+"x", "", "other") {
					t.Errorf("%s is not known", id)
				}
			}
			if known("", "", "") || known("other", "/w/x_y.jsonl", "") {
				t.Error("knows what is not running")
			}
		})
	}
	all := map[string]string{}
	for _, a := range agent.All() {
		for _, variable := range a.Running {
			all[variable] = a.Name
		}
	}
	if want := []string{"CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "COPILOT_AGENT_SESSION_ID", "PI_SESSION_ID", "QWEN_CODE_SESSION_ID"}; !slices.Equal(slices.Sorted(maps.Keys(all)), want) {
		t.Errorf("%q, of which each needs a row above", all)
	}
}
