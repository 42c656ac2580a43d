package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// gitGoals are about which sessions led to the commits of a repository, where each commit has a session of its own that wrote and
// made it, and about what sessions did.
func (b *bench) gitGoals() []goal {
	of := count(int64(b.sessions()))
	many, sessions := of+" commits, "+of+" sessions", of+" sessions"
	return []goal{
		{"sess-git log, " + many + " / git log -p", func(ctx context.Context, name string) ([]row, error) {
			return b.sessGit(ctx, name, 15, "log", "--limit", fmt.Sprint(b.sessions()))
		}},
		{"sess-git show, one commit among " + sessions + " / git log -p", func(ctx context.Context, name string) ([]row, error) {
			return b.sessGit(ctx, name, 1, "show", "HEAD~5")
		}},
		{"sess-calls, " + sessions, func(ctx context.Context, name string) ([]row, error) {
			dir, err := b.store(ctx)
			return b.calls(ctx, name, dir, err)
		}},
		{"sess-calls, one session", func(ctx context.Context, name string) ([]row, error) {
			s, err := b.session(ctx, linear, b.size)
			return b.calls(ctx, name, s.file, err)
		}},
	}
}

// sessGit is the goal that a command of sess-git takes at most limit seconds.
func (b *bench) sessGit(ctx context.Context, name string, limit float64, args ...string) ([]row, error) {
	repo, store, err := b.repository(ctx)
	if err != nil {
		return nil, err
	}
	in := func(argv ...string) command {
		return command{argv: append([]string{"sh", "-c", `cd "$0" && exec "$@"`, repo}, argv...), env: []string{"SESS_DIR=" + store}}
	}
	c, err := b.compare(ctx, in(append([]string{b.bin("sess-git")}, args...)...), in("git", "log", "-p", "-U0"))
	if err != nil {
		return nil, err
	}
	return []row{timeRow(name, c, limit), memoryRow(c.rss, 200e6)}, nil
}

// calls is the goal that sess-calls reads 300 MB/s.
func (b *bench) calls(ctx context.Context, name, place string, err error) ([]row, error) {
	const limit = 300
	if err != nil {
		return nil, err
	}
	bytes := int64(0)
	err = filepath.WalkDir(place, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var fi fs.FileInfo
			if fi, err = d.Info(); err == nil {
				bytes += fi.Size()
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("measuring %s: %w", place, err)
	}
	seconds, err := b.repeat(ctx, b.ours("sess-calls", "-a", "-c", place))
	if err != nil {
		return nil, err
	}
	rate := float64(bytes) / seconds / 1e6
	return []row{{goal: name, ours: fmt.Sprintf("%.0f MB/s", rate), want: fmt.Sprintf("≥ %d MB/s", limit), met: rate >= limit}}, nil
}

const (
	apart       = 600 // seconds from one commit to the next
	commitLines = 20
	talk        = 64 // kilobytes that a session has besides
)

// repository makes a repository of as many commits as the store has sessions, and a session for each.
func (b *bench) repository(ctx context.Context) (repo, store string, err error) {
	if _, err := b.need("git"); err != nil {
		return "", "", err
	}
	n := b.sessions()
	dir := filepath.Join(b.data, fmt.Sprintf("commits-%d", n))
	repo, store = filepath.Join(dir, "project"), filepath.Join(dir, "store")
	if _, err := os.Stat(filepath.Join(dir, "done")); err == nil {
		return repo, store, nil
	}
	b.s.Notef("generating %s", filepath.Base(dir))
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(repo, 0o700)); err != nil {
		return "", "", err
	}
	if err := exec.CommandContext(ctx, "git", "init", "-q", "-b", "main", repo).Run(); err != nil {
		return "", "", unless(ctx, fmt.Errorf("making a repository: %w", err))
	}
	cmd := exec.CommandContext(ctx, "git", "-C", repo, "fast-import", "--quiet")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", "", err
	}
	w := bufio.NewWriterSize(in, 1<<20)
	for i := range n {
		if err = errors.Join(writeCommit(w, i), writeSession(store, repo, i)); err != nil {
			break
		}
	}
	if err = errors.Join(err, w.Flush(), in.Close(), cmd.Wait()); err != nil {
		return "", "", unless(ctx, fmt.Errorf("making commits: %w", err))
	}
	if err := b.flush(ctx); err != nil {
		return "", "", err
	}
	return repo, store, os.WriteFile(filepath.Join(dir, "done"), nil, 0o600)
}

func committed(i int) int64 { return 1_760_000_000 + int64(i)*apart }

func subject(i int) string { return fmt.Sprintf("Add part %d of the parser", i) }

func fileOf(i int) string { return fmt.Sprintf("part%d/lines%d.go", i%100, i) }

// written are the lines of a commit.
func written(i int) string {
	var text strings.Builder
	for line := range commitLines {
		fmt.Fprintf(&text, "func part%dOfLine%d(n int) int { return n + %d }\n", i, line, i)
	}
	return text.String()
}

func writeCommit(w io.Writer, i int) error {
	text := written(i)
	_, err := fmt.Fprintf(w, "commit refs/heads/main\ncommitter a <a@example.com> %d +0000\ndata %d\n%s\nM 100644 inline %s\ndata %d\n%s\n",
		committed(i), len(subject(i)), subject(i), fileOf(i), len(text), text)
	return err
}

// writeSession writes the session that led to a commit: it talks, writes the file, and commits it.
func writeSession(store, repo string, i int) error {
	dir := filepath.Join(store, fmt.Sprintf("p%d", i/storedPerProject))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	var text strings.Builder
	at, n, parent := committed(i)-300, 0, "null"
	stamp := func() string { return time.Unix(at, 0).UTC().Format("2006-01-02T15:04:05.000Z") }
	id := fmt.Sprintf("%08d-0000-7000-8000-000000000000", i)
	fmt.Fprintf(&text, `{"type":"session","version":3,"id":"%s","timestamp":"%s","cwd":%q}`+"\n", id, stamp(), repo)
	add := func(message string) {
		n++
		fmt.Fprintf(&text, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"%s","message":%s}`+"\n", n, parent, stamp(), message)
		parent, at = fmt.Sprintf(`"%08x"`, n), at+1
	}
	call := func(tool, arguments, result string) {
		add(fmt.Sprintf(`{"role":"assistant","stopReason":"toolUse","content":[{"type":"toolCall","id":"c%d-%d","name":"%s","arguments":%s}]}`, i, n, tool, arguments))
		add(fmt.Sprintf(`{"role":"toolResult","toolCallId":"c%d-%d","toolName":"%s","isError":false,"content":[{"type":"text","text":%q}]}`, i, n-1, tool, result))
	}
	add(`{"role":"user","content":"go on with the parser"}`)
	words := strings.Repeat("what a program prints that is tested, and what is said of it. ", 16)
	for range talk {
		call("bash", `{"command":"go test ./..."}`, words)
	}
	call("write", fmt.Sprintf(`{"path":%q,"content":%q}`, filepath.Join(repo, fileOf(i)), written(i)), "written")
	at = committed(i)
	call("bash", fmt.Sprintf(`{"command":"git add . && git commit -qm '%s'"}`, subject(i)), "")
	name := filepath.Join(dir, id+".jsonl")
	if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
		return err
	}
	return os.Chtimes(name, time.Unix(at, 0), time.Unix(at, 0))
}
