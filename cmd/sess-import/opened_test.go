package main

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/must"
)

// With --each an archive stays open. Each answer is that of a process of its own all the same, also about a session that
// was written to, came or went while the archive was open.
func TestEachIsAsAlone(t *testing.T) {
	home := t.TempDir()
	t.Setenv("CLAUDE_CONFIG_DIR", filepath.Join(home, "claude"))
	t.Setenv("CODEX_HOME", filepath.Join(home, "codex"))
	t.Setenv("PI_CODING_AGENT_DIR", filepath.Join(home, "pi"))
	id := func(n int) string { return fmt.Sprintf("019b0000-0000-7000-8000-%012d", n) }
	file := map[string]func(n int) string{
		"claude": func(n int) string { return "claude/projects/-w/" + id(n) + ".jsonl" },
		"codex":  func(n int) string { return "codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-" + id(n) + ".jsonl" },
		"pi":     func(n int) string { return "pi/sessions/--w--/2026-01-02T03-04-05-000Z_" + id(n) + ".jsonl" },
	}
	text := map[string]string{
		"claude": `{"type":"user","uuid":"u-ID","parentUuid":null,"sessionId":"ID","cwd":"/w","timestamp":"2026-01-02T03:04:05.000Z","version":"2.1.0","message":{"role":"user","content":"WORDS"}}`,
		"codex": `{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"id":"ID","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w","originator":"codex_cli_rs","cli_version":"0.169.0"}}
{"timestamp":"2026-01-02T03:04:06.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"WORDS"}]}}`,
		"pi": `{"type":"session","version":3,"id":"ID","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}
{"type":"message","id":"e1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"WORDS","timestamp":1}}`,
	}
	put := func(agent string, n int, words string) {
		path := filepath.Join(home, filepath.FromSlash(file[agent](n)))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, []byte(strings.NewReplacer("ID", id(n), "WORDS", words).Replace(text[agent])+"\n"), 0o600))
	}
	same, end := asker(t)
	for agent := range text {
		for n := range 3 {
			put(agent, n, "first")
		}
	}
	for agent := range text {
		for n := range 3 {
			same(0, agent, "--session="+id(n))
		}
		put(agent, 1, "changed")
		same(0, agent, "--session="+id(1))
		same(2, agent, "--session="+id(7))
		same(0, agent, "--session="+id(2))
		put(agent, 7, "came")
		same(0, agent, "--session="+id(7))
		same(0, agent, "--session="+id(0))
		must.Do(t, os.Remove(filepath.Join(home, filepath.FromSlash(file[agent](2)))))
		same(2, agent, "--session="+id(2))
		same(0, agent, "--session="+id(1), "--no-losses")
		put(agent, 8, "is the newest")
		same(0, agent, "--list")
		same(0, agent, "--recent", "--cwd=/w")
		same(2, agent, "--session="+id(0)[:30])
	}
	// Codex begins another file for a session that it goes on with.
	same(0, "codex", "--session="+id(0))
	file["codex"] = func(n int) string { return "codex/sessions/2026/01/03/rollout-2026-01-03T03-04-05-" + id(n) + ".jsonl" }
	put("codex", 0, "gone on")
	time.Sleep(lasts)
	same(0, "codex", "--session="+id(0))
	if asked := end(); asked != 41 {
		t.Errorf("%d questions", asked)
	}
}

// A database stays open between answers while nothing is written to it.
func TestEachOfADatabase(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_DATA_HOME", home)
	path := filepath.Join(home, "opencode", "opencode.db")
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	if db, err := sqldb.Open(t.Context(), path); err == nil { // whose locks have to be set up before the first one
		db.Close()
	}
	db, err := sql.Open("sqlite", path)
	must.Do(t, err)
	defer db.Close()
	run := func(statements ...string) {
		t.Helper()
		for _, s := range statements {
			if _, err := db.ExecContext(t.Context(), s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
	}
	put := func(n int, words string) {
		run(fmt.Sprintf("REPLACE INTO session VALUES ('ses_%d','s','/w','%s','1.18.33',%d,%d,NULL)", n, words, 1000*n, 1000*n),
			fmt.Sprintf(`REPLACE INTO message VALUES ('msg_%d','ses_%d',%d,'{"role":"user","time":{"created":1}}')`, n, n, 1000*n),
			fmt.Sprintf(`REPLACE INTO part VALUES ('prt_%d','msg_%d','ses_%d','{"type":"text","text":"%s"}')`, n, n, n, words))
	}
	run("PRAGMA journal_mode=WAL",
		"CREATE TABLE `session` (id PRIMARY KEY, slug, directory, title, version, time_created, time_updated, parent_id)",
		"CREATE TABLE `message` (id PRIMARY KEY, session_id, time_created, data)", "CREATE TABLE `part` (id PRIMARY KEY, message_id, session_id, data)")
	for n := range 3 {
		put(n, "first")
	}
	same, end := asker(t)
	for range 2 {
		for n := range 3 {
			same(0, "opencode", fmt.Sprintf("--session=ses_%d", n))
		}
		put(1, "changed")
		same(0, "opencode", "--session=ses_1")
		same(2, "opencode", "--session=ses_7")
		put(7, "came")
		same(0, "opencode", "--session=ses_7")
		run("DELETE FROM session WHERE id='ses_7'", "DELETE FROM message WHERE session_id='ses_7'", "DELETE FROM part WHERE session_id='ses_7'")
		same(2, "opencode", "--session=ses_7")
		same(0, "opencode", "--list")
		must.Do(t, db.Close()) // the agent ends
		same(0, "opencode", "--session=ses_0")
		same(0, "opencode", "--session=ses_1")
		db, err = sql.Open("sqlite", path)
		must.Do(t, err)
		put(1, "changed again")
		same(0, "opencode", "--session=ses_1")
	}
	end()
}

// asker runs a process that answers with --each. Same asks a question, and compares the answer with that of a process of its own; end ends it, and
// returns how many were asked.
func asker(t *testing.T) (same func(want int, args ...string), end func() int) {
	t.Helper()
	questions, ask := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(t.Context(), importer(nil, nil), questions, out, io.Discard, []string{"--each"})
		out.Close()
	}()
	answer := bufio.NewReader(answers)
	asked := 0
	same = func(want int, args ...string) {
		t.Helper()
		asked++
		line, err := json.Marshal(args)
		must.Do(t, err)
		if _, err := fmt.Fprintf(ask, "%s\n", line); err != nil {
			t.Fatal(err)
		}
		got := map[string]*bytes.Buffer{"out": {}, "err": {}}
		status := -1
		for status < 0 {
			var kind string
			var n int
			if _, err := fmt.Fscanf(answer, "%s %d\n", &kind, &n); err != nil {
				t.Fatal(err)
			}
			if kind == "status" {
				status = n
			} else if _, err := io.CopyN(got[kind], answer, int64(n)); err != nil {
				t.Fatal(err)
			}
		}
		var out, errs bytes.Buffer
		if code := cli.Run(t.Context(), importer(nil, nil), strings.NewReader(""), &out, &errs, args); status != code || status != want || got["out"].String() != out.String() || got["err"].String() != errs.String() {
			t.Errorf("%q: status %d, alone %d, want %d\n%s%s\nalone:\n%s%s", args, status, code, want, got["out"], got["err"], &out, &errs)
		}
	}
	return same, func() int {
		ask.Close()
		if status := <-ended; status != 0 {
			t.Errorf("status %d", status)
		}
		return asked
	}
}
