package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/planted"
	"github.com/sess-tools/sess/internal/test/rowtest"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){tool.Name: main})
}

func TestScript(t *testing.T) {
	t.Parallel()
	scripttest.Run(t, "testdata")
}

// A wait of 0 is none at all, not the default.
func TestWait(t *testing.T) {
	t.Parallel()
	c := config{planning: planning{keep: 1}, asking: asking{maxPrompt: 1}}
	if err := c.check(&cli.Streams{}, "s.jsonl"); err != nil || c.target.Wait >= 0 {
		t.Errorf("wait %v, %v", c.target.Wait, err)
	}
}

// The man page describes the flags in the order in which --help lists them.
func TestManOrder(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/man/sess-compact.1")
	must.Do(t, err)
	var described []string
	for _, m := range regexp.MustCompile(`(?m)^\.It Fl (?:\w , Fl )?Fl (\S+)`).FindAllSubmatch(page, -1) {
		described = append(described, string(m[1]))
	}
	var listed []string
	flags, _ := tool.New()
	for _, f := range flags {
		if names := f.Names(); len(names) > 0 { // and is no variable
			listed = append(listed, names[0])
		}
	}
	listed = append(listed, "quiet", "verbose", "color", "help", "version") // of every tool
	if diff := cmp.Diff(listed, described); diff != "" {
		t.Errorf("(-help +page):\n%s", diff)
	}
}

// With --redact a command is asked about no secret, and is without it.
func TestRedact(t *testing.T) {
	t.Parallel()
	s := planted.Make(1)
	for _, redact := range []bool{false, true} {
		asked := filepath.Join(t.TempDir(), "asked")
		args := []string{"--keep", "1", "--no-require"}
		if redact {
			args = append(args, "--redact")
		}
		for _, call := range [][]string{append(args, "--print-prompt"), append(args, "--", "sh", "-c", "cat > \"$0\"; echo a summary", asked)} {
			var out, errs bytes.Buffer
			if status := cli.Run(t.Context(), tool, strings.NewReader(s.Text()), &out, &errs, call); status != 0 {
				t.Fatalf("%v: status %d: %s", call, status, errs.String())
			}
			text := out.String()
			if call[len(call)-1] == asked {
				data, err := os.ReadFile(asked)
				must.Do(t, err)
				text = string(data)
			}
			if left := strings.Contains(text, s.Secrets[0]); left == redact {
				t.Errorf("%v: left %v", call, left)
			}
		}
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	rowtest.Schema(t, "A line of sess-compact --if-needed -n, --plan, or --report --json.", sizeRow{}, planRow{}, branchRow{}, reportRow{})
}
