package jqmap

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/core/disk"
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
	if bytes.HasPrefix(head, []byte(sqldb.Magic)) {
		return m.hasTables(head)
	}
	for _, sign := range m.signs {
		if bytes.Contains(head, []byte(sign)) {
			return m.detect(head)
		}
	}
	return false
}

// hasTables reports whether a database begins with all the signs of a map that reads databases: the texts that made its tables.
func (m *Map) hasTables(head []byte) bool {
	if slices.ContainsFunc(m.signs, func(sign string) bool { return !bytes.Contains(head, []byte(sign)) }) {
		return false
	}
	h, err := m.parse()
	return err == nil && h.sqlite != nil
}

func (m *Map) detect(head []byte) bool {
	h, err := m.parse()
	if err != nil || h.sqlite != nil { // a text may speak of the tables of a database
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
			if values = append(values, v); first == "" && text != "{}" {
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
	lines, err := r.lines(ctx, src, maxFirst)
	if err != nil {
		return formats.Info{}, err
	}
	info, _, err := r.info(ctx, src, f, nil, lines)
	return info, err
}

// info returns what the map says of a session, as it is listed and as the map said it. A map that fails
// says nothing.
func (r reader) info(ctx context.Context, src *formats.Source, f *formats.File, ahead []any, lines map[string]any) (info formats.Info, said any, err error) {
	values, first, err := firstValues(f.Reader(ctx), r.h.each)
	if err != nil {
		return info, nil, src.Located(err)
	}
	if len(values) == 0 {
		return info, nil, formats.Damaged("%s: no session of %s: no line of it is a JSON object", src.Name(), r.m.about.Name)
	}
	return r.describe(ctx, src, map[string]any{"values": values, "beside": r.beside(src), "lines": lines, "path": filepath.ToSlash(src.Path), "ahead": ahead}, first)
}

// describe asks the map for the facts about a session. The id, if the map has none, is made of a text.
func (r reader) describe(ctx context.Context, src *formats.Source, input map[string]any, first string) (info formats.Info, said any, err error) {
	p, err := r.m.take()
	if err != nil {
		return info, nil, err
	}
	defer r.m.give(p)
	if err := r.m.ask(ctx, p, "info", input, func(v any) error { said = v; return nil }); err != nil {
		return info, nil, err
	}
	text := js.Value(p.encode(nil, said))
	if name := text.Get("session").Str(); name != "" {
		return info, nil, formats.Damaged("%s: no session of %s: its session is %s beside it, which is read together with this file", src.Name(), r.m.about.Name, name)
	}
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
	for _, name := range r.h.beside {
		if f := r.neighbour(src, name); f != nil {
			if v, ok := readBeside(f, name); ok {
				out[name] = v
			}
			f.Close()
		}
	}
	return out
}

// maxLines is how many values of a file of lines beside a session are looked at.
const maxLines = 1 << 20

// lines returns what the map wants to see of the files of lines beside a session, by their names: of each value the members
// that it names, of the first values that have one. A file that is not there is missing, and a line that is no value is none.
func (r reader) lines(ctx context.Context, src *formats.Source, most int) (map[string]any, error) {
	out := map[string]any{}
	for _, of := range r.h.lines {
		f := r.neighbour(src, of.file)
		if f == nil {
			continue
		}
		values, err := of.read(ctx, f, most)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: reading %s: %w", src.Name(), of.file, disk.Cause(err))
		}
		out[of.file] = values
	}
	return out, nil
}

// read returns the members of the first values of a file.
func (of lines) read(ctx context.Context, f *formats.File, most int) ([]any, error) {
	values := []any{}
	silent := formats.NewBuilder("", nil, func(formats.Loss) {})
	for l, err := range jsonl.Lines(f.Reader(ctx)) {
		if err != nil || len(values) >= most {
			return values, err
		}
		for v := range silent.Objects(&formats.Source{}, l) {
			if members := of.of(js.DictOf(js.Value(v.Text), nil)); len(members) > 0 {
				values = append(values, members)
			}
		}
	}
	return values, nil
}

// of returns the members of a value that the map names, in the objects that they are in.
func (of lines) of(v js.Dict) map[string]any {
	out := map[string]any{}
	for _, path := range of.members {
		value, err := jq.Decode(strings.Clone(string(at(v, path))))
		if err != nil { // there is none
			continue
		}
		in := out
		for _, name := range path[:len(path)-1] {
			next, ok := in[name].(map[string]any)
			if !ok {
				next = map[string]any{}
				in[name] = next
			}
			in = next
		}
		in[path[len(path)-1]] = value
	}
	return out
}

// neighbour opens a file beside a session, nil if there is none that may be read: its name may lead as far as to the directory
// that the place of the sessions is in, where the agent may keep a list of all. Its directory may be behind a link, as those of
// sessions may; if the file itself is one that leads out of that and of the place, it is not followed.
func (r reader) neighbour(src *formats.Source, name string) *formats.File {
	path, err := filepath.Abs(src.Path)
	if src.Path == "" || err != nil {
		return nil
	}
	top := filepath.Dir(r.h.top(path))
	dir := filepath.Dir(path)
	path = one(filepath.Join(dir, filepath.FromSlash(strings.NewReplacer("*", stem(filepath.Base(path)), "%", filepath.Base(dir)).Replace(name))))
	actual, err := filepath.EvalSymlinks(path)
	if err != nil || !isBelow(top, path) || !slices.ContainsFunc([]string{top, filepath.Dir(path)}, func(dir string) bool {
		dir, err := filepath.EvalSymlinks(dir)
		return err == nil && isBelow(dir, actual)
	}) {
		return nil
	}
	f, err := formats.OpenFile(actual)
	if err != nil {
		return nil
	}
	return f
}

// one returns a path in which the element ? is the one directory in which there is what follows; "" if there are none or several.
func one(path string) (found string) {
	sep := string(filepath.Separator)
	above, below, some := strings.Cut(path, sep+"?"+sep)
	if !some {
		return path
	}
	entries, _ := os.ReadDir(above) // of one that cannot be read there is none
	for _, e := range entries {
		at := filepath.Join(above, e.Name(), below)
		if _, err := os.Lstat(at); err != nil {
			continue
		}
		if found != "" {
			return ""
		}
		found = at
	}
	return found
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

// readBeside reads a file, as YAML by its name, as JSON or else as a text.
func readBeside(f *formats.File, name string) (v any, ok bool) {
	data := make([]byte, min(f.Size, maxBeside+1))
	if n, err := f.ReadAt(data, 0); len(data) > maxBeside || n < len(data) && err != nil {
		return nil, false
	}
	decode := func(data []byte) (any, error) { return jq.Decode(formats.OneLine(string(data))) }
	if slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name)) {
		decode = decodeYAML
	}
	if v, err := decode(data); err == nil {
		return v, true
	}
	return js.ValidText(string(data)), true
}
