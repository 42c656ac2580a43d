package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/rowtest"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

var rounds = flag.Int("rounds", 300, "how many random cases are tried")

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){tool.Name: main})
}

func TestScript(t *testing.T) {
	t.Parallel()
	scripttest.Run(t, "testdata")
}

// run runs the tool in this process.
func run(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	status = cli.Run(t.Context(), tool, strings.NewReader(stdin), &out, &errs, args)
	return out.String(), errs.String(), status
}

// peer returns the path of a program to compare with. On CI all of them are there.
func peer(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("no %s to compare with", name)
	}
	return path
}

// header is the first line of a session.
const header = `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"

// entries returns lines of entries, each the child of the one before: of JSON objects
// without the members that link them.
func entries(bodies ...string) string {
	var b strings.Builder
	parent := "null"
	for i, body := range bodies {
		id := `"e00` + string(rune('1'+i)) + `"`
		b.WriteString(`{"type":` + strings.TrimPrefix(body, `{"type":`)[:strings.Index(strings.TrimPrefix(body, `{"type":`), ",")+1])
		b.WriteString(`"id":` + id + `,"parentId":` + parent + `,"timestamp":"2026-01-02T03:04:05.000Z",`)
		rest := strings.TrimPrefix(body, `{"type":`)
		b.WriteString(rest[strings.Index(rest, ",")+1:] + "\n")
		parent = id
	}
	return b.String()
}

// message returns the body of a message entry for entries.
func message(role, content string) string {
	return `{"type":"message","message":{"role":"` + role + `","content":` + content + `}}`
}

func TestRows(t *testing.T) {
	t.Parallel()
	rowtest.Schema(t, "A line of sess-grep --json.", matchRow{}, leftOutRow{})
}
