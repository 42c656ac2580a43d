package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/planted"
	"github.com/sess-tools/sess/internal/test/remotetest"
	"github.com/sess-tools/sess/pkg/js"
)

// A shop is a bucket with tables, and machines that write them.
type shop struct {
	*testing.T
	server *remotetest.Server
	to     string // the value of -o
}

func newShop(t *testing.T) *shop {
	f := remotetest.NewServer(t, false)
	f.Page = 1000
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
	b := &shop{t, f, "s3://" + remotetest.BucketName + "/team/t?endpoint=" + f.URL}
	b.on("a")
	return b
}

// on goes to a machine.
func (b *shop) on(machine string) {
	b.Setenv("XDG_CACHE_HOME", filepath.Join(filepath.Dir(b.TempDir()), "machine-"+machine))
}

// run runs the tool, which has to make so many requests of each method, and returns what it says.
func (b *shop) run(status int, want string, args ...string) (stdout, stderr string) {
	b.Helper()
	b.server.Count()
	stdout, stderr = run(b.T, status, append([]string{"-o", b.to}, args...)...)
	if strings.Contains(stdout+stderr, "hunter2") {
		b.Errorf("%q: a secret is in %s%s", args, stdout, stderr)
	}
	var got []string
	count := b.server.Count()
	for _, method := range slices.Sorted(maps.Keys(count)) {
		got = append(got, fmt.Sprintf("%d %s", count[method], method))
	}
	if g := strings.Join(got, " "); want != "" && g != want {
		b.Errorf("%q: requests %s, want %s", args, g, want)
	}
	return stdout, stderr
}

// objects are those of the prefix, by name.
func (b *shop) objects() map[string]string {
	all := map[string]string{}
	for name, o := range b.server.Objects {
		all[strings.TrimPrefix(name, "team/t/")] = string(o.Data)
	}
	return all
}

// same holds the bucket to a directory.
func (b *shop) same(what, dir string) {
	b.Helper()
	got, want := b.objects(), contents(b.T, dir)
	if !maps.Equal(got, want) {
		b.Errorf("%s: objects %q, want %q, of these bytes", what, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// TestTableS3: the objects are the files of a directory; nothing new takes one request for the marker and one for each
// thousand parts, on a machine that has seen them, and one for each day more on one that has not.
func TestTableS3(t *testing.T) {
	b := newShop(t)
	want := filepath.Join(t.TempDir(), "want")
	files, _ := run(t, cli.ExitDone, "-o", want, forks)
	days := strings.Count(files, "/sessions/")
	out, _ := b.run(cli.ExitDone, fmt.Sprintf("1 DELETE 1 GET 3 LIST %d PUT", 4*days+2), forks)
	if out != strings.ReplaceAll(files, want, "s3://"+remotetest.BucketName+"/team/t") {
		t.Errorf("it printed %s", out)
	}
	b.same("a bucket", want)
	b.run(cli.ExitNo, "1 GET 1 LIST", forks)
	b.server.Page = 5
	b.run(cli.ExitNo, fmt.Sprintf("1 GET %d LIST", (4*days+1+4)/5), forks)
	b.server.Page = 1000
	b.on("b")
	b.run(cli.ExitNo, fmt.Sprintf("%d GET 1 LIST", days+1), forks)
	b.run(cli.ExitNo, "1 GET 1 LIST", forks)
	b.same("nothing new", want)
}

// TestBucketGrows: one day that is stale is four objects, and the rows of a session that is gone are fetched for it. A day that
// another machine wrote is read again.
func TestBucketGrows(t *testing.T) {
	b := newShop(t)
	dir := t.TempDir()
	one, two := written(t, dir, "s1", "2026-11-01", "one"), written(t, dir, "s2", "2026-11-02", "two")
	b.run(cli.ExitDone, "1 DELETE 1 GET 3 LIST 10 PUT", one, two)
	written(t, dir, "s1", "2026-11-01", "one and more")
	b.run(cli.ExitDone, "1 DELETE 1 GET 2 LIST 5 PUT", one, two)
	three := written(t, dir, "s3", "2026-11-01", "three")
	b.on("b")
	b.run(cli.ExitDone, "1 DELETE 6 GET 2 LIST 5 PUT", three) // the marker, two days, three tables of one
	b.on("a")
	b.run(cli.ExitNo, "2 GET 1 LIST", one, two)
	want := filepath.Join(dir, "want")
	run(t, cli.ExitDone, "-o", want, one, two, three)
	b.same("two machines", want)
	delete(b.server.Objects, "team/t/usage/day=2026-11-02/part.parquet")
	b.run(cli.ExitDone, "", one, two, three)
	b.same("a part that somebody removed", want)
}

// TestBucketKilled: a run that ended behind any of its requests is made up for by the next one: of the same machine at once, of
// another one when the lock is an hour old.
func TestBucketKilled(t *testing.T) {
	for _, machine := range []string{"a", "b"} {
		for puts := range 7 { // the lock and the marker, then the parts
			t.Run(fmt.Sprint(puts, " on ", machine), func(t *testing.T) {
				b := newShop(t)
				dir := t.TempDir()
				path := written(t, dir, "s1", "2026-11-01", "one")
				want := filepath.Join(dir, "want")
				run(t, cli.ExitDone, "-o", want, path)
				for range puts {
					b.server.Next(http.MethodPut, remotetest.Fault{Done: true, Status: http.StatusOK})
				}
				b.server.Next(http.MethodPut, remotetest.Fault{Status: http.StatusForbidden, Code: "AccessDenied"})
				b.server.Next(http.MethodDelete, remotetest.Fault{Status: http.StatusForbidden, Code: "AccessDenied"})
				status := cli.ExitUsage
				if puts == 6 {
					status = cli.ExitDone
				}
				_, stderr := b.run(status, "", path)
				if said := strings.Contains(stderr, "can write in an hour"); said != (puts > 0) {
					t.Error(stderr)
				}
				b.server.Faults = map[string][]remotetest.Fault{}
				if b.on(machine); machine != "a" && puts > 0 && puts < 6 {
					if _, stderr := b.run(cli.ExitBusy, "", path); !strings.Contains(stderr, "another sess-table is writing") {
						t.Error(stderr)
					}
					b.server.Change(lockName, func(o *remotetest.Stored) { *o = lockOf(time.Now().Add(-time.Hour - time.Minute)) })
				}
				b.run(map[bool]int{true: cli.ExitNo, false: cli.ExitDone}[puts == 6], "", path)
				if puts == 6 { // which writes nothing, and so leaves the lock
					delete(b.server.Objects, "team/t/"+lockName)
				}
				b.same("killed", want)
			})
		}
	}
}

// lockOf is the lock of a run elsewhere.
func lockOf(at time.Time) remotetest.Stored {
	data := holder{format, "elsewhere", js.FormatTime(at.UnixMilli()), "ABC"}.bytes()
	return remotetest.Stored{Data: data, Sum: bucket.SumOf(data)}
}

// TestBucketLock: of two machines that take over one lock the first ends, before it has written anything.
func TestBucketLock(t *testing.T) {
	b := newShop(t)
	path := written(t, t.TempDir(), "s1", "2026-11-01", "one")
	b.server.Objects["team/t/"+lockName] = lockOf(time.Now().Add(-2 * time.Hour))
	lists := 0
	b.server.Listed = func() {
		if lists++; lists == 3 { // behind the lock
			b.server.Objects["team/t/"+lockName] = lockOf(time.Now())
		}
	}
	_, stderr := b.run(cli.ExitBusy, "", path)
	if !strings.Contains(stderr, "has taken over") || !strings.Contains(stderr, "is considered dead") {
		t.Error(stderr)
	}
	if got := slices.Sorted(maps.Keys(b.objects())); !slices.Equal(got, []string{markerName, lockName}) {
		t.Errorf("it wrote %q, or removed the lock of another one", got)
	}
}

// TestBucketOfOthers: objects that are none of sess-table stay as they are.
func TestBucketOfOthers(t *testing.T) {
	b := newShop(t)
	path := written(t, t.TempDir(), "s1", "2026-11-01", "one")
	for name, want := range map[string]string{
		"other.txt":                         "it has other objects",
		"usage/day=2026-11-01/part.parquet": "it has other objects",
		markerName:                          "sess-table did not write it",
		lockName:                            "sess-table.lock is not written by sess-table",
	} {
		b.server.Objects = map[string]remotetest.Stored{}
		b.server.Store("team/t/"+name, "{}")
		b.server.Store("team/other", "{}") // not of the prefix
		if _, stderr := b.run(cli.ExitUsage, "", path); !strings.Contains(stderr, want) {
			t.Errorf("%s: %s", name, stderr)
		}
		if len(b.server.Objects) != 2 || string(b.server.Objects["team/t/"+name].Data) != "{}" {
			t.Errorf("%s: objects %q", name, slices.Sorted(maps.Keys(b.server.Objects)))
		}
	}
	b.server.Objects = map[string]remotetest.Stored{}
	b.run(cli.ExitDone, "", path)
	b.server.Store("team/t/notes/day=2026-11-01/../../x", "theirs")
	b.server.Store("team/t/sessions/day=../part.parquet", "theirs")
	b.run(cli.ExitNo, "1 GET 1 LIST", path)
	b.server.Change("sessions/day=2026-11-01/part.parquet", func(o *remotetest.Stored) { o.Data, o.Sum = []byte("copied"), "" })
	if _, stderr := b.run(cli.ExitMalformed, "", path); !strings.Contains(stderr, "other programs put there") {
		t.Error(stderr)
	}
}

// TestBucketContent: texts go to a bucket only without their secrets.
func TestBucketContent(t *testing.T) {
	b := newShop(t)
	dir := t.TempDir()
	token := planted.New(4).GitHub()
	path := written(t, dir, "s1", "2026-11-01", "watchword "+token)
	_, stderr := b.run(cli.ExitUsage, "1 GET 2 LIST", "--content", path)
	if !strings.Contains(stderr, "s1.jsonl may have secrets") || !strings.Contains(stderr, "--redact") {
		t.Error(stderr)
	}
	b.run(cli.ExitDone, "", "--content", "--redact", path)
	clean := written(t, dir, "s2", "2026-11-01", "watchword")
	data, err := os.ReadFile(clean)
	if err == nil {
		err = os.WriteFile(clean, []byte(strings.Replace(string(data), `"cwd"`, `"redacted":true,"cwd"`, 1)), 0o600)
	}
	must.Do(t, err)
	b.run(cli.ExitDone, "", "--content", clean)
	out := filepath.Join(dir, "out")
	for name, data := range b.objects() {
		path := filepath.Join(out, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, []byte(data), 0o600))
	}
	texts, rows := values[messageRow](t, out, messagesTable)
	if all := strings.Join(texts, "\n"); strings.Contains(all, token) || strings.Count(all, "watchword") < 4 || len(rows) != 6 {
		t.Errorf("%d rows: %s", len(rows), all)
	}
}

// TestBucketFaults: a request without an answer is made again, as by sess-sync, and one that is refused is told.
func TestBucketFaults(t *testing.T) {
	b := newShop(t)
	path := written(t, t.TempDir(), "s1", "2026-11-01", "one")
	for _, method := range []string{http.MethodPut, http.MethodGet, "LIST", http.MethodDelete} {
		b.server.Next(method, remotetest.Fault{Done: true}, remotetest.Fault{Status: 503, Code: "SlowDown"})
	}
	b.run(cli.ExitDone, "", path)
	if _, locked := b.objects()[lockName]; locked || len(b.objects()) != 5 {
		t.Errorf("%q", slices.Sorted(maps.Keys(b.objects())))
	}
	b.server.Next("LIST", remotetest.Fault{Status: 403, Code: "AccessDenied"})
	if _, stderr := b.run(cli.ExitUsage, "", path); !strings.Contains(stderr, "permission denied by the remote") {
		t.Error(stderr)
	}
	if out, _ := b.run(cli.ExitDone, "", "--views"); !strings.Contains(out, "read_parquet('s3://"+remotetest.BucketName+"/team/t/usage/*/*.parquet'") {
		t.Error(out)
	}
}
