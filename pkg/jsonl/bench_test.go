package jsonl

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// benchLog returns a log of about size bytes in lines of the given length.
func benchLog(size, line int) []byte {
	l := `{"k":"` + strings.Repeat("x", line-9) + `"}` + "\n"
	return []byte(strings.Repeat(l, max(1, size/line)))
}

func BenchmarkLines(b *testing.B) {
	for _, line := range []int{100, 2000, 500_000} {
		b.Run(fmt.Sprintf("line=%d", line), func(b *testing.B) {
			log := benchLog(8<<20, line)
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range Lines(bytes.NewReader(log)) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkBackward(b *testing.B) {
	for _, line := range []int{100, 2000, 500_000} {
		b.Run(fmt.Sprintf("line=%d", line), func(b *testing.B) {
			log := benchLog(8<<20, line)
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range Backward(bytes.NewReader(log), int64(len(log))) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// The last line costs the same whatever the size of the log.
func BenchmarkLast(b *testing.B) {
	for _, size := range []int{64 << 10, 16 << 20} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			log := bytes.NewReader(benchLog(size, 2000))
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range Backward(log, log.Size()) {
					if err != nil {
						b.Fatal(err)
					}
					break
				}
			}
		})
	}
}

// Opening, appending a line and closing, without sync.
func BenchmarkAppend(b *testing.B) {
	for _, line := range []int{200, 200_000} {
		b.Run(fmt.Sprintf("line=%d", line), func(b *testing.B) {
			path := newLog(b, "")
			value := bytes.TrimSpace(benchLog(line, line))
			b.SetBytes(int64(len(value)))
			b.ReportAllocs()
			for b.Loop() {
				a, err := OpenAppender(b.Context(), path, Options{})
				if err != nil {
					b.Fatal(err)
				}
				if err := a.Append(value); err != nil {
					b.Fatal(err)
				}
				if err := a.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
