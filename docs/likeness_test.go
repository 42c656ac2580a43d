package docs_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/cli"
)

// A word is a flag that several tools have. It means the same in each of them, and says so in the same words.
type word struct {
	name string // with "=" behind it if the tool sets what the word names, with "!" if it is of a dialect

	// text is what help says. A tool has words of its own in place of %s, or behind it.
	text string
}

// words are the flags that more than one tool has, sorted by name. A word that names a property
// may have two lines: a tool that makes something sets it, and a tool that looks for something
// takes "only" what has it.
var words = []word{
	{"after", "print only entries after the entry `WHERE`"},
	{"agent", "only sessions of the agents `NAME,NAME`, where they keep them"},
	{"all", "take all sessions"},
	{"allow", "ignore matches of the regular expressions in `FILE`, one a line"},
	{"as", "%s as `FORM`"},
	{"ascii", "draw with ASCII characters"},
	{"at", "%s the entry `REF` instead of the leaf"},
	{"baseline", "compare with `FILE`, the output of an earlier run"},
	{"beginnings", "with %s: print what the beginnings of files and the file system say"},
	{"blobs", "%s the blobs in `DIR`"},
	{"branches", "take the entries of all branches"},
	{"budget", "%s at most `TOKENS`"},
	{"color", "use colours `WHEN`"},
	{"content", "also write texts"},
	{"context", "show what fills the context"},
	{"context!", "print `N` entries before and after each"},
	{"copies", "do not leave out copies of %s"},
	{"count!", "print the number of %s"},
	{"create", "make the session if there is none"},
	{"cwd", "only sessions of the working directory `DIR`"},
	{"cwd=", "use `DIR` as the working directory of the new session"},
	{"damaged-ok", "judge what can be read of a damaged session"},
	{"depth", "look into `N` layers of encodings"},
	{"dry-run", "print %s, and write nothing"},
	{"each", "run the arguments in each line of standard input, a JSON array, and answer in frames: for programs"},
	{"emails", "treat e-mail addresses as secrets"},
	{"entropy", "long random texts are secrets"},
	{"env", "treat the values of the environment variables `GLOB` as secrets"},
	{"error", "only results and replies that failed"},
	{"error=", "the toolResult is an error"},
	{"exact", "read %s"},
	{"expect-leaf", "%s only if `REF` is the leaf; otherwise status 4"},
	{"file", "read %s from `FILE` (- is standard input)"},
	{"force", "replace existing files"},
	{"github", "%sprint annotations of GitHub Actions"},
	{"grace", "leave a torn last line alone until `DURATION` after the last write"},
	{"h", "print the flags that most people use"},
	{"harness", "`HOW` to treat words of an agent in the user's name, such as reminders"},
	{"help", "print this help"},
	{"ignore-case", "ignore case"},
	{"images", "`HOW` to treat images"},
	{"insecure", "speak to another machine without TLS"},
	{"json", "print a JSON object for %s"},
	{"key", "with --with hash, keep the key of the digests in `FILE`, so that they are the same the next time"},
	{"leaf", "the path ends at `REF`"},
	{"limit", "print at most `N` %s"},
	{"lines", "print the lines of the entries unchanged"},
	{"list", "list %s, and make nothing"},
	{"losses", "write each loss as a JSON object into `FILE`, which must not exist"},
	{"max-tokens", "%s at most `N` tokens"},
	{"model", "the `MODEL` of answers ($SESS_MODEL)"},
	{"no-header", "leave out the header"},
	{"no-redact", "leave secrets in"},
	{"no-self", "leave out the running session, its copies and its sub-agents"},
	{"null", "end names and rows with a NUL"},
	{"only", "use only the rules `ID,ID`"},
	{"output", "make `FILE`, and print its path; - is standard output"},
	{"output!", "write tables to `DIR`, and print the path of each written file"},
	{"parent", "add after the entry `REF` instead of the leaf; null starts a new root"},
	{"paths", "print only the address of each session"},
	{"print", "`WHAT` to print, %s"},
	{"prompts", "print the prompts of %s"},
	{"provider", "the `PROVIDER` of answers ($SESS_PROVIDER)"},
	{"prune", "remove %s"},
	{"quiet", "print no messages"},
	{"quiet!", "print no rows and no messages, and stop at the first match"},
	{"reason", "note the reason `WHY`"},
	{"recent", "only the session that was written last"},
	{"redact", "take secrets out of %s, as sess-redact does"},
	{"regexp", "look for `PATTERN`; may be repeated"},
	{"remote", "use the remote at `ADDRESS` instead of $SESS_REMOTE"},
	{"reply", "`WHAT` the %s"},
	{"reserve", "leave `TOKENS` of the window free"},
	{"retries", "retry a failed command up to `N` times"},
	{"reverse", "print the leaf first, without the header"},
	{"role", "only %s of the roles `ROLE,ROLE`"},
	{"role=", "add a message of `ROLE`"},
	{"rules", "add the rules of the gitleaks configuration `FILE`; all: use those too that find much which is none"},
	{"sarif", "%sprint SARIF 2.1.0"},
	{"secret-file", "treat the lines of `FILE` as secrets"},
	{"session", "only the session `SESSION`"},
	{"settled", "import a session completely if it was not written for `DURATION`"},
	{"since", "only %s since `WHEN`: 90m, 12h, 7d, 2w, a date or a time"},
	{"skip", "use all rules except `ID,ID`"},
	{"sort", "sort by `KEY`"},
	{"state", "end when the state is one of `STATE,STATE`"},
	{"status", "only %s with this `STATUS`: ok, fail, denied, open or a number"},
	{"store", "make %s in the store and print its path"},
	{"strict", "end with status 3 for %s"},
	{"subagents", "take the sessions of sub-agents, `WHICH`"},
	{"summary", "print a summary of %s"},
	{"summary-file", "take the summary from `FILE` (- is standard input)"},
	{"sync", "`WHEN` to sync writes to disk"},
	{"system", "begin with the system prompt in `FILE`"},
	{"tail", "`HOW` to treat a torn last line"},
	{"text", "the message is `TEXT`"},
	{"timeout", "give up after `DURATION`"},
	{"title", "only sessions with `TITLE` in the title, the first message or the id"},
	{"title=", "the title is `TITLE`"},
	{"tool", "only calls%s of the tool `NAME`"},
	{"touched", "only calls with a path that matches `GLOB`"},
	{"type", "only entries of `TYPE`"},
	{"type=", "add an entry of `TYPE`"},
	{"until", "only %s before `WHEN`"},
	{"usage", "print what calls used and cost"},
	{"users", "write ~ for the home directory, and user for user names in paths"},
	{"verbose", "print more detail"},
	{"version", "print the version"},
	{"wait", "wait for the lock at most `DURATION`"},
	{"where", "only %s for which the gojq expression `EXPR` is true"},
	{"window", "the model's context window is `TOKENS`"},
	{"with", "replace a secret with its kind, hash, mask:N, or the text `AS`"},
}

// letters are the words that have a letter of one dash, the same in each tool, but for those in
// whose dialect a tool is: sess-grep has the letters of grep(1), and sess-path one of jq(1). As in git, -n is --dry-run
// of what writes and --limit of what lists, and no command does both. grep(1) counts lines by it: sess-grep has none.
var letters = map[string]string{
	"0": "null", "a": "all", "e": "regexp", "f": "file", "i": "ignore-case", "l": "leaf", "n": "dry-run limit",
	"o": "output", "q": "quiet", "r": "role", "t": "text", "v": "verbose",
}

// dialects are the tools that are like another program, with the letters that mean in them what they mean there.
var dialects = map[string]string{"sess-calls": "cq", "sess-grep": "ABCEFHILSilmoqcsvwx", "sess-path": "r", "sess-show": "", "sess-table": "", "sess-watch": ""}

// drifting returns in which words the tools do not agree: a word with two meanings, a meaning with
// two words, a letter that stands for two words. There are none if each
// flag that two tools have is in the table, and says what the table says.
func drifting(tools []cli.Description) (complaints []string) {
	d := drift{owner: map[string]string{}, meaning: map[string]string{}}
	for _, tool := range tools {
		for _, t := range tool.All() {
			for _, f := range t.Flags {
				d.flag(t, f)
			}
		}
	}
	slices.Sort(d.complaints)
	return slices.Compact(d.complaints)
}

type drift struct {
	owner      map[string]string // the tool of each word that is not in the table
	meaning    map[string]string // the word of each text
	complaints []string
}

func (d *drift) complain(format string, args ...any) {
	d.complaints = append(d.complaints, fmt.Sprintf(format, args...))
}

func (d *drift) flag(t cli.Description, f cli.FlagData) {
	full := t.Tool
	if t.Command != "" {
		full += " " + t.Command
	}
	d.letter(t, f)
	_, dialect := dialects[t.Tool]
	lines := slices.DeleteFunc(slices.Clone(words), func(w word) bool {
		return w.bare() != f.Name || strings.HasSuffix(w.name, "!") && !dialect
	})
	switch {
	case len(lines) == 0:
		if other, ok := d.owner[f.Name]; ok && other != t.Tool {
			d.complain("--%s is a flag of %s and of %s, and has no line in the table", f.Name, other, t.Tool)
		}
		d.owner[f.Name] = t.Tool
		if said := plain(f.Text); d.meaning[said] != "" && d.meaning[said] != f.Name {
			d.complain("--%s and --%s mean the same: %s", d.meaning[said], f.Name, f.Text)
		} else {
			d.meaning[said] = f.Name
		}
		for _, w := range words {
			if f.Text != "" && (word{text: w.text}).fits(f) && len(w.text) > len("%s as `FORM`") {
				d.complain("%s: --%s means what --%s does: %s", full, f.Name, w.bare(), f.Text)
			}
		}
	case !slices.ContainsFunc(lines, func(w word) bool { return w.fits(f) }):
		d.complain("%s: --%s has another meaning than in the table: %s", full, f.Name, f.Text)
	}
}

// letter looks at the letter of a flag.
func (d *drift) letter(t cli.Description, f cli.FlagData) {
	if f.Name == "h" {
		return // which is every tool's
	}
	if utf8.RuneCountInString(f.Name) == 1 {
		d.complain("%s: -%s has no name", t.Tool, f.Name)
	}
	if f.Name == "limit" && (f.Short == "n") == (t.Tool == "sess-grep") {
		d.complain("%s: -n is --limit, as in git log, but for sess-grep, where it is grep's", t.Tool)
	}
	if f.Short == "" || strings.Contains(dialects[t.Tool], f.Short) {
		return
	}
	if !slices.Contains(strings.Fields(letters[f.Short]), f.Name) {
		d.complain("%s: -%s is --%s, and --%s in the table", t.Tool, f.Short, f.Name, letters[f.Short])
	}
}

// bare is the name of a word as a command line has it.
func (w word) bare() string { return strings.TrimRight(w.name, "=!") }

// fits reports whether a flag has the text of the word, with what a tool may add to it, and a value
// of the same name.
func (w word) fits(f cli.FlagData) bool {
	value, text := valueIn(w.text)
	if value != f.Value {
		return false
	}
	before, after, hole := strings.Cut(text, "%s")
	if !hole {
		return strings.HasPrefix(f.Text, text)
	}
	return strings.HasPrefix(f.Text, before) && strings.HasSuffix(f.Text, after)
}

var noWord = regexp.MustCompile(`[^a-z]+`)

// plain is a text without what two writers of it would do otherwise.
func plain(text string) string {
	return strings.TrimSpace(noWord.ReplaceAllString(strings.ToLower(text), " "))
}

// valueIn returns what the value in a text is called, and the text as help prints it.
func valueIn(text string) (value, plain string) {
	if parts := strings.Split(text, "`"); len(parts) == 3 {
		return parts[1], strings.Join(parts, "")
	}
	return "", text
}

// The table is sorted. Two words have two
// texts, and a word with two lines sets what it selects.
func TestTableOfWords(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for i, w := range words {
		if i > 0 && words[i-1].name >= w.name {
			t.Errorf("%s stands behind %s", w.name, words[i-1].name)
		}
		if strings.HasSuffix(w.name, "!") {
			continue
		}
		if other := texts[plain(w.text)]; other != "" {
			t.Errorf("--%s and --%s: %s", other, w.name, w.text)
		}
		texts[plain(w.text)] = w.name
		if strings.HasSuffix(w.name, "=") && slices.ContainsFunc(words, func(o word) bool { return o.name == w.bare() && !strings.HasPrefix(o.text, "only ") }) {
			t.Errorf("--%s sets something and does not select by it", w.bare())
		}
	}
	for letter, names := range letters {
		for _, name := range strings.Fields(names) {
			if !slices.ContainsFunc(words, func(w word) bool { return w.bare() == name }) {
				t.Errorf("-%s is --%s, which is no word", letter, name)
			}
		}
	}
}

// What tools could do wrong is seen.
func TestDrift(t *testing.T) {
	t.Parallel()
	tool := func(name string, flags ...cli.FlagData) cli.Description {
		return cli.Description{Tool: name, Flags: flags}
	}
	strict := func(text string) cli.FlagData {
		return cli.FlagData{Name: "strict", Text: "end with status 3 for " + text}
	}
	leaf := func(text string) cli.FlagData {
		return cli.FlagData{Name: "leaf", Short: "l", Value: "REF", Text: text}
	}
	own := tool("sess-a", strict("a loss"), leaf("the path ends at REF"), cli.FlagData{Name: "mine", Value: "N", Text: "keep N"})
	tests := []struct {
		name  string
		other cli.Description
		want  string // in the one complaint, none if it is ""
	}{
		{"the same", tool("sess-b", strict("damage"), leaf("the path ends at REF, or by a rule")), ""},
		{"a second meaning", tool("sess-b", cli.FlagData{Name: "leaf", Value: "LEAF", Text: "throw away LEAF"}), "--leaf has another meaning"},
		{"another value", tool("sess-b", cli.FlagData{Name: "leaf", Value: "N", Text: "the path ends at N"}), "--leaf has another meaning"},
		{"a switch of a word with a value", tool("sess-b", cli.FlagData{Name: "output", Text: "make FILE"}), "--output has another meaning"},
		{"a synonym of a word", tool("sess-b", cli.FlagData{Name: "tip", Value: "REF", Text: "the path ends at REF"}), "--tip means what --leaf does"},
		{"a synonym of a tool's own", tool("sess-b", cli.FlagData{Name: "yours", Value: "N", Text: "Keep N."}), "--mine and --yours mean the same"},
		{"a flag of two tools", tool("sess-b", cli.FlagData{Name: "mine", Value: "N", Text: "dig N"}), "--mine is a flag of sess-a and of sess-b"},
		{"a letter of another", tool("sess-b", cli.FlagData{Name: "limb", Short: "l", Value: "N", Text: "saw off N"}), "-l is --limb"},
		{"a listing whose -n is missing", tool("sess-b", cli.FlagData{Name: "limit", Value: "N", Text: "print at most N rows"}), "-n is --limit"},
		{"a letter of two words", tool("sess-b", cli.FlagData{Name: "dry-run", Short: "n", Text: "print what would be done, and write nothing"}), ""},
		{"a letter alone", tool("sess-b", cli.FlagData{Name: "z", Text: "sleep"}), "-z has no name"},
		{"a dialect of others", tool("sess-b", cli.FlagData{Name: "quiet", Short: "q", Text: "print no rows and no messages, and stop at the first match"}), "--quiet has another meaning"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := drifting([]cli.Description{own, tt.other})
			switch {
			case tt.want == "" && len(got) > 0, tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
