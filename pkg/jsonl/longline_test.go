package jsonl

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"strings"
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
	var texts []string
	for l, err := range Lines(bytes.NewReader(log)) {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, l.Text())
		if !bytes.Equal(l.Data, want[n]) || l.Torn {
			t.Fatalf("line %d has %d bytes or others, want %d", l.Number, len(l.Data), len(want[n]))
		}
		n++
	}
	if n != len(want) {
		t.Fatalf("%d lines of %d", n, len(want))
	}
	// Texts stay, whatever has been read since.
	for i, text := range texts {
		if text != string(want[i]) {
			t.Errorf("the text of line %d has changed", i+1)
		}
	}
	for l, err := range Backward(bytes.NewReader(log), int64(len(log))) {
		n--
		if err != nil || !bytes.Equal(l.Data, want[n]) {
			t.Fatalf("backward, line %d: %v, %d bytes or others, want %d", n+1, err, len(l.Data), len(want[n]))
		}
	}
}

// A long line read backward, wherever it stands: what is before it and behind
// it is there too, and it is read twice at most.
func TestBackwardLongLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2*longTail+5)
	for _, before := range []string{"", "\n", "a\n", "a\n" + long + "\n" + strings.Repeat("b\n", 3*blockSize)} {
		for _, after := range []string{"", "\n", "\nc", "\n" + strings.Repeat("d\n", 3*blockSize)} {
			log := before + long + after
			r := &countingReaderAt{r: strings.NewReader(log)}
			var texts []string
			torn := 0
			for l, err := range Backward(r, int64(len(log))) {
				if err != nil || log[l.Offset:int(l.Offset)+len(l.Data)] != string(l.Data) {
					t.Fatalf("at byte %d: %v", l.Offset, err)
				}
				texts = append(texts, l.Text())
				if l.Torn {
					torn++
				}
			}
			slices.Reverse(texts)
			ended := strings.HasSuffix(log, "\n")
			want := strings.Split(strings.TrimSuffix(log, "\n"), "\n")
			if !slices.Equal(texts, want) || (torn == 0) != ended {
				t.Errorf("%d bytes before and %d after: %d lines of %d, %d torn", len(before), len(after), len(texts), len(want), torn)
			}
			if r.n > 2*len(log)+32*blockSize {
				t.Errorf("%d bytes before and %d after: read %d bytes of %d", len(before), len(after), r.n, len(log))
			}
		}
	}
}

// What goes wrong while the beginning of a long line is looked for, or while it
// is read.
func TestBackwardLongLineError(t *testing.T) {
	t.Parallel()
	log := strings.Repeat("x", 5*longTail)
	broken := errors.New("broken")
	for name, fails := range map[string]func(calls int, off int64) bool{
		"looking": func(_ int, off int64) bool { return off < longTail },
		"reading": func(calls int, off int64) bool { return off == 0 && calls > 1 },
	} {
		zero := 0
		r := readerAtFunc(func(p []byte, off int64) (int, error) {
			if off == 0 {
				zero++
			}
			if fails(zero, off) {
				return 7, broken
			}
			return strings.NewReader(log).ReadAt(p, off)
		})
		n := 0
		for l, err := range Backward(r, int64(len(log))) {
			if n++; !errors.Is(err, broken) || l.Data != nil || l.Offset%(16*blockSize) != 7 {
				t.Errorf("%s: %v at byte %d, with %d bytes", name, err, l.Offset, len(l.Data))
			}
		}
		if n != 1 {
			t.Errorf("%s: %d results, want the error alone", name, n)
		}
	}
}

// Neither way of reading holds a huge line more often than it has to: backward
// once, forward once more in pieces. A text is no copy.
func TestLongLineMemory(t *testing.T) {
	log := append(bytes.Repeat([]byte{'x'}, hugeLine), '\n')
	allocated := func(read func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	text := ""
	backward := allocated(func() {
		for l := range Backward(bytes.NewReader(log), int64(len(log))) {
			text = l.Text()
		}
	})
	forward := allocated(func() {
		for l := range Lines(bytes.NewReader(log)) {
			text = l.Text()
		}
	})
	const slack = 6 * longTail
	if len(text) != hugeLine || backward > hugeLine+slack || forward > 2*hugeLine+slack {
		t.Errorf("allocated %d bytes backward and %d forward for a line of %d", backward, forward, hugeLine)
	}
}
