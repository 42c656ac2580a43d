package codex

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// Format is the format of codex.
var Format formats.Format = format{}

type format struct{}

// Flavours of a rollout: what any codex that can resume reads, and lists by the name in
// its index; and that of codex since 0.146, which shows what commands did as well.
const (
	legacy    = "legacy"
	paginated = "paginated"
)

func (format) About() formats.About {
	about := formats.AboutOf(agent)
	about.Versions, about.Index, about.Home = []string{legacy, paginated}, true, homeOf
	return about
}

// Detect takes a file whose first line, compressed or not, is the meta line of a
// rollout.
func (format) Detect(_ string, head []byte) bool {
	if bytes.HasPrefix(head, zstdMagic) {
		head = bytes.TrimPrefix(decompressed(head), []byte(jsonl.ByteOrderMark))
	}
	head = bytes.TrimLeft(head, " \t\r\n")
	return js.Value(head).Get("type").Str() == typeMeta
}

// decompressed returns as much as can be had of the beginning of a compressed file.
func decompressed(head []byte) []byte {
	d, err := zstd.NewReader(bytes.NewReader(head), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil
	}
	defer d.Close()
	out, _ := io.ReadAll(io.LimitReader(d, formats.HeadSize)) // an error of the cut end does not matter
	return out
}

// Directories of rollouts in a home of codex, and the names of threads.
const (
	dirSessions = "sessions"
	dirArchived = "archived_sessions"
	indexFile   = "session_index.jsonl"
)

// maxDepth is how deep rollouts lie: in directories for year, month and day.
const maxDepth = 3

// homeOf returns where codex keeps its sessions on this machine.
func homeOf(env formats.Env) (string, error) { return env.StorePath("CODEX_HOME", []string{".codex"}) }

// homeAbove returns the home of codex that a file or directory belongs to, "" if
// it belongs to none.
func homeAbove(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	for range maxDepth + 2 {
		switch filepath.Base(abs) {
		case dirSessions, dirArchived:
			return filepath.Dir(abs)
		}
		up := filepath.Dir(abs)
		if up == abs {
			break
		}
		abs = up
	}
	return ""
}

// A thread is what a directory has of a session: its rollouts, oldest first.
type thread struct {
	id    string // by the names of the files
	paths []string
}

// places returns the directories in which rollouts are looked for below dir.
func places(dir string) []string {
	var out []string
	for _, name := range []string{dirSessions, dirArchived} {
		if sub := filepath.Join(dir, name); formats.IsDir(sub) {
			out = append(out, sub)
		}
	}
	if len(out) == 0 {
		out = []string{dir}
	}
	return out
}

// A tree is what a directory has.
type tree struct {
	threads []*thread
	byID    map[string]*thread
	rollout map[string]string // paths by the ids of rollouts
	broken  []broken
}

// A broken is a file that cannot be read.
type broken struct {
	path string
	err  error
}

// scan looks for rollouts by their names.
func scan(ctx context.Context, dir string) (*tree, error) {
	t := &tree{byID: map[string]*thread{}, rollout: map[string]string{}}
	known := map[string]bool{}
	for _, place := range places(dir) {
		for path, err := range formats.Walk(ctx, place, maxDepth+1, isRollout) {
			if cerr := ctx.Err(); cerr != nil {
				return nil, cerr
			}
			if err != nil {
				t.broken = append(t.broken, broken{path, err})
				continue
			}
			base := filepath.Base(path)
			plain := strings.TrimSuffix(base, compressed)
			if plain != base && exists(strings.TrimSuffix(path, compressed)) || known[plain] {
				continue // codex takes the one that is not compressed, and not archived
			}
			known[plain] = true
			t.add(path)
		}
	}
	for _, th := range t.threads {
		sort.SliceStable(th.paths, func(i, j int) bool { return filepath.Base(th.paths[i]) < filepath.Base(th.paths[j]) })
	}
	return t, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (t *tree) add(path string) {
	id, own := idsOf(path)
	if id == "" {
		t.threads = append(t.threads, &thread{paths: []string{path}})
		return
	}
	t.rollout[own] = path
	th := t.byID[id]
	if th == nil {
		th = &thread{id: id}
		t.byID[id] = th
		t.threads = append(t.threads, th)
	}
	th.paths = append(th.paths, path)
}
