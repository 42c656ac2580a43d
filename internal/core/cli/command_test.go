package cli_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
)

// several is a tool with two commands, which print what they got.
func several() cli.Tool {
	command := func(name, flag string) cli.Tool {
		return cli.Tool{
			Name: name, Summary: name + " things", Args: "[FILE...]",
			New: func() ([]cli.Flag, cli.Action) {
				var on bool
				var wait string
				flags := []cli.Flag{cli.Bool(&on, flag, "be "+flag), cli.String(&wait, "wait", "", "wait for the lock at most `DURATION`")}
				return flags, func(_ context.Context, s *cli.Streams, operands []string) error {
					if len(operands) > 2 {
						return cli.UsageError("too many")
					}
					_, err := fmt.Fprintf(s.Out, "%s on=%t wait=%q q=%t %q\n", name, on, wait, s.Quiet, operands)
					return err
				}
			},
		}
	}
	return cli.Tool{
		Name: "sess-demo", Summary: "do this or that", Args: "FILE",
		Commands: []cli.Tool{command("get", "quick"), command("put", "safe")},
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args   string
		status int
		out    string
		stderr string
	}{
		{"get a b", 0, `get on=false wait="" q=false ["a" "b"]`, ""},
		{"put --safe --wait 5 a", 0, `put on=true wait="5" q=false ["a"]`, ""},
		{"-q put a", 0, `put on=false wait="" q=true ["a"]`, ""},
		{"--safe put a", 0, `put on=true wait="" q=false ["a"]`, ""},
		{"put a get", 0, `put on=false wait="" q=false ["a" "get"]`, ""},
		{"put -- -a", 0, `put on=false wait="" q=false ["-a"]`, ""},
		{"put --quick a", 2, "", "sess-demo: unknown flag --quick\nsess-demo: hint: did you mean --quiet?\n"},
		{"put a b c", 2, "", "sess-demo: too many\nsess-demo: hint: see sess-demo put -h\n"},
		{"", 2, "", "sess-demo: no command named: want get, put\nsess-demo: hint: see sess-demo -h\n"},
		{"-q", 2, "", "sess-demo: no command named: want get, put\n"},
		{"drop a", 2, "", "sess-demo: unknown command \"drop\": want get, put\nsess-demo: hint: see sess-demo -h\n"},
		{"-- get", 2, "", "sess-demo: unknown command \"--\": want get, put\nsess-demo: hint: see sess-demo -h\n"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			r := run(t, several(), "", strings.Fields(tt.args)...)
			if r.status != tt.status || strings.TrimSuffix(r.out, "\n") != tt.out || r.stderr != tt.stderr {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestCommandHelp(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][]string{
		"--help":        {"usage: sess-demo [flags] COMMAND FILE\n", "\nCommands:\n  get  get things\n  put  put things\n", "\nFlags:\n  -q, --quiet "},
		"put --help":    {"usage: sess-demo put [flags] [FILE...]\n", "\nput things\n", "      --safe           be safe\n"},
		"-h get":        {"usage: sess-demo get [flags] [FILE...]\n"},
		"--version":     {"sess-demo "},
		"put --version": {"sess-demo (", "sess-demo "},
	} {
		r := run(t, several(), "", strings.Fields(args)...)
		found := false
		for _, w := range want {
			found = found || strings.Contains(r.out, w)
			if !strings.Contains(args, "version") && !strings.Contains(r.out, w) {
				t.Errorf("%s lacks %q:\n%s", args, w, r.out)
			}
		}
		if !found || r.status != 0 || strings.Contains(r.out, "put (") {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

func TestCommandFlags(t *testing.T) {
	t.Parallel()
	if n := len(cli.Flags(several())); n != 3+6 {
		t.Errorf("%d flags", n)
	}
}
