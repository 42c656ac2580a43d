package jqmap

import (
	"bytes"
	"context"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/jq"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// maxFirst is how many values detect and info see.
const maxFirst = 24

// maxBeside is how large a file beside a session may be to be looked at, in bytes.
const maxBeside = 16 << 20

// Detect takes a file that has one of the signs of the map, and that the map says is the agent's.
func (m *Map) Detect(_ string, head []byte) bool {
	for _, sign := range m.signs {
		if bytes.Contains(head, []byte(sign)) {
			return m.detect(head)
		}
	}
	return false
}

func (m *Map) detect(head []byte) bool {
	h, err := m.parse()
	if err != nil {
		return false
	}
	values, _, err := firstValues(bytes.NewReader(head), h.each)
	if err != nil || len(values) == 0 {
		return false
	}
	p, err := m.take()
	if err != nil {
		return false
	}
	defer m.give(p)
	said := false
	err = m.ask(context.Background(), p, "detect", values, func(v any) error {
		said = v == true
		return nil
	})
	return err == nil && said
}

// firstValues returns the first objects of a file, decoded, and the text of the first. each is the member of a
// document that holds the values, "" for a map of lines.
func firstValues(r io.Reader, each string) (values []any, first string, err error) {
	add := func(text string) {
		text = formats.OneLine(strings.Clone(text)) // the line is the reader's
		v, err := jq.Decode(text)
		if _, ok := v.(map[string]any); err == nil && ok {
			if values = append(values, v); first == "" {
				first = text
			}
		}
	}
	if each != "" {
		head, err := io.ReadAll(io.LimitReader(r, formats.HeadSize))
		if err != nil {
			return nil, "", err
		}
		for _, text := range beginning(string(head), each) {
			if len(values) < maxFirst {
				add(text)
			}
		}
		if len(values) > 0 {
			return values, first, nil
		}
		r = io.MultiReader(bytes.NewReader(head), r)
	}
	silent := formats.NewBuilder("", nil, func(formats.Loss) {}) // reading the session tells its losses
	for l, err := range jsonl.Lines(r) {
		if err != nil {
			return values, first, err
		}
		for v := range silent.Objects(&formats.Source{}, l) {
			add(v.Text)
		}
		if len(values) >= maxFirst || l.Offset > formats.HeadSize {
			break
		}
	}
	return values[:min(len(values), maxFirst)], first, nil
}

// trimmed returns a text without a byte order mark and white space around it.
func trimmed(text string) string {
	return strings.Trim(strings.TrimPrefix(text, jsonl.ByteOrderMark), " \t\r\n")
}

// A reader reads the sessions of a map.
type reader struct {
	m *Map
	h *header
}

// head lists a file by its first values and by the files beside it.
func (r reader) head(ctx context.Context, src *formats.Source, f *formats.File) (formats.Info, error) {
	info, _, err := r.info(ctx, src, f, nil)
	return info, err
}

// info returns what the map says of a session, as it is listed and as the map said it. A map that fails
// says nothing.
func (r reader) info(ctx context.Context, src *formats.Source, f *formats.File, ahead []any) (info formats.Info, said any, err error) {
	values, first, err := firstValues(f.Reader(ctx), r.h.each)
	if err != nil {
		return info, nil, src.Located(err)
	}
	if len(values) == 0 {
		return info, nil, formats.Damaged("%s: no session of %s: no line of it is a JSON object", src.Name(), r.m.about.Name)
	}
	p, err := r.m.take()
	if err != nil {
		return info, nil, err
	}
	defer r.m.give(p)
	input := map[string]any{"values": values, "beside": r.beside(src), "path": filepath.ToSlash(src.Path), "ahead": ahead}
	if err := r.m.ask(ctx, p, "info", input, func(v any) error { said = v; return nil }); err != nil {
		return info, nil, err
	}
	text := js.Value(p.encode(nil, said))
	info.ID, info.CWD, info.Name = text.Get("id").Str(), text.Get("cwd").Str(), session.OneLine(text.Get("title").Str())
	info.ParentSession, info.CWDHash = text.Get("parent").Str(), text.Get("cwd_hash").Str()
	info.Created, info.Modified = timeOf(text.Get("created")), timeOf(text.Get("modified"))
	if !session.ValidSessionID(info.ID) {
		info.ID = formats.SessionID(r.m.about.Name, first)
	}
	return info, said, nil
}

// maxAhead is how many values are looked at before a session is read.
const maxAhead = 1000

// ahead returns the values of the kinds that the map wants to see before it is given any.
func (r reader) ahead(ctx context.Context, src *formats.Source, f *formats.File) (values []any, err error) {
	if len(r.h.ahead) == 0 {
		return nil, nil
	}
	silent := formats.NewBuilder("", nil, func(formats.Loss) {})
	for l, err := range jsonl.Lines(f.Reader(ctx)) {
		if err != nil || len(values) >= maxAhead {
			return values, src.Located(err)
		}
		if !slices.ContainsFunc(r.h.ahead, func(kind string) bool { return bytes.Contains(l.Data, []byte(kind)) }) {
			continue
		}
		for v := range silent.Objects(&formats.Source{}, l) {
			if !slices.Contains(r.h.ahead, r.h.kindOf(js.DictOf(js.Value(v.Text), nil))) {
				continue
			}
			if value, err := jq.Decode(strings.Clone(v.Text)); err == nil {
				values = append(values, value)
			}
		}
	}
	return values, nil
}

func timeOf(v js.Value) (t time.Time) {
	if ms := milliseconds(v); ms != 0 {
		t = time.UnixMilli(ms).UTC()
	}
	return t
}

// milliseconds returns a time since the epoch, 0 if it is none: a text, or a number of seconds, milli-, micro- or
// nanoseconds, which tell themselves apart for the times of sessions.
func milliseconds(v js.Value) int64 {
	if v.IsString() {
		ms, _ := js.ParseTime(v.Str())
		return ms
	}
	n := v.Float()
	if !v.IsNumber() || n <= 0 || math.IsInf(n, 0) {
		return 0
	}
	for _, unit := range []struct{ below, perMillisecond float64 }{{1e11, 1e-3}, {1e14, 1}, {1e17, 1e3}, {1e20, 1e6}} {
		if n < unit.below {
			return int64(n / unit.perMillisecond)
		}
	}
	return 0
}

// beside returns the files beside a session that the map wants to see, by the names it has for them.
func (r reader) beside(src *formats.Source) map[string]any {
	out := map[string]any{}
	if src.Path == "" || len(r.h.beside) == 0 {
		return out
	}
	path, err := filepath.Abs(src.Path)
	if err != nil {
		return out
	}
	top := filepath.Dir(r.h.top(path)) // where the agent may keep a list of all sessions, beside the place
	for _, name := range r.h.beside {
		other := filepath.Join(filepath.Dir(path), filepath.FromSlash(strings.ReplaceAll(name, "*", stem(filepath.Base(path)))))
		if !isBelow(top, other) {
			continue
		}
		if v, ok := readBeside(top, other); ok {
			out[name] = v
		}
	}
	return out
}

// isBelow reports whether a path names something in a directory or further below it.
func isBelow(dir, path string) bool {
	below, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(below)
}

// top returns the directory at which the pattern that matches the path of a session begins: that of the session if none
// does.
func (h *header) top(path string) string {
	elements := strings.Split(filepath.ToSlash(path), "/")
	for _, pattern := range h.files {
		if wanted := strings.Split(pattern, "/"); ends(elements, wanted) {
			for range wanted {
				path = filepath.Dir(path)
			}
			return path
		}
	}
	return filepath.Dir(path)
}

// readBeside reads a file, as YAML by its name, as JSON or else as a text. Its directory may be behind a link, as those of
// sessions may; if the file itself is one that leads out of that and of top, it is not followed.
func readBeside(top, path string) (v any, ok bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !slices.ContainsFunc([]string{top, filepath.Dir(path)}, func(dir string) bool {
		dir, err := filepath.EvalSymlinks(dir)
		return err == nil && isBelow(dir, real)
	}) {
		return nil, false
	}
	f, err := formats.OpenFile(real)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	data := make([]byte, min(f.Size, maxBeside+1))
	if n, err := f.ReadAt(data, 0); len(data) > maxBeside || n < len(data) && err != nil {
		return nil, false
	}
	decode := func(data []byte) (any, error) { return jq.Decode(formats.OneLine(string(data))) }
	if slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path)) {
		decode = decodeYAML
	}
	if v, err := decode(data); err == nil {
		return v, true
	}
	return js.ValidText(string(data)), true
}
