package agent

// native are agents whose formats are written in Go, the first of [All].
var native = []Agent{
	{
		Name: "pi", Program: "pi", Summary: "sessions of pi, versions 1 to 3",
		Resume: []string{"pi", "--session", ID}, Running: []string{"PI_SESSION_ID"}, Zero: []string{"bash"}, Native: true, Grows: true, Written: true,
	},
	{
		Name: "omp", Program: "oh-my-pi", Summary: "sessions of oh-my-pi",
		Resume: []string{"omp", "--resume", ID}, Mark: "OMPCODE", Zero: []string{"bash"}, Native: true, Grows: true, Written: true,
	},
	{
		Name: "codex", Program: "Codex", Summary: "rollouts of codex",
		Resume: []string{"codex", "resume", ID}, Running: []string{"CODEX_THREAD_ID", "CODEX_SESSION_ID"}, Grows: true, Written: true,
	},
	{
		Name: "opencode", Program: "opencode", Summary: "exports and the database of opencode",
		Resume: []string{"opencode", "-s", ID}, Mark: "OPENCODE", Grows: true, Written: true,
	},
	{ // oh-my-pi sets CLAUDECODE for commands, too: it is no mark
		Name: "claude", Program: "Claude Code", Summary: "sessions of Claude Code (experimental)",
		Resume: []string{"claude", "--resume", ID}, Running: []string{"CLAUDE_CODE_SESSION_ID"}, Zero: []string{"Bash"}, Grows: true, Written: true,
	},
}

// rare are agents whose formats are written in Go, the last of [All].
var rare = []Agent{
	{Name: "aider", Program: "Aider", Summary: "aider's chat history and input history"},
	{Name: "zeroclaw", Program: "ZeroClaw", Summary: "sessions of ZeroClaw's fork"},
	{Name: "openoxide", Program: "OpenOxide", Summary: "databases of the OpenOxide blueprint"},
	{Name: "entire", Program: "Entire", Summary: "checkpoints of Entire in a git repository"},
}

// apis are no agents: bodies of requests to them are read as sessions.
var apis = []Agent{
	{Name: "anthropic", Program: "Anthropic's API", Summary: "messages of Anthropic's API"},
	{Name: "openai", Program: "OpenAI's API", Summary: "chat messages of OpenAI's API"},
}
