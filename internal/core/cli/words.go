package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A word is a flag that several tools have. It means the same in each of them, and has its text
// from here.
type word struct {
	name string // as the constructors take it: with "=" behind it if the tool sets what the word names, with "!" if it is of a dialect

	// text is what help says. A tool adds its own words to it: in place of %s, or behind it.
	text string
}

// words are the flags that more than one tool has, sorted by name. A word that names a property
// may have two lines: a tool that makes something sets it, and a tool that looks for something
// takes "only" what has it.
var words = []word{
	{"after", "print only what is behind `WHERE`"},
	{"agent", "only sessions of the agents `NAME,NAME`, where they keep them"},
	{"all", "take all sessions"},
	{"as", "%s as `FORM`"},
	{"ascii", "draw with ASCII characters"},
	{"at", "%s the entry `REF` instead of the leaf"},
	{"baseline", "compare with `FILE`, which an earlier run wrote"},
	{"blobs", "%s the blobs in `DIR`"},
	{"branches", "take the entries of all branches"},
	{"budget", "%s at most `TOKENS`"},
	{"color", "use colours `WHEN`"},
	{"context", "show what fills the context"},
	{"context!", "print `N` entries before and after each"},
	{"copies", "take copies, too"},
	{"count!", "print the number of %s"},
	{"create", "make the session if there is none"},
	{"cwd", "only sessions of the working directory `DIR`"},
	{"cwd=", "`DIR` is the working directory of the new session"},
	{"db", "use the agent's database `FILE`"},
	{"dry-run", "print %s, and write nothing"},
	{"error", "only results and replies that failed"},
	{"error=", "the toolResult is an error"},
	{"expect-leaf", "%s only if `REF` is the leaf; otherwise status 4"},
	{"file", "read %s from `FILE` (- is standard input)"},
	{"force", "replace files that are there"},
	{"github", "%sprint annotations of GitHub Actions"},
	{"grace", "leave a torn last line alone until `DURATION` after the last write"},
	{"harness", "treat words of an agent in the user's name, such as reminders, `HOW`"},
	{"help", "print this help"},
	{"ignore-case", "ignore case"},
	{"images", "treat images `HOW`"},
	{"json", "print a JSON object for %s"},
	{"leaf", "the path ends at `REF`"},
	{"limit", "print at most `N` %s"},
	{"lines", "print the lines of the entries as they are"},
	{"list", "list %s, and make nothing"},
	{"losses", "write each loss as a JSON object into `FILE`, which must not exist"},
	{"max-tokens", "%s at most `N` tokens"},
	{"model", "the `MODEL` of answers ($SESS_MODEL)"},
	{"no-header", "leave out the header"},
	{"no-messages!", "print no warnings"},
	{"null", "names and rows end with a NUL"},
	{"output", "make `FILE`, and print its path; - is standard output"},
	{"parent", "add behind the entry `REF` instead of the leaf; null begins anew"},
	{"paths", "print only the address of each session"},
	{"print", "print `WHAT`"},
	{"provider", "the `PROVIDER` of answers ($SESS_PROVIDER)"},
	{"quiet", "print no warnings"},
	{"quiet!", "print no rows, and stop at the first match"},
	{"reason", "note the reason `WHY`"},
	{"recent", "only the session that was written last"},
	{"redact", "take secrets out of %s, as sess-redact does"},
	{"regexp", "look for `PATTERN`; may be repeated"},
	{"remote", "use the remote at `ADDRESS` instead of $SESS_REMOTE"},
	{"reply", "%s `WHAT`"},
	{"reserve", "leave `TOKENS` of the window free"},
	{"retries", "make up to `N` more tries"},
	{"reverse", "print the leaf first, without the header"},
	{"role", "only %s of the roles `ROLE,ROLE`"},
	{"role=", "add a message of `ROLE`"},
	{"sarif", "%sprint SARIF 2.1.0"},
	{"session", "only the session `SESSION`"},
	{"since", "only %s since `WHEN`: 90m, 12h, 7d, 2w, a date or a time"},
	{"sort", "sort by `KEY`"},
	{"status", "only %s that ended so: ok, fail, denied, open or the `STATUS` of a command"},
	{"store", "make %s in the store and print its path"},
	{"strict", "end with status 3 for %s"},
	{"subagents", "take the sessions of sub-agents: `WHICH`"},
	{"summary", "take the summary from `FILE` (- is standard input)"},
	{"summary!", "print what was asked, done and spent, and what failed%s"},
	{"sync", "sync what is written to disk `WHEN`"},
	{"system", "begin with the system prompt in `FILE`"},
	{"tail", "treat a torn last line `HOW`"},
	{"text", "the message is `TEXT`"},
	{"timeout", "give up after `DURATION`"},
	{"title", "only sessions with `TITLE` in the title, the first message or the id"},
	{"title=", "the title is `TITLE`"},
	{"tool", "only calls%s of the tool `NAME`"},
	{"touched", "only calls with a path that `GLOB` matches"},
	{"type", "only entries of `TYPE`"},
	{"type=", "add an entry of `TYPE`"},
	{"until", "only %s before `WHEN`"},
	{"until!", "end when the state is one of `STATE,STATE`"},
	{"usage", "print what calls used and cost"},
	{"verbose", "print more detail"},
	{"version", "print the version"},
	{"wait", "wait for the lock at most `DURATION`"},
	{"where", "only %s for which the gojq expression `EXPR` is true"},
	{"window", "the model's context window is `TOKENS`"},
}

// letters are the words that have a letter of one dash, the same in each tool, but for those in
// whose dialect a tool is: sess-grep has the letters of grep(1), and sess-path one of jq(1).
var letters = map[string]string{
	"0": "null", "a": "all", "e": "regexp", "f": "file", "h": "help", "i": "ignore-case", "l": "leaf", "n": "dry-run",
	"o": "output", "q": "quiet", "r": "role", "t": "text", "v": "verbose",
}

// dialects are the tools that are like another program, with the letters that mean in them what they mean there.
// sess-watch has of the loops of a shell the word until.
var dialects = map[string]string{"sess-calls": "cq", "sess-grep": "ABCEFHLShilmoqcsvwx", "sess-path": "r", "sess-show": "", "sess-watch": ""}

// A renamed flag is one of a time when nothing had been released.
type renamed struct{ tool, flag, now string } // tool is "" for all of them

// gone are the flags that are no more, and what is there instead.
var gone = []renamed{
	{"sess-redact", "map", "--key"},
	{"", "older-than", "--until"},
	{"", "at", "--leaf"},
	{"", "dup", "--copies"},
	{"", "no-dedup", "--copies"},
	{"", "top", "--limit"},
	{"", "tries", "--retries"},
	{"", "name", "--title"},
	{"", "all-branches", "--branches"},
	{"sess-append", "leaf", "--parent"},
	{"sess-append", "usage", "--usage-json"},
	{"sess-compact", "check", "--size"},
	{"sess-compact", "prompt", "--print-prompt"},
	{"sess-compact", "rules", "--pi"},
	{"sess-export", "max-growth", "--max-ratio"},
	{"sess-fork", "all", "--branches"},
	{"sess-fork", "leaf", "--at"},
	{"sess-fork", "l", "--at"},
	{"sess-grep", "entries", "--lines"},
	{"sess-ls", "count", "--exact"},
	{"sess-ls", "remote", "the operand remote:"},
	{"sess-merge", "leaf", "--end"},
	{"sess-new", "parent", "--from"},
	{"sess-path", "system", "--with-system"},
	{"sess-path", "raw", "--raw-output"},
	{"sess-record", "from", "--reply"},
	{"sess-redact", "as", "--with"},
	{"sess-redact", "paths", "--users"},
	{"sess-seg rollback", "force", "--leave-behind"},
	{"sess-show", "all", "--branches"},
	{"sess-show", "html", "--as html"},
	{"sess-show", "markdown", "--as markdown"},
	{"sess-show", "text", "--as text"},
	{"sess-show", "ansi", "--as ansi"},
	{"sess-show", "system", "--open-system"},
	{"sess-show", "tools", "--calls"},
	{"sess-turn", "leaf", "--parent"},
}

// nowCalled returns what is there in a tool instead of a flag that was there once.
func nowCalled(tool, flag string) (now string, ok bool) {
	for _, r := range gone {
		if r.flag == flag && (r.tool == tool || r.tool == "") {
			return r.now, true
		}
	}
	return "", false
}

// spoken returns the names of a flag, and its text: for a word of the table that of the table, with
// what the tool adds to it.
func spoken(names, usage string) (all []string, text string) {
	all = strings.Split(names, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	key := all[0]
	all[0] = strings.TrimRight(key, "=!")
	at, ok := slices.BinarySearchFunc(words, key, func(w word, key string) int { return cmp.Compare(w.name, key) })
	switch {
	case !ok:
		return all, usage
	case strings.Contains(words[at].text, "%s"):
		return all, fmt.Sprintf(words[at].text, usage)
	}
	return all, words[at].text + usage
}
