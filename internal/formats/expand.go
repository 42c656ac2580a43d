package formats

import (
	"fmt"
	"io"
)

// What a compressed file may become when nothing else is said: this many times its size,
// but at least the one number of bytes and at most the other.
const (
	expandTimes = 1000
	expandLeast = 64 << 20
	expandMost  = 4 << 30
)

// An ExpansionError is the error of a compressed file that becomes more than it may.
type ExpansionError struct {
	Size, Most int64 // bytes, of the file and of what it may become
}

// Error names the sizes.
func (e *ExpansionError) Error() string {
	return fmt.Sprintf("%d compressed bytes become more than %d", e.Size, e.Most)
}

// Expanded returns what a compressed file of the source becomes, read from r, up to as many
// bytes as it may. size is that of the file. Behind them reading is an [ExpansionError].
func (s *Source) Expanded(r io.Reader, size int64) io.Reader {
	most := s.Expansion
	if most == 0 {
		most = min(max(expandTimes*min(size, expandMost), expandLeast), expandMost)
	}
	return &expanded{r: r, left: most, e: ExpansionError{size, most}}
}

type expanded struct {
	r    io.Reader
	left int64 // bytes that may come
	e    ExpansionError
}

// Read reads one byte more than may come, to see whether there is one.
func (x *expanded) Read(p []byte) (int, error) {
	if int64(len(p)) > x.left+1 {
		p = p[:x.left+1]
	}
	n, err := x.r.Read(p)
	if int64(n) > x.left {
		return int(x.left), &x.e
	}
	x.left -= int64(n)
	return n, err
}
