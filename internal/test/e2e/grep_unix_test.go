//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// planters are the agents of whose stores there is one, and where its session goes. Codex
// has three: as it wrote sessions once, as it does now, and as it compresses them later.
var planters = []struct{ name, format, place string }{
	{"codex", "codex", ".codex"},
	{"paginated", "codex --for paginated", ".codex"},
	{"compressed", "codex --for paginated", ".codex"},
	{"claude", "claude", ".claude/projects/-w"},
	{"pi", "pi", ".pi/agent/sessions/--w--/p.jsonl"},
	{"omp", "omp", ".omp/agent/sessions/-w/o.jsonl"},
	{"opencode", "opencode", ".local/share/opencode/opencode.db"},
	{"aider", "aider", ".aider.chat.history.md"},
	{"zeroclaw", "zeroclaw", ".zeroclaw/workspace/sessions/sessions.db"},
	{"openoxide", "openoxide", ".local/share/openoxide/openoxide.db"},
}

// planted makes stores of all agents, each with sessions that say one text.
func planted(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, p := range planters {
		into := filepath.Join(dir, filepath.FromSlash(p.place))
		parent := into
		if filepath.Ext(into) != "" && p.format != "codex" {
			parent = filepath.Dir(into)
		}
		if strings.HasPrefix(p.format, "codex") {
			parent = into
		}
		check(t, os.MkdirAll(parent, 0o700))
		if onlyRead(t, p.name, into, dir) {
			continue
		}
		made := scripted(t, dir, `sess-new --cwd "$PWD" --title named -o `+p.name+`.in >made && sess-append -q -r user -t 'a planted needle in `+p.name+`' `+p.name+`.in >made &&
			sess-append -q -r assistant -t 'found it' `+p.name+`.in >made && sess-export -q `+p.format+` -o `+into+` `+p.name+`.in`)
		if p.name == "compressed" {
			compress(t, strings.TrimSuffix(made.stdout, "\n"))
		}
	}
	return dir
}

// onlyRead makes the store of an agent to which no session is exported, with a session of the directory cwd. It is not ok for
// any other agent.
func onlyRead(t *testing.T, agent, path, cwd string) (ok bool) {
	t.Helper()
	switch agent {
	case "aider":
		check(t, os.WriteFile(path, []byte("\n# aider chat started at 2026-01-02 03:04:05\n\n\n#### a planted needle in aider  \n\nfound it\n\n"), 0o600))
	case "zeroclaw":
		formatstest.Execute(t, path, `CREATE TABLE sessions(session_id TEXT PRIMARY KEY, session_key TEXT, status TEXT, title TEXT, created_at TEXT, updated_at TEXT, meta_json TEXT)`,
			`CREATE TABLE session_messages(id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, created_at TEXT, meta_json TEXT)`,
			`CREATE TABLE session_state(session_id TEXT, key TEXT, value_json TEXT, updated_at TEXT)`,
			`INSERT INTO sessions VALUES('z1', 'direct:sess:z1', 'active', 'named', '2026-01-02T03:04:05+00:00', '2026-01-02T03:04:06+00:00', NULL)`,
			`INSERT INTO session_messages VALUES(1, 'z1', 'user', 'a planted needle in zeroclaw', '2026-01-02T03:04:05+00:00', NULL), (2, 'z1', 'assistant', 'found it', '2026-01-02T03:04:06+00:00', NULL)`)
	case "openoxide":
		formatstest.Execute(t, path, `CREATE TABLE session(id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, title TEXT, directory TEXT, model_id TEXT, time_created INTEGER, time_updated INTEGER, revert_oid TEXT)`,
			`CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, role TEXT, time_created INTEGER, content BLOB)`,
			`INSERT INTO session VALUES('01KDYAK348ABVGK976B0NH1F8W', 'p', NULL, 'named', '`+cwd+`', 'm', 1767323045000, 1767323046000, NULL)`,
			// Their contents are MessagePack: a byte for the length of a text, and the text.
			`INSERT INTO message VALUES('01KDYAK43G7CASCG29HDV292D5', '01KDYAK348ABVGK976B0NH1F8W', 'user', 1767323045000, X'bd' || CAST('a planted needle in openoxide' AS BLOB)),
				('01KDYAK43G7CASCG29HDV292D6', '01KDYAK348ABVGK976B0NH1F8W', 'assistant', 1767323046000, X'a8' || CAST('found it' AS BLOB))`)
	default:
		return false
	}
	return true
}

// compress replaces a file by a compressed one.
func compress(t *testing.T, path string) {
	t.Helper()
	to, err := zstd.NewWriter(nil)
	check(t, err)
	check(t, os.WriteFile(path+".zst", to.EncodeAll([]byte(readFile(t, path)), nil), 0o600))
	check(t, os.Remove(path))
}

func scripted(t *testing.T, dir, script string) result {
	t.Helper()
	r := runCommand(t, dir, "", "sh", "-ec", script)
	if r.status != 0 {
		t.Fatalf("%s: status %d: %s", script, r.status, r.stderr)
	}
	return r
}

// --agent all finds a text in each store once, with an address that other tools take. A
// store that cannot be read is a warning and status 2, and hides nothing.
func TestGrepAgents(t *testing.T) {
	t.Parallel()
	dir := planted(t)
	r := runCommand(t, dir, "", "sess-grep", "--agent", "all", "needle")
	if r.status != 0 || r.stderr != "" || strings.Count(r.stdout, "\n") != len(planters) {
		t.Fatalf("status %d: %s%s", r.status, r.stdout, r.stderr)
	}
	for _, p := range planters {
		if strings.Count(r.stdout, ":user:a planted needle in "+p.name+"\n") != 1 {
			t.Errorf("%s:\n%s", p.name, r.stdout)
		}
	}
	texts := scripted(t, dir, `sess-grep --agent all -l -0 needle | xargs -0 -n1 sess-path -q --as text | grep 'planted needle' | sort -u | wc -l`)
	if strings.TrimSpace(texts.stdout) != strconv.Itoa(len(planters)) {
		t.Errorf("by their names: %s", texts.stdout)
	}
	entries := scripted(t, dir, `sess-grep --agent codex --json needle | sed 's/.*"address":"\([^"]*\)".*"entry":"\([^"]*\)".*/\1 \2/' | while read -r s e; do sess-path --leaf "$e" --as text "$s"; done`)
	if n := strings.Count(entries.stdout, "user: a planted needle in co"); n != 2 || strings.Contains(entries.stdout, "found it") {
		t.Errorf("by the entry: %q", entries.stdout)
	}
	write(t, dir, ".local/share/opencode/opencode.db", "junk")
	broken := runCommand(t, dir, "", "sess-grep", "--agent", "all", "needle")
	if broken.status != 2 || broken.stdout != without(r.stdout, "opencode:") || !strings.Contains(broken.stderr, "warning: opencode: ") {
		t.Errorf("status %d: %s%s", broken.status, broken.stdout, broken.stderr)
	}
	if quiet := runCommand(t, dir, "", "sess-grep", "-q", "--agent", "all", "needle"); quiet.status != 0 || quiet.stdout != "" {
		t.Errorf("-q: status %d: %s", quiet.status, quiet.stdout)
	}
}

// forks are genuine stores in which sessions were forked, with all that was asked, and
// sessions that sub-agents had.
var forks = []struct {
	name, agent string
	asked       []string
}{
	{"codex", "codex", []string{"Question one", "Question one", "Question two", "Question three in the original", "Question in the fork", "Create files a.txt and b.txt"}},
	{"opencode", "opencode", []string{`"Question one"`, `"Question two"`, `"Question three in the original"`, `"Question in the fork"`, `"Question in the fork of the fork"`}},
	{"opencode, sub-agents", "opencode", []string{`"Delegate counting"`}},
}

// forkedStore makes one of those in dir.
func forkedStore(t *testing.T, dir, name string) {
	t.Helper()
	into := filepath.Join(dir, ".local", "share", "opencode")
	for _, d := range []string{into, filepath.Join(dir, ".codex", "sessions")} {
		check(t, os.MkdirAll(d, 0o700))
	}
	switch name {
	case "codex":
		from := filepath.Join(corpus.Dir(), "codex", "home")
		check(t, os.RemoveAll(filepath.Join(dir, ".codex")))
		check(t, os.CopyFS(filepath.Join(dir, ".codex"), os.DirFS(from)))
		// A fork of old, which says when it was made, and not when anything was said.
		old, err := filepath.Glob(filepath.Join(dir, ".codex", "sessions", "*", "*", "*", "*8be8b3cfd61d*"))
		if err != nil || len(old) != 1 {
			t.Fatal(old, err)
		}
		check(t, os.Remove(old[0]))
	case "opencode":
		write(t, into, "opencode.db", string(corpus.Golden(t, "opencode/databases-1.18")["04-forked.db"]))
	default:
		write(t, into, "opencode.db", string(corpus.Golden(t, "opencode/databases-1.18")["07-subagent.db"]))
	}
}

// What forks have copied is found once, though it has other ids there; so is what codex
// writes down as an item, as an event and as a response. What asks a sub-agent is found,
// and is no prompt.
func TestGrepForks(t *testing.T) {
	t.Parallel()
	for _, f := range forks {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			forkedStore(t, dir, f.name)
			texts := func(args ...string) []string {
				r := runCommand(t, dir, "", append(args, "--agent", f.agent)...)
				if r.status != 0 {
					t.Fatalf("%q: status %d: %s", args, r.status, r.stderr)
				}
				rows := strings.Split(strings.TrimSuffix(r.stdout, "\n"), "\n")
				for i, row := range rows {
					if args[0] == "sess-history" {
						rows[i] = row[strings.LastIndexByte(row, '\t')+1:]
					} else {
						_, rows[i], _ = strings.Cut(row, ":user:")
					}
				}
				slices.Sort(rows)
				return rows
			}
			want := slices.Sorted(slices.Values(f.asked))
			for _, line := range [][]string{{"sess-grep", "--role", "user", "."}, {"sess-history", "--copies"}} {
				got := texts(line...)
				parts := slices.DeleteFunc(slices.Clone(got), func(text string) bool { return slices.Contains(want, text) })
				own := slices.DeleteFunc(got, func(text string) bool { return !slices.Contains(want, text) })
				if !slices.Equal(own, want) || len(parts) > 0 != (f.name == "opencode, sub-agents" && line[0] == "sess-grep") {
					t.Errorf("%s: %q, and of sub-agents %q\nwant %q", line, own, parts, want)
				}
			}
		})
	}
}

// without returns the lines of a text that do not begin so.
func without(text, prefix string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, prefix) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// The store is searched as it is listed; a segmented store is the session.
func TestGrepStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scripted(t, dir, `mkdir w; cd w
		a=$(sess-new --store); sess-append -q -r user -t 'needle one' "$a"
		cd ..; b=$(sess-new --store --cwd /elsewhere); sess-append -q -r user -t 'needle two' "$b"
		sess-seg migrate -q "$b"; sess-append -q -r user -t 'needle three' "$b"`)
	for script, want := range map[string]string{
		`cd w; sess-grep -I needle < /dev/null | cut -d: -f3`:                "needle one\n",
		`sess-grep -a -I needle < /dev/null | cut -d: -f3 | sort`:            "needle one\nneedle three\nneedle two\n",
		`sess-grep --cwd /elsewhere -c needle < /dev/null | sed 's/.*://'`:   "2\n",
		`sess-grep -a --since 1h -c needle < /dev/null | sed 's/.*://'|sort`: "1\n2\n",
		`sess-grep -a --until 1h -c needle < /dev/null || echo $?`:           "1\n",
		`sess-grep -I needle store/*/*.v2 | cut -d: -f3`:                     "needle two\nneedle three\n",
	} {
		if r := scripted(t, dir, script); r.stdout != want || r.stderr != "" {
			t.Errorf("%s:\n got %q\nwant %q\n%s", script, r.stdout, want, r.stderr)
		}
	}
}

// Patterns that take others forever take time in proportion to the text, and one that
// would not fit into memory is refused.
func testGrepPatterns(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "s.jsonl", `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`+"\n"+
		`{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"`+strings.Repeat("a", 50_000)+`!"}}`+"\n")
	for _, tt := range []struct {
		pattern string
		status  int
	}{
		{"(a+)+$", 1},
		{"(a|aa)+$", 1},
		{"(a|a?)+b", 1},
		{"(.*)*c", 1},
		{"a{1000}!", 0},
		{"((a{100}){100}){100}", 2},
		{"(", 2},
		{`(?=a)`, 2},
		{`(a)\1`, 2},
		{"\xff", 2},
		{strings.Repeat("(", 2000) + strings.Repeat(")", 2000), 2},
	} {
		for _, flags := range []string{"-c", "-cw", "-cx", "-ci"} {
			if flags == "-cx" && tt.status == 0 {
				continue
			}
			if r := runCommand(t, dir, "", "sess-grep", flags, "-e", tt.pattern, "s.jsonl"); r.status != tt.status && !(flags == "-cw" && tt.status < 2 && r.status < 2) {
				t.Errorf("%s %.40q: status %d, want %d: %.200s", flags, tt.pattern, r.status, tt.status, r.stderr)
			}
		}
	}
}
