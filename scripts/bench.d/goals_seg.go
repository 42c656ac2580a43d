package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// fewEntries is how many entries the small segmented store has; the large one has
// as many as there are thousands of bytes in the large session.
const fewEntries = 1000

// segGoals are about segmented stores, of which a large one is to cost no more than
// a small one.
func (b *bench) segGoals() []goal {
	many := b.size / 1000
	sizes := count(many) + " / " + count(fewEntries) + " entries"
	beside := func(what string, args func(store string) command) goal {
		return versus(b, what+", "+sizes, 1.3, func(ctx context.Context) (ours, peer command, err error) {
			if ours, err = b.inStore(ctx, many, args); err == nil {
				peer, err = b.inStore(ctx, fewEntries, args)
			}
			return ours, peer, err
		})
	}
	return []goal{
		beside("sess-append to a segmented store", func(store string) command {
			return b.ours("sess-append", "--sync=never", "-t", "hello", store)
		}),
		beside("sess-seg tail 100", func(store string) command { return b.ours("sess-seg", "tail", "100", store) }),
		beside("sess-seg status", func(store string) command { return b.ours("sess-seg", "status", store) }),
	}
}

// inStore returns a command on the segmented store of a session of so many entries,
// which is made if need be.
func (b *bench) inStore(ctx context.Context, entries int64, args func(store string) command) (command, error) {
	s, err := b.session(ctx, short, entries)
	if err != nil {
		return command{}, err
	}
	store := strings.TrimSuffix(s.file, filepath.Ext(s.file)) + ".v2"
	marker, err := os.ReadFile(filepath.Join(store, "commit.json"))
	if err == nil && strings.Contains(string(marker), fmt.Sprintf(`"byteLength": %d,`, s.Bytes)) {
		return args(store), nil
	}
	b.s.Notef("migrating %s", filepath.Base(s.file))
	if err := os.RemoveAll(store); err != nil {
		return command{}, err
	}
	cmd := exec.CommandContext(ctx, b.bin("sess-seg"), "migrate", s.file)
	cmd.Env = b.environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		return command{}, unless(ctx, fmt.Errorf("migrating: %w: %s", err, out))
	}
	return args(store), nil
}
