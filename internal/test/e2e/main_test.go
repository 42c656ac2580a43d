// Package e2e tests the built tools together, as a user runs them.
package e2e

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/scripttest"
)

// bin is the directory of the tools, built once.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	parallel := ""
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "test.parallel" {
			parallel = f.Value.String()
		}
	})
	if parallel == "" { // half of the time tests wait
		if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	debug.SetGCPercent(100) // whatever scripts/test says: on Linux the peak of a process begins with that of the test that starts it
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sess-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	// Other users run the tools in the test of unreadable files.
	if err := os.Chmod(dir, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := scripttest.Build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// size is how much a test does of the same: less, and more with SESS_DRAW=full, as CI does once a day.
func size(less, more int) int {
	if os.Getenv("SESS_DRAW") == "full" {
		return more
	}
	return less
}

// A result is what one run of a tool or a script left behind.
type result struct {
	status         int
	stdout, stderr string
}

// env is the environment of every run: a private store and home.
func env(home string) []string {
	return []string{
		"PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "SESS_DIR=" + filepath.Join(home, "store"), "LC_ALL=C", "TMPDIR=" + home,
		"PAGER=cat -", scripttest.EndAtOnce,
	}
}

// command is a command line of a tool, or of sh, in the directory dir.
func command(dir string, args ...string) *exec.Cmd {
	variables, args := assigned(env(dir), args)
	name := args[0]
	if name != "sh" {
		name = filepath.Join(bin, name)
	}
	c := exec.Command(name, args[1:]...)
	c.Dir, c.Env = dir, variables
	return c
}

// assigned takes the variables of the tools, such as SESS_WAIT=1m, from among the words of a command line.
func assigned(variables, args []string) (with, rest []string) {
	for _, arg := range args {
		if name, _, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(name, "SESS_") && !strings.ContainsAny(arg, " \n;") { // a script may begin with one
			variables = append(variables, arg)
		} else {
			rest = append(rest, arg)
		}
	}
	return variables, rest
}

// runCommand runs a command line in the directory dir.
func runCommand(t *testing.T, dir, stdin string, args ...string) result {
	t.Helper()
	c := command(dir, args...)
	c.Stdin = strings.NewReader(stdin)
	return wait(t, c)
}

func wait(t *testing.T, c *exec.Cmd) result {
	t.Helper()
	return begin(t, c)()
}

// begin starts a command. The function that it returns waits for its end.
func begin(t *testing.T, c *exec.Cmd) (end func() result) {
	t.Helper()
	var out, errs bytes.Buffer
	if c.Stdout == nil {
		c.Stdout = &out
	}
	c.Stderr = &errs
	check(t, c.Start())
	return func() result {
		r := result{}
		if err := c.Wait(); err != nil {
			exit, ok := errors.AsType[*exec.ExitError](err)
			if !ok {
				t.Fatal(err)
			}
			if r.status = exit.ExitCode(); r.status < 0 {
				r.status = 128 + signalOf(exit)
			}
		}
		r.stdout, r.stderr = out.String(), errs.String()
		return r
	}
}

// piped begins a command, and returns pipes to it and from it. What it prints has to be read before its end is waited for.
func piped(t *testing.T, c *exec.Cmd) (in io.WriteCloser, out io.Reader, end func() result) {
	t.Helper()
	in, err := c.StdinPipe()
	check(t, err)
	out, err = c.StdoutPipe()
	check(t, err)
	return in, out, begin(t, c)
}

// script runs a shell script with the tools in PATH and fails the test unless
// it ends with status 0.
func script(t *testing.T, dir, text string) string {
	t.Helper()
	r := runCommand(t, dir, "", "sh", "-euc", text)
	if r.status != 0 {
		t.Fatalf("%s\nstatus %d\n%s%s", text, r.status, r.stdout, r.stderr)
	}
	return r.stdout
}

// check ends the test with an error.
func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	check(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	check(t, err)
	return string(data)
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("nothing at %s: %v", pattern, err)
	}
	return names
}

// Which file a call is about is one rule: what sess-calls --touched finds, sess-stat --by file counts,
// under whichever name an agent gives the file.
func TestCallsAndStatAgreeAboutFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := 0
	for _, name := range []string{
		"path", "file", "file_path", "filePath", "filename", "notebook_path", "absolute_path", "target_file",
		"pattern", "command", "name", "url", "content", "directory", "glob",
	} {
		file := name + ".jsonl"
		write(t, dir, file, `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`+"\n"+
			fmt.Sprintf(`{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"look","arguments":{%q:"src/needle.go"}}]}}`, name)+"\n")
		found := runCommand(t, dir, "", "sess-calls", "--touched", "*.go", "-c", file)
		counted := runCommand(t, dir, "", "sess-stat", "--context", "--by", "file", file)
		if finds, counts := found.stdout == "1\n", strings.Contains(counted.stdout, "src/needle.go\t"); finds != counts || counted.status != 0 {
			t.Errorf("%s: sess-calls finds it: %t, sess-stat counts it: %t %s", name, finds, counts, counted.stdout)
		} else if finds {
			files++
		}
	}
	if files != 8 {
		t.Errorf("%d names are those of files", files)
	}
}

// redacting are the tools that take secrets out, or look at the rules for that.
var redacting = []string{"sess-redact", "sess-mcp", "sess-table", "sess-assert", "sess-calls", "sess-export", "sess-handoff", "sess-compact", "sess-show", "sess-turn", "sess-import", "sess-doctor"}

// heavy lists the large modules by the beginning of their paths, each with the tools that
// may have it linked: what reads databases (docs/adr/0018), what speaks to servers
// (docs/adr/0036).
var heavy = map[string][]string{
	"modernc.org/":                    {"sess-import", "sess-export", "sess-handoff"},
	"github.com/vmihailenco":          {"sess-import", "sess-export", "sess-handoff"},
	"github.com/klauspost/":           {"sess-import", "sess-export", "sess-handoff", "sess-sync", "sess-table"},
	"github.com/parquet-go/":          {"sess-table"},
	"github.com/minio/":               {"sess-sync", "sess-table"},
	"github.com/nats-io/":             {"sess-sync"},
	"github.com/alecthomas/":          {"sess-show"},
	"github.com/yuin/":                {"sess-show"},
	"github.com/modelcontextprotocol": {"sess-mcp"},
	"github.com/BurntSushi/":          redacting,
	"mvdan.cc/sh/":                    {"sess-assert", "sess-calls", "sess-table"},
	"github.com/BobuSumisu/":          redacting,
	"github.com/guptarohit":           {"sess-stat"}, // which is small, and for plots
}

// A tool that does not need a large module does not carry it: the others are small, and
// start as fast as they do, because of that.
func TestHeavyModulesAreWhereNeeded(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, path := range glob(t, filepath.Join("..", "..", "..", "cmd", "sess*")) {
		tool := filepath.Base(path)
		info, err := buildinfo.ReadFile(filepath.Join(bin, tool))
		check(t, err)
		if len(info.Deps) == 0 {
			t.Errorf("%s: says nothing of what it is made of", tool)
		}
		for _, module := range info.Deps {
			for prefix, tools := range heavy {
				if !strings.HasPrefix(module.Path, prefix) {
					continue
				}
				used[prefix] = true
				if !slices.Contains(tools, tool) {
					t.Errorf("%s is linked into %s", module.Path, tool)
				}
			}
		}
	}
	for prefix := range heavy {
		if !used[prefix] {
			t.Errorf("%s is in no tool: the list is out of date", prefix)
		}
	}
}
