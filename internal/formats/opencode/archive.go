package opencode

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// An exportArchive is a file with one session.
type exportArchive struct {
	src  *formats.Source
	file *formats.File
}

func (a *exportArchive) Close() error { return a.file.Close() }

func (a *exportArchive) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		info := formats.Info{Row: store.Row{Path: a.src.Path, Size: a.file.Size, ModTime: a.file.ModTime}}
		about, err := readInfo(ctx, a.src.Name(), a.file)
		if err == nil {
			describe(&info, header(about, a.src), num(about, "time", "updated"))
			if info.ID != q.ID && str(about, "slug") == q.ID {
				info.Alias = q.ID
			}
			if q.Details {
				info, err = formats.Describe(ctx, a, info)
			}
		}
		yield(info, err)
	}
}

// describe fills in a listing.
func describe(info *formats.Info, h session.HeaderFields, modified int64) {
	info.ID, info.CWD, info.Name, info.ParentSession, info.Version = h.ID, h.CWD, h.Title, h.ParentSession, session.Version
	info.Created = time.UnixMilli(h.Time).UTC()
	info.Modified = time.UnixMilli(max(modified, h.Time)).UTC()
}

// maxTime is the last time that JavaScript has, in milliseconds.
const maxTime = 8_640_000_000_000_000

// header returns the header of a session.
func header(about string, src *formats.Source) session.HeaderFields {
	h := session.HeaderFields{
		ID: str(about, "id"), Time: num(about, "time", "created"), CWD: cmp.Or(str(about, "directory"), src.CWD),
		Title: session.OneLine(str(about, "title")), ParentSession: str(about, "parentID"),
	}
	if !session.ValidSessionID(h.ID) {
		h.ID = formats.SessionID("opencode", h.ID)
	}
	if h.Time < -maxTime || h.Time > maxTime {
		h.Time = 0
	}
	return h
}

func (a *exportArchive) Read(ctx context.Context, _ formats.Info, b *formats.Builder) error {
	doc, err := openExport(ctx, a.src.Name(), a.file)
	if err != nil {
		return err
	}
	if err := convert(ctx, doc, header(doc.info(), a.src), b); err != nil {
		return fmt.Errorf("%s: %w", a.src.Name(), err)
	}
	return nil
}
