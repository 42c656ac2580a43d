package jsonl

import (
	"bufio"
	"fmt"
	"io"

	"github.com/sess-tools/sess/internal/core/disk"
)

// Create makes the log path, which must not exist, with mode 0600 and the given
// content: a [bytes.Reader], which is written with one write(2), or [Content], of
// which no copy is made. The log appears whole or not at all: a process that is killed
// before that leaves a hidden file beside it. With sync, the bytes and the name are durable
// when it returns. The error of a file that exists wraps [io/fs.ErrExist].
func Create(path string, content io.WriterTo, sync bool) error {
	return create(disk.OS{}, path, content, sync)
}

// Content is a log as its lines, without their line feeds.
type Content []string

// WriteTo writes the lines, each with its line feed, 64 KiB at a time. The error
// is that of w.
func (c Content) WriteTo(w io.Writer) (int64, error) {
	out := disk.Counter{W: w}
	b := bufio.NewWriterSize(&out, blockSize)
	for _, line := range c {
		if _, err := b.WriteString(line); err != nil {
			return out.N, err
		}
		if err := b.WriteByte('\n'); err != nil {
			return out.N, err
		}
	}
	err := b.Flush()
	return out.N, err
}

func create(d disk.FS, path string, content io.WriterTo, sync bool) error {
	if err := disk.Whole(d, path, content, sync); err != nil {
		return fmt.Errorf("creating %s: %w", path, disk.Cause(err))
	}
	return nil
}
