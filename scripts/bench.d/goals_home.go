package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// homed is how many sessions of Claude Code there are at a home.
const homed = 500

// handed is the size of a session that is handed to another agent, and wholeSize of one that is kept whole, in bytes.
const (
	handed    = 12_000_000
	wholeSize = 200_000_000
)

// homeGoals are about the sessions of another agent where it keeps them. Each goal has its bound beside it: what cannot be left out
// of the work, done by another program.
func (b *bench) homeGoals() []goal {
	const of = ", 500 sessions of Claude Code"
	search, _, _ := b.search()
	noop := func(string) command { return b.ours("noop", "-t", "hello", "s.jsonl") }
	names := func(home string) command { return command{argv: []string{b.find("find"), home, "-name", "*.jsonl"}} }
	heads := func(home string) command {
		return command{argv: []string{"sh", "-c", `find "$1" -name '*.jsonl' -exec head -q -c 4096 {} + >/dev/null`, "sh", home}}
	}
	read := func(home string) command {
		return command{argv: []string{"sh", "-c", `find "$1" -name '*.jsonl' -exec cat {} + >/dev/null`, "sh", home}}
	}
	valid := func(home string) command { return b.ours("bound", "-valid", home) }
	beginning := func(home string) command {
		return b.at(home, "sess-path", "--as", "state", "claude:000001f3-0000-4000")
	}
	elsewhere := func(home string) command { return b.at(home, "sess-ls", "--agent", "claude", "--cwd", "/nowhere") }
	listed := func(args ...string) func(home string) command {
		return func(home string) command {
			return b.at(home, "sess-ls", append([]string{"--agent", "claude"}, args...)...)
		}
	}
	asked := func(args ...string) func(home string) command {
		return func(home string) command {
			return b.at(home, "sess-history", append([]string{"--agent", "claude", "--copies"}, args...)...)
		}
	}
	found := func(home string) command { return b.at(home, "sess-grep", "--agent", "claude", "-F", "zzqneedlezz") }
	sum := []string{"--agent", "claude", "--by", "day", "--json"}
	summed := func(home string) command { return b.at(home, "sess-stat", sum...) }
	summedAgain := func(home string) command { return b.knowing(home, "sess-stat", sum...) }
	ccusage := func(ours func(home string) command) func(context.Context) (command, command, error) {
		return func(ctx context.Context) (mine, peer command, err error) {
			ccusage, err := b.ccusage()
			if err != nil {
				return mine, peer, err
			}
			return b.home(ours, func(home string) command {
				c := command{argv: []string{ccusage, "claude", "daily", "--offline", "--json"}, pinned: true}
				c.env = []string{"CLAUDE_CONFIG_DIR=" + home}
				return c
			})(ctx)
		}
	}
	tabled := func() []string { // the directory is made when a goal runs
		return []string{"--agent", "claude", "--all", "-q", "-o", filepath.Join(b.work, "tables")}
	}
	return append([]goal{
		versus(b, "sess-path, the beginning of an id"+of+" / no-op tool", 30, b.home(beginning, noop)),
		reported(b, "sess-path, the beginning of an id"+of+" / find of their names", b.home(beginning, names)),
		versus(b, "sess-path, the id of none"+of+" / no-op tool", 60, b.home(func(home string) command { return b.at(home, "sess-path", "claude:nosuch") }, noop)),
		versus(b, "sess-ls --cwd of a directory without one"+of+" / no-op tool", 30, b.home(elsewhere, noop)),
		reported(b, "sess-ls --cwd of a directory without one"+of+" / reading their heads", b.home(elsewhere, heads)),
		versus(b, "sess-ls --since 1h"+of+" / all of them", 1./5, b.home(listed("--since", "1h"), listed())),
		reported(b, "sess-ls --since 1h"+of+" / reading their heads", b.home(listed("--since", "1h"), heads)),
		versus(b, "sess-ls --limit 5"+of+" / all of them", 1./5, b.home(listed("--limit", "5"), listed())),
		versus(b, "sess-history --limit 5"+of+" / all of them", 1./5, b.home(asked("--limit", "5"), asked())),
		reported(b, "sess-history --limit 5"+of+" / reading their heads", b.home(asked("--limit", "5"), heads)),
		reported(b, "sess-grep"+of+", no hit / "+search, b.home(found, func(home string) command { return b.searchingHome(claudeKeeper, home) })),
		reported(b, "sess-grep"+of+", no hit / reading them", b.home(found, read)),
		// A text may be in the session and not in the file: escaped there, or put together. Without a cache each is converted.
		versus(b, "sess-grep"+of+", no hit / importing them", 1.25, b.home(found, b.importingHome)),
		reported(b, "sess-stat"+of+" / ccusage", ccusage(summed)),
		versus(b, "sess-stat"+of+", again / ccusage", 1./4, ccusage(summedAgain)),
		versus(b, "sess-stat"+of+", again / with nothing remembered", 1./4, b.home(summedAgain, summed)),
		versus(b, "sess-ls"+of+", again / with nothing remembered", 1./8, b.home(func(home string) command { return b.knowing(home, "sess-ls", "--agent", "claude") }, listed())),
		versus(b, "sess-table"+of+", nothing new / with nothing remembered", 1./8, b.home(
			func(home string) command { return b.knowing(home, "sess-table", tabled()...) },
			func(home string) command { return b.at(home, "sess-table", tabled()...) },
		)),
		reported(b, "sess-stat"+of+" / reading them", b.home(summed, read)),
		reported(b, "sess-stat"+of+" / reading and validating them", b.home(summed, valid)),
		versus(b, "sess-stat"+of+" / importing them", 1.25, b.home(summed, b.importingHome)),
		versus(b, "sess-handoff -n "+size(handed)+" / --no-redact", 2, b.handing("sess-handoff", "-n", "--to", "claude", "--no-redact")),
		reported(b, "sess-handoff -n "+size(handed)+" / reading it", b.handing("bound")),
	}, b.wholeGoals()...)
}

// wholeGoals are the peaks of tools that hold a whole session in memory: a fifth more than it has.
func (b *bench) wholeGoals() (goals []goal) {
	whole := min(b.size, wholeSize)
	for _, args := range [][]string{
		{"sess-stat", "--usage"},
		{"sess-calls"},
		{"sess-assert", "--max-calls", "1000000"},
		{"sess-fork", "-n"},
		{"sess-tree"},
		{"sess-path", "--as", "markdown"},
		{"sess-compact", "--plan"},
	} {
		name := strings.Join(args, " ") + ", " + size(float64(whole)) + ", peak RSS"
		goals = append(goals, goal{name, func(ctx context.Context, name string) ([]row, error) {
			s, err := b.session(ctx, linear, whole)
			if err != nil {
				return nil, err
			}
			c, err := b.compare(ctx, b.ours(args[0], append(args[1:len(args):len(args)], s.file)...), b.ours("bound", s.file))
			r := memoryRow(c.rss, s.Bytes*6/5)
			r.goal = name
			return []row{r}, err
		}})
	}
	return goals
}

// at is one of our tools that finds the sessions of Claude Code at a home, and knows nothing of them from a run before; its status may be an
// answer.
func (b *bench) at(home, tool string, args ...string) command {
	return b.unknown(tool, args...)(claudeKeeper, home)
}

// knowing is at with what is remembered.
func (b *bench) knowing(home, tool string, args ...string) command {
	return b.known(tool, args...)(claudeKeeper, home)
}

// importingHome makes sessions of all of a home, and removes them.
func (b *bench) importingHome(home string) command {
	c := answered("sh", "-c", `d=$(mktemp -d) && trap 'rm -rf "$d"' EXIT && "$1" -q claude --all --no-losses -o "$d"`, "sh", b.bin("sess-import"))
	c.env = []string{"CLAUDE_CONFIG_DIR=" + home}
	return c
}

// answered is a command whose status may be up to 2, that of an address of none.
func answered(argv ...string) command {
	return command{argv: append([]string{"sh", "-c", `"$@" >/dev/null 2>&1; [ $? -le 2 ]`, "sh"}, argv...), pinned: true}
}

// home gives two commands the home.
func (b *bench) home(ours, peer func(home string) command) func(context.Context) (command, command, error) {
	return func(ctx context.Context) (mine, theirs command, err error) {
		home, err := b.claudeHome(ctx)
		if err != nil {
			return mine, theirs, err
		}
		mine, theirs = ours(home), peer(home)
		mine.pinned, theirs.pinned = true, true
		return mine, theirs, nil
	}
}

// handing hands a session to another agent, and gives the peer the same session.
func (b *bench) handing(peer ...string) func(context.Context) (command, command, error) {
	return func(ctx context.Context) (ours, theirs command, err error) {
		s, err := b.session(ctx, linear, handed)
		ours, theirs = b.ours("sess-handoff", "-n", "--to", "claude", s.file), b.ours(peer[0], append(peer[1:len(peer):len(peer)], s.file)...)
		ours.pinned, theirs.pinned = true, true
		return ours, theirs, err
	}
}

// claudeHome returns a home of Claude Code with many sessions, all with the lines of one, and makes it if need be. Each was written
// to a minute before the next.
func (b *bench) claudeHome(ctx context.Context) (string, error) {
	one := filepath.Join(b.data, "claude.jsonl")
	if _, err := b.generated(ctx, one, []string{"--size", "100000", "--median", "300"}); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, b.bin("sess-export"), "-q", "claude", one)
	cmd.Env = b.environ()
	text, err := cmd.Output()
	if err != nil {
		return "", unless(ctx, fmt.Errorf("making a session of Claude Code: %w", err))
	}
	_, rest, _ := bytes.Cut(text, []byte(`"sessionId":"`))
	id, _, ok := bytes.Cut(rest, []byte(`"`))
	if !ok {
		return "", errors.New("making a session of Claude Code: it has no id")
	}
	home := filepath.Join(b.data, "claude-"+strconv.Itoa(homed))
	done := filepath.Join(home, fmt.Sprintf("%x.done", sha256.Sum256(text)))
	if _, err := os.Stat(done); err == nil {
		return home, nil
	}
	b.s.Notef("writing %d sessions of Claude Code", homed)
	project := filepath.Join(home, "projects", "-home-dev-project")
	if err := errors.Join(os.RemoveAll(home), os.MkdirAll(project, 0o700)); err != nil {
		return "", err
	}
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range homed {
		own := fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i)
		name := filepath.Join(project, own+".jsonl")
		if err := os.WriteFile(name, bytes.ReplaceAll(text, id, []byte(own)), 0o600); err != nil {
			return "", err
		}
		at := begun.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(name, at, at); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		return "", err
	}
	return home, b.flush(ctx)
}
