package remote

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// maxKept is how much of a file of notes is read, in bytes.
const maxKept = 256 << 20

// KeepNotes has a log keep its notes in a file in a directory: each from before the part or card is written until the log is closed, if all notes were told.
// Notes of runs that were killed are told with its own. Without a place for them other machines learn of such parts by a listing of all, so
// there is no error. A log without a journal keeps none.
func KeepNotes(l Log, dir string) {
	j, ok := l.(*log)
	if !ok {
		return
	}
	u, prefix := &j.untold, "untold-"+bucket.SumOf([]byte(l.Name()))[:16]+"-"
	u.mu.Lock()
	u.file = filepath.Join(dir, prefix)
	u.mu.Unlock()
	list, _ := os.ReadDir(dir) // none, if there is no such directory
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_RDWR|disk.NoFollow|disk.Nonblock, 0)
		if err != nil {
			continue
		}
		if fi, err := f.Stat(); err != nil || disk.Regular(fi) != nil || !disk.Private(fi) || !lockNotes(f) {
			_ = f.Close() // it was read alone
			continue
		}
		for line, err := range jsonl.Lines(io.LimitReader(f, maxKept)) {
			var n Note
			if err != nil {
				break
			}
			if json.Unmarshal(line.Data, &n) == nil && ValidKey(n.Key) { // the last one may be torn
				u.add(n)
			}
		}
		u.mu.Lock()
		u.files = append(u.files, f)
		u.mu.Unlock()
	}
}

// lockNotes reports whether no other run has a file of notes.
func lockNotes(f *os.File) bool {
	free, err := disk.Flock(f)
	return free && err == nil
}

// keep keeps the note of a part or card that is written next.
func (u *untold) keep(n Note) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.file == "" {
		return
	}
	if u.kept == nil {
		err := os.MkdirAll(filepath.Dir(u.file), 0o700)
		if err == nil {
			u.kept, err = os.OpenFile(u.file+rand.Text(), os.O_WRONLY|os.O_APPEND|disk.Exclusive, 0o600)
		}
		if err != nil {
			u.file = ""
			return
		}
		u.files = append(u.files, u.kept)
		if !lockNotes(u.kept) { // then another run would take it for that of a killed one
			u.file = ""
			return
		}
	}
	_ = json.NewEncoder(u.kept).Encode(n)
}

// close closes the files of notes, and removes them if all notes were told.
func (u *untold) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, f := range u.files {
		if len(u.notes) == 0 {
			_ = os.Remove(f.Name())
		}
		_ = f.Close()
	}
	u.files, u.kept, u.file = nil, nil, ""
}
