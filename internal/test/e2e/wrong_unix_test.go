//go:build unix

package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/scripttest"
)

// small is a session of two entries.
const small = `{"type":"session","version":3,"id":"01a1fc13-4173-73d3-8273-e3e1ca1285c1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":"hello","timestamp":1767323045678}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-01-02T03:04:06.678Z","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1767323046678}}
`

// A wrong is a wrong command line with what it says on standard error, and its status.
type wrong struct {
	comment []string
	line    string // as sh takes it
	stderr  string
	status  int
}

func (w wrong) String() string {
	return strings.Join(w.comment, "") + "$ " + w.line + "\n" + w.stderr + "= " + strconv.Itoa(w.status) + "\n"
}

// readWrong reads a table: in front of each case there is an empty line, and perhaps comments;
// "$ " is in front of the command line, the lines of standard error follow, and "= " is in
// front of the status.
func readWrong(t *testing.T, name string) (list []wrong) {
	t.Helper()
	text, err := os.ReadFile(name)
	check(t, err)
	for block := range strings.SplitSeq(string(text), "\n\n") {
		w := wrong{status: -1}
		for line := range strings.Lines(block) {
			command, isCommand := strings.CutPrefix(line, "$ ")
			status, isStatus := strings.CutPrefix(line, "= ")
			switch {
			case w.line == "" && isCommand:
				w.line = strings.TrimSpace(command)
			case w.line == "":
				w.comment = append(w.comment, line)
			case isStatus:
				w.status, _ = strconv.Atoi(strings.TrimSpace(status))
			default:
				w.stderr += line
			}
		}
		if w.line == "" {
			t.Fatalf("no command line in %q", block)
		}
		list = append(list, w)
	}
	return list
}

// other is a session of another id, and its header alone is that of a third one.
var other = strings.ReplaceAll(strings.ReplaceAll(small, "01a1fc13-4173", "01a1fc13-9999"), "aaaa", "bbbb")

// around is what wrong command lines are run beside: files, and directories, whose names end
// in a slash.
var around = map[string]string{
	"s.jsonl":      small,
	"t.jsonl":      other,
	"torn.jsonl":   small[:len(small)-10],
	"bad.jsonl":    strings.Replace(small, `{"type":"message","id":"aaaa0002"`, `{"type":"message",,"id":"aaaa0002"`, 1),
	"empty.jsonl":  "",
	"newer.jsonl":  strings.Replace(small, `"version":3`, `"version":9`, 1),
	"head.jsonl":   strings.SplitAfter(small, "\n")[0],
	"text.txt":     "hello\n",
	"openai.json":  `[{"role":"user","content":"hello"}]` + "\n",
	"claude.jsonl": `{"type":"user","uuid":"10000000-0000-4000-8000-00000000000a","parentUuid":null,"isSidechain":false,"timestamp":"2026-01-02T03:04:05.000Z","sessionId":"10000000-0000-4000-8000-000000000001","cwd":"/w","version":"2.1.330","message":{"role":"user","content":"asked"}}` + "\n",
	"s.jsonl.gz":   "\x1f\x8b\x08\x00\x00\x00\x00\x00",
	"-x":           small,
	"d/":           "",
	"ro/":          "",
	"ro/s.jsonl":   small,
	"remote/":      "",
	"store/--w--/2026-01-02T03-04-05-000Z_01a1fc13-4173-73d3-8273-e3e1ca1285c1.jsonl": small,
	"store/--w--/2026-01-02T03-04-05-000Z_01a1fc13-9999-73d3-8273-e3e1ca1285c1.jsonl": other,
}

// lay makes the files, for the user as whom the command lines run.
func lay(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range around {
		path := filepath.Join(dir, name)
		check(t, os.MkdirAll(filepath.Dir(path), 0o700))
		if strings.HasSuffix(name, "/") {
			check(t, os.MkdirAll(path, 0o700))
			continue
		}
		check(t, os.WriteFile(path, []byte(text), 0o600))
	}
	ro := filepath.Join(dir, "ro")
	check(t, os.Chmod(ro, 0o500))
	t.Cleanup(func() { _ = os.Chmod(ro, 0o700) })
	if os.Getuid() == 0 {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				err = os.Chown(path, 65534, 65534)
			}
			return err
		})
		check(t, err)
	}
	return dir
}

// seen returns the files below a directory, each with its bytes, but for the empty file that
// is the lock of a segmented store and stays; see sess-seg(1).
func seen(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		text := ""
		if e.Type().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(b)
		}
		if text == "" && strings.HasSuffix(path, ".lock") {
			return nil
		}
		fmt.Fprintf(&out, "%s %s %q\n", strings.TrimPrefix(path, dir), e.Type(), text)
		return nil
	})
	check(t, err)
	return out.String()
}

// Each wrong command line says what is wrong and what to do, in these words, and leaves all
// files as they are. With -update the words are written anew, and are to be read.
func TestWrongCommandLines(t *testing.T) {
	t.Parallel()
	const table = "testdata/wrong.txt"
	list := readWrong(t, table)
	if scripttest.Update() {
		t.Cleanup(func() {
			var blocks []string
			for _, w := range list {
				blocks = append(blocks, w.String())
			}
			if err := os.WriteFile(table, []byte(strings.Join(blocks, "\n")), 0o644); err != nil {
				t.Error(err)
			}
		})
	}
	for i := range list {
		want := &list[i]
		t.Run(want.line, func(t *testing.T) {
			t.Parallel()
			dir := lay(t)
			before := seen(t, dir)
			r := asNobody(t, dir, "sh", "-c", want.line)
			got := wrong{want.comment, want.line, strings.ReplaceAll(r.stderr, dir, "$DIR"), r.status}
			if after := seen(t, dir); after != before {
				t.Errorf("files were\n%sand are\n%s", before, after)
			}
			if scripttest.Update() {
				*want = got
				return
			}
			if got.String() != want.String() {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
