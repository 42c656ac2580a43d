package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// mergeGoals are about two copies of a session, the last tenth of each its own.
func (b *bench) mergeGoals() []goal {
	copySize, name := b.part(10)
	few, many := b.size/1_000_000, b.size/2000 // entries
	return []goal{
		versus(b, "sess-merge of two of "+name+" → file / cat of both", 3, func(ctx context.Context) (ours, peer command, err error) {
			return b.besideCats(ctx, linear, copySize)
		}),
		{"sess-merge, peak RSS " + count(2*many) + " entries over " + count(2*few) + ", for each", func(ctx context.Context, name string) ([]row, error) {
			ours, _, err := b.besideCats(ctx, short, many)
			if err != nil {
				return nil, err
			}
			base, _, err := b.besideCats(ctx, short, few)
			if err != nil {
				return nil, err
			}
			c, err := b.compare(ctx, ours, base)
			if err != nil {
				return nil, err
			}
			each := float64(max(0, c.rss-c.peerRSS)) / float64(2*(many-few))
			return []row{{
				goal: name, ours: size(float64(c.rss)), peer: size(float64(c.peerRSS)), ratio: fmt.Sprintf("%.0f B", each),
				want: "≤ 120 B", met: each <= 120,
			}}, nil
		}},
	}
}

// besideCats lets cat copy the two files that sess-merge merges.
func (b *bench) besideCats(ctx context.Context, kind string, size int64) (ours, peer command, err error) {
	cat, err := b.need("cat")
	if err != nil {
		return ours, peer, err
	}
	s, err := b.session(ctx, kind, size)
	if err != nil {
		return ours, peer, err
	}
	other, err := b.diverged(ctx, s)
	if err != nil {
		return ours, peer, err
	}
	ours, peer = b.ours("sess-merge", s.file, other), command{argv: []string{cat, s.file, other}}
	ours.sink, peer.sink = toFile, toFile
	ours.check = func() error {
		st, err := os.Stat(b.output())
		if err == nil && (st.Size() <= s.Bytes || st.Size() >= 2*s.Bytes) {
			err = fmt.Errorf("merged %d bytes of two of %d", st.Size(), s.Bytes)
		}
		return err
	}
	return ours, peer, nil
}

// diverged returns a copy of a session whose last tenth has other entries, and makes it
// if need be.
func (b *bench) diverged(ctx context.Context, s session) (string, error) {
	name := strings.TrimSuffix(s.file, ".jsonl") + "-diverged.jsonl"
	if of, err := os.Stat(s.file); err == nil {
		if st, err := os.Stat(name); err == nil && st.ModTime().After(of.ModTime()) && st.Size() > 0 {
			return name, nil
		}
	}
	in, err := os.Open(s.file)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.Create(name + ".new")
	if err != nil {
		return "", err
	}
	if err := errors.Join(diverge(out, in, s.Bytes), out.Close()); err != nil {
		return "", fmt.Errorf("making a copy that has diverged: %w", err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		return "", err
	}
	return name, b.flush(ctx)
}

// diverge copies a session and puts messages of the same size and time in the place of
// the entries of its last tenth.
func diverge(out io.Writer, in io.Reader, size int64) error {
	r, w := bufio.NewReaderSize(in, 1<<20), bufio.NewWriterSize(out, 1<<20)
	parent := ""
	for at, n := int64(0), 0; ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return w.Flush()
		}
		if err != nil {
			return err
		}
		if at += int64(len(line)); at > size/10*9 {
			var e struct{ ID, Timestamp string }
			if err := json.Unmarshal(line, &e); err != nil {
				return err
			}
			if parent == "" {
				parent = e.ID // of both, as it stands
			} else {
				id := fmt.Sprintf("r%08d", n)
				text := strings.Repeat("x", max(0, len(line)-200))
				line = fmt.Appendf(line[:0], `{"type":"message","id":%q,"parentId":%q,"timestamp":%q,"message":{"role":"user","content":[{"type":"text","text":%q}],"timestamp":1}}`+"\n",
					id, parent, e.Timestamp, text)
				parent = id
			}
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
}
