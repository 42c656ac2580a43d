package pi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/homes"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// Open opens a file, or a directory of files and of the projects one level below.
func (f format) Open(_ context.Context, src *formats.Source) (formats.Archive, error) {
	blobs := src.Blobs
	if sibling := filepath.Join(src.Path, "..", "blobs"); blobs == "" && src.IsDir() && formats.IsDir(sibling) {
		blobs = sibling
	}
	project := store.EncodeCWD
	if f.name == "omp" {
		project = nil // it has had several ways to name a directory
	}
	return formats.Files{
		Depth: 1,
		Enter: func(dir string) bool { return store.ParentFile(filepath.Join(dir, "session.jsonl")) != "" },
		Known: func(path string) bool { return filepath.Base(filepath.Dir(path)) == "subagent-artifacts" },
		Match: func(path string) bool { return filepath.Ext(path) == ".jsonl" },
		IDs: func(path string) ([]string, bool) {
			_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jsonl"), "_")
			return []string{id}, formats.IsUUID(id) // a file may be called in any way
		},
		Head: header, Details: details, Project: project,
		Read: func(ctx context.Context, src *formats.Source, f *formats.File, _ formats.Info, b *formats.Builder) error {
			return (&conversion{src: src, b: b, blobs: blobs}).read(ctx, f)
		},
	}.Open(src)
}

// header lists one file by its header.
func header(ctx context.Context, src *formats.Source, f *formats.File) (info formats.Info, _ error) {
	h, err := session.ReadHeader(f.Reader(ctx))
	if err != nil {
		return info, src.Located(err)
	}
	info.ID, info.CWD, info.Name, info.Version = h.ID, h.CWD, h.Title, h.Version
	info.ParentSession = cmp.Or(h.ParentSession, store.ParentFile(src.Path))
	if ms, ok := js.ParseTime(h.Timestamp); ok {
		info.Created = time.UnixMilli(ms).UTC()
	}
	return info, nil
}

// small is the size in bytes up to which a file is read in one go: into memory that is used
// again, as there may be ten thousand.
const small = 1 << 20

var rooms = sync.Pool{New: func() any { return new([small]byte) }}

// details lists one file by all that it says.
func details(ctx context.Context, src *formats.Source, f *formats.File) (info session.Info, err error) {
	defer func() { info.ParentSession = cmp.Or(info.ParentSession, store.ParentFile(src.Path)) }()
	if f.Size > small {
		info, err = session.ScanInfo(f.Reader(ctx))
		return info, src.Located(err)
	}
	room, _ := rooms.Get().(*[small]byte)
	defer rooms.Put(room)
	n, err := f.ReadAt(room[:f.Size], 0)
	if err == nil || errors.Is(err, io.EOF) {
		info, err = session.InfoReader{}.Of(room[:n])
	}
	return info, src.Located(err)
}

// Pi is the format of pi, Omp that of oh-my-pi. Each reads the other's files.
var (
	Pi  formats.Format = format{name: "pi", versions: []string{"pi-0.87", "pi-1.5", "pi-0.73", "omp-18", "omp-13"}}
	Omp formats.Format = format{name: "omp", versions: []string{"omp-18", "omp-13", "pi-0.87", "pi-1.5", "pi-0.73"}}
)

type format struct {
	name     string
	versions []string
}

func (f format) About() formats.About {
	home := homes.Pi
	if f.name == "omp" {
		home = homes.Omp
	}
	about := formats.AboutOf(f.name)
	about.Versions = f.versions
	about.Home = func(env formats.Env) (string, error) { return home(env.Homes()) }
	return about
}

// Detect takes a file whose first JSON value is a session header or a title slot.
// One with a slot, or with a member or an entry that only oh-my-pi writes, is
// oh-my-pi's.
func (f format) Detect(_ string, head []byte) bool {
	opened := false
	for l, err := range jsonl.Lines(bytes.NewReader(head)) {
		if err != nil || opened && l.Torn {
			break
		}
		e, err := session.ParseEntry(l.Text())
		switch {
		case err != nil: // skipped, as by a reader
		case !opened && e.Type() == session.TypeTitle && e.Get("v") == "1":
			return f.name == "omp"
		case !opened && (e.Type() != session.TypeSession || e.ID() == ""):
			return false
		case f.name == "pi":
			return true
		case ompOnly(e):
			return true
		default:
			opened = true
		}
	}
	return false
}

// ompOnly reports whether only oh-my-pi writes such a line.
func ompOnly(e session.Entry) bool {
	switch e.Type() {
	case session.TypeSession:
		return e.Get("titleSource") != "" || e.Get("additionalDirectories") != "" || e.Get("providerPromptCacheKey") != ""
	case session.TypeModelChange:
		return e.Get("model") != "" && e.Get("modelId") == ""
	case session.TypeTitleChange, session.TypeCredentialPin, session.TypeResetBoundary, session.TypeModelUsage,
		session.TypeServiceTier, session.TypeMCPSelection, session.TypeTTSRInjection:
		return true
	}
	return false
}
