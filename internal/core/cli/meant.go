package cli

import "strconv"

// A meaning is what a word stands for that people type where it is no command or flag.
type meaning struct{ word, is string }

// commands are words for commands of sess, and what to type.
var commands = []meaning{
	{"search", "grep"},
	{"find", "grep"},
	{"rg", "grep"},
	{"list", "ls"},
	{"sessions", "ls"},
	{"resume", "handoff --to AGENT AGENT:; in its own agent a session goes on by its id, as with claude --resume ID"},
	{"continue", "handoff --to AGENT AGENT:; in its own agent a session goes on by its id, as with claude --resume ID"},
	{"move", "handoff"},
	{"switch", "handoff"},
	{"transfer", "handoff"},
	{"undo", "tree AGENT:, whose last line goes on in front of an entry"},
	{"rewind", "tree AGENT:, whose last line goes on in front of an entry"},
	{"back", "tree AGENT:, whose last line goes on in front of an entry"},
	{"branch", "fork"},
	{"clone", "fork"},
	{"copy", "fork"},
	{"cost", "stat"},
	{"usage", "stat"},
	{"tokens", "stat"},
	{"price", "stat"},
	{"spend", "stat"},
	{"view", "show"},
	{"open", "show"},
	{"cat", "show"},
	{"read", "show"},
	{"print", "show"},
	{"less", "show"},
	{"log", "git log"},
	{"blame", "git blame"},
	{"prompts", "history"},
	{"asked", "history"},
	{"commands", "calls"},
	{"tools", "calls"},
	{"bash", "calls"},
	{"status", "watch"},
	{"ps", "watch"},
	{"top", "watch"},
	{"wait", "watch"},
	{"tail", "watch"},
	{"follow", "watch"},
	{"summary", "show --summary"},
	{"summarize", "compact"},
	{"shrink", "handoff --to AGENT --budget 20k AGENT:"},
	{"small", "handoff --to AGENT --budget 20k AGENT:"},
	{"smaller", "handoff --to AGENT --budget 20k AGENT:"},
	{"secrets", "redact"},
	{"scrub", "redact"},
	{"clean", "redact -o FILE, which takes secrets out of a copy; nothing is ever deleted"},
	{"delete", "redact -o FILE, which takes secrets out of a copy; nothing is ever deleted"},
	{"verify", "check"},
	{"validate", "check"},
	{"fsck", "check"},
	{"repair", "check"},
	{"gate", "assert"},
	{"test", "assert"},
	{"convert", "import or sess export"},
	{"backup", "import AGENT --all --store"},
	{"keep", "import AGENT --all --store"},
	{"save", "import AGENT --all --store"},
	{"push", "sync"},
	{"pull", "sync"},
	{"page", "show -o FILE.html"},
	{"html", "show -o FILE.html"},
	{"last", "ls --recent"},
	{"latest", "ls --recent"},
}

// flagged are words for flags, and what to type: a flag that counts where the tool has it, or the command of another tool.
var flagged = []meaning{
	{"week", "--since 7d"},
	{"day", "--since 1d"},
	{"today", "--since 1d"},
	{"month", "--since 4w"},
	{"after", "--since"},
	{"newer", "--since"},
	{"before", "--until"},
	{"project", "--by project"},
	{"project", "--cwd DIR"},
	{"dir", "--cwd"},
	{"directory", "--cwd"},
	{"search", "sess grep"},
	{"find", "sess grep"},
	{"to", "sess handoff --to"},
	{"resume", "sess handoff"},
	{"cost", "sess stat"},
	{"usage", "sess stat"},
	{"file", "sess calls --touched"},
	{"touched", "sess calls --touched"},
	{"n", "--limit"},
	{"count", "--limit"},
	{"max", "--limit"},
	{"last", "--limit"},
	{"html", "sess show -o FILE.html"},
	{"summary", "sess show --summary"},
	{"undo", "sess fork --at 'ID^'"},
	{"secrets", "sess redact"},
	{"budget", "sess handoff --to AGENT --budget 20k AGENT:"},
}

// Meant returns the command to type in place of a word that is no command of sess; ok is false if no meaning of the word is known.
func Meant(word string) (command string, ok bool) {
	for _, m := range commands {
		if m.word == word {
			return m.is, true
		}
	}
	return "", false
}

// meantFlag is Meant for a flag that a tool does not have: one that it has, if it has one of the meaning. has says which it has.
func meantFlag(flag string, has func(string) bool) (is string, ok bool) {
	if n, err := strconv.ParseUint(flag, 10, 31); err == nil && n > 0 && has("--limit") { // as of git log and head
		return "--limit " + flag, true
	}
	for _, m := range flagged {
		if m.word == flag && (m.is[0] != '-' || has(m.is)) {
			return m.is, true
		}
	}
	return "", false
}

// changing are flags that change or replace something: a slip of the fingers is never taken for one of them.
var changing = []string{"force", "sync", "replace", "repair", "keep-secrets", "no-redact", "damaged-ok", "allow-unpriced", "leave-behind", "unsafe", "exec", "in-place"}
