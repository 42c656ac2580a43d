package docs_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/cli"
)

// descriptions returns what each tool says of itself as data.
func descriptions(t *testing.T) (all []cli.Description) {
	t.Helper()
	for _, tool := range tools(t) {
		out, err := exec.Command(filepath.Join(bin, tool), "--describe").Output()
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		var d cli.Description
		if err := json.Unmarshal(out, &d); err != nil || d.Tool != tool || len(d.Flags) == 0 {
			t.Fatalf("%s: %v: %s", tool, err, out)
		}
		all = append(all, d)
	}
	return all
}

// What "sess help --json" prints is what the tools and their pages say.
func TestHelpAsData(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(filepath.Join(bin, "sess"), "help", "--json")
	cmd.Env = append(os.Environ(), "PATH="+bin)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	readme := strings.ReplaceAll(read(t, "../README.md"), "`", "")
	schemas, err := filepath.Glob("rows/*.json")
	if err != nil || len(schemas) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	seen, statuses, described := map[string]bool{}, 0, 0
	for line := range strings.Lines(string(out)) {
		var d cli.Description
		var st cli.StatusData
		switch err := errors.Join(json.Unmarshal([]byte(line), &d), json.Unmarshal([]byte(line), &st)); {
		case err != nil:
			t.Errorf("%v: %s", err, line)
		case st.Kind == "status":
			statuses++
			if !strings.Contains(readme, st.Text) && st.Status != 0 {
				t.Errorf("README.md has another meaning of status %d than %q", st.Status, st.Text)
			}
		case st.Kind == "rows":
			described++
			if !strings.Contains(line, `"schema":{"$schema":`) {
				t.Errorf("no schema: %s", line)
			}
		default:
			seen[d.Tool] = true
			for _, one := range d.All() {
				var got []string
				for _, f := range one.Flags {
					got = append(got, synopsis(f))
				}
				slices.Sort(got)
				var command []string
				if one.Command != "" {
					command = append(command, one.Command)
				}
				if diff := cmp.Diff(helpFlags(t, one.Tool, command...), got); diff != "" {
					t.Errorf("%s %s (-help +data):\n%s", one.Tool, one.Command, diff)
				}
			}
		}
	}
	for _, tool := range tools(t) {
		if !seen[tool] && tool != "sess" {
			t.Errorf("%s is missing", tool)
		}
	}
	if described != len(schemas) {
		t.Errorf("the rows of %d tools, and not of %d", described, len(schemas))
	}
	if statuses != len(cli.Statuses()) {
		t.Errorf("%d statuses", statuses)
	}
}

// synopsis is a flag as help lists it.
func synopsis(f cli.FlagData) string {
	text := "--" + f.Name
	if f.Short != "" {
		text = "-" + f.Short + ", " + text
	}
	return strings.TrimSpace(text + " " + f.Value)
}

// One word has one meaning in all tools, and one meaning one word.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, complaint := range drifting(descriptions(t)) {
		t.Error(complaint)
	}
}

// contradictions are the words that the tools had for the same thing, or for several, with what says it now:
// a tool, the flag of then, and that of today. Where a word stayed for one of its meanings, the line is
// of the tool in which it had another.
const contradictions = `
sess-fork --all --branches
sess-show --all --branches
sess-grep --all-branches --branches
sess-path --at --leaf
sess-tree --at --leaf
sess-show --at --leaf
sess-stat --at --leaf
sess-grep --at --leaf
sess-fork --leaf --at
sess-fork -l --at
sess-append --leaf --parent
sess-turn --leaf --parent
sess-merge --leaf --end
sess-new --parent --from
sess-redact --paths --users
sess-redact --as --with
sess-redact --map --key
sess-show --html --as
sess-show --markdown --as
sess-show --text --as
sess-show --ansi --as
sess-show --system --open-system
sess-show --tools --calls
sess-path --system --with-system
sess-path --raw --raw-output
sess-ls --remote -
sess-ls --older-than --until
sess-ls --name --title
sess-ls --count --exact
sess-stat --top --limit
sess-stat --no-dedup --copies
sess-grep --dup --copies
sess-history --dup --copies
sess-grep --entries --lines
sess-record --from --reply
sess-append --usage --usage-json
sess-compact --prompt --print-prompt
sess-export --max-growth --max-ratio
sess-export --db -
sess-sync/push --tries --retries
sess-sync/append --tries --retries
sess-seg/rollback --force --leave-behind
sess-seg/path --at --leaf
sess-append -e -
sess-sync/pull -f -
sess-seg/path -r -
`

func TestContradictions(t *testing.T) {
	t.Parallel()
	takes := map[string]map[string]bool{}
	for _, d := range descriptions(t) {
		for _, one := range d.All() {
			name := strings.TrimSuffix(one.Tool+"/"+one.Command, "/")
			takes[name] = map[string]bool{}
			for _, f := range one.Flags {
				takes[name]["--"+f.Name], takes[name]["-"+f.Short] = true, true
			}
		}
	}
	for line := range strings.Lines(strings.TrimSpace(contradictions)) {
		words := strings.Fields(line)
		tool, then, now := words[0], words[1], words[2]
		if takes[tool] == nil || takes[tool][then] || now != "-" && !takes[tool][now] {
			t.Errorf("%s has %s, or has no %s", tool, then, now)
			continue
		}
		name, command, _ := strings.Cut(tool, "/")
		cmd := exec.Command(filepath.Join(bin, name), append(strings.Fields(command), then, "x")...)
		out, err := cmd.CombinedOutput()
		if status(err) != cli.ExitUsage || !strings.Contains(string(out), "unknown flag "+then) || now != "-" && !strings.Contains(string(out), "hint: now it is "+now) {
			t.Errorf("%s %s: %v: %s", tool, then, err, out)
		}
	}
}
