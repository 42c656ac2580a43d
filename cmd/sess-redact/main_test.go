package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/planted"
	"github.com/sess-tools/sess/internal/test/rowtest"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){tool.Name: main, "plant": plant})
}

func TestScript(t *testing.T) {
	t.Parallel()
	scripttest.Run(t, "testdata")
}

// plant FILE makes a session with secrets, for scripts: none stands in a file of the project.
// plant --secret FILE makes a file of one line.
func plant() {
	s := planted.Make(1)
	text := s.Text()
	if os.Args[1] == "--secret" {
		text = s.Secrets[0] + "\n"
	}
	if err := os.WriteFile(os.Args[len(os.Args)-1], []byte(text), 0o600); err != nil {
		panic(err)
	}
}

// run runs the tool in this process.
func run(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	status = cli.Run(t.Context(), tool, strings.NewReader(stdin), &out, &errs, args)
	return out.String(), errs.String(), status
}

// No stream and no file has a secret, however the tool is called and however it ends.
func TestStreams(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := planted.Make(2)
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) string {
		must.Do(t, os.WriteFile(path(name), []byte(text), 0o600))
		return path(name)
	}
	session := write("s.jsonl", s.Text())
	values := write("values", strings.Join(s.Secrets[:4], "\n"))
	structural := strings.Replace(s.Text(), `"id":"a0000002"`, `"id":"`+s.Secrets[0]+`"`, 1)
	damaged := s.Text() + `{"torn":"` + s.Secrets[0]
	rules := write("rules.toml", "[extend]\nuseDefault = true\n[[rules]]\nid = \"x\"\nregex = '''"+s.Secrets[0]+"'''\n")
	hashed := write("hash.toml", "[sess]\nwith = \"hash\"\nkey = \"map\"\n")
	all := write("all.toml", "[sess]\ngeneric = true\nentropy = true\nemails = true\n")
	wrong := write("wrong.toml", "[[rules]]\nid = \"x\"\nregex = '''("+s.Secrets[0]+"'''\n")
	for _, c := range []struct {
		in     string
		args   string
		status int
	}{
		{"", "-v " + session, 0},
		{"", "--with hash -v " + session, 0},
		{"", "--config " + hashed + " " + session, 0},
		{"", "--with XXX " + session, 0},
		{"", "--config " + all + " --users --signatures drop --images note " + session, 0},
		{"", "--config " + rules + " " + session, 0},
		{"", "--secret-file " + values + " -o " + path("out.jsonl") + " " + session, 0},
		{"", "--check -v " + session, 1},
		{"", "--check --json -v " + session, 1},
		{"", "--check --sarif " + session, 1},
		{"", "--check --github " + session, 1},
		{"", "--check --json --write-baseline " + path("base") + " " + session, 0},
		{structural, "", 3},
		{structural, "--check -v", 1},
		{damaged, "", 3},
		{damaged, "-v --damaged drop", 0},
		{damaged, "--check --json --damaged-ok", 1},
		{damaged, "--check --json", 2},
		{s.Text()[200:], "", 3},
	} {
		out, errs, status := run(t, c.in, strings.Fields(c.args)...)
		if status != c.status {
			t.Errorf("%s: status %d, not %d: %s", c.args, status, c.status, errs)
		}
		for what, text := range map[string]string{"standard output": out, "standard error": errs} {
			for _, secret := range s.Secrets {
				id := c.in == structural && secret == s.Secrets[0] // stays in the session, and is told of
				if strings.Contains(text, secret) && !(id && what == "standard output" && c.args == "") {
					t.Errorf("%s: a secret of %d bytes is in %s", c.args, len(secret), what)
				}
			}
		}
	}
	// What is wrong with the rules is said with the rule, which the user wrote.
	if _, errs, status := run(t, "", "--config", wrong, session); status != 2 || !strings.Contains(errs, "rule x") {
		t.Error(status, errs)
	}
	for _, name := range []string{"map", "out.jsonl", "base"} {
		data, err := os.ReadFile(path(name))
		must.Do(t, err)
		if slices.ContainsFunc(s.Secrets, func(secret string) bool { return bytes.Contains(data, []byte(secret)) }) {
			t.Errorf("a secret is in the file %s", name)
		}
	}
}

// A baseline knows again what it knew, and nothing else.
func TestBaseline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	base := filepath.Join(dir, "base")
	old, other := planted.Make(3), planted.Make(4)
	if _, errs, status := run(t, old.Text(), "--check", "--write-baseline", base); status != 0 {
		t.Fatal(errs)
	}
	if out, errs, status := run(t, old.Text(), "--check", "--baseline", base); status != 0 || out != "" {
		t.Error(status, out, errs)
	}
	if out, _, status := run(t, other.Text(), "--check", "--baseline", base); status != 1 || strings.Count(out, "\n") != other.Kinds {
		t.Error(status, out)
	}
	both := filepath.Join(dir, "both")
	if _, errs, status := run(t, other.Text(), "--check", "--baseline", base, "--write-baseline", both); status != 0 {
		t.Fatal(errs)
	}
	for _, s := range []planted.Session{old, other} {
		if out, _, status := run(t, s.Text(), "--check", "--baseline", both); status != 0 {
			t.Error(status, out)
		}
	}
	if _, _, status := run(t, old.Text(), "--check", "--write-baseline", base); status != 2 {
		t.Error("a baseline was overwritten")
	}
	fi, err := os.Stat(base)
	if err != nil || fi.Mode().Perm()&0o077 != 0 {
		t.Error(fi.Mode(), err)
	}
}

// The same secret has the same digest in one run, and in all that share a key.
func TestHash(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "own.toml")
	must.Do(t, os.WriteFile(file, []byte("[sess]\nwith = \"hash\"\nkey = \"key\"\n"), 0o600))
	s := planted.Make(5)
	first, _, _ := run(t, s.Text(), "--config", file)
	second, _, _ := run(t, s.Text(), "--config", file)
	other, _, _ := run(t, s.Text(), "--with", "hash")
	if first != second || first == other {
		t.Error("digests")
	}
	i := strings.Index(first, "[redacted:github-pat:")
	if strings.Count(first, first[i:i+30]) != 6 {
		t.Errorf("%d times %s", strings.Count(first, first[i:i+30]), first[i:i+30])
	}
}

// Each line of --json and --sarif is JSON, and lengths of short secrets are not told.
func TestJSON(t *testing.T) {
	t.Parallel()
	s := planted.Make(6)
	out, _, _ := run(t, s.Text(), "--check", "--json")
	n := 0
	for line := range strings.Lines(out) {
		var v map[string]any
		must.Do(t, json.Unmarshal([]byte(line), &v))
		if v["kind"] == "finding" {
			n++
		} else if v["kind"] != "total" || v["findings"] != float64(s.Kinds) {
			t.Error(line)
		}
	}
	if n != s.Kinds {
		t.Errorf("%d rows", n)
	}
	short := `{"type":"session","version":3,"id":"s","timestamp":"2026-11-20T10:00:00.000Z","cwd":"/"}` + "\n" +
		`{"type":"message","id":"a0000001","message":{"role":"user","content":"redis://:` + "hun" + `ter2@h"}}` + "\n"
	out, _, _ = run(t, short, "--check", "--json")
	if !strings.Contains(out, `"bytes":null`) || !strings.Contains(out, `"end":null`) || !strings.Contains(out, `"start"`) {
		t.Error(out)
	}
	out, _, _ = run(t, s.Text(), "--check", "--sarif")
	var doc struct {
		Runs []struct{ Results []struct{ RuleID string } }
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Runs) != 1 || len(doc.Runs[0].Results) == 0 {
		t.Error(out, err)
	}
}

// A panic says where it happened, and not in what.
func TestPanic(t *testing.T) {
	t.Parallel()
	err := func() (err error) {
		defer caught(&err)
		panic("a secret")
	}()
	if err == nil || strings.Contains(err.Error(), "a secret") || !strings.Contains(err.Error(), "TestPanic") {
		t.Error(err)
	}
}

// A full disk, and a reader that goes, leave no file that looks whole.
func TestOutputFails(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "out.jsonl")
	if _, _, status := run(t, planted.Make(7).Text()+"{\"a\":\""+planted.New(1).GitHub(), "-o", name); status != 3 {
		t.Error(status)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the file was made")
	}
	var errs bytes.Buffer
	if status := cli.Run(t.Context(), tool, strings.NewReader(planted.Make(8).Text()), failing{}, &errs, nil); status != 2 {
		t.Error(status, errs.String())
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestRows(t *testing.T) {
	t.Parallel()
	rowtest.Schema(t, "A line of sess-redact --check --json.", findingRow{}, totalRow{})
}
