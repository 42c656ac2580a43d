// Package intern gives numbers to texts of which a session has as many as it has lines: ids, above all.
package intern

import (
	"hash/maphash"
	"unsafe"
)

// A Table has texts, each of them once, with numbers from 0 on in the order in which they came. The collector looks at none of them: a
// session may have a million ids. The zero value has none.
type Table struct {
	chunks [][]byte // that texts are in; they do not move
	at     []place
	rooms  []int32 // the number of a text plus one, at the first free room from that of its hash on; 0 is free. Half of them are, or more
}

// A place is where a text is.
type place struct{ chunk, start, size int32 }

// The sizes of the first chunk and of the largest in bytes, but for a text that is longer; and how many rooms there are at first.
const (
	leastChunk = 1 << 10
	mostChunk  = 64 << 10
	leastRooms = 16 // a power of two, as all numbers of rooms
)

// seed is that of the hashes.
var seed = maphash.MakeSeed()

// room returns the room of a text, or the free one that is to be its.
func (t *Table) room(text string) int {
	last := len(t.rooms) - 1
	at := int(maphash.String(seed, text)) & last
	for t.rooms[at] != 0 && t.Text(int(t.rooms[at])-1) != text {
		at = (at + 1) & last
	}
	return at
}

// Number returns the number of a text, if it has one.
func (t *Table) Number(text string) (number int, ok bool) {
	if len(t.rooms) == 0 {
		return 0, false
	}
	number = int(t.rooms[t.room(text)])
	return max(0, number-1), number > 0
}

// Add returns the number of a text, which it has from now on.
func (t *Table) Add(text string) (number int) {
	if number, ok := t.Number(text); ok {
		return number
	}
	number = len(t.at)
	t.at = append(t.at, t.put(text))
	if 2*len(t.at) <= len(t.rooms) {
		t.rooms[t.room(text)] = int32(number + 1)
		return number
	}
	t.rooms = make([]int32, max(leastRooms, 2*len(t.rooms)))
	for i := range t.at {
		t.rooms[t.room(t.Text(i))] = int32(i + 1)
	}
	return number
}

// put copies a text into a chunk.
func (t *Table) put(text string) place {
	last := len(t.chunks) - 1
	if last < 0 || len(text) > cap(t.chunks[last])-len(t.chunks[last]) {
		size := leastChunk
		if last >= 0 {
			size = min(2*cap(t.chunks[last]), mostChunk)
		}
		t.chunks = append(t.chunks, make([]byte, 0, max(size, len(text))))
		last++
	}
	start := len(t.chunks[last])
	t.chunks[last] = append(t.chunks[last], text...)
	return place{int32(last), int32(start), int32(len(text))}
}

// Text returns the text that has a number.
func (t *Table) Text(number int) string {
	at := t.at[number]
	if at.size == 0 {
		return ""
	}
	return unsafe.String(&t.chunks[at.chunk][at.start], at.size) // later texts leave it as it is
}
