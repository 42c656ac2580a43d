package jsonl

import (
	"bytes"
	"testing"
)

// Lines of several pieces, of just one, and short ones after them, forward and
// backward.
func TestLongLines(t *testing.T) {
	t.Parallel()
	lengths := []int{
		10, 3 << 20, pieceSize - 1, pieceSize, pieceSize + 1, 0, 2*pieceSize + blockSize, 5, blockSize, 9 << 20,
		hugeLine + 7, 1,
	}
	var log []byte
	want := make([][]byte, len(lengths))
	for i, n := range lengths {
		want[i] = bytes.Repeat([]byte{byte('a' + i)}, n)
		if n > 2 { // an order of pieces that can be told
			want[i][0], want[i][n/2], want[i][n-1] = '<', '|', '>'
		}
		log = append(append(log, want[i]...), '\n')
	}
	n := 0
	for l, err := range Lines(bytes.NewReader(log)) {
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(l.Data, want[n]) || l.Torn {
			t.Fatalf("line %d has %d bytes or others, want %d", l.Number, len(l.Data), len(want[n]))
		}
		n++
	}
	if n != len(want) {
		t.Fatalf("%d lines of %d", n, len(want))
	}
	for l, err := range Backward(bytes.NewReader(log), int64(len(log))) {
		n--
		if err != nil || !bytes.Equal(l.Data, want[n]) {
			t.Fatalf("backward, line %d: %v, %d bytes or others, want %d", n+1, err, len(l.Data), len(want[n]))
		}
	}
}
