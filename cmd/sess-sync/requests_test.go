package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/remotetest"
	"github.com/sess-tools/sess/pkg/js"
)

// pageOf is how many names an answer to a list has. Real servers take 1000, and so does SESS_REMOTE_LONG.
func pageOf() int {
	if os.Getenv("SESS_REMOTE_LONG") != "" {
		return 1000
	}
	return 100
}

// many is how many sessions are counted with: their names fill three answers.
func many() int { return 5 * pageOf() / 2 }

// A bench is a bucket, and the stores of machines that share it.
type bench struct {
	*testing.T
	server *remotetest.Server
}

// newBench makes a bucket in which machine a has so many sessions to push.
func newBench(t *testing.T, sessions int) *bench {
	b := &bench{t, remotetest.NewServer(t, false)}
	b.server.Page = pageOf()
	b.server.Objects["team/v1/remote.json"] = remotetest.Marked()
	t.Setenv("SESS_REMOTE", "s3://"+remotetest.BucketName+"/team?endpoint="+b.server.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	b.on("b")
	b.on("a")
	for i := range sessions {
		b.add(i, `{"type":"session","version":3,"id":"%s","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/w"}`+"\n", idOf(i))
	}
	return b
}

func idOf(i int) string { return fmt.Sprintf("s%04d", i) }

// on goes to a machine, which is made the first time.
func (b *bench) on(machine string) {
	b.Helper()
	dir := filepath.Join(filepath.Dir(b.TempDir()), "machine-"+machine)
	must.Do(b, os.MkdirAll(filepath.Join(dir, "--w--"), 0o700))
	b.Setenv("SESS_DIR", dir)
}

// file returns the file of a session on this machine.
func (b *bench) file(i int) string {
	return filepath.Join(os.Getenv("SESS_DIR"), "--w--", "2026-01-02T03-04-05-678Z_"+idOf(i)+".jsonl")
}

// add adds a line to a session on this machine.
func (b *bench) add(i int, format string, args ...any) {
	b.Helper()
	f, err := os.OpenFile(b.file(i), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, format, args...)
	}
	must.Do(b, err)
	f.Close()
}

func (b *bench) entry(i int, id string) {
	b.Helper()
	b.add(i, `{"type":"custom","id":"%s","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","customType":"x"}`+"\n", id)
}

// run runs sess-sync and returns what it said; the requests have to be those.
func (b *bench) run(status int, want string, args ...string) string {
	b.Helper()
	return b.runOn("", status, want, args...)
}

// runOn is run with a standard input.
func (b *bench) runOn(stdin string, status int, want string, args ...string) string {
	b.Helper()
	b.server.Count()
	var out, errs bytes.Buffer
	if got := cli.Run(b.Context(), tool, strings.NewReader(stdin), &out, &errs, args); got != status {
		b.Fatalf("%q: status %d, want %d\n%s", args, got, status, errs.String())
	}
	n := b.server.Count()
	if got := fmt.Sprintf("%d LIST %d GET %d PUT", n["LIST"], n["GET"], n["PUT"]); got != want && want != "" {
		b.Errorf("%q: %s, want %s", args, got, want)
	}
	return out.String() + errs.String()
}

// A push of all sessions asks for none: the listing, whether there is a remote, and two requests for each session that has
// something new.
func TestPushRequests(t *testing.T) {
	b := newBench(t, many())
	b.run(0, fmt.Sprintf("3 LIST 1 GET %d PUT", 2*many()+1), "push", "-a") // the journal, from two days ago and whole, and the parts
	b.run(1, "1 LIST 1 GET 0 PUT", "push", "-a")
	b.entry(7, "one")
	b.run(0, "2 LIST 2 GET 3 PUT", "push", "-a")
	for i := range 20 {
		b.entry(10*i, "twenty")
	}
	b.run(0, "4 LIST 1 GET 41 PUT", "push", "-a")
	b.run(1, "1 LIST 1 GET 0 PUT", "push", "-a")
	must.Do(t, os.Remove(filepath.Join(filepath.Dir(b.file(9)), "."+filepath.Base(b.file(9))+".sync")))
	b.forget()
	b.run(1, "4 LIST 2 GET 0 PUT", "push", "-a") // without a state the part is read
	b.run(1, "1 LIST 1 GET 0 PUT", "push", "-a")

	// A list that lags behind costs the requests of a conflict.
	b.on("b")
	b.run(0, "", "pull", "-a")
	b.entry(1, "theirs")
	b.run(0, "", "push", b.file(1))
	b.on("a")
	b.entry(1, "ours")
	lists := 0
	b.forget()
	b.server.Hide, b.server.Listed = 3, func() {
		if lists++; lists == 4 {
			b.server.Hide = 0
		}
	}
	b.run(0, "5 LIST 4 GET 4 PUT", "push", "-a")
	data, err := os.ReadFile(b.file(1))
	if text := string(data); err != nil || strings.Count(text, `"theirs"`) != 1 || strings.Count(text, `"ours"`) != 1 {
		t.Errorf("%s, %v", text, err)
	}
	b.run(1, "", "push", "-a")
	b.run(1, "1 LIST 1 GET 0 PUT", "push", "-a")
}

// A pull of all sessions reads the parts that are new, and nothing else.
func TestPullRequests(t *testing.T) {
	b := newBench(t, many())
	b.run(0, "", "push", "-a")
	b.on("b")
	b.run(0, fmt.Sprintf("4 LIST %d GET 0 PUT", many()+1), "pull", "-a")
	b.run(1, "1 LIST 1 GET 0 PUT", "pull", "-a")
	for _, tt := range []struct{ k, lists, gets int }{
		{1, 2, 4},   // marker, journal, the part that was the last one, and the new one
		{40, 4, 42}, // marker, journal, and the new ones, since a listing is shorter
	} {
		b.on("a")
		for i := range tt.k {
			b.entry(i, fmt.Sprintf("k%d", tt.k))
		}
		b.run(0, "", "push", "-a")
		b.on("b")
		b.run(0, fmt.Sprintf("%d LIST %d GET 0 PUT", tt.lists, tt.gets), "pull", "-a")
		b.run(1, "1 LIST 1 GET 0 PUT", "pull", "-a")
	}
	b.run(1, "6 LIST 1 GET 0 PUT", "pull", "-a", "--since", "2026-01-01")
	b.run(1, "1 LIST 2 GET 0 PUT", "pull", b.file(3)) // one session is asked for
	for i := range many() {
		mine, err := os.ReadFile(b.file(i))
		b.on("a")
		theirs, terr := os.ReadFile(b.file(i))
		b.on("b")
		if err != nil || terr != nil || !bytes.Equal(mine, theirs) {
			t.Fatalf("session %d differs: %v, %v", i, err, terr)
		}
	}
}

// forget removes the marks of all machines: a round behind it looks at all sessions.
func (b *bench) forget() {
	b.Helper()
	list, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "sess", "marks-*"))
	must.Do(b, err)
	for _, name := range list {
		must.Do(b, os.Remove(name))
	}
}

// A remote that went back is found by a listing as well, in the sessions that did, and the others are pulled.
func TestWentBackFlat(t *testing.T) {
	b := newBench(t, 40)
	for i := range 40 {
		b.entry(i, "first")
	}
	b.run(0, "", "push", "-a")
	for i := range 40 {
		b.entry(i, "second")
	}
	b.run(0, "", "push", "-a")
	rounds := 3 // parts of session 5
	part := func(i, n int) string {
		return fmt.Sprintf("team/v1/s/%s/%s/%012d", remote.Shard(idOf(i)), idOf(i), n)
	}
	back := func(why string, change func()) {
		t.Helper()
		whole := maps.Clone(b.server.Objects)
		change()
		b.on("b")
		b.entry(5, why)
		b.run(0, "", "push", b.file(5))
		b.on("a")
		for _, do := range []string{"pull", "push"} {
			b.forget()
			if said := b.run(3, "", do, "-a"); !strings.Contains(said, "the remote went back") || strings.Count(said, " in s3:") != 1 || !strings.Contains(said, idOf(3)) {
				t.Errorf("%s, %s: %s", why, do, said)
			}
		}
		if data, err := os.ReadFile(b.file(5)); err != nil || !strings.Contains(string(data), why) {
			t.Errorf("%s: session 5 was not pulled: %s, %v", why, data, err)
		}
		whole[part(5, rounds)] = b.server.Objects[part(5, rounds)]
		b.server.Objects = whole
		rounds++
		b.forget()
		b.run(1, "", "pull", "-a")
	}
	b.on("b")
	b.run(0, "", "pull", "-a")
	b.on("a")
	back("fewer", func() { delete(b.server.Objects, part(3, 2)) })
	back("none", func() {
		delete(b.server.Objects, part(3, 1))
		delete(b.server.Objects, part(3, 2))
	})
	back("another", func() {
		b.server.Store(part(3, 2), strings.ReplaceAll(string(b.server.Objects[part(3, 2)].Data), "second", "SECOND"))
	})
	back("and on", func() {
		b.server.Store(part(3, 2), strings.ReplaceAll(string(b.server.Objects[part(3, 2)].Data), "second", "SECOND"))
		b.server.Store(part(3, 3), `{"type":"custom","id":"third","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","customType":"x"}`+"\n")
	})
	// A gap is what it was, too: what is in front of it is read.
	b.server.Store(part(3, 9), "{}\n")
	b.forget()
	if said := b.run(3, "", "pull", "-a"); !strings.Contains(said, "part 3 is missing in front of part 9") {
		t.Error(said)
	}
}

// A listing reads the cards that are new. The cache may be deleted, torn or of another remote: then they are read again.
func TestCardCache(t *testing.T) {
	b := newBench(t, 30)
	b.run(0, "", "push", "-a")
	want := b.run(0, "2 LIST 31 GET 0 PUT", "ls") // the journal and the cards
	again := func(gets int, why string) {
		t.Helper()
		lists := 2
		if gets == 0 && strings.HasSuffix(why, "again") {
			lists = 1
		}
		if got := b.run(0, fmt.Sprintf("%d LIST %d GET 0 PUT", lists, gets+1), "ls"); got != want {
			t.Errorf("%s: %s\nwant\n%s", why, got, want)
		}
	}
	again(0, "again")
	list, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "sess", "cards-*"))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	cache := list[0]
	if fi, err := os.Stat(cache); err != nil || fi.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Error(fi, err)
	}
	data, err := os.ReadFile(cache)
	must.Do(t, err)
	lines := strings.SplitAfter(string(data), "\n")
	for why, tt := range map[string]struct {
		text string
		gets int
	}{
		"empty":        {"", 30},
		"torn":         {strings.Join(lines[:20], "") + lines[20][:40], 11},
		"another one":  {strings.Replace(string(data), "s3://shared/team", "s3://shared/mine", 1), 30},
		"no first one": {strings.Join(lines[1:], ""), 30},
		"no JSON":      {lines[0] + "{}\n[]\nx\n" + strings.Join(lines[3:], ""), 2},
		"a wrong card": {strings.Replace(string(data), `"card":{"id":"s00`, `"card":{"id":"x00`, 1), 1},
		"more than is": {string(data) + strings.ReplaceAll(lines[1], `"key":"`, `"key":"x`), 0},
		"another tag":  {strings.Replace(string(data), `"tag":"0-`, `"tag":"1-`, 1), 1},
	} {
		must.Do(t, os.WriteFile(cache, []byte(tt.text), 0o600))
		again(tt.gets, why)
		again(0, why+", again")
	}
	must.Do(t, os.Remove(cache))
	again(30, "deleted")
	b.entry(4, "more")
	b.run(0, "", "push", "-a")
	want = b.run(0, "1 LIST 3 GET 0 PUT", "ls") // one card changed, as the journal says
	again(0, "a new card, again")
	b.add(30, `{"type":"session","version":3,"id":"%s","timestamp":"2026-03-02T03:04:05.678Z","cwd":"/w"}`+"\n", idOf(30))
	b.run(0, "", "push", "-a")
	b.run(0, "1 LIST 3 GET 0 PUT", "ls") // the next month has another name
	again31 := b.run(0, "1 LIST 1 GET 0 PUT", "ls")
	must.Do(t, os.Remove(cache))
	if got := b.run(0, "2 LIST 32 GET 0 PUT", "ls"); got != again31 {
		t.Errorf("by the journal\n%s\nby a listing\n%s", again31, got)
	}
	// Without a place for a cache all are read, each time.
	t.Setenv("XDG_CACHE_HOME", "/dev/null")
	b.run(0, "2 LIST 32 GET 0 PUT", "ls")
}

// Who appends leaves a card alone that another writer has brought further meanwhile.
func TestNewerCard(t *testing.T) {
	b := newBench(t, 1)
	b.entry(0, "one")
	b.run(0, "", "push", "-a")
	for name, card := range b.server.Objects {
		if strings.Contains(name, "/v1/i/") {
			newer := strings.Replace(string(card.Data), `"n":1,`, `"n":9,`, 1)
			b.server.Store(name, newer)
			b.runOn(`{"role":"user","content":"hi"}`+"\n", 0, "", "append", idOf(0))
			if got := string(b.server.Objects[name].Data); newer == string(card.Data) || got != newer {
				t.Errorf("%s: %s", name, got)
			}
			return
		}
	}
	t.Error("no card")
}

// A session that is read by its address is a list and its parts; of many that one process reads the first are, and then all are
// listed. None is listed twice, and none is missed because a listing does not have it.
func TestOperandsRequests(t *testing.T) {
	b := newBench(t, many())
	b.run(0, "", "push", "-a")
	if got := b.run(0, "1 LIST 2 GET 0 PUT", "cat", idOf(3)); !strings.Contains(got, `"id":"`+idOf(3)+`"`) {
		t.Error(got)
	}
	read := func(m int, requests string) string {
		t.Helper()
		var in strings.Builder
		for i := range m {
			fmt.Fprintf(&in, "[\"cat\",\"--\",%q]\n", idOf(i))
		}
		out := b.runOn(in.String(), 0, requests, "cat", "--each")
		if n := strings.Count(out, "status 0\n"); n != m || strings.Count(out, `"type":"session"`) != m {
			t.Errorf("%d of %d sessions:\n%.2000s", n, m, out)
		}
		return out
	}
	read(15, "15 LIST 16 GET 0 PUT")
	read(16, "18 LIST 17 GET 0 PUT")
	read(many(), fmt.Sprintf("18 LIST %d GET 0 PUT", many()+1))
	// What came since the listing, or is hidden in it, is asked for.
	lists := 0
	b.server.Listed = func() {
		switch lists++; lists {
		case 15:
			b.server.Hide = many() / 2
		case 18:
			b.server.Hide = 0
		}
	}
	read(many(), "")
	b.server.Listed = nil
	if out := b.runOn(strings.Repeat(`["cat","--","nowhere"]`+"\n", 17), 0, "", "cat", "--each"); strings.Count(out, "status 2\n") != 17 || strings.Count(out, "no such session") != 17 {
		t.Error(out)
	}
}

// TestEachTellsOfForeignObjects: what a listing ignores is told by the answer that it was made for. The process that answers has
// no other reader of its messages.
func TestEachTellsOfForeignObjects(t *testing.T) {
	b := newBench(t, many())
	b.run(0, "", "push", "-a")
	b.server.Store("team/v1/s/00/other", "theirs")
	var in strings.Builder
	for i := range many() {
		fmt.Fprintf(&in, "[\"cat\",\"--\",%q]\n", idOf(i))
	}
	var out, errs bytes.Buffer
	if status := cli.Run(b.Context(), tool, strings.NewReader(in.String()), &out, &errs, []string{"cat", "--each"}); status != 0 || errs.Len() > 0 {
		t.Errorf("status %d: %s", status, &errs)
	}
	const told = "v1/s/00/other is no part of a session, and ignored"
	frames := strings.Split(out.String(), "status 0\n")
	if n := strings.Count(out.String(), told); n != 1 || len(frames) != many()+1 || !strings.Contains(frames[15], told) {
		t.Errorf("it is told %d times in %d answers", n, len(frames)-1)
	}
}

// The listing for tables asks for what came: with nothing new that is the marker of the remote and a list of the journal. A place that
// is none, or of another remote, has all listed.
func TestNewsRequests(t *testing.T) {
	b := newBench(t, many())
	b.run(0, "", "push", "-a")
	news := func(place, want string) (rows int, all bool, next string) {
		t.Helper()
		out := b.runOn(place, 0, want, "ls", "--news")
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		end := js.Value(lines[len(lines)-1])
		if end.Get("remote") == "" || end.Get("place") == "" {
			t.Fatalf("the last line is %s", end)
		}
		return len(lines) - 1, end.Get("all") == "true", end.Get("place").Str()
	}
	rows, all, place := news("", fmt.Sprintf("4 LIST %d GET 0 PUT", many()+1))
	if rows != many() || !all {
		t.Errorf("the first time: %d rows, all %t", rows, all)
	}
	if rows, all, place = news(place, "1 LIST 1 GET 0 PUT"); rows > 0 || all {
		t.Errorf("nothing new: %d rows, all %t", rows, all)
	}
	b.entry(7, "one")
	b.entry(8, "one")
	b.run(0, "", "push", "-a")
	rows, all, next := news(place, "1 LIST 4 GET 0 PUT") // the marker, an object of the journal and two cards
	if rows != 2 || all {
		t.Errorf("two grown: %d rows, all %t", rows, all)
	}
	if rows, _, _ := news(next, "1 LIST 1 GET 0 PUT"); rows > 0 {
		t.Errorf("nothing new behind them: %d rows", rows)
	}
	for _, other := range []string{"{}", "none", strings.ReplaceAll(next, "team", "toam"), place[:len(place)/2]} {
		if rows, all, _ := news(other, ""); rows != many() || !all {
			t.Errorf("a place %.40q: %d rows, all %t", other, rows, all)
		}
	}
	b.server.Objects["team/v1/i/2026-01/"+idOf(3)] = remotetest.Stored{Data: []byte("none")}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if out := b.runOn("", 0, "", "ls", "--news"); !strings.Contains(out, "no card") || strings.Contains(out, `"place"`) {
		t.Errorf("a card that is none: %.300s", out)
	}
}
