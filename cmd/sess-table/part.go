package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/sess-tools/sess/internal/core/disk"
)

// A row is one of a table.
type row[T any] interface {
	of() string  // the id of its session
	bare() T     // the row without texts
	weight() int // about what its values take, in bytes
}

// A row group ends at so many rows, or at so many bytes of values, so it depends on the data alone.
const (
	mostRows  = 64 << 10
	mostBytes = 32 << 20
)

// A part is the file of a table for a day: the one that is there, and the one that is written in its place. Rows stand
// in the order of their sessions' ids.
type part[T row[T]] struct {
	path, temp string
	at         place
	file       *os.File
	to         *parquet.GenericWriter[T]
	rows, size int // of the row group

	opened bool     // the old part was looked for, as it is if a row stays
	from   *os.File // nil for none
	old    *parquet.GenericReader[T]
	next   []T // that were read from old and not taken
	ended  bool
}

// openPart begins the part at path.
func openPart[T row[T]](path string, at place) (p *part[T], err error) {
	p = &part[T]{path: path, temp: disk.Temp(path), at: at}
	if p.file, err = os.OpenFile(p.temp, os.O_WRONLY|disk.Exclusive, 0o600); err != nil {
		return nil, err
	}
	p.to = parquet.NewGenericWriter[T](p.file,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}), parquet.CreatedBy("sess-table", "1", ""))
	return p, nil
}

// openOld opens the part that is there, if there is one.
func (p *part[T]) openOld(ctx context.Context) (err error) {
	p.opened = true
	if err = p.at.fetch(ctx, p.path); err != nil {
		return err
	}
	if p.from, err = openTable(p.path); errors.Is(err, fs.ErrNotExist) {
		p.from, p.ended = nil, true
		return nil
	}
	if err != nil {
		return err
	}
	fi, err := p.from.Stat()
	if err != nil {
		return disk.Closing(p.from, err)
	}
	f, err := parquet.OpenFile(p.from, fi.Size())
	if err != nil {
		return disk.Closing(p.from, badPart(p.path, err))
	}
	p.old = parquet.NewGenericReader[T](f)
	return nil
}

// parquetMagic is what a file of Parquet begins with and ends with: one that is not whole has no end.
const parquetMagic = "PAR1"

// openTable opens the file of a part, and looks whether it is one and whole.
func openTable(path string) (*os.File, error) {
	f, err := disk.OpenRegular(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, badPart(path, disk.Cause(err))
	}
	begin, end := make([]byte, len(parquetMagic)), make([]byte, len(parquetMagic))
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil && size > int64(2*len(parquetMagic)) {
		_, err = f.ReadAt(begin, 0)
		if err == nil {
			_, err = f.ReadAt(end, size-int64(len(end)))
		}
	}
	switch {
	case err != nil:
		err = disk.Cause(err)
	case string(begin) != parquetMagic:
		err = errors.New("it is no Parquet file")
	case string(end) != parquetMagic:
		err = errors.New("its end is missing")
	default:
		return f, nil
	}
	return nil, disk.Closing(f, badPart(path, err))
}

// add writes rows.
func (p *part[T]) add(all []T) error {
	for i, r := range all {
		if _, err := p.to.Write(all[i : i+1]); err != nil {
			return err
		}
		p.rows, p.size = p.rows+1, p.size+r.weight()
		if p.rows < mostRows && p.size < mostBytes {
			continue
		}
		if err := p.to.Flush(); err != nil {
			return err
		}
		p.rows, p.size = 0, 0
	}
	return nil
}

// each calls do with the rows that the old part has of a session. It has to be called for ids in their order, and passes over
// those in front.
func (p *part[T]) each(ctx context.Context, id string, do func(T) error) error {
	if !p.opened {
		if err := p.openOld(ctx); err != nil {
			return err
		}
	}
	for {
		if len(p.next) == 0 {
			if p.ended {
				return nil
			}
			more := make([]T, 64)
			n, err := p.old.Read(more)
			if err != nil && !errors.Is(err, io.EOF) {
				return badPart(p.path, err)
			}
			p.next, p.ended = more[:n], err != nil
			continue
		}
		switch at := p.next[0].of(); {
		case at > id:
			return nil
		case at == id:
			if err := do(p.next[0]); err != nil {
				return err
			}
		}
		p.next = p.next[1:]
	}
}

// keep writes the rows that the old part has of a session, without texts if bare says so.
func (p *part[T]) keep(ctx context.Context, id string, bare bool) error {
	return p.each(ctx, id, func(r T) error {
		if bare {
			r = r.bare()
		}
		return p.add([]T{r})
	})
}

// finish makes what was written durable. It has its name when publish returns.
func (p *part[T]) finish() error {
	err := p.to.Close()
	if err == nil {
		err = p.file.Sync()
	}
	return err
}

func (p *part[T]) publish(ctx context.Context) (string, error) {
	if err := errors.Join(p.file.Close(), p.closeOld()); err != nil {
		return "", err
	}
	return p.at.publish(ctx, p.temp, p.path)
}

func (p *part[T]) closeOld() error {
	if p.from == nil {
		return nil
	}
	return p.from.Close()
}

// discard gives up a part that was not published.
func (p *part[T]) discard() error {
	_, _ = p.closeOld(), p.file.Close() // closed twice after publish, which is no matter
	return disk.Discard(disk.OS{}, p.temp)
}
