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
	if len(f.Name) == 1 {
		text = "-" + f.Name
	}
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
