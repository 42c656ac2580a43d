package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/must"
)

func TestFlags(t *testing.T) {
	t.Parallel()
	want := []cli.FlagDoc{
		{Names: []string{"all", "a"}, Usage: "take all sessions, everything"},
		{Names: []string{"text", "t"}, TakesValue: true, ValueName: "TEXT", Usage: "the message is TEXT"},
		{Names: []string{"mode"}, TakesValue: true, ValueName: "MODE", Usage: "work in MODE", Default: "fast", Words: []string{"fast", "safe"}},
		{Names: []string{"maybe"}, TakesValue: true, ValueName: "THIS", Usage: "perhaps THIS"},
		{Names: []string{"keep", "k"}, TakesValue: true, ValueName: "N", Usage: "keep N tokens", Default: "5"},
		{Names: []string{"wait"}, TakesValue: true, ValueName: "DURATION", Usage: "wait for the lock at most DURATION", Default: "10s"},
		{Names: []string{"set"}, TakesValue: true, ValueName: "K=V", Usage: "set K=V", Repeatable: true},
		{Names: []string{"quiet", "q"}, Usage: "print no messages"},
		{Names: []string{"verbose", "v"}, Usage: "print more detail"},
		{Names: []string{"color"}, TakesValue: true, ValueName: "WHEN", Usage: "use colours WHEN", Default: "auto", Words: []string{"auto", "always", "never"}},
		{Names: []string{"h"}, Usage: "print the flags that most people use"},
		{Names: []string{"help"}, Usage: "print this help"},
		{Names: []string{"version"}, Usage: "print the version"},
	}
	if got := cli.Flags(demo(nil)); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func completion(t *testing.T, shell string) string {
	t.Helper()
	odd := demo(nil)
	odd.Name = "sess-other"
	var b bytes.Buffer
	must.Do(t, cli.Completion(&b, shell, []cli.Tool{demo(nil), odd}))
	return b.String()
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			script := completion(t, shell)
			for _, want := range []string{"sess-demo", "sess-other", "--complete " + shell + " --"} {
				if !strings.Contains(script, want) {
					t.Errorf("%s is missing", want)
				}
			}
			path, err := exec.LookPath(shell)
			if err != nil {
				if os.Getenv("CI") != "" {
					t.Fatal(err)
				}
				t.Skipf("no %s to check the syntax", shell)
			}
			cmd := exec.Command(path, "-n")
			cmd.Stdin = strings.NewReader(script)
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s -n: %v\n%s\n%s", shell, err, out, script)
			}
		})
	}
	if err := cli.Completion(&bytes.Buffer{}, "tcsh", nil); cli.Status(err) != cli.ExitUsage {
		t.Errorf("tcsh: %v", err)
	}
	disk := errors.New("no space")
	if err := cli.Completion(failWriter{disk}, "fish", nil); !errors.Is(err, disk) {
		t.Errorf("full disk: %v", err)
	}
}

// A choice that is nothing unless given cannot be given as nothing.
func TestChoiceOfNothing(t *testing.T) {
	t.Parallel()
	tool := cli.Tool{Name: "sess-demo", New: func() ([]cli.Flag, cli.Action) {
		var form string
		flags := []cli.Flag{cli.Choice(&form, "form", []string{"", "a", "b"}, "print as `FORM`")}
		return flags, func(_ context.Context, s *cli.Streams, _ []string) error {
			_, err := fmt.Fprintf(s.Out, "%q", form)
			return err
		}
	}}
	for args, want := range map[string]result{
		"":         {0, `""`, ""},
		"--form=b": {0, `"b"`, ""},
		"--form=": {
			2, "", "sess-demo: invalid value \"\" for --form: want a, b\n" +
				"sess-demo: hint: see sess-demo -h\n",
		},
	} {
		if got := run(t, tool, "", strings.Fields(args)...); got != want {
			t.Errorf("%q: got %+v, want %+v", args, got, want)
		}
	}
	if d := cli.Flags(tool)[0]; d.Default != "" || !reflect.DeepEqual(d.Words, []string{"a", "b"}) {
		t.Errorf("documented as %+v", d)
	}
}

func TestCompletionFlag(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args   string
		status int
		stdout string // "script": what Completion writes
		stderr string
	}{
		{"--completion bash", cli.ExitDone, "script", ""},
		{"--completion zsh", cli.ExitDone, "script", ""},
		{"--completion fish", cli.ExitDone, "script", ""},
		{"--completion tcsh", cli.ExitUsage, "", "want bash, zsh, fish"},
		{"--completion", cli.ExitUsage, "", "unknown flag --completion"},
		{"--completion bash x", cli.ExitUsage, "", "unknown flag --completion"},
		{"--text --completion bash --completion", cli.ExitUsage, "", "unknown flag --completion"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(tt.args)
			want := ""
			if tt.stdout == "script" {
				var b bytes.Buffer
				must.Do(t, cli.Completion(&b, args[1], []cli.Tool{demo(nil)}))
				want = b.String()
			}
			var out, errs bytes.Buffer
			status := cli.Run(t.Context(), demo(nil), strings.NewReader(""), &out, &errs, args)
			if status != tt.status || out.String() != want || !strings.Contains(errs.String(), tt.stderr) {
				t.Errorf("status %d, want %d; stderr %q; stdout %q", status, tt.status, errs.String(), out.String())
			}
		})
	}
}
