package pi

import (
	"bytes"
	"context"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// Open opens a file, or a directory of files and of the projects one level below.
func (f format) Open(_ context.Context, src *formats.Source) (formats.Archive, error) {
	if err := src.Exists(); err != nil {
		return nil, err
	}
	a := &archive{src: src, blobs: src.Blobs}
	if sibling := filepath.Join(src.Path, "..", "blobs"); a.blobs == "" && src.IsDir() && formats.IsDir(sibling) {
		a.blobs = sibling
	}
	return a, nil
}

// An archive is a file or a directory.
type archive struct {
	src   *formats.Source
	blobs string
}

func (a *archive) Close() error { return nil }

func (a *archive) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		switch {
		case !a.src.IsDir():
			yield(a.one(ctx, q))
		case q.Details || q.ID != "":
			if path, ok := a.byName(ctx, q.ID); ok {
				yield(exactly(ctx, path))
				return
			}
			a.details(ctx, yield)
		default:
			a.headers(ctx, yield)
		}
	}
}

// details lists a directory with all that sessions say.
func (a *archive) details(ctx context.Context, yield func(formats.Info, error) bool) {
	var failed []formats.Info
	var errs []error
	rows, err := store.List(ctx, []string{a.src.Path}, store.Options{
		Recursive: true, Count: true, Order: store.ByCreated,
		Warn: func(path string, err error) {
			failed, errs = append(failed, formats.Info{Row: store.Row{Path: path}}), append(errs, (&formats.Source{Path: path}).Located(err))
		},
	})
	if err != nil {
		yield(formats.Info{}, err)
		return
	}
	for i, info := range failed {
		if !yield(info, errs[i]) {
			return
		}
	}
	for _, row := range rows {
		if !yield(formats.Info{Row: row}, nil) {
			return
		}
	}
}

// headers lists a directory by the headers of its files alone, one by one.
func (a *archive) headers(ctx context.Context, yield func(formats.Info, error) bool) {
	isSession := func(base string) bool { return filepath.Ext(base) == ".jsonl" }
	for path, err := range formats.Walk(ctx, a.src.Path, 1, isSession) {
		info := formats.Info{Row: store.Row{Path: path}}
		if err == nil {
			info, err = header(ctx, &formats.Source{Path: path})
		}
		if !yield(info, err) {
			return
		}
	}
}

// header lists one file by its header.
func header(ctx context.Context, src *formats.Source) (formats.Info, error) {
	info := formats.Info{Row: store.Row{Path: src.Path}}
	f, err := src.Open(ctx)
	if err != nil {
		return info, err
	}
	defer f.Close()
	info.Size, info.ModTime, info.Modified = f.Size, f.ModTime, f.ModTime
	h, err := session.ReadHeader(f.Reader(ctx))
	if err != nil {
		return info, src.Located(err)
	}
	info.ID, info.CWD, info.Name, info.ParentSession, info.Version = h.ID, h.CWD, h.Title, h.ParentSession, h.Version
	if ms, ok := js.ParseTime(h.Timestamp); ok {
		info.Created = time.UnixMilli(ms).UTC()
	}
	return info, nil
}

// one lists the only session of a file.
func (a *archive) one(ctx context.Context, q formats.Query) (formats.Info, error) {
	info, err := header(ctx, a.src)
	if err != nil || !q.Details && q.ID == "" {
		return info, err
	}
	f, err := a.src.Open(ctx)
	if err != nil {
		return info, err
	}
	defer f.Close()
	scanned, err := session.ScanInfo(f.Reader(ctx))
	if err != nil {
		return info, a.src.Located(err)
	}
	info.Info = scanned
	if info.Modified.IsZero() {
		info.Modified = f.ModTime
	}
	return info, nil
}

// Pi is the format of pi, Omp that of oh-my-pi. Each reads the other's files.
var (
	Pi  formats.Format = format{name: "pi", summary: "sessions of pi, versions 1 to 3", versions: []string{"pi-0.87", "pi-0.73", "omp-18", "omp-13"}}
	Omp formats.Format = format{name: "omp", summary: "sessions of oh-my-pi", versions: []string{"omp-18", "omp-13", "pi-0.87", "pi-0.73"}}
)

type format struct {
	name, summary string
	versions      []string
}

func (f format) About() formats.About {
	home := piHome
	if f.name == "omp" {
		home = ompHome
	}
	return formats.About{Name: f.name, Summary: f.summary, Versions: f.versions, Home: home, Native: true}
}

// Detect takes a file whose first JSON value is a session header or a title slot.
// One with a slot, or with a member or an entry that only oh-my-pi writes, is
// oh-my-pi's.
func (f format) Detect(_ string, head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
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

// piHome returns where pi keeps its sessions.
func piHome(env formats.Env) (string, error) {
	if dir := env.Getenv("PI_CODING_AGENT_SESSION_DIR"); dir != "" {
		return env.StorePath("PI_CODING_AGENT_SESSION_DIR", nil)
	}
	return env.StorePath("PI_CODING_AGENT_DIR", []string{".pi", "agent"}, "sessions")
}

// ompHome returns where oh-my-pi keeps its sessions: below its agent directory,
// or, unless that was named, below the user's data directory if that has one.
func ompHome(env formats.Env) (string, error) {
	if env.Getenv("PI_CODING_AGENT_DIR") != "" {
		return env.StorePath("PI_CODING_AGENT_DIR", nil, "sessions")
	}
	below := []string{".omp"}
	if dir := env.Getenv("PI_CONFIG_DIR"); dir != "" {
		below = []string{dir}
	}
	if profile := env.Getenv("OMP_PROFILE"); profile != "" {
		below = append(below, "profiles", profile)
	} else if data := env.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) && formats.IsDir(filepath.Join(data, "omp")) {
		return filepath.Join(data, "omp", "sessions"), nil
	}
	return env.StorePath("", append(below, "agent"), "sessions")
}

// byName returns the file of a directory that has the whole of an id in its name, as
// the agents and the store call their files, if there is one and its header agrees.
// Nothing else then has to be opened to find the session.
func (a *archive) byName(ctx context.Context, id string) (path string, ok bool) {
	if id == "" {
		return "", false
	}
	called := func(base string) bool { return strings.HasSuffix(base, "_"+id+".jsonl") }
	for p, err := range formats.Walk(ctx, a.src.Path, 1, called) {
		if err != nil {
			continue // told when the file is opened
		}
		if ok {
			return "", false
		}
		path, ok = p, true
	}
	if !ok {
		return "", false
	}
	info, err := header(ctx, &formats.Source{Path: path})
	return path, err == nil && info.ID == id
}

// exactly lists one file of a directory with all that it says.
func exactly(ctx context.Context, path string) (formats.Info, error) {
	row, err := store.Stat(ctx, path, true)
	if err != nil {
		return formats.Info{Row: store.Row{Path: path}}, (&formats.Source{Path: path}).Located(err)
	}
	return formats.Info{Row: row}, nil
}
