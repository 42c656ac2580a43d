package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// A shape says what session to write.
type shape struct {
	size    int64   // about so many bytes
	entries int     // so many entries, if not 0, whatever the size
	offPath float64 // share of the bytes that are not on the path
	compact bool    // a compaction near the end
	median  float64 // median length of a text in bytes
}

// The last compaction is compactAt bytes before the end and keeps about keepBytes
// before it: 20,000 tokens.
const (
	compactAt = 64 << 10
	keepBytes = 80 << 10
)

// Facts are what has to be known of a session to measure with it.
type Facts struct {
	Bytes   int64  `json:"bytes"`
	Entries int    `json:"entries"`
	Last    string `json:"last"`   // id of the leaf
	Middle  string `json:"middle"` // id of an entry half way through the file
}

// A turn is the place behind the answer to a question.
type turn struct {
	leaf   string
	offset int64
}

// writer writes one session.
type writer struct {
	shape
	Facts
	r     *rand.Rand
	pool  *pool
	out   *bufio.Writer
	line  []byte
	now   time.Time
	turns []turn // the newest on the path
	off   int64  // bytes that have been left
	back  int    // how many turns to leave next, 0 if not decided
}

// write writes the session and returns what it is like. The ids depend on no more
// than the number of an entry, everything else on r.
func (w *writer) write(out io.Writer, cwd string) (Facts, error) {
	w.out = bufio.NewWriterSize(out, 1<<20)
	w.header(cwd)
	w.settings()
	compacted := !w.compact
	for !w.complete() {
		w.exchange()
		if !compacted && w.Bytes > w.size-compactAt {
			w.compaction()
			compacted = true
		}
		if w.offPath > 0 {
			w.leave()
		}
	}
	return w.Facts, w.out.Flush()
}

func (w *writer) complete() bool {
	if w.entries > 0 {
		return w.Entries >= w.entries
	}
	return w.Bytes >= w.size
}

// exchange writes a question, calls of tools with their results, and an answer.
func (w *writer) exchange() {
	if w.r.IntN(60) == 0 {
		w.foreign()
	} else {
		w.user()
	}
	for n := w.r.IntN(6); n > 0; n-- {
		for _, call := range w.assistant(1 + w.r.IntN(6)/5) {
			w.toolResult(call)
		}
	}
	w.assistant(0)
	if w.r.IntN(50) == 0 {
		w.custom()
	}
	w.turns = append(w.turns, turn{w.Last, w.Bytes})
	if len(w.turns) > 4096 {
		w.turns = append(w.turns[:0], w.turns[2048:]...)
	}
}

// leave goes back a few turns and leaves what came after them, sometimes with a
// summary of it, as soon as that much may be off the path.
func (w *writer) leave() {
	if w.back == 0 {
		w.back = 1 + w.r.IntN(8)
	}
	if len(w.turns) <= w.back {
		return
	}
	from, to := w.Last, w.turns[len(w.turns)-1-w.back]
	off := w.off + w.Bytes - to.offset
	if float64(off) > w.offPath*float64(w.Bytes) {
		return
	}
	w.off, w.back = off, 0
	for w.turns[len(w.turns)-1].offset > to.offset {
		w.turns = w.turns[:len(w.turns)-1]
	}
	w.Last = to.leaf
	if w.r.IntN(2) == 0 {
		w.branchSummary(from)
	}
}

// kept returns the id of the last turn's end that is keepBytes back.
func (w *writer) kept() string {
	for i := len(w.turns) - 1; i > 0; i-- {
		if w.turns[i].offset < w.Bytes-keepBytes {
			return w.turns[i].leaf
		}
	}
	return w.turns[0].leaf
}

// nextID returns ids that look random and never occur twice: the number of the
// entry, mixed by steps that can all be undone.
func (w *writer) nextID() string {
	x := uint32(w.Entries) + 0x51ed270b
	x ^= x >> 16
	x *= 0x7feb352d
	x ^= x >> 15
	x *= 0x846ca68b
	x ^= x >> 16
	return fmt.Sprintf("%08x", x)
}

func (w *writer) stamp() string {
	w.now = w.now.Add(time.Duration(300+w.r.IntN(15000)) * time.Millisecond)
	return w.now.Format("2006-01-02T15:04:05.000Z")
}

// end writes the line that has been put together, which is the entry id.
func (w *writer) end(id string) {
	w.line = append(w.line, '\n')
	_, _ = w.out.Write(w.line) // Flush says what went wrong
	w.Bytes += int64(len(w.line))
	if id == "" {
		return
	}
	w.Entries++
	w.Last = id
	if w.Middle == "" && w.Bytes >= w.size/2 {
		w.Middle = id
	}
}
