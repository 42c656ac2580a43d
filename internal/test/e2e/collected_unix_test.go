//go:build unix

package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// agentTurn makes the lines of a turn of Claude Code with a call, and one of codex.
func agentTurn(r *rand.Rand, id string, n int, key string) (claude, codex []string) {
	at := func(s int) string { return fmt.Sprintf("2026-01-02T03:%02d:%02d.000Z", n, s) }
	said := fmt.Sprintf("turn %d of %s, %d", n, id, r.Uint32())
	if n%2 == 1 {
		said += ", with " + key
	}
	parent := func(k int) string {
		if n == 0 && k == 0 {
			return "null"
		}
		if k == 0 {
			return fmt.Sprintf(`"%s-%d-3"`, id[:8], n-1)
		}
		return fmt.Sprintf(`"%s-%d-%d"`, id[:8], n, k-1)
	}
	for k, message := range []string{
		`"type":"user","message":{"role":"user","content":"` + said + `"}`,
		fmt.Sprintf(`"type":"assistant","message":{"id":"m%da","type":"message","role":"assistant","model":"claude-x","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"ls"}}],"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":2}}`, n, n),
		fmt.Sprintf(`"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"a.txt"}]}`, n),
		fmt.Sprintf(`"type":"assistant","message":{"id":"m%db","type":"message","role":"assistant","model":"claude-x","content":[{"type":"text","text":"answer %d"}],"stop_reason":"end_turn","usage":{"input_tokens":19,"output_tokens":3}}`, n, n),
	} {
		claude = append(claude, fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,%s,"uuid":"%s-%d-%d","timestamp":"%s","cwd":"/p","sessionId":"%s","version":"2.1.330"}`, parent(k), message, id[:8], n, k, at(k), id))
	}
	if n == 0 {
		codex = append(codex, fmt.Sprintf(`{"timestamp":"%s","type":"session_meta","payload":{"id":"c%s","timestamp":"%s","cwd":"/p","originator":"codex_cli_rs","cli_version":"0.169.0","source":"cli"}}`, at(0), id[1:], at(0)))
	}
	for k, payload := range []string{
		`"type":"event_msg","payload":{"type":"task_started","model_context_window":9000}`,
		`"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"` + said + `"}]}`,
		fmt.Sprintf(`"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c%d"}`, n),
		fmt.Sprintf(`"type":"response_item","payload":{"type":"function_call_output","call_id":"c%d","output":"a.txt"}`, n),
		fmt.Sprintf(`"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"answer %d"}]}`, n),
		`"type":"event_msg","payload":{"type":"task_complete","last_agent_message":"answer"}`,
	} {
		codex = append(codex, fmt.Sprintf(`{"timestamp":"%s",%s}`, at(10+k), payload))
	}
	return claude, codex
}

// sources writes the sessions of a home, line by line and sometimes in the midst of one, while others read them.
func sources(t *testing.T, r *rand.Rand, home, name, key string) {
	t.Helper()
	var wg sync.WaitGroup
	for n := range 2 {
		id := fmt.Sprintf("0%s%06d-1111-4111-8111-%012d", name, n, n)
		var lines [2][]string
		for k := range 3 + r.IntN(4) {
			claude, codex := agentTurn(r, id, k, key)
			lines[0], lines[1] = append(lines[0], claude...), append(lines[1], codex...)
		}
		for i, path := range []string{home + "/claude/projects/-p/" + id + ".jsonl", home + "/codex/sessions/2026/01/02/rollout-2026-01-02T03-00-00-c" + id[1:] + ".jsonl"} {
			pauses := rand.New(rand.NewPCG(r.Uint64(), 1))
			wg.Go(func() {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Error(err)
					return
				}
				f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
				if err != nil {
					t.Error(err)
					return
				}
				defer f.Close()
				for _, line := range lines[i] {
					at := pauses.IntN(len(line))
					for _, part := range []string{line[:at], line[at:] + "\n"} {
						if _, err := f.WriteString(part); err != nil {
							t.Error(err)
						}
						time.Sleep(time.Duration(pauses.Int64N(int64(8 * time.Millisecond))))
					}
				}
			})
		}
	}
	wg.Wait()
}

// TestCollectConverges has two machines with one home, and one with another home, collect into one remote while the agents
// write, several at once and killed in between. In the end every line is in the remote once, and each store has what one import of
// the finished sessions makes. Every second time without secrets.
func TestCollectConverges(t *testing.T) {
	t.Parallel()
	eachSeed(t, seeds(t), gather)
}

func gather(t *testing.T, seed uint64) map[string]int {
	dir := t.TempDir()
	f := &fleet{t: t, dir: dir, done: map[string]int{}}
	f.do(0, "sess-sync", "init", "remote")
	key := "ghp_" + "1a2B3c4D5e6F7g8H9i0J" + "kLmNoPqRsTuVwXyZ"
	redact := ""
	if seed%2 == 1 {
		redact = " --redact"
	}
	on := func(home, store, script string) []string {
		return []string{"sh", "-c", fmt.Sprintf(`export PATH=%s:$PATH SESS_REMOTE=$PWD/remote SESS_DIR=$PWD/%s CLAUDE_CONFIG_DIR=$PWD/%s/claude CODEX_HOME=$PWD/%s/codex; %s`, bin, store, home, home, script)}
	}
	push := func(home, store, settled string) []string {
		collect := ""
		if settled != "" {
			collect = "for a in claude codex; do sess-import -q --all --store --settled " + settled + redact + " $a; done; "
		}
		return on(home, store, collect+"exec sess-sync push -q --agent claude,codex"+redact)
	}
	machines := map[string]string{"m0": "a", "m1": "a", "m2": "b"}
	stop := make(chan struct{})
	var writers, collectors sync.WaitGroup
	for i, home := range []string{"a", "b"} {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		writers.Go(func() { sources(t, r, filepath.Join(dir, home), home, key) })
	}
	for i, store := range []string{"m0", "m0", "m1", "m2"} { // two at once on the first
		r := rand.New(rand.NewPCG(seed, uint64(10+i)))
		collectors.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				args, what := push(machines[store], store, ""), "push"
				if r.IntN(2) == 0 {
					what = "killed push"
					killed(t, dir, "", time.Duration(r.Int64N(int64(60*time.Millisecond))), args...)
				} else if got := wait(t, command(dir, args...)); got.status > 1 && got.status != 4 {
					t.Errorf("status %d: %s", got.status, got.stderr)
				}
				f.mu.Lock()
				f.done[what]++
				f.mu.Unlock()
			}
		})
	}
	writers.Wait()
	close(stop)
	collectors.Wait()
	for range 2 {
		for _, store := range slices.Sorted(maps.Keys(machines)) {
			f.do(1, push(machines[store], store, "0s")...)
		}
	}
	f.do(0, "sess-sync", "check")
	for store, home := range machines {
		f.do(0, on(home, "once-"+store, "for a in claude codex; do sess-import -q --all --store --settled 0s"+redact+" $a || exit; done")...)
		paths, err := filepath.Glob(filepath.Join(dir, "once-"+store, "*", "2*.jsonl"))
		if err != nil || len(paths) != 4 {
			t.Fatalf("%d sessions, %v", len(paths), err)
		}
		for _, path := range paths {
			want := readFile(t, path)
			here := strings.Replace(path, "once-"+store, store, 1)
			if got := readFile(t, here); got != want {
				t.Errorf("%s is not what one import makes:\n%s\nwant\n%s", here, got, want)
			}
			_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jsonl"), "_")
			if got := f.do(0, "sess-sync", "cat", id); got != want {
				t.Errorf("the remote has something else of %s:\n%s\nwant\n%s", id, got, want)
			}
			if seed%2 == 1 && strings.Contains(want, key) || seed%2 == 0 && !strings.Contains(want, key) {
				t.Errorf("%s: the secret", path)
			}
		}
	}
	return f.done
}

// A home is one of Claude Code and codex, with a store beside it.
type home struct {
	*testing.T
	dir string
}

func newHome(t *testing.T) home {
	t.Helper()
	h := home{t, t.TempDir()}
	for _, dir := range []string{"claude/projects/-p", "codex/sessions/2026/01/02"} {
		check(t, os.MkdirAll(filepath.Join(h.dir, dir), 0o700))
	}
	return h
}

// do runs a line of sh, and returns what it prints and its status.
func (h home) do(script string) result {
	h.Helper()
	return wait(h.T, command(h.dir, "sh", "-c", fmt.Sprintf("export PATH=%s:$PATH SESS_DIR=$PWD/store CLAUDE_CONFIG_DIR=$PWD/claude CODEX_HOME=$PWD/codex; %s", bin, script)))
}

// stored returns the file of a session in the store.
func (h home) stored(id string) string {
	h.Helper()
	return readFile(h.T, glob(h.T, filepath.Join(h.dir, "store", "*", "2*_"+id+".jsonl"))[0])
}

const oneID = "0a000000-1111-4111-8111-000000000000"

// put writes the first turns of a session of Claude Code.
func (h home) put(id string, turns int) {
	h.Helper()
	var lines []string
	for n := range turns {
		claude, _ := agentTurn(rand.New(rand.NewPCG(1, uint64(n))), id, n, "banana")
		lines = append(lines, claude...)
	}
	write(h.T, h.dir, "claude/projects/-p/"+id+".jsonl", strings.Join(lines, "\n")+"\n")
}

// Each session that is listed is in one number, whatever was done to some of them.
func TestCollectCounts(t *testing.T) {
	t.Parallel()
	h, r := newHome(t), rand.New(rand.NewPCG(5, 6))
	id := func(n int) string { return fmt.Sprintf("0a%06d-1111-4111-8111-000000000000", n) }
	turns := map[int]int{}
	for round := range 4 {
		for n := range 12 {
			path := "claude/projects/-p/" + id(n) + ".jsonl"
			switch r.IntN(6) {
			case 0:
				turns[n]++
				h.put(id(n), turns[n])
			case 1:
				h.do(`f=$(ls store/*/2*_` + id(n) + `.jsonl 2>/dev/null) && sess-append -q -t here "$f"`)
			case 2:
				h.do(`[ ! -f ` + path + ` ] || sed -i "s/turn 0/turn ` + fmt.Sprint(round) + `00/" ` + path)
			case 3:
				if turns[n] == 0 {
					write(t, h.dir, path, `{"type":"permission-mode","permissionMode":"default","sessionId":"`+id(n)+`"}`+"\n")
				}
			}
		}
		got := h.do("sess-import --all --store --no-losses claude")
		numbers, sum := strings.Fields(got.stderr), 0
		for i, word := range numbers {
			if i > 0 && slices.Contains([]string{"new,", "grown,", "merged,", "same,", "waiting,", "rewritten,", "failed"}, word) {
				n := 0
				if _, err := fmt.Sscan(numbers[i-1], &n); err == nil {
					sum += n
				}
			}
		}
		files, err := filepath.Glob(filepath.Join(h.dir, "claude", "projects", "-p", "*.jsonl"))
		if err != nil || sum != len(files) || got.status != 0 && got.status != 3 {
			t.Errorf("round %d: %d sessions, %d counted, status %d: %s", round, len(files), sum, got.status, got.stderr)
		}
	}
}

// Merged is said where somebody went on with a session here, and never where only its source became another one.
func TestMergedHere(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ between, want string }{
		"nothing":                   {"true", "1 grown, 0 merged"},
		"something was added here":  {"sess-append -q -t here store/*/2*.jsonl", "0 grown, 1 merged"},
		"the source was cut":        {"sed -i '$d' pi/s.jsonl", "1 grown, 0 merged"},
		"it was cut and added here": {"sed -i '$d' pi/s.jsonl; sess-append -q -t here store/*/2*.jsonl", "0 grown, 1 merged"},
		"earlier":                   {`sess-append -q -t here store/*/2*.jsonl; more 3; sess-import -q --all --store --no-losses --settled 0s pi pi`, "0 grown, 1 merged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			write(t, h.dir, "small", small)
			r := h.do(`mkdir pi; cp small pi/s.jsonl
				more() { printf '{"type":"message","id":"bbbb000%s","parentId":"aaaa0001","timestamp":"2026-01-02T03:05:0%s.678Z","message":{"role":"user","content":"more %s","timestamp":1767323045678}}\n' $1 $1 $1 >>pi/s.jsonl; }
				sess-import -q --all --store --no-losses --settled 0s pi pi; ` + tt.between + `; more 4
				sess-import --all --store --no-losses --settled 0s pi pi`)
			if r.status != 0 || !strings.Contains(r.stderr, tt.want) || strings.Contains(r.stderr, "what was added to it here") != strings.Contains(tt.want, "1 merged") && !strings.Contains(r.stderr, "no longer has all") {
				t.Errorf("status %d: %s", r.status, r.stderr)
			}
		})
	}
}

// What a killed run has left of a session is gone when the next one has made it. What only looks like that stays.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.put(oneID, 2)
	r := h.do(`sess-import -q --all --store claude >/dev/null; f=$(ls store/*/2*.jsonl); d=$(dirname "$f"); b=$(basename "$f"); rm "$f" "$d/.$b.from"
		echo half >"$d/.$b.tmp"; chmod 600 "$d/.$b.tmp"; echo mine >"$d/.other.tmp"; ln -s nowhere "$d/.link.tmp"
		sess-import -q --all --store claude >/dev/null; ls -A "$d" | grep tmp; sess-ls --all --paths | wc -l
		rm "$f" "$d/.$b.from"; echo open >"$d/.$b.tmp"; chmod 644 "$d/.$b.tmp"; sess-import -q --all --store claude >/dev/null; ls "$f"; cat "$d/.$b.tmp"`)
	if want := ".link.tmp\n.other.tmp\n1\n"; !strings.HasPrefix(r.stdout, want) || !strings.HasSuffix(r.stdout, ".jsonl\nopen\n") {
		t.Errorf("%d %s%s", r.status, r.stdout, r.stderr)
	}
	if strings.Contains(h.stored(oneID), "half") {
		t.Error("a leftover is in the session")
	}
}

// A run that is killed at any moment leaves nothing that the next one does not take away.
func TestKilledImport(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for n := range 40 {
		h.put(fmt.Sprintf("0a%06d-1111-4111-8111-000000000000", n), 30)
	}
	for n := range 12 {
		h.do(fmt.Sprintf("sess-import -q --all --store claude >/dev/null & sleep 0.0%d; kill -9 $!; wait", n*5%60/10))
	}
	if r := h.do("sess-import -q --all --store claude >/dev/null; ls -A store/*/ | grep -c 'tmp$'; ls store/*/2*.jsonl | wc -l"); r.stdout != "0\n40\n" {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
}

// Names of what the tools keep beside sessions, such as locks and what a session was made of, are in no listing and no message.
func TestBesideSessions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, place := range []string{".claude/projects/-p", ".codex/sessions/2026/01/02", ".pi/agent/sessions/--p--", ".omp/agent/sessions/--p--", ".gemini/tmp/x/chats", ".qwen/projects/-p/chats", "store/--p--"} {
		check(t, os.MkdirAll(filepath.Join(dir, place), 0o700))
		for _, name := range []string{".x.jsonl.from", ".x.jsonl.lock", ".x.jsonl.tmp", ".x.jsonl.1.tmp", ".x.jsonl.new-A", ".x.jsonl.draft", "x.jsonl.torn"} {
			write(t, filepath.Join(dir, place), name, "beside\n")
		}
	}
	for _, line := range []string{
		"sess-ls --agent all", "sess-ls --all", "sess-grep --agent all -a beside", "sess-stat --agent all -a", "sess-calls --agent all -a", "sess-history --agent all -a", "sess-table --agent all -a -o tables", "sess-redact --check --agent all",
		"sess-import claude --all -n", "sess-import codex --all -n", "sess-import pi --all -n", "sess-import --unread", "sess-doctor", "sess-doctor -v", "sess-watch --once --agent all -a", "sess-check store/--p--", "sess-sync push --agent all --remote logs", "sess",
	} {
		if r := runCommand(t, dir, "", "sh", "-c", "mkdir -p logs; "+line+" -v"); strings.Contains(r.stdout+r.stderr, "x.jsonl") {
			t.Errorf("%s: %s%s", line, r.stdout, r.stderr)
		}
	}
}

// A copy that an older reader made, which wrote its entries otherwise, goes on.
func TestCollectOldReader(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.put(oneID, 2)
	h.do("sess-import -q --all --store claude")
	old := h.do(`sed -i 's/"stopReason":/"old":true,"stopReason":/; s/"kept":{"claude":{/&"old":1,/' store/*/2*.jsonl; cat store/*/2*.jsonl`).stdout
	if strings.Count(old, `"old":`) < 4 {
		t.Fatalf("nothing is old:\n%s", old)
	}
	h.put(oneID, 3)
	got := h.do("sess-import --all --store claude")
	if got.status != 0 || !strings.Contains(got.stderr, "0 new, 1 grown, 0 merged, 0 same, 0 waiting, 0 rewritten") {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
	if now := h.stored(oneID); !strings.HasPrefix(now, old) || strings.Count(now, "turn 2 of") == 0 {
		t.Errorf("it is now\n%s", now)
	}
}

// A copy that a version made which kept neither its source nor its agent is known by the lines that it keeps: it is no session beside
// it, though that version's reader wrote entries otherwise, and goes on. Its rows say whose it is.
func TestCollectOldImport(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{true, false} {
		h := newHome(t)
		h.put(oneID, 2)
		h.do("sess-import -q --all --store claude")
		script := `rm store/*/.*.from; sed -i '1s/,"harness":"claude"//; s/"stopReason":/"old":true,"stopReason":/' store/*/2*.jsonl; `
		if !kept {
			script += `sed -i 's/,"kept":{"claude":/,"left":{"claude":/' store/*/2*.jsonl; `
		}
		old := h.do(script + "cat store/*/2*.jsonl").stdout
		if strings.Count(old, `"old":`) < 2 || strings.Contains(old, "harness") {
			t.Fatalf("it is not old:\n%s", old)
		}
		got := h.do("sess-import --all --store claude")
		if !kept { // another program's session of this id
			if got.status != 3 || !strings.Contains(got.stderr, "1 rewritten") {
				t.Errorf("not kept: status %d: %s", got.status, got.stderr)
			}
			continue
		}
		if got.status != 0 || !strings.Contains(got.stderr, "0 new, 0 grown, 0 merged, 1 same, 0 waiting, 0 rewritten") || h.stored(oneID) != old {
			t.Errorf("status %d: %s", got.status, got.stderr)
		}
		for _, tool := range []string{"sess-ls --all --json", "sess-grep --all --json .", "sess-calls --all --json", "sess-stat --all --json --by agent"} {
			if rows := h.do(tool).stdout; !strings.Contains(rows, `"agent":"claude"`) || strings.Contains(rows, `"agent":null`) || strings.Contains(rows, `"agent":"sess"`) {
				t.Errorf("%s: %s", tool, rows)
			}
		}
		h.put(oneID, 3)
		if got = h.do("sess-import --all --store claude"); got.status != 0 || !strings.Contains(got.stderr, "0 new, 1 grown") || !strings.HasPrefix(h.stored(oneID), old) {
			t.Errorf("status %d: %s", got.status, got.stderr)
		}
		if files := h.do("ls store/*/2*.jsonl").stdout; strings.Count(files, "\n") != 1 {
			t.Errorf("stored are %s", files)
		}
	}
}

// Other rules hold for the lines that come, behind an entry that says so, and the lines that are there stay.
func TestRulesChange(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.put(oneID, 2)
	h.do("sess-import -q --all --store --redact claude")
	before := h.stored(oneID)
	h.put(oneID, 4)
	write(t, h.dir, "fruit.toml", "[extend]\nuseDefault = true\n[[rules]]\nid = \"fruit\"\nregex = 'banana'\n")
	got := h.do("SESS_REDACT=$HOME/fruit.toml sess-import --all --store --redact claude")
	after := h.stored(oneID)
	rest, ok := strings.CutPrefix(after, before)
	if got.status != 0 || !ok || !strings.HasPrefix(rest, `{"type":"custom","customType":"sess:redacted","data":{"rules":"`) || strings.Contains(rest, "banana") || !strings.Contains(rest, "[redacted:fruit]") {
		t.Errorf("status %d, %s\n%s", got.status, got.stderr, rest)
	}
	if !strings.Contains(got.stderr, "of 1 session have secrets by the current rules") {
		t.Errorf("it is not said: %s", got.stderr)
	}
	if again := h.do("SESS_REDACT=$HOME/fruit.toml sess-import --all --store --redact claude"); strings.Contains(again.stderr, "warning") || h.stored(oneID) != after {
		t.Errorf("it is said again: %s", again.stderr)
	}
	if got := h.do("sess-check store/*/2*.jsonl"); got.status != 0 {
		t.Errorf("sess-check: %d, %s", got.status, got.stdout)
	}
}

// A name that the agent keeps beside the session is appended when it is another one, once for each, and changes nothing that is there.
func TestAboutIsAppended(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	id, names, before := "c0000000-1111-4111-8111-000000000000", 0, ""
	var lines []string
	for n := range 4 {
		_, codex := agentTurn(rand.New(rand.NewPCG(1, uint64(n))), id, n, "banana")
		lines = append(lines, codex...)
		write(t, h.dir, "codex/sessions/2026/01/02/rollout-2026-01-02T03-00-00-"+id+".jsonl", strings.Join(lines, "\n")+"\n")
		if n != 2 {
			names++
			h.do(fmt.Sprintf(`printf '{"id":"%s","thread_name":"name %d","updated_at":"2026-01-02T03:0%d:00Z"}\n' >>codex/session_index.jsonl`, id, n, n))
		}
		for range 2 {
			h.do("sess-import -q --all --store codex")
		}
		now := h.stored(id)
		if !strings.HasPrefix(now, before) || strings.Count(now, `"type":"session_info"`) != names {
			t.Fatalf("turn %d: %d names are wanted\n%s", n, names, now)
		}
		before = now
	}
	if rest := h.do("sess-check store/*/2*.jsonl && sess-ls --all --json"); !strings.Contains(rest.stdout, `"title":"name 3"`) {
		t.Errorf("%d: %s", rest.status, rest.stdout)
	}
}

// The header of an import says whose session it is, and nothing personal that nobody asked for; rows and sums tell by it.
func TestOwnerOfAnImport(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.put(oneID, 2)
	h.do("sess-import -q --all --store claude")
	header, _, _ := strings.Cut(h.stored(oneID), "\n")
	if !strings.Contains(header, `"harness":"claude"`) || strings.Contains(header, `"host"`) || strings.Contains(header, `"user"`) {
		t.Errorf("the header is %s", header)
	}
	if rows := h.do("sess-ls --all --json").stdout; !strings.Contains(rows, `"agent":"claude"`) || !strings.Contains(rows, `"host":null`) {
		t.Errorf("rows: %s", rows)
	}
	for _, tool := range []string{"sess-grep --all --json .", "sess-calls --all --json", "sess-calls --json store/*/*.jsonl"} {
		rows := strings.TrimSpace(h.do(tool).stdout)
		if of := strings.Count(rows, `"agent":"claude"`); of == 0 || of != strings.Count(rows, "\n")+1 {
			t.Errorf("%s: %s", tool, rows)
		}
	}
	if rows := h.do("sess-stat --all --json --by agent").stdout; !strings.Contains(rows, `"key":{"agent":"claude"}`) {
		t.Errorf("sums: %s", rows)
	}
	h.do("rm -r store; SESS_HOST=m1 SESS_USER=ann sess-import -q --all --store claude")
	if rows := h.do("sess-stat --all --json --by host,user").stdout; !strings.Contains(rows, `"host":"m1","user":"ann"`) {
		t.Errorf("sums: %s", rows)
	}
	if rows := h.do("sess-ls --all --json").stdout; !strings.Contains(rows, `"host":"m1","user":"ann","repo":null`) {
		t.Errorf("rows: %s", rows)
	}
	write(t, h.dir, "users.toml", "[sess]\nusers = true\n")
	h.do("rm -r store; SESS_HOST=m1 SESS_USER=ann SESS_REDACT=$HOME/users.toml sess-import -q --all --store --redact claude")
	if header, _, _ = strings.Cut(h.stored(oneID), "\n"); strings.Contains(header, "ann") || !strings.Contains(header, `"harness":"claude"`) {
		t.Errorf("the header is %s", header)
	}
}

// A fork keeps where its session is from, and a merge takes the header that says it.
func TestForkKeepsHarness(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.put(oneID, 2)
	h.do("SESS_HOST=m1 sess-import -q --all --store claude")
	fork := h.do("sess-fork store/*/2*.jsonl").stdout
	if header, _, _ := strings.Cut(fork, "\n"); !strings.Contains(header, `"harness":"claude","host":"m1"`) {
		t.Errorf("the header is %s", header)
	}
	for _, order := range []string{"old.jsonl new.jsonl", "new.jsonl old.jsonl"} {
		got := h.do(`cp store/*/2*.jsonl new.jsonl; sed '1s/,"harness":"claude","host":"m1"//' new.jsonl >old.jsonl; sess-merge ` + order)
		if header, _, _ := strings.Cut(got.stdout, "\n"); got.status != 0 || got.stderr != "" || !strings.Contains(header, `"harness":"claude"`) {
			t.Errorf("%s: status %d, %s\n%s", order, got.status, got.stderr, header)
		}
	}
}

// Two machines make one header of one source, whatever stands around them, and of codex it names the repository without a password.
func TestHeaderOfTwoMachines(t *testing.T) {
	t.Parallel()
	h, id := newHome(t), "c0000000-1111-4111-8111-000000000000"
	_, lines := agentTurn(rand.New(rand.NewPCG(1, 1)), id, 0, "banana")
	lines[0] = strings.Replace(lines[0], `"source":"cli"`, `"source":"cli","git":{"commit_hash":"0a1b","branch":"main","repository_url":"https://ann:word@example.org/r.git"}`, 1)
	write(t, h.dir, "codex/sessions/2026/01/02/rollout-2026-01-02T03-00-00-"+id+".jsonl", strings.Join(lines, "\n")+"\n")
	h.do("sess-import -q --all --store codex")
	first, _, _ := strings.Cut(h.stored(id), "\n")
	h.do("rm -r store; mkdir w; cd w; git init -q .; USER=x HOSTNAME=y sess-import -q --all --store codex")
	second, _, _ := strings.Cut(h.stored(id), "\n")
	if first != second || !strings.Contains(first, `"git":{"remote":"https://example.org/r.git","branch":"main","commit":"0a1b"}`) || strings.Contains(first, "word") {
		t.Errorf("the headers are\n%s\n%s", first, second)
	}
}

// A source that was quiet within a reply was taken whole. When it goes on, the rest is in entries behind those that are there, and the
// export is the source: however often, whatever its clock says, and at whatever line. Without what is known of the runs before, it is
// told that the source says otherwise, and all of it is beside what is there.
func TestCollectWithinAReply(t *testing.T) {
	t.Parallel()
	line := func(n int, message string) string {
		return fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,%s,"uuid":"u-%d","timestamp":"2026-01-02T03:04:%02d.000Z","cwd":"/p","sessionId":%q,"version":"2.1.330"}`,
			map[bool]string{true: "null", false: fmt.Sprintf(`"u-%d"`, n-1)}[n == 0], message, n, n, oneID) + "\n"
	}
	reply := func(stop, block string) string {
		return `"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"claude-x","content":[` + block + `],"stop_reason":` + stop + `,"usage":{"input_tokens":9,"output_tokens":2}}`
	}
	lines := []string{
		line(0, `"type":"user","message":{"role":"user","content":"Look around."}`), line(1, reply("null", `{"type":"text","text":"I look."}`)),
		line(2, reply(`"tool_use"`, `{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}`)),
		line(3, `"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a.txt"}]}`),
	}
	const path = "claude/projects/-p/" + oneID + ".jsonl"
	for _, written := range []time.Duration{-2 * time.Hour, 2 * time.Hour} {
		for _, lost := range []bool{false, true} {
			h, source := newHome(t), ""
			var got result
			for n, add := range lines {
				source += add
				write(t, h.dir, path, source)
				at := time.Now().Add(written)
				check(t, os.Chtimes(filepath.Join(h.dir, path), at, at))
				if lost {
					h.do("rm -f store/*/.*.from")
				}
				if got = h.do("sess-import --all --store claude"); got.status != 0 && !lost {
					t.Errorf("line %d: status %d: %s", n+1, got.status, got.stderr)
				} else if lost && n == 2 && got.status != 3 {
					t.Errorf("line %d without its state: status %d: %s", n+1, got.status, got.stderr)
				}
			}
			calls := h.do("sess-calls --all --json").stdout
			if strings.Count(calls, `"callId":"t1"`) != 1 || !strings.Contains(calls, `"result":"u-3"`) {
				t.Errorf("written %v, lost %v: the calls are\n%s", written, lost, calls)
			}
			if back := h.do(`sess-export claude "$(ls -S store/*/2*.jsonl | head -n 1)"`).stdout; back != source {
				t.Errorf("written %v, lost %v: the source is\n%s\nand it came back as\n%s", written, lost, source, back)
			}
		}
	}
}
