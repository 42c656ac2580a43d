package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// bucketKey and bucketSecret are those of the server that a goal starts.
const bucketKey, bucketSecret = "key", "benchbench"

// inBucket is the goal that a push or a pull is not much slower than curl is with the
// same bytes and the same server, which scripts/cluster builds.
func (b *bench) inBucket(name string, limit float64, size int64, there bool, args func(shared) []string) goal {
	return goal{name, func(ctx context.Context, name string) (rows []row, err error) {
		curl, err := b.need("curl")
		if err != nil {
			return nil, err
		}
		host, dir, stop, err := b.gateway(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, stop()) }()
		p := place{
			address: "s3://bench/p?path-style=1&endpoint=http://" + host, dir: filepath.Join(dir, "bench", "p"),
			env: []string{"AWS_ACCESS_KEY_ID=" + bucketKey, "AWS_SECRET_ACCESS_KEY=" + bucketSecret},
		}
		ours, peer, err := b.shared(ctx, p, size, there, args)
		if err != nil {
			return nil, err
		}
		s, err := b.session(ctx, linear, size)
		if err != nil {
			return nil, err
		}
		sum, err := sumOf(s.file) // on both sides the server compares the bytes with a sum
		if err != nil {
			return nil, err
		}
		copied := filepath.Join(b.work, "copied")
		script := []string{"/bin/sh", "-c", "", "sh", curl, bucketKey + ":" + bucketSecret, "http://" + host + "/bench/copy", s.file, copied, sum}
		const signed = `"$1" -sfS --aws-sigv4 aws:amz:us-east-1:s3 -u "$2" `
		script[2] = signed + `-H "x-amz-content-sha256: $6" -T "$4" "$3"`
		peer.argv = script
		if there {
			if _, err := b.run(ctx, peer); err != nil {
				return nil, err
			}
			peer.argv = append([]string{"/bin/sh", "-c", signed + `-H x-amz-content-sha256:UNSIGNED-PAYLOAD -o "$5" "$3" && sync "$5"`}, script[3:]...)
		}
		c, err := b.compare(ctx, ours, peer)
		if err != nil {
			return nil, err
		}
		return []row{ratioRow(name, c, limit)}, nil
	}}
}

func sumOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// gateway starts a server with the API of S3 over a directory, with one bucket.
func (b *bench) gateway(ctx context.Context) (host, dir string, stop func() error, err error) {
	path := filepath.Join(b.peers, "servers", "versitygw")
	if _, err := os.Stat(path); err != nil {
		return "", "", nil, skip("no versitygw; scripts/cluster --build s3")
	}
	dir = filepath.Join(b.work, "gateway")
	if err := os.MkdirAll(filepath.Join(dir, "bench"), 0o700); err != nil {
		return "", "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", nil, err
	}
	host = l.Addr().String()
	if err := l.Close(); err != nil {
		return "", "", nil, err
	}
	cmd := exec.Command(path, "--port", host, "posix", dir)
	cmd.Env = append(b.environ(), "ROOT_ACCESS_KEY="+bucketKey, "ROOT_SECRET_KEY="+bucketSecret)
	if err := cmd.Start(); err != nil {
		return "", "", nil, err
	}
	stop = func() error {
		_, _ = cmd.Process.Kill(), cmd.Wait()
		return os.RemoveAll(dir)
	}
	for range 1000 {
		if r, err := http.Get("http://" + host); err == nil {
			return host, dir, stop, r.Body.Close()
		}
		if ctx.Err() != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return "", "", nil, errors.Join(errors.New("the server does not start"), ctx.Err(), stop())
}

// cards measures a listing beside what reads the same files.
func (b *bench) cards(ctx context.Context) (ours, peer command, err error) {
	p := b.directory()
	p.dir += "-cards"
	p.address = p.dir
	months := filepath.Join(p.dir, "v1", "i", "2026-01")
	if err := errors.Join(os.RemoveAll(p.dir), b.sync(ctx, p, "init", p.address), os.MkdirAll(months, 0o700)); err != nil {
		return ours, peer, err
	}
	for i := range b.sessions() {
		id := fmt.Sprintf("019b0000-0000-7000-8000-%012d", i)
		card := fmt.Appendf(nil, `{"id":%q,"title":"what was asked first in session %d","cwd":"/home/dev/project","made":"2026-01-02T03:04:05.678Z","modified":"2026-01-03T03:04:05.678Z","entries":40,"messages":39,"exact":true,"bytes":68000,"n":1,"pos":1,"leaf":"0d6f9a51","host":"dev"}`+"\n", id, i)
		if err := os.WriteFile(filepath.Join(months, id), card, 0o600); err != nil {
			return ours, peer, err
		}
	}
	ours = b.ours("sess-sync", "ls")
	ours.env = []string{"SESS_REMOTE=" + p.address}
	return ours, command{argv: []string{"/bin/sh", "-c", `cd "$1" && cat *`, "sh", months}}, nil
}

// appended is how often something is appended to one session in a remote.
const appended = 64

// appends has writers append to one session, a process for each message, beside as many
// starts of a tool that does nothing.
func (b *bench) appends(writers int) goal {
	name := fmt.Sprintf("sess-sync append to one session, %d at a time / no-op tool", writers)
	return goal{name, func(ctx context.Context, name string) ([]row, error) {
		const id = "019b0000-0000-7000-8000-000000000001"
		p, file := b.directory(), filepath.Join(b.work, fmt.Sprintf("appended-%d.jsonl", writers))
		err := os.WriteFile(file, []byte(`{"type":"session","version":3,"id":"`+id+`","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/w"}`+"\n"), 0o600)
		if err = errors.Join(err, os.RemoveAll(p.dir), b.sync(ctx, p, "init", p.address), b.sync(ctx, p, "push", file)); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(b.work, "message"), []byte(`{"role":"user","content":"run 17 failed"}`+"\n"), 0o600); err != nil {
			return nil, err
		}
		add, noop := b.ours("sess-sync", "append", "-q", id), b.ours("noop", "s.jsonl")
		add.env = []string{"SESS_REMOTE=" + p.address}
		var mine, theirs, ratios []float64
		for range max(b.runs, 3) {
			ours, err := b.crowd(ctx, add, writers)
			if err != nil {
				return nil, err
			}
			peer, err := b.crowd(ctx, noop, writers)
			if err != nil {
				return nil, err
			}
			mine, theirs, ratios = append(mine, appended/ours), append(theirs, appended/peer), append(ratios, ours/peer)
		}
		return []row{{
			goal: name, ours: fmt.Sprintf("%.0f /s", median(mine)), peer: fmt.Sprintf("%.0f /s", median(theirs)), ratio: ratio(median(ratios)),
			want: noGoal, met: true,
		}}, nil
	}}
}

// crowd runs a command so often, some at a time, and returns the seconds that took.
func (b *bench) crowd(ctx context.Context, c command, width int) (float64, error) {
	next, errs := make(chan int), make([]error, appended)
	var wg sync.WaitGroup
	begun := time.Now()
	for range width {
		wg.Go(func() {
			for i := range next {
				cmd := b.command(ctx, c, c.argv...)
				in, err := os.Open(filepath.Join(b.work, "message"))
				if err == nil {
					cmd.Stdin = in
					err = cmd.Run()
					in.Close()
				}
				errs[i] = err
			}
		})
	}
	for i := range appended {
		next <- i
	}
	close(next)
	wg.Wait()
	return time.Since(begun).Seconds(), errors.Join(errs...)
}
