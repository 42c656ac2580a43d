package main

// A group of commands has a heading, and what each command is for in some six words.
type group struct {
	head     string
	commands [][2]string
}

// groups are those of README, in its order.
var groups = []group{
	{"Find and read", [][2]string{
		{"ls", "list sessions"},
		{"grep", "search what was said"},
		{"history", "list what you asked"},
		{"show", "read one, or make a page"},
		{"tree", "see its branches"},
		{"path", "print the context"},
		{"calls", "list what the agent did"},
		{"git", "sessions behind commits"},
		{"watch", "what agents do now"},
	}},
	{"Hold a conversation", [][2]string{
		{"new", "make a session"},
		{"append", "add messages and entries"},
		{"turn", "ask a model, and keep the answer"},
		{"record", "keep what an agent prints"},
		{"compact", "make the context small again"},
		{"fork", "go on from an earlier point"},
		{"merge", "put copies together"},
	}},
	{"Go elsewhere", [][2]string{
		{"handoff", "go on in another agent"},
		{"import", "convert sessions of other agents"},
		{"export", "convert a session for other programs"},
	}},
	{"Check", [][2]string{
		{"assert", "judge what an agent did"},
		{"check", "find damage in a file"},
		{"redact", "take out secrets"},
		{"stat", "cost and tokens"},
		{"doctor", "check this machine"},
	}},
	{"Keep", [][2]string{
		{"sync", "share sessions between machines"},
		{"table", "write tables for DuckDB and the like"},
		{"seg", "keep a large session in segments"},
	}},
}
