package calls

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/pkg/agent"
)

// The kinds of calls.
const (
	Run    = "run"    // a command
	Read   = "read"   // a file
	Write  = "write"  // a file, or a part of one
	Search = "search" // files, by name or by content
	Fetch  = "fetch"  // something of the net
	Agent  = "agent"  // another agent, for a part of the work
	Ask    = "ask"    // the user
	Plan   = "plan"   // a list of work to do
	Other  = "other"
)

// Kinds returns the kinds there are.
func Kinds() []string { return []string{Run, Read, Write, Search, Fetch, Agent, Ask, Plan, Other} }

// kinds returns the kinds of tools by their names: of those that many agents have, or that the makers of models
// describe, and of those of each agent, see [agent.Tools].
var kinds = sync.OnceValue(func() map[string]string {
	table := map[string]string{}
	for kind, names := range map[string]string{
		Run:    "Bash bash shell shell_command exec_command local_shell local_shell_call container.exec run_terminal_cmd execute_command PowerShell pwsh run_in_terminal execute_bash run_command terminal Execute developer__shell code_execution bash_code_execution code_interpreter run_shell execute_shell_command shell_exec shell_execute",
		Read:   "Read read read_file view view_image NotebookRead cat",
		Write:  "Write write write_file Edit edit MultiEdit multiedit NotebookEdit apply_patch patch create create_file str_replace str_replace_editor str_replace_based_edit_tool write_to_file replace_in_file replace_string_in_file multi_replace_string_in_file insert_edit_into_file edit_file apply_diff insert_content edit_notebook_file create_text_file append_to_file delete_file move_file rename_file",
		Search: "Grep grep Glob glob LS ls list list_directory find grep_search codebase_search search_files file_search rg tool_search tool_search_tool_regex tool_search_tool_bm25",
		Fetch:  "WebFetch webfetch web_fetch fetch fetch_url WebSearch websearch web_search web_search_call google_search",
		Agent:  "Task task Agent agent spawn_agent subagent",
		Ask:    "AskUserQuestion ask_user_question ExitPlanMode exit_plan_mode request_user_input question ask ask_user",
		Plan:   "TodoWrite todowrite TodoRead todoread todo update_plan TaskCreate TaskUpdate EnterPlanMode",
	} {
		for _, name := range strings.Fields(names) {
			table[name] = kind
		}
	}
	for _, a := range agent.All() {
		addTools(table, a)
	}
	return table
})

// ownKinds returns the kinds of the tools that the user's own maps name, read when a tool is unknown.
var ownKinds = sync.OnceValue(func() map[string]string {
	table := map[string]string{}
	for _, a := range known.Agents() {
		addTools(table, a)
	}
	return table
})

// ownZeros are the tools of [agent.Agent.Zero] of the user's own maps, read when a tool is none of those that are known.
var ownZeros = sync.OnceValue(func() map[string]bool { return agent.ZeroTools(known.Agents()) })

// zeroIfFine reports whether a result of a tool that is no error says that its command ended with 0.
func zeroIfFine(tool string) bool { return agent.EndsWithZero(tool) || ownZeros()[tool] }

func addTools(table map[string]string, a agent.Agent) {
	for _, tools := range a.Tools {
		for _, name := range tools.Names {
			table[name] = tools.Kind
		}
	}
}

// Own returns the name of a tool as the agent has it that made the call, and that agent if a hand-off
// put it in front: claude_Task is the Task of claude.
func Own(name string) (agent, own string) {
	if agent, own, ok := strings.Cut(name, "_"); ok && own != "" {
		if _, ok := known.Agent(agent); ok {
			return agent, own
		}
	}
	return "", name
}

// Tools returns the names of the tools whose kind is known.
func Tools() []string {
	names := maps.Clone(kinds())
	maps.Copy(names, ownKinds())
	return slices.Sorted(maps.Keys(names))
}

// KindOf returns the kind of the calls of a tool.
func KindOf(tool string) string {
	_, own := Own(tool)
	if server, name, ok := strings.Cut(strings.TrimPrefix(own, "mcp__"), "__"); ok && server != "" && strings.HasPrefix(own, "mcp__") {
		own = name // of a server, as Claude Code and others call it
	}
	return kindOf(own)
}

// kindOf returns the kind of the calls of a tool by the name that its agent has for it.
func kindOf(own string) string {
	if kind, ok := kinds()[own]; ok {
		return kind
	}
	if kind, ok := ownKinds()[own]; ok {
		return kind
	}
	return Other
}
