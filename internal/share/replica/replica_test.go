package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/share/remote/dir"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

const (
	testID = "01a1fc13-4173-73d3-8273-e3e1ca1285c1"
	header = `{"type":"session","version":3,"id":"` + testID + `","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/w"}` + "\n"
)

// A helper is what tests and rapid have in common.
type helper interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func newRemote(t helper, name string) remote.Log {
	t.Helper()
	must.Do(t, dir.Make(name))
	return openRemote(t, name)
}

func openRemote(t helper, name string) remote.Log {
	t.Helper()
	l, err := dir.Open(name, func(string, ...any) {})
	must.Do(t, err)
	return l
}

// ready makes a remote without the probe, which takes time.
func ready(t helper, name string) remote.Log {
	t.Helper()
	l := newRemote(t, name)
	must.Do(t, os.MkdirAll(filepath.Join(name, "v1"), 0o700))
	must.Do(t, os.WriteFile(filepath.Join(name, "v1", "remote.json"), remote.Marker(time.UnixMilli(0)), 0o600))
	return l
}

func options(l remote.Log) Options {
	return Options{Log: l, Tries: 50, MaxSize: 1 << 32, Grace: -1, Warn: func(string, ...any) {}}
}

func entry(id, parent string) string {
	return fmt.Sprintf(`{"type":"custom","id":%q,"parentId":%q,"timestamp":"2026-01-02T03:04:06.000Z","customType":"x"}`+"\n", id, parent)
}

func write(t helper, name string, text ...string) {
	t.Helper()
	must.Do(t, os.WriteFile(name, []byte(strings.Join(text, "")), 0o600))
}

func add(t helper, name string, text ...string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString(strings.Join(text, ""))
	}
	must.Do(t, err)
	f.Close()
}

func content(t helper, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	must.Do(t, err)
	return string(b)
}

// inRemote returns what the remote has of the session.
func inRemote(t helper, l remote.Log) string {
	t.Helper()
	var b bytes.Buffer
	for p, err := range l.Read(context.Background(), testID, 0) {
		must.Do(t, err)
		b.Write(p.Data)
	}
	return b.String()
}

// The table of the protocol: what file and remote have in common (P), what only the
// file has (L) and what only the remote has (R).
func TestProtocol(t *testing.T) {
	t.Parallel()
	p := header + entry("p1", "")
	l, r := entry("l1", "p1")+entry("l2", "l1"), entry("r1", "p1")+entry("r2", "r1")
	for name, tt := range map[string]struct {
		file, remote         string
		pushed, pulled       Result
		pushFile, pullFile   string
		pushRemote           string // after the push; the pull changes nothing
		err                  error
		pullErr              error
		leftFile, leftRemote bool
	}{
		"nothing":      {file: p, remote: p, pushFile: p, pullFile: p, pushRemote: p},
		"new":          {file: p + l, pushed: Result{Sent: 4}, pushFile: p + l, pullFile: p + l, pushRemote: p + l},
		"push":         {file: p + l, remote: p, pushed: Result{Sent: 2}, pushFile: p + l, pullFile: p + l, pushRemote: p + l},
		"fast-forward": {file: p, remote: p + r, pushed: Result{Got: 2}, pulled: Result{Got: 2}, pushFile: p + r, pullFile: p + r, pushRemote: p + r},
		"both": {
			file: p + l, remote: p + r, pushed: Result{Sent: 2, Got: 2}, pulled: Result{Got: 2},
			pushFile: p + r + l, pullFile: p + r + l, pushRemote: p + r + l,
		},
		"lines of L in R": {
			file: p + l, remote: p + r + entry("l1", "p1"), pushed: Result{Sent: 1, Got: 3}, pulled: Result{Got: 3},
			pushFile: p + r + l, pullFile: p + r + l, pushRemote: p + r + l,
		},
		"a line twice": {
			file: p + entry("d", "p1") + entry("d", "p1"), remote: p + r + entry("d", "p1"),
			pushed: Result{Sent: 1, Got: 3}, pulled: Result{Got: 3}, pushFile: p + r + entry("d", "p1") + entry("d", "p1"),
			pullFile: p + r + entry("d", "p1") + entry("d", "p1"), pushRemote: p + r + entry("d", "p1") + entry("d", "p1"),
		},
		"damaged lines travel": {
			file: p, remote: p + "   \nnot json\n", pushed: Result{Got: 2}, pulled: Result{Got: 2},
			pushFile: p + "   \nnot json\n", pullFile: p + "   \nnot json\n", pushRemote: p + "   \nnot json\n",
		},
		"a title slot": {
			file: `{"type":"title","v":1,"title":"x","updatedAt":"2026-01-02T03:04:05.678Z","pad":"  "}` + "\n" + p + l, remote: p + r, pushed: Result{Sent: 2, Got: 2}, pulled: Result{Got: 2},
			pushFile: `{"type":"title","v":1,"title":"x","updatedAt":"2026-01-02T03:04:05.678Z","pad":"  "}` + "\n" + p + r + l, pullFile: `{"type":"title","v":1,"title":"x","updatedAt":"2026-01-02T03:04:05.678Z","pad":"  "}` + "\n" + p + r + l, pushRemote: p + r + l,
		},
		"a torn tail": {
			file: p + l + `{"type`, remote: p + r, pushed: Result{Sent: 2, Got: 2}, pulled: Result{Got: 2},
			pushFile: p + r + l + `{"type`, pullFile: p + r + l + `{"type`, pushRemote: p + r + l,
		},
		"a tail of R": { // with its id, which no other line has
			file: p + entry("r1", "p1")[:30], remote: p + r, pushed: Result{Got: 2}, pulled: Result{Got: 2},
			pushFile: p + r, pullFile: p + r, pushRemote: p + r,
		},
		"a tail of any line": {
			file: p + entry("r1", "p1")[:9], remote: p + r, pushed: Result{Got: 2}, pulled: Result{Got: 2},
			pushFile: p + r + entry("r1", "p1")[:9], pullFile: p + r + entry("r1", "p1")[:9], pushRemote: p + r,
		},
		"same id": {
			file: p + entry("x", "p1"), remote: p + entry("x", "p2"), err: ErrConflict, pullErr: ErrConflict,
			pushFile: p + entry("x", "p1"), pullFile: p + entry("x", "p1"), pushRemote: p + entry("x", "p2"),
		},
		"other header": {
			file: p, remote: strings.Replace(p, "/w", "/v", 1), err: ErrConflict, pullErr: ErrConflict,
			pushFile: p, pullFile: p, pushRemote: strings.Replace(p, "/w", "/v", 1),
		},
		"another session": {
			file: p, remote: strings.Replace(p, testID, "another", 1), err: remote.ErrDamaged, pullErr: remote.ErrDamaged,
			pushFile: p, pullFile: p, pushRemote: strings.Replace(p, testID, "another", 1),
		},
	} {
		for _, push := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", name, push), func(t *testing.T) {
				t.Parallel()
				d := t.TempDir()
				log, path := ready(t, filepath.Join(d, "remote")), filepath.Join(d, "s.jsonl")
				write(t, path, tt.file)
				n := uint64(0)
				for part := range strings.Lines(tt.remote) { // a part each
					if _, err := log.Append(t.Context(), testID, remote.Pos(n), n+1, []byte(part)); err != nil {
						t.Fatal(err)
					}
					n++
				}
				run, want, wantFile, wantRemote, wantErr := Pull, tt.pulled, tt.pullFile, tt.remote, tt.pullErr
				if push {
					run, want, wantFile, wantRemote, wantErr = Push, tt.pushed, tt.pushFile, tt.pushRemote, tt.err
				}
				o := options(log)
				o.DryRun = true
				dry, err := run(t.Context(), path, o)
				if dry.N = 0; dry != want || !errors.Is(err, wantErr) || content(t, path) != tt.file || inRemote(t, log) != tt.remote {
					t.Errorf("dry run: %+v, %v", dry, err)
				}
				got, err := run(t.Context(), path, options(log))
				if got.N = 0; got != want || !errors.Is(err, wantErr) {
					t.Errorf("%+v, %v; want %+v, %v", got, err, want, wantErr)
				}
				if got := content(t, path); got != wantFile {
					t.Errorf("file\n%s\nwant\n%s", got, wantFile)
				}
				if got := inRemote(t, log); got != wantRemote {
					t.Errorf("remote\n%s\nwant\n%s", got, wantRemote)
				}
				if wantErr == nil { // again, there is nothing to do, whether the state is there or not
					for range 2 {
						if got, err := run(t.Context(), path, options(log)); !got.Nothing() || err != nil {
							t.Errorf("again: %+v, %v", got, err)
						}
						os.Remove(StateFile(path))
					}
				}
				left, _ := filepath.Glob(filepath.Join(d, ".*.new-*"))
				if len(left) > 0 {
					t.Errorf("left behind: %q", left)
				}
			})
		}
	}
}

// Whatever three machines do, and wherever they are killed, no line is lost, none is
// there twice, and in the end all have the same bytes.
func TestConverge(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		d := filepath.Join(root, fmt.Sprint(run))
		log := ready(t, filepath.Join(d, "remote"))
		defer log.Close()
		var paths []string
		for m := range 3 {
			paths = append(paths, filepath.Join(d, fmt.Sprintf("m%d.jsonl", m)))
			write(t, paths[m], header)
		}
		lines := map[string]bool{header: true}
		var listing remote.Listing
		opts := func() Options { // by a listing, by one of an earlier action, or by none
			o := options(log)
			switch rapid.SampledFrom([]string{"none", "new", "old"}).Draw(t, "listing") {
			case "new":
				listing = listed(t, log)
				o.Listing = listing
			case "old":
				o.Listing = listing
			}
			return o
		}
		for i := range rapid.IntRange(3, 14).Draw(t, "actions") {
			m := rapid.IntRange(0, 2).Draw(t, "machine")
			switch rapid.SampledFrom([]string{"append", "append", "push", "push", "pull", "killed push", "killed pull", "torn", "forget", "copy"}).Draw(t, "action") {
			case "append":
				line := entry(fmt.Sprintf("%d.%d", m, i), "")
				if c := content(t, paths[m]); strings.HasSuffix(c, "\n") {
					lines[line] = true
					add(t, paths[m], line)
				}
			case "push":
				mustRun(t, Push, paths[m], opts())
			case "pull":
				mustRun(t, Pull, paths[m], opts())
			case "killed push":
				killed(t, Push, paths[m], opts(), rapid.IntRange(1, 5).Draw(t, "step"))
			case "killed pull":
				killed(t, Pull, paths[m], opts(), rapid.IntRange(1, 3).Draw(t, "step"))
			case "torn": // a part of the remote's next line, as a kill leaves it
				c, r := content(t, paths[m]), inRemote(t, log)
				if strings.HasPrefix(r, c) && len(r) > len(c) {
					write(t, paths[m], r[:len(c)+rapid.IntRange(0, len(r)-len(c)).Draw(t, "cut")])
				}
			case "forget":
				os.Remove(StateFile(paths[m]))
			case "copy": // from another machine, by hand, with a state that does not fit
				write(t, paths[m], content(t, paths[(m+1)%3]))
				for line := range strings.Lines(content(t, paths[m])) {
					lines[line] = true
				}
				lines = known(t, append(slices.Clone(paths), ""), log)
			}
		}
		for range 2 {
			for _, path := range paths {
				o := options(log)
				o.Listing = listed(t, log)
				mustRun(t, Push, path, o)
			}
		}
		want := inRemote(t, log)
		for _, path := range paths {
			got := content(t, path)
			if got = got[:strings.LastIndexByte(got, '\n')+1]; got != want { // a torn tail is nobody's line
				t.Fatalf("%s\n%s\nremote\n%s", path, got, want)
			}
		}
		seen := map[string]int{}
		for line := range strings.Lines(want) {
			seen[line]++
		}
		for line := range lines {
			if strings.HasSuffix(line, "}\n") && seen[line] != 1 {
				t.Fatalf("%q is there %d times", line, seen[line])
			}
		}
	})
}

// listed returns what a listing says now.
func listed(t helper, log remote.Log) remote.Listing {
	t.Helper()
	list, err := remote.List(context.Background(), log, 16, nil)
	if err != nil || !list.Whole() {
		t.Fatal("no listing", err)
	}
	return list
}

// known returns all lines that somebody has.
func known(t helper, paths []string, log remote.Log) map[string]bool {
	lines := map[string]bool{}
	for _, p := range paths {
		c := ""
		if p != "" {
			c = content(t, p)
		} else {
			c = inRemote(t, log)
		}
		for line := range strings.Lines(c) {
			lines[line] = true
		}
	}
	return lines
}

type runner func(context.Context, string, Options) (Result, error)

func mustRun(t helper, run runner, path string, o Options) {
	t.Helper()
	if _, err := run(context.Background(), path, o); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

type kill struct{}

// killed runs up to a step, and stops there as if killed.
func killed(t helper, run runner, path string, o Options, at int) {
	t.Helper()
	o.Step = func(string) {
		if at--; at == 0 {
			panic(kill{})
		}
	}
	defer func() {
		if r := recover(); r != nil && r != any(kill{}) {
			panic(r)
		}
	}()
	if _, err := run(context.Background(), path, o); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// The leaf that is expected is that of the remote, and a part that came in between
// counts.
func TestExpectLeaf(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	log, path := ready(t, filepath.Join(d, "remote")), filepath.Join(d, "s.jsonl")
	write(t, path, header, entry("a", ""))
	o := options(log)
	for _, tt := range []struct {
		expect string
		ok     bool
	}{{"a", false}, {"null", true}, {"null", false}, {"b", false}, {"a", true}} {
		o.ExpectLeaf = tt.expect
		add(t, path, entry("n"+tt.expect+fmt.Sprint(tt.ok), "a"))
		before := content(t, path)
		if _, err := Push(t.Context(), path, o); (err == nil) != tt.ok || err != nil && !errors.Is(err, session.ErrLeafMoved) {
			t.Errorf("%+v: %v", tt, err)
		}
		if content(t, path) != before {
			t.Errorf("%+v: the file changed", tt)
		}
		if tt.ok { // what is pushed last is the leaf: go on with a as that
			add(t, path, entry("back", "a"))
			o.ExpectLeaf = ""
			write(t, path, strings.ReplaceAll(content(t, path), entry("back", "a"), ""))
			if tt.expect == "null" {
				add(t, path, strings.Replace(entry("a", "x"), `"x"`, `"z"`, 1))
				if _, err := Push(t.Context(), path, o); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	// Another one pushes between the look and the append.
	o.ExpectLeaf = "a"
	write(t, path, header, entry("a", ""))
	log = ready(t, filepath.Join(d, "second"))
	o.Log, o.ExpectLeaf = log, ""
	mustRun(t, Push, path, o)
	add(t, path, entry("mine", "a"))
	o.ExpectLeaf = "a"
	o.Step = func(step string) {
		if step == "append" {
			if _, err := log.Append(t.Context(), testID, 1, 2, []byte(entry("theirs", "a"))); err != nil {
				t.Error(err)
			}
		}
	}
	before := content(t, path)
	if _, err := Push(t.Context(), path, o); !errors.Is(err, session.ErrLeafMoved) || content(t, path) != before {
		t.Errorf("moved in between: %v\n%s", err, content(t, path))
	}
}

// A push that always loses ends, and the file is as it was but for what others pushed.
func TestTries(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	log, path := ready(t, filepath.Join(d, "remote")), filepath.Join(d, "s.jsonl")
	write(t, path, header)
	mustRun(t, Push, path, options(log))
	add(t, path, entry("mine", ""))
	o, n := options(log), uint64(1)
	o.Tries = 3
	o.Step = func(step string) {
		if step == "append" {
			n++
			if _, err := log.Append(t.Context(), testID, remote.Pos(n-1), n, []byte(entry(fmt.Sprint(n), ""))); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := Push(t.Context(), path, o); !errors.Is(err, remote.ErrMoved) || n != 5 {
		t.Errorf("%v after %d parts", err, n)
	}
	o.Step = nil
	mustRun(t, Push, path, o)
	if got, want := content(t, path), header+entry("2", "")+entry("3", "")+entry("4", "")+entry("5", "")+entry("mine", ""); got != want || inRemote(t, log) != want {
		t.Errorf("%s", got)
	}
}

// Parts are cut at line ends, and a line that is longer is one of its own. Reading them
// again is done a part at a time.
func TestLarge(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	log, path := ready(t, filepath.Join(d, "remote")), filepath.Join(d, "s.jsonl")
	write(t, path, header)
	for i, n := range []int{5 << 20, 2 << 20, 2 << 20, 9 << 20, 1, 4 << 20, 4 << 20} {
		add(t, path, `{"type":"custom","id":"`+fmt.Sprint(i)+`","x":"`+strings.Repeat("x", n)+"\"}\n")
	}
	if r, err := Push(t.Context(), path, options(log)); err != nil || r.Sent != 8 || r.N != 5 {
		t.Fatalf("%+v, %v", r, err)
	}
	other := filepath.Join(d, "other.jsonl")
	write(t, other, header)
	var took int
	o := options(log)
	o.Step = func(s string) {
		if s == "take" {
			took++
		}
	}
	if r, err := Pull(t.Context(), other, o); err != nil || r.Got != 7 || took != 2 {
		t.Errorf("%+v in %d appends, %v", r, took, err)
	}
	if content(t, other) != content(t, path) {
		t.Error("the copies differ")
	}
	o.MaxSize = 20 << 20
	write(t, other, header)
	if _, err := Pull(t.Context(), other, o); !errors.Is(err, ErrTooMuch) {
		t.Errorf("larger than allowed: %v", err)
	}
	add(t, path, `{"type":"custom","id":"`+strings.Repeat("x", 64)+"\"}\n")
	o = options(limited{log, 32})
	if _, err := Push(t.Context(), path, o); !errors.Is(err, remote.ErrTooLarge) {
		t.Errorf("a line that the engine does not take: %v", err)
	}
}

type limited struct {
	remote.Log
	most int64
}

func (l limited) Limits() remote.Limits { return remote.Limits{MaxPart: l.most} }

func (l limited) Append(ctx context.Context, key string, after remote.Pos, n uint64, part []byte) (remote.Pos, error) {
	if int64(len(part)) > l.most {
		return 0, remote.ErrTooLarge
	}
	return l.Log.Append(ctx, key, after, n, part)
}

// A server that was restored from an old backup is seen, and --reseed sends what it
// lost.
func TestWentBack(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	name := filepath.Join(d, "remote")
	log, path := ready(t, name), filepath.Join(d, "s.jsonl")
	write(t, path, header)
	for i := range 3 {
		add(t, path, entry(fmt.Sprint(i), ""))
		mustRun(t, Push, path, options(log))
	}
	os.Remove(filepath.Join(name, "v1", "s", remote.Shard(testID), testID, "000000000003"))
	o := options(log)
	add(t, path, entry("3", ""))
	for _, run := range []runner{Push, Pull} {
		if _, err := run(t.Context(), path, o); !errors.Is(err, remote.ErrWentBack) {
			t.Errorf("%v", err)
		}
	}
	o.Reseed = true
	if r, err := Push(t.Context(), path, o); err != nil || r.Sent != 2 || inRemote(t, log) != content(t, path) {
		t.Errorf("%+v, %v\n%s", r, err, inRemote(t, log))
	}
}

// A state of another file, or one that somebody wrote, is found out.
func TestForeignState(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	log, path := ready(t, filepath.Join(d, "remote")), filepath.Join(d, "s.jsonl")
	write(t, path, header, entry("a", ""))
	mustRun(t, Push, path, options(log))
	good := content(t, StateFile(path))
	if !strings.Contains(good, `"remote":"dir:`) || strings.Count(good, "\n") != 1 {
		t.Errorf("state %s", good)
	}
	write(t, path, header, entry("b", ""))
	if r, err := Push(t.Context(), path, options(log)); err != nil || r.Sent != 1 || r.Got != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, bad := range []string{"", "{", "[]\n", strings.Replace(good, `"n":1`, `"n":0`, 1), strings.Replace(good, `"size":`, `"size":-`, 1), strings.Repeat("x", maxState+1)} {
		write(t, StateFile(path), bad)
		if r, err := Push(t.Context(), path, options(log)); err != nil || !r.Nothing() {
			t.Errorf("%.40q: %+v, %v", bad, r, err)
		}
	}
	os.Remove(StateFile(path))
	if err := os.Symlink(path, StateFile(path)); err != nil {
		t.Skip(err)
	}
	before := content(t, path)
	if _, err := Push(t.Context(), path, options(log)); err != nil || content(t, path) != before {
		t.Errorf("through a link: %v", err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	log, path := ready(t, filepath.Join(d, "remote")), filepath.Join(d, "s.jsonl")
	for text, want := range map[string]error{
		"":         session.ErrNotSession,
		"hello\n":  session.ErrNotSession,
		header[:9]: session.ErrNotSession,
		strings.Replace(header, `"version":3,`, "", 1):           session.ErrVersion,
		strings.Replace(header, testID, "../../x", 1):            session.ErrMalformed,
		strings.TrimSuffix(header, "\n"):                         session.ErrNotSession,
		strings.Replace(header, `"version":3`, `"version":4`, 1): session.ErrVersion,
	} {
		write(t, path, text)
		for _, run := range []runner{Push, Pull} {
			if _, err := run(t.Context(), path, options(log)); !errors.Is(err, want) {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
	os.Remove(path)
	if _, err := Push(t.Context(), path, options(log)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Push(t.Context(), d, options(log)); err == nil {
		t.Error("a directory was pushed")
	}
	// A lock that is held.
	write(t, path, header)
	mustRun(t, Push, path, options(log))
	if _, err := log.Append(t.Context(), testID, 1, 2, []byte(entry("r", ""))); err != nil {
		t.Fatal(err)
	}
	a, err := jsonl.OpenAppender(t.Context(), path, jsonl.Options{})
	must.Do(t, err)
	defer a.Close()
	o := options(log)
	o.Wait = -1
	if _, err := Pull(t.Context(), path, o); !errors.Is(err, jsonl.ErrLocked) {
		t.Error(err)
	}
}

// Another program writes to the file and takes no lock, in the middle of a push. Its line
// is not lost, whatever the push says, and the next one puts it behind those of the log.
func TestForeignWriter(t *testing.T) {
	t.Parallel()
	r, foreign := entry("r1", "")+entry("r2", "r1"), entry("f1", "")
	for _, step := range []string{"take", "append", "card", "state"} {
		for _, own := range []string{"", entry("l1", "")} {
			t.Run(fmt.Sprintf("%s/%v", step, own != ""), func(t *testing.T) {
				t.Parallel()
				d := t.TempDir()
				log, path := ready(t, filepath.Join(d, "remote")), filepath.Join(d, "s.jsonl")
				write(t, path, header, own)
				if _, err := log.Append(t.Context(), testID, 0, 1, []byte(header+r)); err != nil {
					t.Fatal(err)
				}
				o, wrote := options(log), false
				o.Step = func(s string) {
					if s == step && !wrote {
						wrote = true
						add(t, path, foreign)
					}
				}
				if _, err := Push(t.Context(), path, o); err != nil && !errors.Is(err, jsonl.ErrChanged) {
					t.Errorf("%v", err)
				}
				if !wrote {
					return // nothing to append
				}
				mustRun(t, Push, path, options(log))
				got := inRemote(t, log)
				if content(t, path) != got {
					t.Errorf("file\n%s\nremote\n%s", content(t, path), got)
				}
				for line := range strings.Lines(header + r + own + foreign) {
					if strings.Count(got, line) != 1 {
						t.Errorf("%q is there %d times", line, strings.Count(got, line))
					}
				}
			})
		}
	}
}

// Of a copy that a program collected the entries of the remote count, whatever their bytes: none is there twice, and only what the
// remote lacks is sent. Another header is a conflict as ever.
func TestCollectedCopies(t *testing.T) {
	t.Parallel()
	a, b, c := entry("a", ""), entry("b", "a"), entry("c", "b")
	other := strings.Replace(a, `"x"`, `"y"`, 1)
	for name, tt := range map[string]struct {
		file, remote, want string
		result             Result
		err                error
	}{
		"other bytes":     {file: header + a + b, remote: header + other, want: header + other + b, result: Result{Sent: 1, Got: 1, Differ: 1, N: 2}},
		"nothing to send": {file: header + a, remote: header + other + b, want: header + other + b, result: Result{Got: 2, Differ: 1, N: 1}},
		"an extension":    {file: header + a + b + c, remote: header + a, want: header + a + b + c, result: Result{Sent: 2, N: 2}},
		"ours between":    {file: header + a + b, remote: header + a + c + b, want: header + a + c + b, result: Result{Got: 2, N: 1}},
		"another header":  {file: strings.Replace(header, "/w", "/v", 1) + a, remote: header + a, err: ErrConflict},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := t.TempDir()
			log, path := ready(t, filepath.Join(d, "remote")), filepath.Join(d, "s.jsonl")
			write(t, path, tt.file)
			if _, err := log.Append(t.Context(), testID, 0, 1, []byte(tt.remote)); err != nil {
				t.Fatal(err)
			}
			o := options(log)
			o.Collected = true
			got, err := Push(t.Context(), path, o)
			switch {
			case !errors.Is(err, tt.err):
				t.Fatalf("%v, want %v", err, tt.err)
			case err != nil && (content(t, path) != tt.file || inRemote(t, log) != tt.remote):
				t.Error("changed all the same")
			case err == nil && (got != tt.result || content(t, path) != tt.want || inRemote(t, log) != tt.want):
				t.Errorf("%+v\nfile %s\nremote %s\nwant %s", got, content(t, path), inRemote(t, log), tt.want)
			}
		})
	}
}
