package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Facts are what generate says of what it wrote.
type facts struct {
	Bytes   int64  `json:"bytes"`
	Entries int    `json:"entries"`
	Middle  string `json:"middle"`
}

// A session is one that was generated.
type session struct {
	facts
	file string
}

// Kinds of sessions. Some of the bytes of a branched one are not on the path; a
// compacted one has been compacted near its end, all others never.
const (
	linear    = "linear"
	branched  = "branched"
	compacted = "compacted"
	short     = "short" // the size counts entries, with little text
)

// session returns the session of a kind and size, and makes it if need be.
func (b *bench) session(ctx context.Context, kind string, size int64) (session, error) {
	args := []string{"--size", strconv.FormatInt(size, 10)}
	switch kind {
	case branched:
		args = append(args, "--off-path", "5")
	case compacted:
		args = append(args, "--compact")
	case short:
		args = []string{"--entries", strconv.FormatInt(size, 10), "--median", "200"}
	}
	file := filepath.Join(b.data, fmt.Sprintf("%s-%d.jsonl", kind, size))
	f, err := b.generated(ctx, file, args)
	if err != nil {
		return session{}, err
	}
	s := session{f, file}
	return s, s.restore()
}

// restore takes away what a run has appended, or one that was killed.
func (s session) restore() error {
	if err := os.Truncate(s.file, s.Bytes); err != nil {
		return fmt.Errorf("restoring a session: %w", err)
	}
	return nil
}

// grown says whether something was appended.
func (s session) grown() error {
	st, err := os.Stat(s.file)
	if err == nil && st.Size() <= s.Bytes {
		err = errors.New("nothing was appended")
	}
	return err
}

// append adds to the end of the session until restore.
func (s session) append(text string) error {
	f, err := os.OpenFile(s.file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// The store has sessions of 68 KB, and as many as have two thirds of the size.
const storedPerProject = 50

func (b *bench) sessions() int { return max(storedPerProject, int(b.size/100_000)) }

// store returns a directory of sessions as pi has one, with a directory for each
// project.
func (b *bench) store(ctx context.Context) (string, error) {
	n := strconv.Itoa(b.sessions())
	agent := filepath.Join(b.data, "store-"+n)
	dir := filepath.Join(agent, "sessions")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	_, err := b.generated(ctx, dir, []string{"--store", n})
	return dir, err
}

// generated runs generate unless what it would make is there, and returns the
// facts. They stand beside it, written last, under a name with the sum of the
// generator's source.
func (b *bench) generated(ctx context.Context, name string, args []string) (f facts, err error) {
	sum, err := generatorSum()
	if err != nil {
		return f, err
	}
	beside := name + "." + sum + ".json"
	if text, err := os.ReadFile(beside); err == nil && json.Unmarshal(text, &f) == nil {
		return f, nil
	}
	b.s.Notef("generating %s", filepath.Base(name))
	if err := discard(name); err != nil {
		return f, err
	}
	cmd := exec.CommandContext(ctx, b.bin("generate"), append(args, name)...)
	cmd.Stderr = b.s.Err
	text, err := cmd.Output()
	if err != nil {
		return f, unless(ctx, fmt.Errorf("generating %s: %w", filepath.Base(name), err))
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return f, fmt.Errorf("generating %s: %w", filepath.Base(name), err)
	}
	if err := b.flush(ctx); err != nil {
		return f, err
	}
	return f, os.WriteFile(beside, text, 0o600)
}

// flush has what was written go to the disk now, and not while something is
// measured.
func (b *bench) flush(ctx context.Context) error {
	sync := b.find("sync")
	if sync == "" {
		return nil
	}
	if err := exec.CommandContext(ctx, sync).Run(); err != nil {
		return unless(ctx, fmt.Errorf("flushing the disk: %w", err))
	}
	return nil
}

// discard removes what an older generator has written, and what was said of it.
func discard(name string) error {
	old, err := filepath.Glob(name + ".*.json")
	if err != nil {
		return fmt.Errorf("clearing %s: %w", name, err)
	}
	for _, n := range append(old, name) {
		if err := os.RemoveAll(n); err != nil {
			return err
		}
	}
	return nil
}

func generatorSum() (string, error) {
	names, err := filepath.Glob("scripts/bench.d/generate/*.go")
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		h.Write(text)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:4]), nil
}
