package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/must"
)

const forks = "../../internal/readers/usage/testdata/forks"

// counted is what the truth has of the calls of a kind.
type counted struct {
	N, Input, Output, CacheRead, CacheWrite int64
	Cost                                    float64
}

// rowJSON is a row of --json.
type rowJSON struct {
	Kind string
	Key  map[string]string
	sumJSON
}

type sumJSON struct {
	Tokens                                struct{ Input, Output, CacheRead, CacheWrite, Reasoning, Total int64 }
	Cost                                  json.Number
	Calls, Unpriced, Copies, CopiedTokens int64
	PricedBy                              string
	Prices                                struct{ Source, Date string }
}

// rows runs the tool with --json and returns the rows, and the total.
func rows(t *testing.T, stdin string, args ...string) (list []rowJSON, total sumJSON) {
	t.Helper()
	stdout, stderr, status := run(t, stdin, append([]string{"--json"}, args...)...)
	if status != 0 {
		t.Fatalf("%v: status %d: %s", args, status, stderr)
	}
	for line := range strings.Lines(stdout) {
		var r rowJSON
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		switch r.Kind {
		case "call":
			list = append(list, r)
		case "total":
			total = r.sumJSON
		default:
			t.Fatalf("a row of another kind: %s", line)
		}
	}
	return list, total
}

func (s *sumJSON) counted() counted {
	cost, _ := s.Cost.Float64()
	return counted{s.Calls, s.Tokens.Input, s.Tokens.Output, s.Tokens.CacheRead, s.Tokens.CacheWrite, cost}
}

// stock copies the store of forks into a directory, one level below it.
func stock(t *testing.T, dir string) string {
	t.Helper()
	must.Do(t, os.CopyFS(filepath.Join(dir, "--srv-p--"), os.DirFS(forks)))
	return dir
}

// TestTruth counts the store of forks as the script that knows the truth does, wherever
// its files are.
func TestTruth(t *testing.T) {
	t.Parallel()
	var truth struct{ Messages, All counted }
	data, err := os.ReadFile("../../internal/readers/usage/testdata/truth.json")
	if err == nil {
		err = json.Unmarshal(data, &truth)
	}
	must.Do(t, err)
	for name, make := range map[string]func(dir string) []string{
		"plain": func(dir string) []string { return []string{"-a", stock(t, dir)} },
		"behind a symbolic link": func(dir string) []string {
			stock(t, filepath.Join(dir, "real"))
			symlink(t, filepath.Join(dir, "real"), filepath.Join(dir, "link"))
			return []string{"-a", filepath.Join(dir, "link")}
		},
		"both ways": func(dir string) []string {
			stock(t, filepath.Join(dir, "real"))
			symlink(t, filepath.Join(dir, "real"), filepath.Join(dir, "link"))
			return []string{"-a", filepath.Join(dir, "link"), filepath.Join(dir, "real")}
		},
		"moved parent": func(dir string) []string {
			stock(t, dir)
			old := match(t, dir, "*/*_11111111-*.jsonl")
			move(t, old, filepath.Join(dir, "elsewhere", filepath.Base(old)))
			return []string{"-a", dir}
		},
		"parent with another name": func(dir string) []string {
			stock(t, dir)
			move(t, match(t, dir, "*/*_11111111-*.jsonl"), filepath.Join(dir, "elsewhere", "root.jsonl"))
			return []string{"-a", dir}
		},
		"fork of a dead branch": func(dir string) []string {
			stock(t, dir)
			root := must.Read(t, match(t, dir, "*/*_11111111-*.jsonl"))
			_, entries, _ := strings.Cut(root, "\n")
			lines := strings.SplitAfter(entries, "\n")
			must.Write(t, dir, "--srv-p--/dead.jsonl", `{"type":"session","version":3,"id":"dead","timestamp":"2026-11-04T00:00:00.000Z","cwd":"/srv/p","parentSession":"/gone/x_11111111-0000-7000-8000-000000000001.jsonl"}`+"\n"+
				lines[0]+lines[1]+lines[2]+strings.Join(lines[4:], ""))
			return []string{"-a", dir}
		},
		"the parent copied": func(dir string) []string {
			stock(t, dir)
			must.Write(t, dir, "backup/root.jsonl", must.Read(t, match(t, dir, "*/*_11111111-*.jsonl")))
			return []string{"-a", dir}
		},
	} {
		args := append(make(t.TempDir()), "--cost", "stored")
		_, total := rows(t, "", args...)
		if got := total.counted(); !same(got, truth.All) {
			t.Errorf("%s: %+v, want %+v", name, got, truth.All)
		}
		byPurpose, _ := rows(t, "", append(args, "--by", "purpose")...)
		for _, r := range byPurpose {
			if got := r.counted(); r.Key["purpose"] == "reply" && !same(got, truth.Messages) {
				t.Errorf("%s: replies %+v, want %+v", name, got, truth.Messages)
			}
		}
		bySession, _ := rows(t, "", append(args, "--by", "session")...)
		var charged []int64
		for _, r := range bySession {
			charged = append(charged, r.Calls)
		}
		if got := charged; len(got) != 6 || got[0] != 4 || got[1] != 1 || got[2] != 1 || got[3] != 1 || got[4] != 3 || got[5] != 1 {
			t.Errorf("%s: sessions are charged with %v calls", name, got)
		}
	}
	// Without the rule, copies count: what ccusage says of the same store behind a link.
	byPurpose, _ := rows(t, "", "-a", "--copies", "--cost", "stored", "--by", "purpose", stock(t, t.TempDir()))
	if got, want := byPurpose[1].counted(), (counted{19, 257133, 3330, 31700, 14500, 0.2478}); !same(got, want) {
		t.Errorf("without the rule: %+v, want %+v", got, want)
	}
}

func same(a, b counted) bool {
	near := math.Abs(a.Cost-b.Cost) < 1e-9
	a.Cost, b.Cost = 0, 0
	return near && a == b
}

func symlink(t *testing.T, from, to string) {
	t.Helper()
	must.Do(t, os.Symlink(from, to))
}

func move(t *testing.T, from, to string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(to), 0o700))
	must.Do(t, os.Rename(from, to))
}

func match(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	return found[0]
}
