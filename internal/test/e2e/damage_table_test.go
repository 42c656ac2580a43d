package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/drawn"
)

var updateTable = flag.Bool("update-damage", false, "rewrite the tables of docs/formats/damage.md")

const damagePage = "../../../docs/formats/damage.md"

// A form is one damaged session of the tables.
type form struct{ name, content string }

// TestDamageTables runs the tools on a third of the damaged sessions there are, with SESS_DRAW=full on each, and holds
// the tables of docs/formats/damage.md to what they do.
func TestDamageTables(t *testing.T) {
	t.Parallel()
	var made []form
	for _, d := range damaged {
		made = append(made, form{d.name, d.content})
	}
	page := readFile(t, damagePage)
	tables := map[string][]form{"generated": made}
	for _, dir := range []string{"omp/damaged", "omp/edge", "pi/sessions"} {
		tables[dir] = samples(t, dir)
	}
	some, rows := map[string][]form{}, map[string][]string{}
	t.Run("rows", func(t *testing.T) { // which waits for them
		for title, forms := range tables {
			if !*updateTable {
				forms = drawn.Third(t, forms)
			}
			some[title] = forms
			of := make([]string, len(forms))
			rows[title] = of
			for i, f := range forms {
				t.Run(title+" "+f.name, func(t *testing.T) {
					t.Parallel()
					of[i] = row(t, f)
				})
			}
		}
	})
	for title, forms := range tables {
		begin, end := "<!-- "+title+" -->\n", "<!-- end -->\n"
		before, rest, ok := strings.Cut(page, begin)
		have, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("no place for the table of %s", title)
		}
		for _, f := range forms {
			if !slices.Contains(some[title], f) {
				have = strings.Replace(have, rowOf(have, f.name), "", 1)
			}
		}
		want := table(rows[title])
		if *updateTable {
			page = before + begin + want + end + after
		} else if diff := cmp.Diff(have, want); diff != "" {
			t.Errorf("%s (-page +tools), see -update-damage:\n%s", title, diff)
		}
	}
	if *updateTable {
		check(t, os.WriteFile(damagePage, []byte(page), 0o644)) //nolint:gosec // a page is for all to read
	}
}

func samples(t *testing.T, dir string) []form {
	t.Helper()
	var out []form
	for _, path := range corpus.Sessions(t, dir) {
		out = append(out, form{strings.TrimSuffix(filepath.Base(path), ".jsonl"), string(corpus.Session(t, path))})
	}
	if len(out) < 10 {
		t.Fatalf("only %d samples in %s", len(out), dir)
	}
	return out
}

// rowOf is the row of a form in a table, "" if it has none.
func rowOf(table, name string) string {
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| "+name+" | ") {
			return line
		}
	}
	return ""
}

// table is the table of the rows that are not "".
func table(rows []string) string {
	return "\n| form | sess-path | sess-append | sess-ls | sess-check finds | a repair keeps |\n|---|---|---|---|---|---|\n" +
		strings.Join(slices.DeleteFunc(rows, func(r string) bool { return r == "" }), "") + "\n"
}

// row is what the tools make of one form, "" if none of them sees anything
// wrong.
func row(t *testing.T, f form) string {
	dir := t.TempDir()
	write(t, dir, "s.jsonl", f.content)
	cells := []string{reads(t, dir), appends(t, dir, f.content), lists(t, dir), checks(t, dir), repairs(t, dir)}
	if cells[3] == "nothing" && !strings.Contains(cells[0], ",") && cells[0] != "refuses" {
		return ""
	}
	return "| " + f.name + " | " + strings.Join(cells, " | ") + " |\n"
}

// reads runs the tools that read; they have to agree on whether they can, and what sess-grep and sess-history print
// acts on no terminal.
func reads(t *testing.T, dir string) string {
	r := runCommand(t, dir, "", "sess-path", "--no-header", "s.jsonl")
	for _, args := range []string{"sess-fork", "sess-tree", "sess-compact --plan", "sess-grep .", "sess-grep -v zzz", "sess-grep --json -C1 --in all [^x]", "sess-grep -C 2 e"} {
		other := runCommand(t, dir, "", append(strings.Fields(args), "s.jsonl")...)
		if other.status != r.status && !(r.status == 0 && other.status == 1) {
			t.Errorf("%v: status %d, sess-path %d: %s", args, other.status, r.status, other.stderr)
		}
		if strings.HasPrefix(args, "sess-grep") && !strings.Contains(args, "--json") { // which is clean on terminals alone
			printable(t, other)
		}
	}
	project := filepath.Join(dir, "store", "--w--")
	err := errors.Join(os.MkdirAll(project, 0o700), os.Link(filepath.Join(dir, "s.jsonl"), filepath.Join(project, "bad.jsonl")))
	if err != nil {
		t.Error(err)
	}
	write(t, project, "good.jsonl", strings.ReplaceAll(good, "first question of the session", "the good one"))
	asked := runCommand(t, dir, "", "sess-history", "-a", "--copies")
	fi, err := os.Stat(filepath.Join(project, "bad.jsonl"))
	check(t, err)
	if want := map[bool]int{true: 2}[r.status > 1 && fi.Size() > 0]; asked.status != want || !strings.Contains(asked.stdout, "\tthe good one\n") {
		t.Errorf("sess-history: status %d, want %d: %s%s", asked.status, want, asked.stdout, asked.stderr)
	}
	printable(t, asked)
	if r.status != 0 {
		return "refuses"
	}
	return count(r.stdout) + warns(r)
}

// printable looks for control characters in what was printed.
func printable(t *testing.T, r result) {
	t.Helper()
	if i := strings.IndexFunc(r.stdout, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 }); i >= 0 {
		t.Errorf("control character in %q", r.stdout[max(0, i-20):i+1])
	}
}

func appends(t *testing.T, dir, content string) string {
	path := write(t, dir, "copy.jsonl", content)
	old := time.Now().Add(-time.Hour) // a torn line that was written just now is waited for
	if err := os.Chtimes(path, old, old); err != nil {
		t.Error(err)
	}
	r := runCommand(t, dir, "", "sess-append", "-t", "new", "copy.jsonl")
	if r.status != 0 {
		return "refuses"
	}
	return "appends" + warns(r)
}

func lists(t *testing.T, dir string) string {
	sub := filepath.Join(dir, "one")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Error(err)
	}
	if err := os.Link(filepath.Join(dir, "s.jsonl"), filepath.Join(sub, "s.jsonl")); err != nil {
		t.Error(err)
	}
	if r := runCommand(t, dir, "", "sess-ls", "--paths", "one"); r.stdout == "" {
		return "leaves out" + warns(r)
	}
	return "lists"
}

// checks names the kinds of errors and warnings.
func checks(t *testing.T, dir string) string {
	r := runCommand(t, dir, "", "sess-check", "--json", "-q", "--strict", "s.jsonl")
	var kinds []string
	for line := range strings.Lines(r.stdout) {
		var f struct{ Problem string }
		if err := json.NewDecoder(bytes.NewReader([]byte(line))).Decode(&f); err != nil {
			t.Error(err)
		}
		if !slices.Contains(kinds, f.Problem) {
			kinds = append(kinds, f.Problem)
		}
	}
	if len(kinds) == 0 {
		return "nothing"
	}
	return strings.Join(kinds, ", ")
}

// repairs counts what a repair keeps and sets aside. The copy has no errors.
func repairs(t *testing.T, dir string) string {
	r := runCommand(t, dir, "", "sess-check", "-q", "--repair", "--relink", "--migrate", "-o", "mended.jsonl", "s.jsonl")
	if r.status != 0 {
		return "refuses"
	}
	if r := runCommand(t, dir, "", "sess-check", "mended.jsonl"); r.status != 0 {
		t.Errorf("the copy is not clean: %s", r.stdout)
	}
	cell := count(readFile(t, filepath.Join(dir, "mended.jsonl")))
	if rejected, err := os.ReadFile(filepath.Join(dir, "mended.jsonl.rej")); err == nil {
		cell += fmt.Sprintf(", %d B aside", len(rejected))
	}
	return cell
}

// count counts the lines that are entries.
func count(text string) string {
	n := 0
	for line := range strings.Lines(text) {
		var e struct{ Type string }
		if json.Unmarshal([]byte(line), &e) != nil || e.Type != "session" && e.Type != "title" {
			n++
		}
	}
	return fmt.Sprint(n)
}

func warns(r result) string {
	if r.stderr != "" {
		return ", warns"
	}
	return ""
}
