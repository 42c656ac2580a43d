package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A sink is where the output of a measured command goes.
type sink int

const (
	toNull sink = iota
	toPipe      // a cat that throws it away
	toFile      // a new file
)

// A command is one side of a comparison.
type command struct {
	argv   []string
	env    []string // besides environ
	sink   sink
	pinned bool         // everything of it on one core
	before func() error // makes things ready; not measured
	after  func() error // puts things back; not measured
	check  func() error // looks at the result; not measured
}

// A sample is one run of a command.
type sample struct {
	seconds float64
	rss     int64 // peak resident set in bytes, at least that of this program
}

// run runs a command once.
func (b *bench) run(ctx context.Context, c command) (s sample, err error) {
	if c.before != nil {
		if err := c.before(); err != nil {
			return s, err
		}
	}
	if c.after != nil {
		defer func() { err = errors.Join(err, c.after()) }()
	}
	cmd := b.command(ctx, c, c.argv...)
	stderr, err := os.Create(filepath.Join(b.work, "stderr"))
	if err != nil {
		return s, err
	}
	defer stderr.Close()
	cmd.Stderr = stderr
	if c.sink == toPipe {
		s, err = b.runPiped(ctx, c, cmd)
	} else {
		s, err = b.runAlone(c, cmd)
	}
	if ctx.Err() != nil {
		return s, ctx.Err()
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w%s", filepath.Base(c.argv[0]), err, firstLine(stderr.Name()))
	}
	if c.check != nil {
		err = c.check()
	}
	return s, err
}

func (b *bench) command(ctx context.Context, c command, argv ...string) *exec.Cmd {
	if c.pinned {
		argv = append([]string{b.find("taskset"), "-c", b.core}, argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(b.environ(), c.env...)
	return cmd
}

// environ is the environment without what would change what is measured: the
// settings and the home of who runs this.
func (b *bench) environ() []string {
	env := []string{"HOME=" + b.work, "SESS_DIR=" + filepath.Join(b.work, "store"), "LC_ALL=C"}
	for _, name := range []string{"PATH", "TMPDIR", "SYSTEMROOT"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func (b *bench) runAlone(c command, cmd *exec.Cmd) (s sample, err error) {
	if c.sink == toFile {
		f, err := os.Create(b.output())
		if err != nil {
			return s, err
		}
		defer f.Close()
		cmd.Stdout = f
	}
	begun := time.Now()
	err = cmd.Run()
	return sample{time.Since(begun).Seconds(), peak(cmd.ProcessState)}, err
}

// output is where the output goes that goes to a file: beside the input, so that
// both are on one file system.
func (b *bench) output() string { return filepath.Join(b.data, "output") }

// runPiped lets a cat read what the command writes. The time is that of both.
func (b *bench) runPiped(ctx context.Context, c command, cmd *exec.Cmd) (s sample, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return s, err
	}
	cmd.Stdout = w
	reader := b.command(ctx, c, b.find("cat"))
	reader.Stdin = r
	begun := time.Now()
	err = cmd.Start()
	if err == nil {
		err = reader.Start()
	}
	r.Close()
	w.Close()
	if err != nil {
		if cmd.Process != nil {
			_ = cmd.Wait()
		}
		return s, err
	}
	err = errors.Join(cmd.Wait(), reader.Wait())
	return sample{time.Since(begun).Seconds(), peak(cmd.ProcessState)}, err
}

// unless returns err, unless it is because of an interrupt, which says it all.
func unless(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// firstLine is what a command that failed had to say, to be appended to an error.
func firstLine(name string) string {
	text, _ := os.ReadFile(name)
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	if len(line) == 0 {
		return ""
	}
	return ": " + strings.ToValidUTF8(string(line[:min(len(line), 200)]), "?")
}
