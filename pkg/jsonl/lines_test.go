package jsonl

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"
)

// collect copies what an iteration yields, since lines are borrowed.
func collect(t testing.TB, seq func(func(Line, error) bool)) []Line {
	t.Helper()
	var lines []Line
	for l, err := range seq {
		if err != nil {
			t.Fatalf("at byte %d: %v", l.Offset, err)
		}
		l.Data = bytes.Clone(l.Data)
		lines = append(lines, l)
	}
	return lines
}

func TestLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3*blockSize+17)
	edge := strings.Repeat("y", blockSize-1) // the line feed is the block's last byte
	tests := map[string]struct {
		log  string
		want []Line
	}{
		"empty":       {"", nil},
		"one":         {"a\n", []Line{{Data: []byte("a"), Offset: 0, Number: 1, Torn: false}}},
		"torn":        {"a\nb", []Line{{Data: []byte("a"), Offset: 0, Number: 1, Torn: false}, {Data: []byte("b"), Offset: 2, Number: 2, Torn: true}}},
		"blank lines": {"\n\na\n", []Line{{Data: nil, Offset: 0, Number: 1, Torn: false}, {Data: nil, Offset: 1, Number: 2, Torn: false}, {Data: []byte("a"), Offset: 2, Number: 3, Torn: false}}},
		"carriage return stays": {"a\r\nb\r", []Line{
			{Data: []byte("a\r"), Offset: 0, Number: 1, Torn: false}, {Data: []byte("b\r"), Offset: 3, Number: 2, Torn: true},
		}},
		"line separators are text": {"a\u2028b\u0085\n", []Line{{Data: []byte("a\u2028b\u0085"), Offset: 0, Number: 1, Torn: false}}},
		"long": {long + "\nb\n" + long, []Line{
			{Data: []byte(long), Offset: 0, Number: 1, Torn: false},
			{Data: []byte("b"), Offset: int64(len(long) + 1), Number: 2, Torn: false},
			{Data: []byte(long), Offset: int64(len(long) + 3), Number: 3, Torn: true},
		}},
		"block edge": {edge + "\n" + edge + "\n", []Line{
			{Data: []byte(edge), Offset: 0, Number: 1, Torn: false}, {Data: []byte(edge), Offset: blockSize, Number: 2, Torn: false},
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			same := func(a, b Line) bool {
				return bytes.Equal(a.Data, b.Data) && a.Offset == b.Offset && a.Number == b.Number && a.Torn == b.Torn
			}
			readers := map[string]io.Reader{
				"plain":         strings.NewReader(tt.log),
				"data with EOF": iotest.DataErrReader(strings.NewReader(tt.log)),
				"halves":        iotest.HalfReader(strings.NewReader(tt.log)),
			}
			for name, r := range readers {
				if got := collect(t, Lines(r)); !slices.EqualFunc(got, tt.want, same) {
					t.Errorf("%s: got %d lines, want %d: %.200v", name, len(got), len(tt.want), got)
				}
			}
			back := collect(t, Backward(strings.NewReader(tt.log), int64(len(tt.log))))
			slices.Reverse(back)
			for i := range back {
				back[i].Number = i + 1
			}
			if !slices.EqualFunc(back, tt.want, same) {
				t.Errorf("backward: got %d lines, want %d: %.200v", len(back), len(tt.want), back)
			}
		})
	}
}

// A read error in the middle of a line must not look like the end of the log.
func TestLinesReadError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, cut := range []string{"a\nbc", "a\n", "a\n" + strings.Repeat("b", blockSize+5)} {
		r := io.MultiReader(strings.NewReader(cut), iotest.ErrReader(broken))
		var got []string
		var last Line
		var lastErr error
		for l, err := range Lines(r) {
			if err != nil {
				last, lastErr = l, err
				continue
			}
			got = append(got, string(l.Data))
		}
		if !slices.Equal(got, []string{"a"}) {
			t.Errorf("yielded %q before the error, want only the whole line", got)
		}
		if !errors.Is(lastErr, broken) || last.Offset != 2 || last.Number != 2 || last.Data != nil {
			t.Errorf("got %v at %+v, want the error at byte 2, line 2", lastErr, last)
		}
	}
}

func TestEarlyBreak(t *testing.T) {
	t.Parallel()
	const log = "a\nb\nc"
	for range Lines(strings.NewReader(log)) {
		break
	}
	for want := range 3 { // stop at every line: a second call of yield would panic
		n := 0
		for range Backward(strings.NewReader(log), int64(len(log))) {
			if n++; n > want {
				break
			}
		}
	}
}

// countingReaderAt counts the bytes read and the calls.
type countingReaderAt struct {
	r     io.ReaderAt
	n     int
	calls int
}

func (c *countingReaderAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.r.ReadAt(p, off)
	c.n += n
	c.calls++
	return n, err
}

func TestBackwardReadsTheTailOnly(t *testing.T) {
	t.Parallel()
	log := []byte(strings.Repeat(strings.Repeat("x", 99)+"\n", 100_000))
	tests := []struct{ lines, most int }{
		{1, firstBlock},
		{100, firstBlock},
		{600, firstBlock + blockSize},
		{1000, firstBlock + 2*blockSize},
	}
	for _, tt := range tests {
		r := &countingReaderAt{r: bytes.NewReader(log)}
		n := 0
		for _, err := range Backward(r, int64(len(log))) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == tt.lines {
				break
			}
		}
		if r.n > tt.most {
			t.Errorf("%d lines: read %d bytes, want at most %d", tt.lines, r.n, tt.most)
		}
	}
}

// Every byte is read once, however long the lines are, and a long line in pieces
// that grow, since what is held is copied for each.
func TestBackwardReadsOnce(t *testing.T) {
	t.Parallel()
	log := []byte(strings.Repeat("a\n", 50_000) + strings.Repeat("x", 20*blockSize) + "\n" + strings.Repeat("b\n", 50_000))
	r := &countingReaderAt{r: bytes.NewReader(log)}
	if got := len(collect(t, Backward(r, int64(len(log))))); got != 100_001 {
		t.Errorf("got %d lines, want 100001", got)
	}
	if r.n != len(log) {
		t.Errorf("read %d bytes of %d", r.n, len(log))
	}
	if r.calls > 10 {
		t.Errorf("%d reads, want 2 + 2 for the short lines and no more than 6 for the long one", r.calls)
	}
}

func TestBackwardReadError(t *testing.T) {
	t.Parallel()
	for l, err := range Backward(strings.NewReader("a\nb\n"), 6) {
		if !errors.Is(err, io.ErrUnexpectedEOF) || l.Offset != 4 {
			t.Errorf("a log that shrank: got %v at %+v, want unexpected EOF at byte 4", err, l)
		}
	}
	broken := errors.New("broken")
	const read = (firstBlock + blockSize) / 2
	log := strings.Repeat("x", blockSize) + strings.Repeat("\ny", read)
	r := readerAtFunc(func(p []byte, off int64) (int, error) {
		if off < blockSize {
			return 3, broken
		}
		return strings.NewReader(log).ReadAt(p, off)
	})
	n, failed := 0, false
	for l, err := range Backward(r, int64(len(log))) {
		if err != nil {
			failed = errors.Is(err, broken) && l.Offset == 3
			continue
		}
		n++
	}
	if n != read || !failed {
		t.Errorf("yielded %d lines and then the error at byte 3: %v; want %d, true", n, failed, read)
	}
}

type readerAtFunc func([]byte, int64) (int, error)

func (f readerAtFunc) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }

// FuzzLines checks the laws that readers live by:
//
//   - the lines, each with its line feed, join to the log;
//   - Offset and End are where a line lies, Number counts it;
//   - only the last line can be torn, and is if the log does not end in a feed;
//   - Backward yields the same lines the other way round.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"", "\n", "a", "a\n", "a\nb", "\r\n\n", "{}\n[]", "\x00\x00"} {
		f.Add([]byte(s), uint16(1))
	}
	f.Add([]byte("abc\n"), uint16(40_000)) // long enough for several blocks
	f.Add([]byte("x"), uint16(65_535))
	f.Fuzz(func(t *testing.T, unit []byte, times uint16) {
		if len(unit) > 100 {
			times %= 100
		}
		log := bytes.Repeat(unit, int(times))
		forward := collect(t, Lines(bytes.NewReader(log)))
		var at int64
		for i, l := range forward {
			if l.Offset != at || l.Number != i+1 {
				t.Fatalf("line %d at byte %d says number %d, byte %d", i+1, at, l.Number, l.Offset)
			}
			if !bytes.Equal(log[l.Offset:l.Offset+int64(len(l.Data))], l.Data) || bytes.IndexByte(l.Data, '\n') >= 0 {
				t.Fatalf("line %d is not what lies at byte %d", l.Number, l.Offset)
			}
			if l.Torn != (i == len(forward)-1 && log[len(log)-1] != '\n') {
				t.Fatalf("line %d of %d: torn = %v", l.Number, len(forward), l.Torn)
			}
			at = l.End()
		}
		if at != int64(len(log)) {
			t.Fatalf("lines end at byte %d of %d", at, len(log))
		}
		backward := collect(t, Backward(bytes.NewReader(log), int64(len(log))))
		slices.Reverse(backward)
		if !slices.EqualFunc(forward, backward, func(a, b Line) bool {
			return bytes.Equal(a.Data, b.Data) && a.Offset == b.Offset && a.Torn == b.Torn && b.Number == 0
		}) {
			t.Fatal("backward is not forward reversed")
		}
	})
}

// The text of a block may be kept when the block is given back; that of a long line is not
// copied.
func TestBlockText(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 600 << 10} {
		want := strings.Repeat("x", n)
		for b, err := range Blocks(strings.NewReader(want + "\n")) {
			if err != nil {
				t.Fatal(err)
			}
			text := b.Text(0, n)
			if shared := unsafe.StringData(text) == unsafe.SliceData(b.Data); shared != (n > largeBlock) {
				t.Errorf("%d: the text shares the memory of the block: %v", n, shared)
			}
			if n < largeBlock {
				clear(b.Data) // as the next who gets it will
			}
			b.Free()
			if text != want {
				t.Errorf("%d: the text has changed", n)
			}
		}
	}
}

// Blocks are the lines, where they become larger, too, and kept or given back.
func TestLargerBlocks(t *testing.T) {
	t.Parallel()
	var log []byte
	for i := 0; len(log) < hugeFrom+3*hugeBlock; i++ {
		log = append(log, strings.Repeat("x", i*i%9973)...)
		log = append(log, '\n')
	}
	log = append(log, strings.Repeat("y", 2*hugeBlock)+"\nz\ntorn"...)
	for _, kept := range []bool{false, true} {
		var got []string
		sizes := map[int]int{}
		for b, err := range BlocksToKeep(bytes.NewReader(log)) {
			if err != nil {
				t.Fatal(err)
			}
			sizes[cap(b.Data)]++
			for l := range b.Lines() {
				if !bytes.HasPrefix(log[l.Offset:], l.Data) {
					t.Fatalf("another line stands at byte %d", l.Offset)
				}
				at := int(l.Offset - b.Offset)
				got = append(got, b.Text(at, at+len(l.Data)))
			}
			if !kept {
				b.Free()
			}
		}
		if strings.Join(got, "\n") != string(log) {
			t.Errorf("kept %v: not the lines", kept)
		}
		if sizes[largeBlock] < hugeFrom/largeBlock || sizes[hugeBlock] < 3 || len(sizes) != 3 {
			t.Errorf("kept %v: blocks of %v", kept, sizes)
		}
	}
}
