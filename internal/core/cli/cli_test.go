package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
)

// demo prints its flags and operands, after doing what the operands say.
func demo(act func(ctx context.Context, s *cli.Streams, operands []string) error) cli.Tool {
	return cli.Tool{
		Name: "sess-demo", Summary: "demonstrate", Args: "[FILE...]",
		Doc:      "Prints what it got.",
		Examples: "\nsess-demo a.jsonl\nsess-demo <a.jsonl\n",
		Common:   "\ntext\nmode\nall keep: all of N\n",
		New: func() ([]cli.Flag, cli.Action) {
			var (
				all   bool
				text  string
				mode  string
				maybe *string
				keep  int
				wait  time.Duration
				set   []string
			)
			flags := []cli.Flag{
				cli.Bool(&all, "all, a", "take all sessions, everything"),
				cli.String(&text, "text, t", "", "the message is `TEXT`"),
				cli.Choice(&mode, "mode", []string{"fast", "safe"}, "work in `MODE`"),
				cli.Optional(&maybe, "maybe", "perhaps `THIS`"),
				cli.Int(&keep, "keep, k", 5, "keep `N` tokens"),
				cli.Duration(&wait, "wait", 10*time.Second, "wait for the lock at most `DURATION`"),
				cli.Strings(&set, "set", "set `K=V`"),
			}
			return flags, func(ctx context.Context, s *cli.Streams, operands []string) error {
				if act != nil {
					return act(ctx, s, operands)
				}
				given := "-"
				if maybe != nil {
					given = "=" + *maybe
				}
				_, err := fmt.Fprintf(s.Out, "a=%t t=%q mode=%s maybe%s k=%d wait=%s set=%q q=%t v=%t %q\n",
					all, text, mode, given, keep, wait, set, s.Quiet, s.Verbose, operands)
				return err
			}
		},
	}
}

// result is what one run left behind.
type result struct {
	status      int
	out, stderr string
}

func run(t *testing.T, tool cli.Tool, stdin string, args ...string) result {
	t.Helper()
	var out, errw bytes.Buffer
	status := cli.Run(t.Context(), tool, strings.NewReader(stdin), &out, &errw, args)
	return result{status, out.String(), errw.String()}
}

func TestFlagsAndOperands(t *testing.T) {
	t.Parallel()
	const rest = " mode=fast maybe- k=5 wait=10s set=[] q=false v=false "
	tests := []struct {
		args string // split at "|"
		want string
	}{
		{"", `a=false t=""` + rest + `[]`},
		{"-a|x", `a=true t=""` + rest + `["x"]`},
		{"x|-a", `a=true t=""` + rest + `["x"]`},
		{"x|--all|y", `a=true t=""` + rest + `["x" "y"]`},
		{"--all=false|-a|--all=false", `a=false t=""` + rest + `[]`},
		{"x|--|-a|--", `a=false t=""` + rest + `["x" "-a" "--"]`},
		{"-|-a", `a=true t=""` + rest + `["-"]`},
		{"help", `a=false t=""` + rest + `["help"]`},
		{"h|version", `a=false t=""` + rest + `["h" "version"]`},
		{"x|--generate-bash-completion|-a", ""},
		{"-t|-x", `a=false t="-x"` + rest + `[]`},
		{"--text|--all", `a=false t="--all"` + rest + `[]`},
		{"-t|--|-a", `a=true t="--"` + rest + `[]`},
		{"--text=-x", `a=false t="-x"` + rest + `[]`},
		{"--text=a=b", `a=false t="a=b"` + rest + `[]`},
		{"--text=", `a=false t=""` + rest + `[]`},
		{"-tx", `a=false t="x"` + rest + `[]`},
		{"-t=x", `a=false t="x"` + rest + `[]`},
		{"-at|x", `a=true t="x"` + rest + `[]`},
		{"-atx", `a=true t="x"` + rest + `[]`},
		{"-t|x|--text|y|-t|z", `a=false t="z"` + rest + `[]`},
		{"-t|é\n", `a=false t="é\n"` + rest + `[]`},
		{"-qvk9", `a=false t="" mode=fast maybe- k=9 wait=10s set=[] q=true v=true []`},
		{"--keep|-9", `a=false t="" mode=fast maybe- k=-9 wait=10s set=[] q=false v=false []`},
		{"--set|a,b|--set|c", `a=false t="" mode=fast maybe- k=5 wait=10s set=["a,b" "c"] q=false v=false []`},
		{"--maybe=", `a=false t="" mode=fast maybe= k=5 wait=10s set=[] q=false v=false []`},
		{"--mode|safe|--wait|1m", `a=false t="" mode=safe maybe- k=5 wait=1m0s set=[] q=false v=false []`},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			var args []string
			if tt.args != "" {
				args = strings.Split(tt.args, "|")
			}
			got := run(t, demo(nil), "", args...)
			if tt.want == "" {
				if got.status != cli.ExitUsage || got.out != "" {
					t.Errorf("got %+v, want a usage error", got)
				}
				return
			}
			if want := (result{0, tt.want + "\n", ""}); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	const hint = "sess-demo: hint: see sess-demo -h\n"
	tests := []struct{ args, stderr string }{
		{"--nope", "sess-demo: unknown flag --nope\n" + hint},
		{"x --nope=1 y", "sess-demo: unknown flag --nope\n" + hint},
		{"--mod=safe", "sess-demo: unknown flag --mod\nsess-demo: hint: did you mean --mode?\n"},
		{"-z", "sess-demo: unknown flag -z\n" + hint},
		{"-az", "sess-demo: unknown flag -z\n" + hint},
		{"--a", "sess-demo: unknown flag --a\n" + hint},
		{"-mode safe", "sess-demo: unknown flag -mode\nsess-demo: hint: long flags take two dashes: --mode\n"},
		{"---", "sess-demo: unknown flag ---\n" + hint},
		{"--=x", "sess-demo: unknown flag --\n" + hint},
		{"x --keep", "sess-demo: flag --keep needs a value\n" + hint},
		{"-ak", "sess-demo: flag -k needs a value\n" + hint},
		{"--keep x", "sess-demo: invalid value \"x\" for --keep: want a number\n" + hint},
		{"--all=perhaps", "sess-demo: invalid value \"perhaps\" for --all: parse error\n" + hint},
		{"--mode slow", "sess-demo: invalid value \"slow\" for --mode: want fast, safe\n" + hint},
		{"--\x1b[31m", `sess-demo: unknown flag --\x1b[31m` + "\n" + hint},
		{"-a\x80", `sess-demo: unknown flag -\x80` + "\n" + hint},
		{"--no\xff\u202e", `sess-demo: unknown flag --no\xff\u202e` + "\n" + hint},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			got := run(t, demo(nil), "", strings.Fields(tt.args)...)
			if want := (result{cli.ExitUsage, "", tt.stderr}); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	const want = `usage: sess-demo [flags] [FILE...]

demonstrate

Prints what it got.

Examples:
  sess-demo a.jsonl
  sess-demo <a.jsonl

Flags:
  -a, --all            take all sessions, everything
  -t, --text TEXT      the message is TEXT
      --mode MODE      work in MODE: fast, safe (default fast)
      --maybe THIS     perhaps THIS
  -k, --keep N         keep N tokens (default 5)
      --wait DURATION  wait for the lock at most DURATION (default 10s)
      --set K=V        set K=V
  -q, --quiet          print no messages
  -v, --verbose        print more detail
      --color WHEN     use colours WHEN: auto, always, never (default auto)
  -h                   print the flags that most people use
      --help           print this help
      --version        print the version
`
	const short = `usage: sess-demo [flags] [FILE...]
demonstrate

  sess-demo a.jsonl
  sess-demo <a.jsonl

  -t, --text TEXT  the message is TEXT
      --mode MODE  work in MODE: fast, safe (default fast)
  -a, -k N         all of N
  -q, --quiet   -v, --verbose   --color WHEN   --version

--help has all 7 flags; man sess-demo has examples
`
	for _, args := range []string{"-h", "x -h", "-ah", "-k 7 -h --set a"} {
		if got := run(t, demo(nil), "", strings.Fields(args)...); got != (result{0, short, ""}) {
			t.Errorf("%s: got %+v", args, got)
		}
	}
	for _, args := range []string{"--help", "--help x", "-h --help", "-k 7 --help --set a"} {
		if got := run(t, demo(nil), "", strings.Fields(args)...); got != (result{0, want, ""}) {
			t.Errorf("%s: got %+v", args, got)
		}
	}
	got := run(t, demo(nil), "", "--version")
	if !strings.HasPrefix(got.out, "sess-demo ") || !strings.HasSuffix(got.out, " (session format 3; reads 1-3)\n") {
		t.Errorf("--version: %+v", got)
	}
}

// Help and version are output like any other: not writing them is an error.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	quiet := demo(func(_ context.Context, s *cli.Streams, _ []string) error {
		fmt.Fprintln(s.Out, "data")
		return nil
	})
	noticing := demo(func(_ context.Context, s *cli.Streams, _ []string) error {
		_, err := s.Out.Write(make([]byte, 1<<20))
		return fmt.Errorf("writing the path: %w", err)
	})
	failing := demo(func(_ context.Context, s *cli.Streams, _ []string) error {
		fmt.Fprintln(s.Out, "data")
		return cli.CommandFailed(errors.New("running it: no"))
	})
	const full = "sess-demo: writing standard output: no space\n"
	tests := []struct {
		name string
		tool cli.Tool
		args []string
		want result
	}{
		{"help", quiet, []string{"--help"}, result{2, "", full}},
		{"version", quiet, []string{"--version"}, result{2, "", full}},
		{"action returns nil", quiet, nil, result{2, "", full}},
		{"action notices", noticing, nil, result{2, "", "sess-demo: writing the path: writing standard output: no space\n"}},
		{"action fails too", failing, nil, result{5, "", "sess-demo: running it: no\n" + full}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var errw bytes.Buffer
			w := failWriter{&os.PathError{Op: "write", Path: "/dev/stdout", Err: errors.New("no space")}}
			status := cli.Run(t.Context(), tt.tool, nil, w, &errw, tt.args)
			if got := (result{status, "", errw.String()}); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

type failWriter struct{ err error }

func (w failWriter) Write([]byte) (int, error) { return 0, w.err }

func TestReaderGone(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	r.Close()
	_, pw := io.Pipe()
	pw.Close()
	for name, stdout := range map[string]io.Writer{"os.Pipe": w, "io.Pipe": pw} {
		for _, action := range []error{nil, errors.New("x: y"), cli.No("none")} {
			t.Run(fmt.Sprintf("%s/%v", name, action), func(t *testing.T) {
				t.Parallel()
				tool := demo(func(_ context.Context, s *cli.Streams, _ []string) error {
					fmt.Fprintln(s.Out, "data")
					return action
				})
				var errw bytes.Buffer
				if got := cli.Run(t.Context(), tool, nil, stdout, &errw, nil); got != cli.ExitPipe || errw.Len() > 0 {
					t.Errorf("status %d, %q; want %d in silence", got, errw.String(), cli.ExitPipe)
				}
			})
		}
	}
}

// A broken pipe elsewhere, to a command's standard input say, is no reader of
// ours going away.
func TestForeignBrokenPipe(t *testing.T) {
	t.Parallel()
	tool := demo(func(context.Context, *cli.Streams, []string) error {
		return fmt.Errorf("feeding the command: %w", io.ErrClosedPipe)
	})
	want := result{2, "", "sess-demo: feeding the command: io: read/write on closed pipe\n"}
	if got := run(t, tool, ""); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestCommandWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args    string
		command bool
		want    string
	}{
		{"x -- cmd -a --", true, `["x"] ["cmd" "-a" "--"] true`},
		{"x --", true, `["x"] [] true`},
		{"x", true, `["x"] [] false`},
		{"-- cmd", true, `[] ["cmd"] true`},
		{"x -- y", false, `["x" "y"] [] false`},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			tool := demo(func(_ context.Context, s *cli.Streams, operands []string) error {
				_, err := fmt.Fprintf(s.Out, "%q %q %t", operands, s.Command, s.HasCommand)
				return err
			})
			tool.Command = tt.command
			if got := run(t, tool, "", strings.Fields(tt.args)...); got != (result{0, tt.want, ""}) {
				t.Errorf("got %+v, want %s", got, tt.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"-a\x00x\x00--", "-tx\x00--text=\x00-", "--\x00-a", "-ka\x00-\xff"} {
		f.Add(s)
	}
	// Laws: no argument list crashes or prints control characters to stderr; a
	// usage error prints nothing to stdout and anything else nothing to stderr;
	// what follows "--" arrives untouched.
	f.Fuzz(func(t *testing.T, joined string) {
		args := strings.Split(joined, "\x00")
		got := run(t, demo(nil), "", args...)
		switch {
		case got.status == cli.ExitUsage && got.out == "" && got.stderr != "":
		case got.status == cli.ExitDone && got.out != "" && got.stderr == "":
		default:
			t.Errorf("%q: %+v", args, got)
		}
		for _, r := range got.stderr {
			if r < 0x20 && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 {
				t.Errorf("%q: control character in %q", args, got.stderr)
			}
		}
		echo := demo(func(_ context.Context, s *cli.Streams, operands []string) error {
			_, err := io.WriteString(s.Out, strings.Join(operands, "\x00"))
			return err
		})
		if got := run(t, echo, "", append([]string{"--"}, args...)...); got != (result{0, joined, ""}) {
			t.Errorf("-- %q: %+v", args, got)
		}
	})
}
