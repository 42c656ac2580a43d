package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/planted"
	"github.com/sess-tools/sess/internal/test/scripttest"
	"github.com/sess-tools/sess/pkg/session"
)

const forks = "../../internal/readers/usage/testdata/forks"

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){tool.Name: main})
}

// run runs the tool and returns what it prints.
func run(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if status := cli.Run(t.Context(), tool, strings.NewReader(""), &out, &errs, args); status != want {
		t.Fatalf("%q: status %d, want %d: %s", args, status, want, &errs)
	}
	return out.String(), errs.String()
}

// TestViewsOfWriters: the star of writers is one, and no other is.
func TestViewsOfWriters(t *testing.T) {
	for out, want := range map[string]string{
		"t/writer=*":   "from read_parquet('t/writer=*/usage/*/*.parquet'",
		"a*b/writer=*": `from read_parquet('a\*b/writer=*/usage/*/*.parquet'`,
		"t/writer=*/x": `from read_parquet('t/writer=\*/x/usage/*/*.parquet'`,
		"t*":           `from read_parquet('t\*/usage/*/*.parquet'`,
	} {
		got, _ := run(t, 0, "--views", "-o", out)
		if one := strings.Contains(got, "partition by session order by lines"); !strings.Contains(got, want) || one != strings.HasSuffix(out, "writer=*") {
			t.Errorf("%s: %.900s", out, got)
		}
	}
}

// contents are the files below a directory, but for the cache, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == cacheName {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(b)
		return err
	})
	must.Do(t, err)
	return all
}

// same holds the files below two directories to each other.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	a, b := contents(t, got), contents(t, want)
	if !maps.Equal(a, b) {
		t.Errorf("%s: files %q, want %q, of these bytes", what, slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
	}
}

// values are the texts in the rows of a table, whatever their columns, and the number of rows.
func values[T any](t *testing.T, dir, table string) (all []string, rows []T) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, table, "*", "part.parquet"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		more, err := parquet.ReadFile[T](path)
		must.Do(t, err)
		for _, r := range more {
			all = append(all, fmt.Sprintf("%+v", r))
		}
		rows = append(rows, more...)
	}
	return all, rows
}

// TestTableTwice: nothing new writes nothing, and the same sessions make the same bytes.
func TestTableTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	out, _ := run(t, cli.ExitDone, "--content", "-o", a, forks)
	if days := strings.Count(out, "part.parquet\n"); days != 12 || !strings.HasSuffix(out, filepath.Join(a, "sessions/day=2026-11-03/part.parquet")+"\n") {
		t.Errorf("it printed %s", out)
	}
	before := contents(t, a)
	if out, _ = run(t, cli.ExitNo, "--content", "-o", a, forks); out != "" {
		t.Errorf("again, it printed %s", out)
	}
	must.Do(t, os.Remove(filepath.Join(a, cacheName)))
	run(t, cli.ExitNo, "--content", "-o", a, forks)
	if !maps.Equal(before, contents(t, a)) {
		t.Error("nothing new has changed a file")
	}
	run(t, cli.ExitDone, "--content", "-o", b, forks)
	same(t, "a second directory", b, a)
}

// TestTableOrder: the bytes do not depend on the order in which sessions came, nor on those that were written before.
func TestTableOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all, err := filepath.Glob(filepath.Join(forks, "*.jsonl"))
	if err != nil || len(all) < 5 {
		t.Fatal(all, err)
	}
	want := filepath.Join(dir, "want")
	run(t, cli.ExitDone, append([]string{"--content", "-o", want}, all...)...)
	for n := range 3 {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		files, got := slices.Clone(all), filepath.Join(dir, fmt.Sprint(n))
		r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		for len(files) > 0 {
			some := 1 + r.IntN(len(files))
			run(t, cli.ExitDone, append([]string{"--content", "-o", got}, files[:some]...)...)
			files = files[some:]
		}
		same(t, fmt.Sprint("order ", n), got, want)
	}
}

// written writes a session of a name and a text, and returns its path.
func written(t *testing.T, dir, id, day, text string) string {
	t.Helper()
	path := filepath.Join(dir, id+".jsonl")
	lines := `{"type":"session","version":3,"id":"` + id + `","timestamp":"` + day + `T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"a1","parentId":null,"timestamp":"` + day + `T10:00:01.000Z","message":{"role":"user","content":"` + text + `"}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"` + day + `T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"echo ` + text[:min(len(text), 64)] + `"}}],"provider":"p","model":"nobody-has-a-price","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3}}}
{"type":"message","id":"a3","parentId":"a2","timestamp":"` + day + `T10:00:03.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"` + text + `"}],"isError":false}}
`
	must.Do(t, os.WriteFile(path, []byte(lines), 0o600))
	return path
}

// TestTableKilled: a run that was killed after any of its steps is made up for by the next one.
func TestTableKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := written(t, dir, "s1", "2026-11-01", "one")
	was, is := filepath.Join(dir, "was"), filepath.Join(dir, "is")
	run(t, cli.ExitDone, "--content", "-o", was, path)
	written(t, dir, "s1", "2026-11-01", "one and more")
	run(t, cli.ExitDone, "--content", "-o", is, path)
	for steps := range 5 {
		out := filepath.Join(dir, fmt.Sprint("killed-", steps))
		must.Do(t, os.CopyFS(out, os.DirFS(was)))
		for _, table := range []string{messagesTable, callsTable, usageTable, sessionsTable}[:steps] {
			name := filepath.Join(table, "day=2026-11-01", "part.parquet")
			b, err := os.ReadFile(filepath.Join(is, name))
			if err == nil {
				err = os.WriteFile(filepath.Join(out, name), b, 0o600)
			}
			must.Do(t, err)
		}
		must.Do(t, os.WriteFile(disk.Temp(filepath.Join(out, usageTable, "day=2026-11-01", "part.parquet")), []byte("half"), 0o600))
		run(t, map[bool]int{true: cli.ExitNo, false: cli.ExitDone}[steps == 4], "--content", "-o", out, path)
		same(t, fmt.Sprint("killed after ", steps), out, is)
	}
}

// TestTableDamaged: a part that another program has damaged, or that is no file, is told with what to do, also if its day is not stale.
func TestTableDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := written(t, dir, "s1", "2026-11-01", "one")
	for _, table := range tableNames() {
		for how, damage := range map[string]func(part string, data []byte) error{
			"garbage": func(part string, data []byte) error {
				return os.WriteFile(part, bytes.Repeat([]byte("x"), len(data)), 0o600)
			},
			"torn":        func(part string, data []byte) error { return os.WriteFile(part, data[:len(data)/2], 0o600) },
			"empty":       func(part string, _ []byte) error { return os.WriteFile(part, nil, 0o600) },
			"a directory": func(part string, _ []byte) error { return errors.Join(os.Remove(part), os.Mkdir(part, 0o700)) },
		} {
			t.Run(table+" "+how, func(t *testing.T) {
				t.Parallel()
				out := filepath.Join(dir, table+how)
				run(t, cli.ExitDone, "-o", out, path)
				part := filepath.Join(out, table, "day=2026-11-01", partName)
				data, err := os.ReadFile(part)
				must.Do(t, err)
				must.Do(t, damage(part, data))
				for _, session := range []string{path, forks} { // which writes other days
					_, errs := run(t, cli.ExitUsage, "-o", out, session)
					if !strings.Contains(errs, part) || !strings.Contains(errs, "hint: remove the day's directory") {
						t.Errorf("%s", errs)
					}
				}
			})
		}
	}
}

// TestTableNull: what is not known is null, and not 0 or an empty text.
func TestTableNull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	text := `{"type":"session","version":3,"id":"s1","cwd":"/w"}
{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{}}],"usage":{"input":1,"output":2}}}
`
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	out := filepath.Join(dir, "out")
	run(t, cli.ExitDone, "-o", out, path)
	for table, want := range map[string]string{
		sessionsTable: "host user repo branch parent parent_address title created modified leaf parent_name",
		messagesTable: "entry parent timestamp provider model stop text",
		callsTable:    "entry result timestamp ended target command simple paths status",
		usageTable:    "entry timestamp provider model tier stop cost priced_by prices",
	} {
		f, err := os.Open(filepath.Join(out, table, "day=unknown", "part.parquet"))
		must.Do(t, err)
		defer f.Close()
		r := parquet.NewReader(f)
		rows := make([]parquet.Row, 4)
		if n, _ := r.ReadRows(rows); n != 1 {
			t.Fatalf("%s: %d rows", table, n)
		}
		var got []string
		rows[0].Range(func(column int, values []parquet.Value) bool {
			if len(values) == 1 && values[0].IsNull() {
				got = append(got, r.Schema().Columns()[column][0])
			}
			return true
		})
		if diff := cmp.Diff(strings.Fields(want), got); diff != "" {
			t.Errorf("%s: columns that are null:\n%s", table, diff)
		}
	}
}

// TestTableContent: without --content no text is in any table, and none that an earlier run has written stays; with --redact
// no secret is.
func TestTableContent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token := planted.New(4).GitHub()
	path := written(t, dir, "s1", "2026-11-01", "watchword "+token)
	gone := written(t, dir, "s2", "2026-11-02", "watchword "+token)
	out := filepath.Join(dir, "out")
	has := func(word string) (n int) {
		s, _ := values[sessionRow](t, out, sessionsTable)
		m, _ := values[messageRow](t, out, messagesTable)
		c, _ := values[callRow](t, out, callsTable)
		u, _ := values[usageRow](t, out, usageTable)
		for _, row := range slices.Concat(s, m, c, u) {
			n += strings.Count(row, word)
		}
		return n
	}
	run(t, cli.ExitDone, "-o", out, path, gone)
	if n := has("watchword"); n != 0 {
		t.Errorf("without --content, %d texts", n)
	}
	run(t, cli.ExitDone, "--content", "-o", out, path, gone)
	if n, tokens := has("watchword"), has(token); n < 10 || tokens < 10 {
		t.Errorf("with --content, %d texts and %d tokens", n, tokens)
	}
	must.Do(t, os.Remove(gone))
	run(t, cli.ExitDone, "--content", "--redact", "-o", out, path)
	if n, tokens := has("watchword"), has(token); n < 5 || tokens != 0 {
		t.Errorf("with --redact, %d texts and %d tokens", n, tokens)
	}
	run(t, cli.ExitNo, "--content", "--redact", "-o", out, path)
	run(t, cli.ExitDone, "-o", out, path)
	if n := has("watchword"); n != 0 {
		t.Errorf("without --content again, %d texts", n)
	}
	if _, rows := values[sessionRow](t, out, sessionsTable); len(rows) != 2 {
		t.Errorf("%d sessions, want the one that is gone as well", len(rows))
	}
	run(t, cli.ExitDone, "--prune", "-o", out, path)
	if _, rows := values[sessionRow](t, out, sessionsTable); len(rows) != 1 {
		t.Errorf("%d sessions after --prune", len(rows))
	}
	run(t, cli.ExitNo, "--prune", "-o", out, path)
}

// TestTableOrigin: a session has the agent that it was imported from, as in sess-stat --by agent, and the place that its header
// names. Of an import of an earlier version the kept lines tell the agent.
func TestTableOrigin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for id, origin := range map[string]session.Origin{
		"a0000000": {},
		"b0000000": {Harness: "claude", Host: "h", User: "u", Git: session.Git("https://git.invalid/r.git", "main", "")},
	} {
		header := session.NewHeader(session.HeaderFields{ID: id, Time: 1_790_000_000_000, CWD: "/w", Origin: origin})
		must.Do(t, os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(header+"\n"), 0o600))
	}
	old := session.NewHeader(session.HeaderFields{ID: "c0000000", Time: 1_790_000_000_000, CWD: "/w"}) + "\n" +
		`{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-09-21T14:13:21.000Z","message":{"role":"user","content":"x"},"kept":{"codex":{"lines":[{"type":"event_msg"}]}}}` + "\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, "c0000000.jsonl"), []byte(old), 0o600))
	out := filepath.Join(t.TempDir(), "out")
	run(t, 0, "-o", out, dir)
	_, rows := values[sessionRow](t, out, sessionsTable)
	var got []string
	for _, r := range rows {
		got = append(got, strings.Join([]string{r.Session, r.Agent, r.Host, r.User, r.Repo, r.Branch}, " "))
	}
	if want := []string{"a0000000 sess    ", "b0000000 claude h u https://git.invalid/r.git main", "c0000000 codex    "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTableBigDay: a day is written in row groups of a bounded size.
func TestTableBigDay(t *testing.T) {
	if testing.Short() {
		t.Skip("one day, written by one goroutine")
	}
	t.Parallel()
	dir := t.TempDir()
	sessions := filepath.Join(dir, "sessions")
	must.Do(t, os.Mkdir(sessions, 0o700))
	for n := range 40 {
		written(t, sessions, fmt.Sprintf("s%02d", n), "2026-11-01", strings.Repeat("a word ", 70_000))
	}
	out := filepath.Join(dir, "out")
	run(t, cli.ExitDone, "--content", "-o", out, sessions)
	f, err := os.Open(filepath.Join(out, messagesTable, "day=2026-11-01", "part.parquet"))
	must.Do(t, err)
	defer f.Close()
	fi, _ := f.Stat()
	p, err := parquet.OpenFile(f, fi.Size())
	must.Do(t, err)
	if n := len(p.RowGroups()); n < 2 || n > 4 || p.NumRows() != 120 {
		t.Errorf("%d row groups and %d rows", n, p.NumRows())
	}
}

// TestRefusals: what cannot be done is refused, and says what to do.
func TestRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := written(t, dir, "s1", "2026-11-01", "one")
	out := filepath.Join(dir, "out")
	run(t, cli.ExitDone, "--tables", "usage", "-o", out, path)
	if _, err := os.Stat(filepath.Join(out, callsTable)); err == nil {
		t.Error("--tables usage has written calls")
	}
	for _, c := range []struct {
		args, want string
	}{
		{path, "-o DIR is missing"},
		{"-o gs://b/p " + path, "directories and to s3://BUCKET"},
		{"-o s3:// " + path, "names no bucket"},
		{"-o s3://me:hunter2@bkt " + path, "a user or a password in it"},
		{"-o s3://bkt?endpoint=http://far.test " + path, "is not encrypted"},
		{"-o " + dir + " " + path, "other files and no sess-table.json"},
		{"-o " + out + " --tables calls " + path, "out has sessions,usage"},
		{"-o " + out + " --tables nothing " + path, "unknown table"},
		{"-o " + filepath.Join(dir, "other") + " -", "cannot be read twice"},
	} {
		if _, stderr := run(t, cli.ExitUsage, strings.Fields(c.args)...); !strings.Contains(stderr, c.want) {
			t.Errorf("%s: %s, want %q", c.args, stderr, c.want)
		}
	}
	held, err := os.OpenFile(filepath.Join(out, markerName), os.O_RDWR, 0)
	must.Do(t, err)
	defer held.Close()
	if free, err := disk.Flock(held); !free {
		t.Fatal(err)
	}
	if _, stderr := run(t, cli.ExitBusy, "-o", out, path); !strings.Contains(stderr, "another sess-table is writing") {
		t.Error(stderr)
	}
}

// TestUnreadable: a session that cannot be read is told, the others are written, and its rows stay. Of two copies of a session
// the longer one counts.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := written(t, dir, "s1", "2026-11-01", "one"), written(t, dir, "s2", "2026-11-01", "two")
	out := filepath.Join(dir, "out")
	run(t, cli.ExitDone, "-o", out, one, two)
	must.Do(t, os.WriteFile(one, []byte("no session\n"), 0o600))
	written(t, dir, "s2", "2026-11-01", "two and more")
	_, stderr := run(t, cli.ExitMalformed, "-o", out, one, two)
	if _, rows := values[sessionRow](t, out, sessionsTable); len(rows) != 2 || !strings.Contains(stderr, one) {
		t.Errorf("%d sessions; %s", len(rows), stderr)
	}
	b, err := os.ReadFile(two)
	must.Do(t, err)
	other := filepath.Join(dir, "copy.jsonl")
	first, _, _ := strings.Cut(string(b), "\n")
	must.Do(t, os.WriteFile(other, []byte(first+"\n"), 0o600))
	if _, stderr := run(t, cli.ExitNo, "-o", out, two, other); !strings.Contains(stderr, "a copy of session s2") {
		t.Error(stderr)
	}
}
