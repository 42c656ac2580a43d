package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/agent"
)

// A meaning is what a word stands for that people type where it is no command or flag.
type meaning struct{ word, is string }

// commands are words for commands of sess, and what to type.
var commands = []meaning{
	{"search", "grep"},
	{"find", "grep"},
	{"rg", "grep"},
	{"list", "ls"},
	{"sessions", "ls"},
	{"resume", "handoff --to AGENT AGENT:; the agent itself continues a session by its id, as claude --resume ID does"},
	{"continue", "handoff --to AGENT AGENT:; the agent itself continues a session by its id, as claude --resume ID does"},
	{"move", "handoff"},
	{"switch", "handoff"},
	{"transfer", "handoff"},
	{"undo", "tree AGENT:, whose last line goes back to before an entry"},
	{"rewind", "tree AGENT:, whose last line goes back to before an entry"},
	{"back", "tree AGENT:, whose last line goes back to before an entry"},
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
	{"version", "--version"},
	{"stats", "stat"},
	{"projects", "ls --all"},
	{"agents", "doctor"},
	{"web", "show -o FILE.html"},
	{"serve", "show -o DIR/, which makes pages that need no server"},
	{"ui", "show -o DIR/, which makes pages that need no server"},
	{"config", "help; sess has no configuration, but for secrets, see sess help redact"},
	{"init", "help; nothing has to be set up"},
	{"index", "help; nothing has to be indexed"},
	{"install", "doctor, which says what is missing"},
}

// flagged are words for flags, and what to type: a flag that counts where the tool has it, with the value that stands there, or anything else.
// The first that the tool has is taken.
var flagged = []meaning{
	{"week", "--since 7d"},
	{"day", "--since 1d"},
	{"today", "--since today"},
	{"yesterday", "--since yesterday"},
	{"month", "--since 4w"},
	{"after", "--since"},
	{"newer", "--since"},
	{"from", "--since"},
	{"before", "--until"},
	{"older", "--until"},
	{"hourly", "--by hour"},
	{"daily", "--by day"},
	{"weekly", "--by week"},
	{"monthly", "--by month"},
	{"models", "--by model"},
	{"model", "--by model"},
	{"group-by", "--by"},
	{"groupby", "--by"},
	{"group", "--by"},
	{"sort-by", "--sort"},
	{"order", "--sort"},
	{"order-by", "--sort"},
	{"project", "--by project"},
	{"project", "--cwd DIR"},
	{"dir", "--cwd"},
	{"directory", "--cwd"},
	{"agents", "--agent all"},
	{"all-agents", "--agent all"},
	{"everywhere", "--agent all"},
	{"global", "--agent all"},
	{"r", "--all"},
	{"R", "--all"},
	{"recursive", "--all"},
	{"search", "sess grep"},
	{"find", "sess grep"},
	{"grep", "sess grep"},
	{"to", "sess handoff --to"},
	{"resume", "sess handoff"},
	{"continue", "sess handoff"},
	{"cost", "sess stat"},
	{"usage", "sess stat"},
	{"file", "sess calls --touched"},
	{"touched", "sess calls --touched"},
	{"failed", "--status fail"},
	{"failures", "--status fail"},
	{"fail", "--status fail"},
	{"errors", "--status fail"},
	{"error", "--status fail"},
	{"denied", "--status denied"},
	{"failed", "sess calls --status fail"},
	{"errors", "sess calls --status fail"},
	{"n", "--limit N; a row has the id of its entry in place of a line number"},
	{"count", "--limit"},
	{"max", "--limit"},
	{"head", "--limit"},
	{"top", "--limit"},
	{"last", "--limit"},
	{"latest", "--limit 1"},
	{"newest", "--limit 1"},
	{"last", "AGENT:, which is the newest session of an agent here, such as claude:"},
	{"latest", "AGENT:, which is the newest session of an agent here, such as claude:"},
	{"newest", "AGENT:, which is the newest session of an agent here, such as claude:"},
	{"recent", "AGENT:, which is the newest session of an agent here, such as claude:"},
	{"P", "--extended-regexp; patterns have the syntax of RE2, without look-ahead"},
	{"perl-regexp", "--extended-regexp; patterns have the syntax of RE2, without look-ahead"},
	{"md", "--as markdown"},
	{"markdown", "--as markdown"},
	{"text", "--as text"},
	{"txt", "--as text"},
	{"html", "--as html"},
	{"messages", "--as messages"},
	{"json", "--as messages"},
	{"json", "sess path --as messages"},
	{"format", "--as"},
	{"format", "--json"},
	{"output-format", "--as"},
	{"output-format", "--json"},
	{"form", "--as"},
	{"o", "> FILE; --json prints JSON"},
	{"output", "> FILE; --json prints JSON"},
	{"md", "sess show --as markdown"},
	{"markdown", "sess show --as markdown"},
	{"html", "sess show -o FILE.html"},
	{"summary", "sess show --summary"},
	{"undo", "sess fork --at 'ID^'"},
	{"secrets", "sess redact"},
	{"message", "--text"},
	{"prompt", "--text"},
	{"m", "--text"},
	{"m", "--model"},
	{"deny", "--no-call"},
	{"forbid", "--no-call"},
	{"require", "--call"},
	{"budget", "--max-cost"},
	{"budget", "sess handoff --to AGENT --budget 20k AGENT:"},
	{"inplace", "-o FILE, a copy: no session is changed in place"},
	{"in-place", "-o FILE, a copy: no session is changed in place"},
	{"follow", "sess watch"},
	{"no-pager", "SESS_PAGER= in front of the command"},
	{"no-color", "--color never"},
	{"no-colour", "--color never"},
	{"colour", "--color"},
	{"debug", "--verbose"},
}

// named are words for the values of flags, and what to type.
var named = []meaning{
	{"md", "markdown"},
	{"txt", "text"},
	{"plain", "text"},
	{"htm", "html"},
	{"page", "html"},
	{"color", "ansi"},
	{"json", "messages"},
	{"jsonl", "entries"},
	{"chat", "openai"},
	{"claude", "anthropic"},
	{"claude-code", "claude"},
	{"claudecode", "claude"},
	{"cc", "claude"},
	{"codex-cli", "codex"},
	{"gemini-cli", "gemini"},
	{"qwen-code", "qwen"},
	{"github-copilot", "copilot"},
	{"copilot-cli", "copilot"},
	{"oh-my-pi", "omp"},
	{"kimi-cli", "kimicli"},
	{"failed", "fail"},
	{"failure", "fail"},
	{"error", "fail"},
	{"success", "ok"},
	{"passed", "ok"},
	{"refused", "denied"},
	{"cancelled", "denied"},
	{"bash", "run"},
	{"shell", "run"},
	{"exec", "run"},
	{"command", "run"},
	{"edit", "write"},
	{"grep", "search"},
	{"glob", "search"},
	{"web", "fetch"},
	{"task", "agent"},
	{"date", "modified"},
	{"time", "modified"},
	{"name", "title"},
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

// Another returns the word among the given ones that another one stands for: the same in small letters, or one of its meaning.
func Another(word string, among []string) (is string, ok bool) {
	small := strings.ToLower(word)
	if slices.Contains(among, small) {
		return small, true
	}
	for _, m := range named {
		if m.word == small && slices.Contains(among, m.is) {
			return m.is, true
		}
	}
	return "", false
}

// Value is Another, and Closest for a word that stands for none.
func Value(word string, among []string) (is string, ok bool) {
	if is, ok := Another(word, among); ok {
		return is, true
	}
	return Closest(strings.ToLower(word), among)
}

// DidYouMean adds to the error of a word which of the given ones may have been meant, if one was.
func DidYouMean(err error, word string, among []string) error {
	if is, ok := Value(word, among); ok {
		return WithHint(err, "did you mean %s?", is)
	}
	return err
}

// meantFlag is Meant for a flag that a tool does not have: one that it has, if it has one of the meaning. has says which it has, with
// a value perhaps.
func meantFlag(flag string, has func(string) bool) (is string, ok bool) {
	if n, err := strconv.ParseUint(flag, 10, 31); err == nil && n > 0 && has("--limit") { // as of git log and head
		return "--limit " + flag, true
	}
	for _, m := range flagged {
		if m.word == flag && (!strings.HasPrefix(m.is, "--") || has(m.is)) {
			return m.is, true
		}
	}
	if agent.Has(flag) {
		for _, is := range []string{"--to " + flag, "--agent " + flag} {
			if has(is) {
				return is, true
			}
		}
		return flag + ":, which is its newest session here", true
	}
	return "", false
}

// changing are flags that change or replace something: a slip of the fingers is never taken for one of them.
var changing = []string{"force", "sync", "replace", "repair", "keep-secrets", "no-redact", "damaged-ok", "allow-unpriced", "leave-behind", "unsafe", "exec", "in-place"}
