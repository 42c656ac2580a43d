package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// recordGoals are about what passes through sess-record, and about the front door.
func (b *bench) recordGoals() []goal {
	return []goal{
		b.passing("sess-record, text through it", "text", "--reply", "text"),
		b.passing("sess-record, deltas of a stream through it", "deltas"),
		b.passing("sess-record, whole messages through it", "messages"),
		{"sess-record, added to a line that passes", b.passedLine},
		{"sess path less sess-path / empty Go program", b.frontDoor},
	}
}

// stream writes a stream of a kind, of a tenth of the size of large sessions.
func (b *bench) stream(kind string) (string, int64, error) {
	size := b.size / 10
	name := filepath.Join(b.data, fmt.Sprintf("stream-%s-%d", kind, size))
	if fi, err := os.Stat(name); err == nil {
		return name, fi.Size(), nil
	}
	head := `{"type":"system","subtype":"init","session_id":"c","claude_code_version":"2","model":"m"}` + "\n"
	words := strings.Repeat("words of a model, ", 12)
	line := func(int) string { return words + "\n" }
	switch kind {
	case "deltas":
		head += `{"type":"stream_event","event":{"type":"message_start","message":{"id":"m1"}},"session_id":"c"}` + "\n"
		line = func(int) string {
			return `{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + words +
				`"}},"session_id":"c","parent_tool_use_id":null,"uuid":"ef42f606-372a-41bb-80c9-25de5703b637"}` + "\n"
		}
	case "messages":
		line = func(i int) string {
			return fmt.Sprintf(`{"type":"assistant","message":{"id":"m%d","role":"assistant","model":"m","content":[{"type":"text","text":"%s"}]},"session_id":"c","uuid":"u%d"}`+"\n",
				i, strings.Repeat(words, 20), i)
		}
	default:
		head = ""
	}
	f, err := os.Create(name + ".new")
	if err != nil {
		return "", 0, err
	}
	w, n := bufio.NewWriter(f), int64(len(head))
	_, err = w.WriteString(head)
	for i := 0; n < size && err == nil; i++ {
		text := line(i)
		n += int64(len(text))
		_, err = w.WriteString(text)
	}
	return name, n, errors.Join(err, w.Flush(), f.Close(), os.Rename(name+".new", name))
}

// passing is the goal that a stream of a kind passes at 300 MB/s or more.
func (b *bench) passing(name, kind string, flags ...string) goal {
	const limit = 300
	return goal{name, func(ctx context.Context, name string) ([]row, error) {
		cat, err := b.need("cat")
		if err != nil {
			return nil, err
		}
		file, size, err := b.stream(kind)
		if err != nil {
			return nil, err
		}
		s, err := b.session(ctx, short, 10)
		if err != nil {
			return nil, err
		}
		c := b.ours("sess-record", slices.Concat(flags, []string{s.file, "--", cat, file})...)
		c.after, c.check, c.env = s.restore, s.grown, []string{"SESS_SYNC=never"}
		seconds, err := b.repeat(ctx, c)
		if err != nil {
			return nil, err
		}
		rate := float64(size) / seconds / 1e6
		return []row{{goal: name, ours: fmt.Sprintf("%.0f MB/s", rate), want: fmt.Sprintf("≥ %d MB/s", limit), met: rate >= limit}}, nil
	}}
}

// passedLine measures how long a line takes through sess-record, and through cat.
func (b *bench) passedLine(ctx context.Context, name string) ([]row, error) {
	cat, err := b.need("cat")
	if err != nil {
		return nil, err
	}
	env, err := b.need("env")
	if err != nil {
		return nil, err
	}
	s, err := b.session(ctx, short, 10)
	if err != nil {
		return nil, err
	}
	ours, err := lines(ctx, []string{env, "SESS_SYNC=never", b.bin("sess-record"), s.file})
	err = errors.Join(err, s.restore())
	if err != nil {
		return nil, err
	}
	peer, err := lines(ctx, []string{cat})
	if err != nil {
		return nil, err
	}
	added := ours - peer
	const most = 10 * time.Microsecond
	return []row{{
		goal: name, ours: duration(added.Seconds()), peer: duration(peer.Seconds()), want: "≤ " + duration(most.Seconds()), met: added <= most,
	}}, nil
}

// lines writes lines to a command, each when the one before has come out, and returns the
// median of the times that they took.
func lines(ctx context.Context, argv []string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	out := bufio.NewReader(pipe)
	var took []float64
	for i := range 500 {
		line := fmt.Sprintf(`{"type":"assistant","message":{"id":"m%d","role":"assistant","model":"m","content":[{"type":"text","text":"some words"}]},"session_id":"c","uuid":"u"}`+"\n", i)
		begun := time.Now()
		if _, err := io.WriteString(in, line); err != nil {
			return 0, errors.Join(err, cmd.Wait())
		}
		if _, err := out.ReadString('\n'); err != nil {
			return 0, errors.Join(err, cmd.Wait())
		}
		took = append(took, time.Since(begun).Seconds())
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		return 0, err
	}
	return time.Duration(median(took) * 1e9), nil
}

// frontDoor measures what a command costs more behind sess than by itself.
func (b *bench) frontDoor(ctx context.Context, name string) ([]row, error) {
	const limit = 1.3
	s, err := b.session(ctx, short, 10)
	if err != nil {
		return nil, err
	}
	c, err := b.compare(ctx, b.ours("sess", "path", s.file), b.ours("sess-path", s.file))
	if err != nil {
		return nil, err
	}
	start, err := b.repeat(ctx, b.ours("empty"))
	if err != nil {
		return nil, err
	}
	c.ours -= c.peer
	c.peer = start
	c.ratio = c.ours / c.peer
	return []row{ratioRow(name, c, limit)}, nil
}
