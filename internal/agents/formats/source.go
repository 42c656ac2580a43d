package formats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/homes"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// A Source is the operand of an import: a file, a directory, or standard input. It has to be
// closed.
type Source struct {
	Path   string    // "" for Stdin
	Stdin  io.Reader // read only if Path is ""
	Called string    // in messages, "" for its path or standard input
	Blobs  string    // directory of the blobs that sessions refer to, "" for none
	Env    Env

	spool *disk.Spool // what came on Stdin
}

// Name returns what the source is called in messages.
func (s *Source) Name() string {
	if s.Called != "" {
		return s.Called
	}
	if s.Path == "" {
		return "standard input"
	}
	return s.Path
}

// At returns a line of the source as [Loss.Where] has it.
func (s *Source) At(line int) string { return s.Name() + ":" + strconv.Itoa(line) }

// Located puts the source, and the line if there is one, in front of an error of
// reading it.
func (s *Source) Located(err error) error {
	if err == nil {
		return nil
	}
	p, ok := session.AsProblem(err)
	switch {
	case !ok:
		return fmt.Errorf("reading %s: %w", s.Name(), disk.Cause(err))
	case p.Line == 0:
		return fmt.Errorf("%s: %w", s.Name(), err)
	}
	return fmt.Errorf("%s: %w", s.At(p.Line), err)
}

// IsDir reports whether the source is a directory.
func (s *Source) IsDir() bool { return IsDir(s.Path) }

// IsDir reports whether there is a directory at path.
func IsDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// Exists returns an error, as [OpenFile] has it, unless there is something at the
// source's path.
func (s *Source) Exists() error {
	if s.Path == "" {
		return nil
	}
	if _, err := os.Stat(s.Path); err == nil {
		return nil
	}
	f, err := OpenFile(s.Path)
	if err == nil { // it has come meanwhile
		f.Close()
	}
	return err
}

// GitRoot returns the top of the Git working tree that dir is in, "" if it is in none.
func GitRoot(dir string) string {
	dir, err := filepath.Abs(dir)
	for err == nil {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return ""
}

// Open opens the source, which must not be a directory. Standard input that cannot be read at any
// place is copied first, into memory or a temporary file. Each call returns a new file, which has
// to be closed.
func (s *Source) Open(ctx context.Context) (*File, error) {
	if s.Path != "" {
		return OpenFile(s.Path)
	}
	if s.spool == nil {
		if err := s.read(ctx); err != nil {
			return nil, fmt.Errorf("reading standard input: %w", disk.Cause(err))
		}
	}
	return &File{ReaderAt: s.spool.ReaderAt, Size: s.spool.Size}, nil // closed with the source
}

// Beside returns a source for another file, which is read as this one.
func (s *Source) Beside(path string) *Source {
	return &Source{Path: path, Blobs: s.Blobs, Env: s.Env}
}

// Head returns the first [HeadSize] bytes of the source, without a byte order mark.
func (s *Source) Head(ctx context.Context) ([]byte, error) {
	f, err := s.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, min(f.Size, HeadSize))
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading %s: %w", s.Name(), disk.Cause(err))
	}
	return bytes.TrimPrefix(head[:n], []byte(jsonl.ByteOrderMark)), nil
}

// Close removes what Open made of standard input.
func (s *Source) Close() error {
	if s.spool == nil {
		return nil
	}
	return s.spool.Close()
}

// read makes standard input a file that can be read at any place.
func (s *Source) read(ctx context.Context) (err error) {
	if f, ok := s.Stdin.(*os.File); ok {
		fi, err := f.Stat()
		if err != nil {
			return err
		}
		if at, err := f.Seek(0, io.SeekCurrent); fi.Mode().IsRegular() && err == nil && at == 0 {
			s.spool = &disk.Spool{ReaderAt: f, Size: fi.Size()}
			return nil
		}
	}
	s.spool, err = disk.Spooled(ctx, s.Stdin)
	return err
}

// ErrNoHome is that of package homes.
var ErrNoHome = homes.ErrNoHome

// StorePath returns the path elements below the directory that a variable
// names, or, if it is empty, below the home directory and its further elements.
// A leading ~ in the variable is the home directory.
func (e Env) StorePath(variable string, home []string, below ...string) (string, error) {
	return e.Homes().StorePath(variable, home, below...)
}

// Homes returns what of the environment package homes wants.
func (e Env) Homes() homes.Env { return homes.Env{Getenv: e.Getenv, Home: e.Home} }
