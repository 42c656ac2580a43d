package calls

import (
	"maps"
	"slices"
	"strings"
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

// kinds are the kinds of the tools of Claude Code, codex, opencode, pi, oh-my-pi, Copilot, Gemini
// CLI, Qwen Code, Kimi, Grok and the tools that the makers of models describe.
var kinds = func() map[string]string {
	table := map[string]string{}
	for kind, names := range map[string]string{
		Run:    "Bash bash shell shell_command exec_command local_shell local_shell_call container.exec run_shell_command run_terminal_command run_terminal_cmd execute_command Shell PowerShell powershell pwsh run_in_terminal execute_bash run_command terminal Execute developer__shell code_execution bash_code_execution code_interpreter run_shell execute_shell_command shell_exec shell_execute",
		Read:   "Read read read_file read_many_files ReadFile view view_image NotebookRead ReadMediaFile cat",
		Write:  "Write write write_file WriteFile Edit edit MultiEdit multiedit NotebookEdit apply_patch patch replace search_replace StrReplaceFile create create_file str_replace str_replace_editor str_replace_based_edit_tool write_to_file replace_in_file replace_string_in_file multi_replace_string_in_file insert_edit_into_file edit_file apply_diff insert_content edit_notebook_file create_text_file append_to_file delete_file move_file rename_file",
		Search: "Grep grep Glob glob LS ls list list_directory find grep_search codebase_search search_file_content search_files file_search rg tool_search tool_search_tool_regex tool_search_tool_bm25",
		Fetch:  "WebFetch webfetch web_fetch fetch fetch_url FetchURL WebSearch websearch web_search web_search_call google_web_search google_search SearchWeb",
		Agent:  "Task task Agent agent spawn_agent",
		Ask:    "AskUserQuestion ask_user_question ExitPlanMode exit_plan_mode request_user_input question ask ask_user",
		Plan:   "TodoWrite todowrite TodoRead todoread todo todo_write update_plan write_todos update_todos SetTodoList TaskCreate TaskUpdate EnterPlanMode",
	} {
		for _, name := range strings.Fields(names) {
			table[name] = kind
		}
	}
	return table
}()

// borrowers are the agents whose names sess-handoff puts in front of tools that another agent
// has not: claude_Task.
var borrowers = []string{"claude", "codex", "opencode", "pi", "omp", "copilot", "gemini", "qwen", "kimi", "kimicli", "grok"}

// Own returns the name of a tool as the agent has it that made the call, and that agent if a hand-off
// put it in front.
func Own(name string) (agent, own string) {
	if agent, own, ok := strings.Cut(name, "_"); ok && own != "" && slices.Contains(borrowers, agent) {
		return agent, own
	}
	return "", name
}

// Tools returns the names of the tools whose kind is known.
func Tools() []string { return slices.Sorted(maps.Keys(kinds)) }

// KindOf returns the kind of the calls of a tool.
func KindOf(tool string) string {
	_, own := Own(tool)
	if server, name, ok := strings.Cut(strings.TrimPrefix(own, "mcp__"), "__"); ok && server != "" && strings.HasPrefix(own, "mcp__") {
		own = name // of a server, as Claude Code and others call it
	}
	if kind, ok := kinds[own]; ok {
		return kind
	}
	return Other
}
