package replica

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/share/remote"
)

// A state is what a file is known to have in common with a remote. It is a cache: it
// saves reading the log from its beginning, and decides nothing that the remote
// does not confirm.
type state struct {
	Remote string      `json:"remote"`
	Pos    remote.Pos  `json:"pos"`
	N      uint64      `json:"n"`
	Size   int64       `json:"size"`           // of the lines that equal parts 1 to N
	SHA256 string      `json:"sha256"`         // of them
	ETag   string      `json:"etag,omitempty"` // the tag of part N, as a listing has it
	File   *disk.Stamp `json:"file,omitempty"`
}

// stampAge is how old a file has to be for its stamp to count: with coarse clocks,
// later changes may have the same time.
const stampAge = time.Second

// stampOf returns the stamp of a file, nil if it is too young to count.
func stampOf(fi fs.FileInfo) *disk.Stamp {
	s := disk.StampOf(fi)
	if s.Age(time.Now()) < stampAge {
		return nil
	}
	return &s
}

// StateFile returns the name of the file beside a session that holds its states.
func StateFile(path string) string {
	dir, base := filepath.Split(path)
	return dir + "." + base + ".sync"
}

// Shared reports whether the file was pushed to a remote with that name, or pulled from it.
func Shared(path, name string) bool {
	at, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	s, ok := loadState(at, name)
	return ok && s.N > 0
}

// maxState is the largest file of states that is read, in bytes.
const maxState = 1 << 20

// loadStates reads all states of a file. Lines that are none are passed over.
func loadStates(path string) []state {
	f, err := os.OpenFile(StateFile(path), os.O_RDONLY|disk.NoFollow|disk.Nonblock, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || disk.Regular(fi) != nil || fi.Size() > maxState {
		return nil
	}
	data := make([]byte, fi.Size())
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil
	}
	var list []state
	for line := range bytes.Lines(data) {
		var s state
		if json.Unmarshal(line, &s) == nil && s.Remote != "" && s.Size >= 0 {
			list = append(list, s)
		}
	}
	return list
}

func loadState(path, name string) (s state, ok bool) {
	for _, s := range loadStates(path) {
		if s.Remote == name {
			return s, true
		}
	}
	return s, false
}

// saveState replaces the state of one remote.
func saveState(path string, s state) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, other := range loadStates(path) {
		if other.Remote != s.Remote {
			if err := e.Encode(other); err != nil {
				return err
			}
		}
	}
	if err := e.Encode(s); err != nil {
		return err
	}
	name := StateFile(path)
	err := disk.Replace(disk.OS{}, name+"-"+rand.Text(), name, b.Bytes(), false)
	if errors.Is(err, fs.ErrPermission) {
		return nil // the next run reads a little more
	}
	return err
}

// A hashing is a hash that grows while something slower is under way.
type hashing struct {
	b    *base
	next hash.Hash
	end  chan struct{}
}

// hashing begins to add lines to the hash of a base.
func (b *base) hashing(lines []byte) *hashing {
	next, err := b.sum.(hash.Cloner).Clone() // those of the standard library can be cloned
	if err != nil {
		panic(err)
	}
	h := &hashing{b: b, next: next, end: make(chan struct{})}
	go func() {
		h.next.Write(lines)
		close(h.end)
	}()
	return h
}

// done waits, and makes the new hash that of the base.
func (h *hashing) done() {
	<-h.end
	h.b.sum = h.next
}
