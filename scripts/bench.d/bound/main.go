// Bound does of a tool's work what cannot be left out, and no more: it reads files on all
// cores, and with -valid validates their lines. Directories are walked. With -run it starts
// a command and takes what it prints.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/pkg/js"
)

func main() {
	valid := flag.Bool("valid", false, "validate the lines")
	run := flag.Bool("run", false, "run the operands as a command")
	flag.Parse()
	if *run {
		cmd := exec.Command(flag.Arg(0), flag.Args()[1:]...) //nolint:gosec,noctx // it is for that
		cmd.Stdin = os.Stdin
		out, err := cmd.Output()
		if err == nil {
			_, err = os.Stdout.Write(out)
		}
		if err != nil {
			os.Exit(1)
		}
		return
	}
	buffers := make(chan []byte, 2*runtime.GOMAXPROCS(0)+2)
	for range cap(buffers) {
		buffers <- make([]byte, 1<<20)
	}
	do := func(_ context.Context, path string) error {
		buf := <-buffers
		err := read(path, &buf, *valid)
		buffers <- buf
		return err
	}
	for err := range parallel.Map(context.Background(), 2*runtime.GOMAXPROCS(0), files(flag.Args()), do) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// files yields the files of operands.
func files(operands []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, root := range operands {
			_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() && !yield(path) {
					return fs.SkipAll
				}
				return err
			})
		}
	}
}

// read reads a file in pieces of the size of buf, which grows if a line is longer.
func read(path string, buf *[]byte, valid bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for kept := 0; ; {
		n, err := f.Read((*buf)[kept:])
		if n == 0 || err != nil {
			return nil
		}
		n += kept
		kept = 0
		if !valid {
			continue
		}
		rest := (*buf)[:n]
		for {
			line, behind, whole := bytes.Cut(rest, []byte{'\n'})
			if !whole {
				break
			}
			if !js.Valid(line) {
				return fmt.Errorf("%s: not JSON: %.40q", path, line)
			}
			rest = behind
		}
		if kept = copy(*buf, rest); kept == len(*buf) {
			*buf = append(*buf, make([]byte, kept)...)
		}
	}
}
