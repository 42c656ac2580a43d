//go:build unix

package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A gitWorld is a repository, and sessions in a store.
type gitWorld struct {
	*testing.T
	home, repo string
	sessions   int
}

// zero is when a world begins, in seconds since the epoch.
const zero = 1_780_000_000

func newGitWorld(t *testing.T, args ...string) *gitWorld {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no git")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	w := &gitWorld{T: t, home: home, repo: filepath.Join(home, "project")}
	w.in(home, 0, append(append([]string{"init", "-q", "-b", "main"}, args...), w.repo)...)
	return w
}

// in runs git in a directory, at a time.
func (w *gitWorld) in(dir string, at int64, args ...string) string {
	w.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	stamp := strconv.FormatInt(zero+at, 10) + " +0000"
	c.Env = append(env(w.home), "GIT_AUTHOR_DATE="+stamp, "GIT_COMMITTER_DATE="+stamp, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always")
	out, err := c.CombinedOutput()
	if err != nil {
		w.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *gitWorld) git(at int64, args ...string) string { w.Helper(); return w.in(w.repo, at, args...) }

// put writes a file of the repository.
func (w *gitWorld) put(name, text string) {
	w.Helper()
	w.save(filepath.Join(w.repo, name), text)
}

// save writes a file, and makes the directories that it is in.
func (w *gitWorld) save(path, text string) string {
	w.Helper()
	check(w.T, os.MkdirAll(filepath.Dir(path), 0o755))
	return write(w.T, filepath.Dir(path), filepath.Base(path), text)
}

// commit commits all files at a time, and returns the id.
func (w *gitWorld) commit(at int64, message string, more ...string) string {
	w.Helper()
	w.git(at, "add", "-A")
	w.git(at, append([]string{"commit", "-q", "--allow-empty", "-m", message}, more...)...)
	return w.git(at, "rev-parse", "HEAD")
}

// parser commits a.go, with five lines, at a time, and returns the id.
func (w *gitWorld) parser(at int64) string {
	w.Helper()
	w.put("a.go", text("a", 5))
	return w.commit(at, "Add the parser of lines")
}

// again has the last commit made once more at a time, by its author as before, and returns the id.
func (w *gitWorld) again(at int64) string {
	w.Helper()
	w.git(at, "commit", "-q", "--amend", "--no-edit")
	return w.git(at, "rev-parse", "HEAD")
}

// A did is a call of a session, with its result.
type did struct {
	from, to   int64 // seconds
	tool       string
	args       map[string]any
	out        string
	failed     bool
	unfinished bool
	copied     bool // it is in several sessions
}

func ran(from, to int64, command, out string) did {
	return did{from: from, to: to, tool: "bash", args: map[string]any{"command": command}, out: out}
}

func wrote(at int64, path, text string) did {
	return did{from: at, to: at, tool: "write", args: map[string]any{"path": path, "content": text}, out: "ok"}
}

// session makes a session of calls, and returns its id.
func (w *gitWorld) session(list ...did) string {
	return w.sessionIn(w.repo, "", list...)
}

func (w *gitWorld) sessionIn(cwd, parent string, list ...did) string {
	w.Helper()
	w.sessions++
	id := fmt.Sprintf("0000000%d-0000-7000-8000-000000000000", w.sessions)
	stamp := func(at int64) string { return time.Unix(zero+at, 0).UTC().Format("2006-01-02T15:04:05.000Z") }
	quote := func(v any) string {
		text, err := json.Marshal(v)
		check(w.T, err)
		return string(text)
	}
	var b strings.Builder
	began, end := list[0].from, int64(0)
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":%q,"timestamp":%q,"cwd":%s`, id, stamp(began), quote(cwd))
	if parent != "" {
		fmt.Fprintf(&b, `,"parentSession":%s`, quote(parent))
	}
	b.WriteString("}\n")
	up := "null"
	add := func(at int64, message string) {
		entry := fmt.Sprintf("%08x", strings.Count(b.String(), "\n"))
		fmt.Fprintf(&b, `{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":%s}`+"\n", entry, up, stamp(at), message)
		up, end = quote(entry), max(end, at)
	}
	add(began, `{"role":"user","content":"do it"}`)
	for i, d := range list {
		call := fmt.Sprintf("%s.%d.%d", d.tool, d.from, i)
		if !d.copied {
			call += id[:8]
		}
		add(d.from, `{"role":"assistant","provider":"acme","model":"m-1","stopReason":"toolUse","content":[{"type":"toolCall","id":`+quote(call)+`,"name":`+quote(d.tool)+`,"arguments":`+quote(d.args)+`}]}`)
		if !d.unfinished {
			add(d.to, `{"role":"toolResult","toolCallId":`+quote(call)+`,"toolName":`+quote(d.tool)+`,"isError":`+strconv.FormatBool(d.failed)+`,"content":[{"type":"text","text":`+quote(d.out)+`}]}`)
		}
	}
	path := w.save(filepath.Join(w.home, "store", "p", id+".jsonl"), b.String())
	check(w.T, os.Chtimes(path, time.Unix(zero+end, 0), time.Unix(zero+end, 0)))
	return id
}

// tool runs sess-git in the repository.
func (w *gitWorld) tool(args ...string) result {
	w.Helper()
	c := command(w.repo, append([]string{"sess-git"}, args...)...)
	c.Env = env(w.home)
	return wait(w.T, c)
}

// rows are those of commits, with the last digit of the first part of a session's id: "made sure 1 -".
func (w *gitWorld) rows(args ...string) (rows []string) {
	w.Helper()
	got := w.tool(args...)
	for line := range strings.Lines(got.stdout) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		session := cells[3]
		if i := strings.Index(session, "0000000"); i >= 0 {
			session = session[i+7 : i+8]
		}
		rows = append(rows, strings.Join([]string{cells[1], cells[2], session, cells[5]}, " "))
	}
	return rows
}

// want compares the rows of a commit.
func (w *gitWorld) want(commit string, want ...string) {
	w.Helper()
	if got := w.rows("show", commit); !slices.Equal(got, want) {
		w.Errorf("got %q, want %q\n%s", got, want, w.tool("show", commit).stderr)
	}
}

// text are some informative lines.
func text(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "func %s%d() { return line(%d) }\n", name, i, i)
	}
	return b.String()
}

// short is how git prints a commit that it made.
func short(id string) string { return "[main " + id[:7] + "] x\n 1 file changed" }

// The hard cases of the design, by their numbers.
var gitCases = map[string]func(w *gitWorld){
	"1 amended-after-print": func(w *gitWorld) {
		first := w.parser(100)
		w.put("a.go", text("a", 5)+text("b", 1))
		w.git(900, "add", "-A")
		w.git(900, "commit", "-q", "--amend", "--no-edit")
		w.session(wrote(50, w.repo+"/a.go", text("a", 5)), ran(99, 101, `git commit -am "Add the parser of lines"`, short(first)))
		w.want("HEAD", "made sure 1 -", "wrote sure 1 5/6")
	},
	"2 rebased-onto-main": func(w *gitWorld) {
		w.put("a.go", text("a", 5))
		w.commit(0, "Begin with something")
		w.git(10, "checkout", "-q", "-b", "topic")
		w.put("b.go", text("b", 5))
		old := w.commit(100, "Add the writer of lines")
		w.git(10, "checkout", "-q", "main")
		w.put("c.go", text("c", 5))
		w.commit(200, "Another change of main")
		w.git(300, "rebase", "-q", "main", "topic")
		w.session(ran(100, 100, "git commit -m 'Add the writer of lines'", short(old)))
		w.want("topic", "made sure 1 -")
	},
	"3 rebase-continue-prints-older-commit": func(w *gitWorld) {
		w.parser(100)
		id := w.again(5000)
		w.session(ran(5000, 5001, "git rebase --continue", "[detached HEAD "+id[:7]+"] Add the parser"))
		w.want("HEAD", "rewrote sure 1 -")
		w.put("b.go", "}\n")
		w.commit(6000, "Add what ends a block")
		id = w.again(7000)
		w.session(ran(7000, 7001, "git rebase --continue", "[detached HEAD "+id[:7]+"] Add what"))
		w.want("HEAD", "rewrote sure 2 -")
		if got := w.tool("blame", "b.go"); got.status != 1 || !strings.HasSuffix(got.stdout, "\t-\t-\t-\t-\t}\n") {
			w.Errorf("a line of a rewritten commit is led to: %+v", got)
		}
	},
	"4 cherry-pick-by-another-session": func(w *gitWorld) {
		w.parser(100)
		id := w.again(5000)
		w.session(ran(99, 101, "git commit -qm 'Add the parser of lines'", ""))
		w.session(ran(5000, 5001, "git cherry-pick topic", "[main "+id[:7]+"] Add the parser"))
		w.want("HEAD", "made sure 1 -", "rewrote sure 2 -")
	},
	"5 squash-of-two-sessions": func(w *gitWorld) {
		w.put("a.go", text("a", 5))
		w.put("b.go", text("b", 5))
		w.commit(1000, "Everything at once")
		w.session(wrote(50, "a.go", text("a", 5)))
		w.session(wrote(60, "b.go", text("b", 5)))
		w.want("HEAD", "wrote sure 1 5/10", "wrote sure 2 5/10")
	},
	"6 fixup-autosquash": func(w *gitWorld) {
		w.commit(0, "root of all")
		first := w.parser(100)
		w.put("a.go", text("a", 5)+text("b", 2))
		w.git(200, "add", "-A")
		w.git(200, "commit", "-q", "--fixup", first)
		w.git(300, "rebase", "-q", "-i", "--autosquash", "HEAD~2")
		w.session(ran(99, 101, "git commit -m 'Add the parser of lines'", short(first)))
		w.want("HEAD", "made sure 1 -")
	},
	"7 quiet-commit, tail, ok of a proxy": func(w *gitWorld) {
		id := w.parser(100)
		w.session(ran(99, 101, `git add . && git commit -q -m "Add the parser of lines" && git push`, ""))
		w.session(ran(99, 101, "rtk git commit -F msg | tail -1", "ok "+id[:7]))
		w.want("HEAD", "made sure 1 -", "made sure 2 -")
	},
	"8 commit-in-background": func(w *gitWorld) {
		id := w.parser(100)
		begins := func(out string) did {
			return did{from: 90, to: 91, tool: "exec_command", args: map[string]any{"cmd": "git commit -F message && go test"}, out: "Process running with session ID 7\nOutput:\n" + out}
		}
		goesOn := func(to int64, out string) did {
			return did{from: to - 1, to: to, tool: "write_stdin", args: map[string]any{"session_id": 7}, out: out}
		}
		ends := "Process exited with code 0\nOutput:\n"
		w.session(begins(""), goesOn(104, ends+short(id)))
		w.session(begins(short(id)), goesOn(104, ends+"ok"))
		w.session(begins(""), goesOn(101, "Process running with session ID 7\nOutput:\n"+short(id)), goesOn(104, ends+"ok"))
		w.session(begins(short(id)), goesOn(97, ends+"ok"))
		w.want("HEAD", "made sure 1 -", "made sure 2 -", "made sure 3 -")
	},
	"9 transcript-ends-at-the-call": func(w *gitWorld) {
		w.parser(1000)
		for _, before := range []int64{900, 901} { // 15 minutes
			d := ran(1000-before, 0, `git commit -m "Add the parser of lines"`, "")
			d.unfinished = true
			w.session(d)
		}
		w.want("HEAD", "made sure 1 -")
	},
	"10 permission-wait-of-9-hours": func(w *gitWorld) {
		id := w.parser(34_000)
		w.session(ran(0, 34_026, `git commit -F /tmp/message`, short(id)))
		w.session(ran(0, 34_026, `git commit -m 'Something else entirely'`, "done"))
		w.want("HEAD", "made sure 1 -")
	},
	"11 heredoc-message": func(w *gitWorld) {
		w.put("a.go", text("a", 5))
		w.commit(100, "Don't break \"quotes\" of `shells`")
		w.session(ran(99, 101, "git commit -m \"$(cat <<'EOF'\nDon't break \"quotes\" of `shells`\n\nA body.\nEOF\n)\"", ""))
		w.session(ran(99, 101, `git commit -m "Don't break \"quotes\" of `+"\\`shells\\`"+`"`, ""))
		w.session(ran(98, 101, "git commit -F message", "done"))
		w.session(ran(98, 101, "git commit -F message", short(w.git(0, "rev-parse", "HEAD"))))
		w.want("HEAD", "made sure 4 -", "made sure 1 -", "made sure 2 -")
	},
	"12 same-subject-six-times": func(w *gitWorld) {
		for i := range 6 {
			w.put("CHANGELOG", strconv.Itoa(i))
			w.commit(int64(100+1000*i), "docs: update changelog")
		}
		w.session(ran(3099, 3101, "git commit -m 'docs: update changelog'", ""))
		if got := w.rows("log", "-v"); strings.Join(got, ",") != "none - - -,none - - -,made sure 1 -,none - - -,none - - -,none - - -" {
			w.Errorf("got %q", got)
		}
	},
	"13 two-sessions-one-tree": func(w *gitWorld) {
		w.put("a.go", text("a", 5))
		w.commit(100, "First of two sessions")
		w.put("b.go", text("b", 5))
		w.commit(200, "Second of two sessions")
		w.session(wrote(50, "a.go", text("a", 5)), ran(99, 101, "git commit -m 'First of two sessions'", ""))
		w.session(wrote(60, "b.go", text("b", 5)), ran(199, 201, "git commit -m 'Second of two sessions'", ""))
		w.want("HEAD~1", "made sure 1 -", "wrote sure 1 5/5")
		w.want("HEAD", "made sure 2 -", "wrote sure 2 5/5")
	},
	"14 maker-is-not-writer": func(w *gitWorld) {
		w.parser(100)
		w.session(wrote(50, "a.go", text("a", 5)))
		w.session(ran(99, 101, "git commit -m 'Add the parser of lines'", ""))
		w.want("HEAD", "made sure 2 -", "wrote sure 1 5/5")
	},
	"15 resumed-session-copies-history": func(w *gitWorld) {
		w.parser(100)
		said := []did{wrote(50, "a.go", text("a", 5)), ran(99, 101, "git commit -m 'Add the parser of lines'", "")}
		said[0].copied, said[1].copied = true, true
		w.session(said...)
		w.session(append(said, ran(500, 501, "ls", "a.go"))...)
		w.want("HEAD", "made sure 1 -", "wrote sure 1 5/5")
	},
	"16 sub-agent-wrote": func(w *gitWorld) {
		w.parser(100)
		w.sessionIn(w.repo, "00000009-0000-7000-8000-000000000000", wrote(50, "a.go", text("a", 5)))
		if got := w.tool("log", "--json"); !strings.Contains(got.stdout, `"parent":"00000009-0000-7000-8000-000000000000"`) {
			w.Errorf("no parent: %+v", got)
		}
	},
	"17 template-cloned-by-two": func(w *gitWorld) {
		w.put("a.go", text("a", 20))
		w.commit(100, "A file of a template")
		w.session(wrote(50, "a.go", text("a", 8)))
		w.want("HEAD", "wrote likely 1 8/20")
		w.put("b.go", text("b", 20))
		w.commit(200, "Another file of a template")
		w.session(wrote(150, "b.go", text("b", 10))) // half is sure, though a person may have the rest from elsewhere
		w.want("HEAD", "wrote sure 2 10/20")
	},
	"17 shares of lines": func(w *gitWorld) {
		for i, tt := range []struct {
			typed, of int
			want      string
		}{
			{3, 6, "wrote sure 1 3/6"},
			{3, 7, "wrote likely 2 3/7"},
			{2, 2, "wrote likely 3 2/2"},
			{3, 10, "wrote likely 4 3/10"},
			{3, 11, "wrote part 5 3/11"},
			{2, 20, "wrote part 6 2/20"},
			{2, 21, ""},
			{1, 1, ""},
		} {
			name, at := fmt.Sprintf("f%d.go", i), int64(100*(i+1))
			w.put(name, text(name[:2], tt.of))
			w.commit(at, "A file of many lines")
			w.session(wrote(at-10, name, text(name[:2], tt.typed)))
			if got := strings.Join(w.rows("show", "HEAD"), ","); got != tt.want {
				w.Errorf("%d of %d: %q", tt.typed, tt.of, got)
			}
			want := tt.want
			if strings.Contains(want, " part ") {
				want = ""
			}
			if got := strings.Join(w.rows("log", "--limit", "1"), ","); got != want {
				w.Errorf("log: %d of %d: %q", tt.typed, tt.of, got)
			}
		}
	},
	"17 no more than 14 days": func(w *gitWorld) {
		const days = 14 * 24 * 3600
		w.put("a.go", text("a", 5))
		w.put("b.go", text("b", 5))
		w.commit(days, "Add the parser of lines")
		w.session(wrote(0, "a.go", text("a", 5)))
		w.session(wrote(-1, "b.go", text("b", 5)), ran(days-100, days-100, "ls", "a.go b.go"))
		w.want("HEAD", "wrote sure 1 5/10")
	},
	"17 lines of another file": func(w *gitWorld) {
		w.put("d/a.go", text("a", 5))
		w.commit(100, "Add the parser of lines")
		w.session(wrote(50, "d/b.go", text("a", 5)), wrote(51, "a.go", text("a", 5)), wrote(52, "bad/a.go", text("a", 5)))
		w.want("HEAD")
	},
	"18 revert-and-reapply": func(w *gitWorld) {
		w.commit(0, "root of all")
		first := w.parser(100)
		w.git(200, "revert", "--no-edit", "HEAD")
		w.git(300, "revert", "--no-edit", "HEAD")
		w.session(wrote(50, "a.go", text("a", 5)))
		w.want(first, "wrote sure 1 5/5")
		w.want("HEAD")
	},
	"19 bot-commit": func(w *gitWorld) {
		w.put("go.sum", text("a", 5))
		w.commit(100, "Bump something from 1 to 2")
		w.session(wrote(50, "other.go", text("b", 5)))
		w.want("HEAD")
	},
	"20 merge-commit": func(w *gitWorld) {
		w.commit(0, "root of all")
		w.git(10, "checkout", "-q", "-b", "topic")
		w.put("b.go", text("b", 5))
		w.commit(100, "Add the writer of lines")
		w.git(10, "checkout", "-q", "main")
		w.git(200, "merge", "-q", "--no-ff", "-m", "Merge the topic of lines", "topic")
		w.session(wrote(50, "b.go", text("b", 5)), ran(199, 201, "git merge --no-ff -m 'Merge the topic of lines' topic", "Merge made by ort"))
		w.want("HEAD", "made sure 1 -")
	},
	"21 rename-and-edit": func(w *gitWorld) {
		w.put("a.go", text("a", 30))
		w.commit(0, "root of all")
		w.git(10, "mv", "a.go", "b.go")
		w.put("b.go", text("a", 30)+text("new", 4))
		w.commit(100, "Move it and add more")
		w.session(did{from: 50, to: 50, tool: "edit", args: map[string]any{"path": "b.go", "oldText": text("a", 1), "newText": text("a", 1) + text("new", 4)}, out: "ok"})
		w.want("HEAD", "wrote sure 1 4/4")
	},
	"21 lines of the old text": func(w *gitWorld) {
		w.put("a.go", text("a", 5)+text("b", 3))
		w.commit(100, "Take over a file")
		var patch strings.Builder
		patch.WriteString("*** Begin Patch\n*** Update File: a.go\n@@\n")
		for line := range strings.Lines(text("a", 5)) {
			patch.WriteString(" " + line)
		}
		patch.WriteString("-old\n+" + strings.ReplaceAll(strings.TrimSuffix(text("b", 3), "\n"), "\n", "\n+") + "\n*** End Patch\n")
		w.session(did{from: 50, to: 50, tool: "edit", args: map[string]any{"path": "a.go", "oldText": text("a", 5), "newText": text("a", 5) + text("b", 2)}, out: "ok"})
		w.want("HEAD", "wrote part 1 2/8")
		w.session(did{from: 60, to: 60, tool: "apply_patch", args: map[string]any{"input": patch.String()}, out: "Done!"})
		w.want("HEAD", "wrote likely 2 3/8")
	},
	"22 generated-file": func(w *gitWorld) {
		w.put("min.js", strings.Repeat("var a=1;", 250_000)+"\n")
		w.parser(100)
		w.session(wrote(50, "a.go", text("a", 5)))
		w.want("HEAD", "wrote sure 1 5/6")
		w.put("package-lock.json", text("lock", 200))
		w.put("b.go", text("b", 5))
		w.commit(200, "Take another library")
		w.session(wrote(150, "b.go", text("b", 5)), ran(160, 161, "npm install", "added 200 packages"))
		w.want("HEAD")
	},
	"23 CRLF": func(w *gitWorld) {
		w.put("a.go", strings.ReplaceAll(text("a", 5), "\n", "\r\n"))
		w.commit(100, "Add the parser of lines")
		w.session(wrote(50, "a.go", text("a", 5)))
		w.want("HEAD", "wrote sure 1 5/5")
	},
	"24 only-braces": func(w *gitWorld) {
		w.put("a.go", strings.Repeat("}\n", 50))
		w.commit(100, "Add the parser of lines")
		w.session(wrote(50, "a.go", strings.Repeat("}\n", 50)))
		w.want("HEAD")
	},
	"25 failed-edit, denied-edit": func(w *gitWorld) {
		w.parser(100)
		failed, denied := wrote(50, "a.go", text("a", 5)), wrote(60, "a.go", text("a", 5))
		failed.failed, denied.failed = true, true
		denied.out = "The user doesn't want to proceed with this tool use. The tool use was rejected"
		w.session(failed, denied)
		w.want("HEAD")
	},
	"26 hostile names of files": func(w *gitWorld) {
		names := []string{"a\nb.go", `q"uote.go`, "b/a.go", "t\tab.go", "\xff.go", "sp ace.go", "-x.go", "ünï.go"}
		var list []did
		for i, name := range names {
			w.put(name, text("f"+strconv.Itoa(i), 5))
			if name == "\xff.go" {
				continue // no JSON can name it
			}
			list = append(list, wrote(50, w.repo+"/"+name, text("f"+strconv.Itoa(i), 5)))
		}
		w.commit(100, "Add files with names")
		w.session(list...)
		w.want("HEAD", fmt.Sprintf("wrote sure 1 %d/%d", 5*len(list), 5*len(names)))
	},
	"27 worktree that is gone": func(w *gitWorld) {
		w.parser(100)
		w.sessionIn("/elsewhere/project", "", ran(99, 101, "git commit -m 'Add the parser of lines'", ""))
		w.sessionIn("/elsewhere/other", "", ran(99, 101, "git commit -m 'Add the parser of lines'", ""))
		w.want("HEAD", "made sure 1 -")
	},
	"27 bare repository": func(w *gitWorld) {
		w.parser(100)
		w.session(wrote(50, "a.go", text("a", 5)))
		w.in(w.home, 0, "clone", "-q", "--bare", w.repo, filepath.Join(w.home, "bare", "project.git"))
		w.repo = filepath.Join(w.home, "bare", "project.git")
		w.want("HEAD", "wrote sure 1 5/5")
	},
	"27 submodule": func(w *gitWorld) {
		w.parser(100)
		other := filepath.Join(w.home, "super")
		w.in(w.home, 0, "init", "-q", "-b", "main", other)
		w.in(other, 200, "submodule", "--quiet", "add", w.repo, "sub")
		w.in(other, 200, "commit", "-q", "-m", "Add the submodule of lines")
		w.session(ran(199, 201, "git commit -m 'Add the submodule of lines'", ""))
		w.repo = other
		w.sessionIn(other, "", ran(199, 201, "git commit -m 'Add the submodule of lines'", "done"))
		w.want("HEAD", "made sure 2 -")
	},
	"27 in a submodule": func(w *gitWorld) {
		w.commit(0, "root of all")
		other := filepath.Join(w.home, "super")
		w.in(w.home, 0, "init", "-q", "-b", "main", other)
		w.in(other, 0, "submodule", "--quiet", "add", "--name", "named", w.repo, "sub")
		w.repo = filepath.Join(other, "sub")
		w.parser(100)
		w.session(wrote(50, "a.go", text("a", 5)))
		w.want("HEAD", "wrote sure 1 5/5")
	},
	"27 linked worktree": func(w *gitWorld) {
		w.commit(0, "root of all")
		main := w.repo
		w.repo = filepath.Join(w.home, "elsewhere")
		w.in(main, 0, "worktree", "add", "-q", "-b", "topic", w.repo)
		w.parser(100)
		w.session(wrote(50, w.repo+"/a.go", text("a", 5)))
		w.want("topic", "wrote sure 1 5/5")
		w.repo = main
		w.want("topic", "wrote sure 1 5/5")
		check(w.T, os.RemoveAll(filepath.Join(w.home, "elsewhere")))
		w.want("topic", "wrote sure 1 5/5")
	},
	"27 grafts": func(w *gitWorld) {
		first := w.parser(100)
		w.put("b.go", text("b", 5))
		second := w.commit(200, "Add the writer of lines")
		w.session(wrote(50, "a.go", text("a", 5)), wrote(150, "b.go", text("b", 5)))
		w.put(".git/info/grafts", second+"\n")
		w.want(first, "wrote sure 1 5/5")
		w.want(second, "wrote sure 1 10/10") // it is a root now
	},
	"27 shallow": func(w *gitWorld) {
		w.commit(0, "root of all")
		w.parser(100)
		w.session(wrote(50, "a.go", text("a", 5)))
		w.in(w.home, 0, "clone", "-q", "--depth", "1", "file://"+w.repo, filepath.Join(w.home, "s", "project"))
		w.repo = filepath.Join(w.home, "s", "project")
		w.want("HEAD", "wrote sure 1 5/5")
	},
	"27 replace refs": func(w *gitWorld) {
		first := w.parser(100)
		w.put("b.go", text("b", 5))
		w.git(150, "replace", first, w.commit(150, "Another one of them"))
		w.session(ran(99, 101, "git commit -m 'Add the parser of lines'", ""))
		w.want(first, "made sure 1 -")
	},
	"28 missing blob": func(w *gitWorld) {
		w.parser(100)
		w.put("b.go", text("b", 5))
		w.commit(200, "Add the writer of lines")
		w.put("c.go", text("c", 5))
		w.commit(300, "Add the reader of lines")
		w.session(wrote(50, "a.go", text("a", 5)), ran(199, 201, "git commit -m 'Add the writer of lines'", ""), wrote(250, "c.go", text("c", 5)))
		blob := w.git(0, "rev-parse", "HEAD:b.go")
		w.git(0, "rm", "-q", "b.go") // git would take it from there
		check(w.T, os.Remove(filepath.Join(w.repo, ".git", "objects", blob[:2], blob[2:])))
		got := w.rows("log")
		if want := []string{"wrote sure 1 5/5", "made sure 1 -", "wrote sure 1 5/5"}; !slices.Equal(got, want) {
			w.Errorf("got %q", got)
		}
		if got := w.tool("log"); got.status != 2 || !strings.Contains(got.stderr, "not all commits were read") {
			w.Errorf("%+v", got)
		}
	},
	"28 partial clone": func(w *gitWorld) {
		w.parser(100)
		w.put("a.go", text("b", 5))
		w.commit(200, "Add the writer of lines")
		w.put("a.go", text("c", 5))
		w.commit(300, "Add the reader of lines")
		w.git(0, "config", "uploadpack.allowFilter", "true")
		w.session(ran(199, 201, "git commit -m 'Add the writer of lines'", ""), wrote(250, "a.go", text("c", 5)))
		clone := filepath.Join(w.home, "partial", "project")
		w.in(w.home, 0, "clone", "-q", "--filter=blob:none", "file://"+w.repo, clone)
		w.repo = clone
		before := w.tree()
		got := w.tool("log")
		if rows := w.rows("log"); !slices.Equal(rows, []string{"made sure 1 -"}) || got.status != 2 || !strings.Contains(got.stderr, "not all commits were read") {
			w.Errorf("%q: %+v", rows, got)
		}
		if after := w.tree(); after != before {
			w.Errorf("it has fetched: %s", after)
		}
	},
	"29 dubious ownership": func(w *gitWorld) {
		w.commit(0, "root of all")
		c := command(w.repo, "sess-git", "log")
		c.Env = append(env(w.home), "GIT_TEST_ASSUME_DIFFERENT_OWNER=1")
		if got := wait(w.T, c); got.status != 2 || !strings.Contains(got.stderr, "dubious ownership") || !strings.Contains(got.stderr, "hint: git config --global --add safe.directory '"+w.repo+"'") {
			w.Errorf("%+v", got)
		}
	},
	"29 attributes": func(w *gitWorld) {
		w.put(".gitattributes", "*.go -diff\n")
		w.parser(100)
		w.session(wrote(50, "a.go", text("a", 5)), ran(99, 101, "git commit -m 'Add the parser of lines'", ""))
		w.want("HEAD", "made sure 1 -")
	},
	"30 clock of the agent": func(w *gitWorld) {
		w.parser(100)
		w.session(wrote(104, "a.go", text("a", 5)))
		w.session(wrote(110, "a.go", text("a", 5)))
		w.want("HEAD", "wrote sure 1 5/5")
		w.put("b.go", text("b", 5))
		dated := w.commit(-90_000, "A commit of another date")
		w.session(ran(200, 201, "git commit --date yesterday -m 'A commit of another date'", short(dated)))
		w.want("HEAD")
		w.put("c.go", text("c", 5))
		w.commit(1000, "A commit by a slow clock")
		w.session(wrote(1005, "c.go", text("c", 5)))
		w.session(ran(900, 900, "ls", "a.go"), wrote(1006, "c.go", text("c", 5)))
		w.want("HEAD", "wrote sure 4 5/5")
	},
	"30 two seconds around": func(w *gitWorld) {
		id := w.parser(100)
		for _, at := range [][2]int64{{102, 110}, {90, 98}, {103, 110}, {90, 97}} {
			w.session(ran(at[0], at[1], "git commit -F message", short(id)))
			w.session(ran(at[0], at[1], "git commit -m 'Add the parser of lines'", ""))
		}
		w.want("HEAD", "made sure 3 -", "made sure 4 -", "made sure 1 -", "made sure 2 -")
	},
	"31 COMMIT that begins with a dash": func(w *gitWorld) {
		w.commit(0, "root of all")
		for _, command := range []string{"show", "log"} {
			if got := w.tool(command, "--", "--output=evil"); got.status != 2 || strings.Contains(w.tree(), "evil") {
				w.Errorf("%s: %+v", command, got)
			}
		}
	},
	"32 trailer-contradicted": func(w *gitWorld) {
		w.put("a.go", text("a", 5))
		w.commit(100, "Add the parser of lines\n\nSession: 00000002-0000-7000-8000-000000000000")
		w.session(wrote(50, "a.go", text("a", 5)))
		w.session(ran(10, 11, "git status; git commit --dry-run", "clean"))
		w.want("HEAD", "wrote sure 1 5/5", "claimed claimed! 2 -")
	},
	"32 trailer-that-agrees": func(w *gitWorld) {
		for i, name := range []string{"00000001-0000-7000-8000-000000000000", "pi:00000001-0000-7000-8000-000000000000", "00000001", "2026-01-02-00000001-0000-7000-8000-000000000000", "sessions/00000001-0000-7000-8000-000000000000.jsonl", "00000009-0000-7000-8000-000000000000"} {
			w.put("a.go", text(fmt.Sprintf("a%d", i), 5))
			w.commit(int64(100*i+100), "Add the parser of lines\n\nSession: "+name)
		}
		var list []did
		for i := range 6 {
			list = append(list, wrote(int64(100*i+50), "a.go", text(fmt.Sprintf("a%d", i), 5)))
		}
		w.sessionIn(w.repo, "00000009-0000-7000-8000-000000000000", list...) // which has begun it
		for i := range 6 {
			if got := w.rows("show", fmt.Sprintf("HEAD~%d", 5-i)); len(got) != 2 || !strings.HasPrefix(got[1], "claimed claimed ") {
				w.Errorf("%d: %q", i, got)
			}
		}
	},
	"33 trailer names a session that is not here": func(w *gitWorld) {
		w.put("a.go", text("a", 5))
		w.commit(100, "Add the parser of lines\n\nClaude-Session: https://example.com/code/session_01ab")
		w.want("HEAD", "claimed claimed session_01ab -")
	},
	"34 session whose cwd is gone": func(w *gitWorld) {
		w.parser(100)
		w.sessionIn(filepath.Join(w.home, "gone", "project-topic"), "", wrote(50, "a.go", text("a", 5)))
		w.want("HEAD", "wrote sure 1 5/5")
	},
	"35 shell-written file": func(w *gitWorld) {
		w.parser(100)
		cat := "cat >a.go <<'EOF'\n" + text("a", 5) + "EOF\n"
		w.session(ran(50, 51, cat, ""))
		w.want("HEAD")
		w.session(ran(99, 101, cat+"git add a.go && git commit -qm 'Add the parser of lines'", ""))
		w.want("HEAD", "made sure 2 -")
	},
	"notes": func(w *gitWorld) {
		w.parser(100)
		w.git(100, "notes", "--ref=ai", "add", "-m", "a.go\n  k1 1-5\n---\n"+`{"schema_version":"authorship/3.0.0","prompts":{"k1":{"agent_id":{"tool":"x","id":"00000001-0000-7000-8000-000000000000"}}}}`)
		w.session(wrote(50, "a.go", text("a", 5)))
		if got := w.rows("show", "--notes", "ai", "HEAD"); !slices.Equal(got, []string{"wrote sure 1 5/5", "claimed claimed 1 -"}) {
			w.Errorf("got %q", got)
		}
	},
	"27 SHA-256 repository": func(w *gitWorld) {
		w = newGitWorld(w.T, "--object-format=sha256")
		id := w.parser(100)
		w.session(ran(99, 101, "git commit -F x", short(id)), wrote(50, "a.go", text("a", 5)))
		w.want("HEAD", "made sure 1 -", "wrote sure 1 5/5")
		if got := w.tool("blame", "a.go:2"); !strings.Contains(got.stdout, "\tlines\tsure\tfunc a1()") {
			w.Errorf("%+v", got)
		}
	},
}

func TestGitHardCases(t *testing.T) {
	t.Parallel()
	for name, run := range gitCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newGitWorld(t)
			run(w)
		})
	}
}

// Blame goes by what was typed, and else by the commit; -- log and show print what they say that they print.
func TestGitCommands(t *testing.T) {
	t.Parallel()
	w := newGitWorld(t)
	w.commit(0, "root of all")
	w.put("a.go", text("a", 5)+"}\n")
	id := w.commit(100, "Add the parser of lines")
	session := w.session(wrote(50, "a.go", text("a", 5)+"}\n"), ran(99, 101, "git commit -m 'Add the parser of lines'", short(id)))
	blame := w.tool("blame", "a.go:5-6")
	rows := strings.Split(strings.TrimSuffix(blame.stdout, "\n"), "\n")
	if len(rows) != 2 || !strings.HasPrefix(rows[0], "5\t"+id[:12]+"\t") || !strings.HasSuffix(rows[0], "\tlines\tsure\tfunc a4() { return line(4) }") || !strings.HasSuffix(rows[1], "\tcommit\tlikely\t}") {
		t.Errorf("blame: %+v", blame)
	}
	if got := w.tool("blame", "--json", "a.go:5-6"); strings.Count(got.stdout, `"model":"acme/m-1"`) != 2 {
		t.Errorf("blame --json: %+v", got)
	}
	for _, address := range []string{strings.Split(rows[0], "\t")[2]} {
		entry := strings.Split(rows[0], "\t")[3]
		for _, tool := range []string{"sess-path", "sess-show"} {
			if got := runCommand(t, w.home, "", tool, "--leaf", entry, address); got.status != 0 {
				t.Errorf("%s does not take %s %s: %s", tool, entry, address, got.stderr)
			}
		}
		if got := runCommand(t, w.home, "", "sess-fork", "--at", entry, address); got.status != 0 {
			t.Errorf("sess-fork does not take %s %s: %s", entry, address, got.stderr)
		}
	}
	show := w.tool("show", "HEAD")
	if !strings.Contains(show.stdout, "\n\t> do it\n\t") || !strings.Contains(show.stdout, ":write:ok:a.go\n") || !strings.Contains(show.stdout, "0:git commit -m 'Add the parser") {
		t.Errorf("show: %s", show.stdout)
	}
	if got := w.tool("log", "-v"); got.stdout[strings.LastIndex(got.stdout[:len(got.stdout)-1], "\n")+13:] != "\tnone\t-\t-\t-\t-\t-\n" {
		t.Errorf("log -v: %q", got.stdout)
	}
	for args, want := range map[string]int{"log HEAD~1": 1, "log nothing": 2, "show": 2, "blame none.go": 2, "blame a.go:9": 2, "blame a.go:x": 2} {
		if got := w.tool(strings.Fields(args)...); got.status != want {
			t.Errorf("%s: %+v", args, got)
		}
	}
	if got := w.tool("log", "-v", "--session", session); got.status != 0 || strings.Count(got.stdout, "\n") != 2 || strings.Count(got.stdout, id[:12]) != 2 {
		t.Errorf("--session: %+v", got)
	}
	if got := w.tool("log", "--session", session, "--all"); got.status != 2 {
		t.Errorf("--session and a selection: %+v", got)
	}
	elsewhere := command(w.home, "sess-git", "log")
	if got := wait(t, elsewhere); got.status != 2 || !strings.Contains(got.stderr, "not a git repository") {
		t.Errorf("no repository: %+v", got)
	}
	damaged := filepath.Join(w.home, "store", "p", session+".jsonl")
	write(t, filepath.Dir(damaged), filepath.Base(damaged), readFile(t, damaged)+"{damaged}\n")
	w.session(ran(1, 2, "ls", "a.go"))
	w.save(filepath.Join(w.home, "store", "p", "notes.jsonl"), "these are no session\n")
	if got := w.tool("log"); got.status != 0 || !strings.Contains(got.stdout, "made\tsure") {
		t.Errorf("a damaged line: %+v", got)
	}
}

// Nothing that a configuration names is run, and nothing is written: every program that git can be told of would leave a file.
func TestGitRunsNothing(t *testing.T) {
	t.Parallel()
	w := newGitWorld(t)
	w.put("a.go", text("a", 5))
	w.put(".gitattributes", "*.go diff=evil filter=evil merge=evil\n")
	w.commit(100, "Add the parser of lines\n\nSession: x")
	w.session(wrote(50, "a.go", text("a", 5)))
	before, after, _ := strings.Cut(w.git(0, "cat-file", "commit", "HEAD"), "\n\n")
	signed := write(t, w.home, "signed", before+"\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n"+after+"\n")
	w.git(0, "reset", "-q", "--hard", w.git(0, "hash-object", "-t", "commit", "-w", signed))
	evil := filepath.Join(w.home, "evil")
	program := write(t, w.home, "evil.sh", "#!/bin/sh\necho \"$0 $*\" >>'"+evil+"'\nexit 1\n")
	check(t, os.Chmod(program, 0o755))
	for _, key := range []string{
		"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy", "diff.external", "diff.evil.command", "diff.evil.textconv",
		"filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "gpg.program", "credential.helper", "trailer.session.command", "trailer.session.cmd",
		"pager.log", "pager.blame", "interactive.diffFilter", "uploadpack.packObjectsHook",
	} {
		w.git(0, "config", key, program)
	}
	w.git(0, "config", "log.showSignature", "true")
	for _, hook := range []string{"post-index-change", "reference-transaction", "pre-commit", "post-checkout"} {
		check(t, os.WriteFile(filepath.Join(w.repo, ".git", "hooks", hook), []byte("#!/bin/sh\necho hook >>'"+evil+"'\n"), 0o755))
	}
	check(t, os.Chtimes(filepath.Join(w.repo, "a.go"), time.Now(), time.Now())) // the index has to be looked at
	before = w.tree()
	_ = os.Remove(evil)
	for _, args := range [][]string{{"log"}, {"show", "--notes", "ai", "HEAD"}, {"blame", "a.go"}, {"log", "--json", "HEAD"}} {
		if got := w.tool(args...); got.status != 0 {
			t.Errorf("%v: %+v", args, got)
		}
	}
	if text, err := os.ReadFile(evil); err == nil {
		t.Errorf("run: %s", text)
	}
	if after := w.tree(); after != before {
		t.Errorf("the repository has changed: %s", after)
	}
}

// tree lists the repository with sizes and times.
func (w *gitWorld) tree() string {
	var b strings.Builder
	err := filepath.WalkDir(w.repo, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, path, fi.Size(), fi.ModTime().UnixNano())
		}
		return err
	})
	return cmp.Or(b.String(), fmt.Sprint(err))
}

// A commit is of the agent's own session and not of its copy in the store, until the agent has deleted it.
func TestGitNamesTheAgentsOwn(t *testing.T) {
	t.Parallel()
	w := newGitWorld(t)
	id := w.session(wrote(10, w.repo+"/parser.go", text("parse", 9)), ran(20, 25, "git commit -qam 'Parse'", "[main 1234567] Parse"))
	kept := filepath.Join(w.home, "store", "p", id+".jsonl")
	own := w.save(filepath.Join(w.home, ".pi", "agent", "sessions", "--p--", "2026-05-28T20-26-50-000Z_"+id+".jsonl"), readFile(t, kept))
	w.put("parser.go", text("parse", 9))
	commit := w.commit(25, "Parse")
	for _, want := range []string{own, kept} {
		got := w.tool("show", commit).stdout
		if line, _, _ := strings.Cut(got, "\n"); strings.Count(got, "\n") < 1 || !strings.Contains(line, "\t"+want+"\t") || strings.Contains(got, "\n"+commit) {
			t.Errorf("want %s: %s", want, got)
		}
		check(t, os.RemoveAll(own))
	}
}
