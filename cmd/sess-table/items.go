package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// An item is a session that was found.
type item struct {
	src    selection.Source
	header session.Header
	size   int64
	sum    string // the SHA-256 of its bytes

	stamp string // of its file when it was read, "" for one that has to be read each time
	sure  bool   // a mark may have the stamp
	err   error

	unread bool // its header is that of a listing, and its sum is not known
}

func parsed(h session.Header) (ms int64, ok bool) { return js.ParseTime(h.Timestamp) }

// A remembered is a line of the cache: what a file had when its stamp was this.
type remembered struct {
	Name   string `json:"name"`
	Stamp  string `json:"stamp"`
	Size   int64  `json:"size"`
	Header string `json:"header"`
	SHA256 string `json:"sha256"`
	Check  uint64 `json:"check"` // of the others
}

// check tells a line that was damaged.
func (r remembered) check() uint64 {
	return short(fmt.Sprintf("%q %q %d %q %s", r.Name, r.Stamp, r.Size, r.Header, r.SHA256))
}

const cacheName = ".sess-table.cache"

// remember reads the cache. It may be deleted, so one that cannot be read is none.
func (t *tables) remember() map[string]remembered {
	all := map[string]remembered{}
	f, err := disk.OpenRegular(filepath.Join(t.dir, cacheName))
	if err != nil {
		return all
	}
	defer f.Close()
	for in := json.NewDecoder(bufio.NewReader(f)); ; {
		var r remembered
		if in.Decode(&r) != nil {
			return all
		}
		if r.Check == r.check() {
			all[r.Name] = r
		}
	}
}

// A lines writes the cache.
type lines []*item

// WriteTo writes a line for each file.
func (l lines) WriteTo(w io.Writer) (n int64, err error) {
	for _, it := range l {
		r := remembered{Name: it.src.Name, Stamp: it.stamp, Size: it.size, Header: it.header.Raw(), SHA256: it.sum}
		r.Check = r.check()
		b, err := json.Marshal(r)
		if err != nil {
			return n, err
		}
		if _, err := w.Write(append(b, '\n')); err != nil {
			return n, err
		}
		n += int64(len(b)) + 1
	}
	return n, nil
}

// look returns the sessions that were selected, with their headers and sums. Files whose stamp is known are not read.
func (t *tables) look(ctx context.Context) ([]*item, error) {
	var known map[string]remembered
	if t.days == nil {
		known = t.remember()
	}
	var items []*item
	for it := range parallel.Map(ctx, 2*runtime.GOMAXPROCS(0), slices.Values(t.sought.List), func(ctx context.Context, src selection.Source) *item { return t.item(ctx, src, known) }) {
		switch {
		case it.err == nil:
			items = append(items, it)
		case !errors.Is(it.err, selection.ErrNotHere) && ctx.Err() == nil:
			t.fail(it, it.err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return items, nil
}

// save keeps the stamps of the files that were read.
func (t *tables) save(items []*item) error {
	stamped := slices.DeleteFunc(slices.Clone(items), func(it *item) bool { return it.stamp == "" })
	slices.SortFunc(stamped, newest)
	path := filepath.Join(t.dir, cacheName)
	if t.days == nil {
		return disk.Anew(disk.OS{}, path, lines(stamped), false)
	}
	if len(stamped) == 0 {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|disk.NoFollow|disk.Nonblock, 0)
	if err != nil { // there is none to add to, and the next run that looks at all sessions makes one
		return nil
	}
	var b bytes.Buffer
	_, err = lines(stamped).WriteTo(&b)
	if err == nil {
		_, err = f.Write(b.Bytes()) // of lines with one name the last counts
	}
	return disk.Closing(f, err)
}

// item reads the header of a session, and makes the sum of its bytes.
func (t *tables) item(ctx context.Context, src selection.Source, known map[string]remembered) (it *item) {
	it = &item{src: src}
	it.stamp, it.sure = t.stampOf(src, t.news.Remote)
	if t.remoteItem(it, known) {
		return it
	}
	if r, ok := known[src.Name]; ok && it.stamp != "" && r.Stamp == it.stamp {
		if h, err := session.HeaderOf([]byte(r.Header)); err == nil {
			it.header, it.size, it.sum, it.err = h, r.Size, r.SHA256, src.Here(h)
			return it
		}
	}
	in, err := src.Open(address.Summed(ctx), t.streams)
	if err != nil {
		it.err = err
		return it
	}
	defer in.Close()
	text, err := in.Spool(ctx)
	if err != nil {
		it.err = err
		return it
	}
	defer func() { _ = text.Close() }() // it was read alone
	if said, ok := summed(src, text); ok {
		it.size, it.sum = said.Size, said.SHA256
		if it.header, it.err = session.HeaderOf([]byte(said.Header)); it.err == nil {
			it.err = src.Here(it.header)
		}
		return it
	}
	all := disk.Reader{Ctx: ctx, R: io.NewSectionReader(text, 0, text.Size)}
	sum := sha256.New()
	if it.size, it.err = io.Copy(sum, all); it.err == nil {
		it.header, it.err = session.ReadHeader(io.NewSectionReader(text, 0, text.Size))
	}
	if it.sum = hex.EncodeToString(sum.Sum(nil)); it.err != nil {
		it.err = address.Locate(in.Name, it.err)
		return it
	}
	it.err = src.Here(it.header)
	return it
}

// mostSum is what the text of a sum is smaller than, in bytes.
const mostSum = 64 << 10

// summed returns the sum that stands in the place of another agent's session.
func summed(src selection.Source, text *disk.Spool) (said address.Sum, ok bool) {
	if src.Plain || src.Owner() == "" || text.Size >= mostSum {
		return said, false
	}
	short := make([]byte, text.Size)
	if _, err := text.ReadAt(short, 0); err != nil && !errors.Is(err, io.EOF) {
		return said, false // reading it again says why
	}
	return address.ParseSum(string(short))
}
