package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stage is a bench that can run things, and a command that writes its letter to
// a log each time.
func stage(t *testing.T) (b *bench, logging func(letter, script string) command, log func() string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "log")
	b = &bench{work: dir, data: dir, runs: 3, slow: slowPair}
	logging = func(letter, script string) command {
		return command{argv: []string{"sh", "-c", "printf %s " + letter + " >>'" + name + "'; " + script}}
	}
	return b, logging, func() string { text, _ := os.ReadFile(name); return string(text) }
}

// TestCompareInTurn: one pair to warm up, then pairs that begin with either side
// alike; eight times as many of what takes no time.
func TestCompareInTurn(t *testing.T) {
	t.Parallel()
	b, logging, log := stage(t)
	c, err := b.compare(t.Context(), logging("o", "sleep 0.03"), logging("p", "sleep 0.03"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := log(), "op"+"op"+"po"+"op"; got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
	if c.pairs != 3 || c.ours < 0.03 || c.peer < 0.03 || c.ratio <= 0 {
		t.Errorf("%+v", c)
	}
}

// TestCompareSlowPeer: of a peer that is slow one run is enough, and ours does not count the
// one that found everything cold.
func TestCompareSlowPeer(t *testing.T) {
	t.Parallel()
	b, logging, log := stage(t)
	b.slow = 200 * time.Millisecond
	c, err := b.compare(t.Context(), logging("o", ":"), logging("p", "sleep 0.3"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := log(), "op"+"ooo"; got != want || c.pairs != 1 {
		t.Errorf("ran %s, want %s: %+v", got, want, c)
	}
}

// TestRunAround: before and after are run, also around what fails, and the error
// says what the command said.
func TestRunAround(t *testing.T) {
	t.Parallel()
	b, logging, _ := stage(t)
	for _, to := range []sink{toNull, toPipe, toFile} {
		var steps []string
		c := logging("x", "echo out; echo 'no such luck' >&2; exit 3")
		c.sink = to
		c.before = func() error { steps = append(steps, "before"); return nil }
		c.after = func() error { steps = append(steps, "after"); return nil }
		c.check = func() error { steps = append(steps, "check"); return nil }
		_, err := b.run(t.Context(), c)
		if err == nil || !strings.Contains(err.Error(), "no such luck") || !strings.Contains(err.Error(), "3") {
			t.Errorf("sink %d: error %v", to, err)
		}
		if got := strings.Join(steps, " "); got != "before after" {
			t.Errorf("sink %d: %s", to, got)
		}
		c.argv[2] = "echo out"
		if s, err := b.run(t.Context(), c); err != nil || s.seconds <= 0 {
			t.Errorf("sink %d: %+v, %v", to, s, err)
		}
	}
	if out, err := os.ReadFile(b.output()); string(out) != "out\n" {
		t.Errorf("the file has %q, %v", out, err)
	}
}

// TestRunSkips: what makes things ready may say that they cannot be.
func TestRunSkips(t *testing.T) {
	t.Parallel()
	b, logging, log := stage(t)
	c := logging("x", "true")
	c.before = func() error { return skip("no ice here") }
	_, err := b.compare(t.Context(), c, c)
	var reason skip
	if !errors.As(err, &reason) || log() != "" {
		t.Errorf("error %v, ran %q", err, log())
	}
}

// TestGoalsHaveNames: --only selects by name, so each needs one of its own.
func TestGoalsHaveNames(t *testing.T) {
	t.Parallel()
	b := &bench{size: 1e9, runs: 5}
	seen := map[string]bool{}
	for _, g := range b.goals() {
		if seen[g.name] || g.name == "" {
			t.Errorf("%q twice", g.name)
		}
		seen[g.name] = true
	}
	if len(seen) < 30 {
		t.Errorf("%d goals", len(seen))
	}
}

// TestPage: the page has every row and tells nothing about where it was written.
func TestPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := &bench{size: 1e9, runs: 5, work: dir, data: dir, peers: dir}
	name := filepath.Join(dir, "bench.md")
	rows := []row{
		ratioRow("a / b", contest{ours: 0.001, peer: 0.1, ratio: 0.01, pairs: 5}, 1./30),
		{goal: "c / d", skipped: "skipped: no d here"},
	}
	if err := b.writePage(context.Background(), name, rows); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| a / b | 1 ms | 100 ms | 1/100 | ≤ 1/30 | yes |\n", "| c / d | skipped: no d here | | | | |\n", "benchstat", "perf stat"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	host, _ := os.Hostname()
	for _, leak := range []string{host, dir} {
		if leak != "" && strings.Contains(string(text), leak) {
			t.Errorf("the page tells of %q", leak)
		}
	}
}
