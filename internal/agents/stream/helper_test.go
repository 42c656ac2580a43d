package stream_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/stream"
)

// A told is what a decoding made, with what was told of it.
type told struct {
	items []*stream.Item
	warns []string
	notes []string
	err   error
}

// decode decodes data in pieces of a size, 0 for all at once.
func decode(data []byte, size int, o stream.Options) (got told) {
	o.Emit = func(group []*stream.Item) error {
		got.items = append(got.items, group...)
		return nil
	}
	o.Warn = func(f string, args ...any) { got.warns = append(got.warns, fmt.Sprintf(f, args...)) }
	o.Note = func(f string, args ...any) { got.notes = append(got.notes, fmt.Sprintf(f, args...)) }
	d := stream.New(o)
	if size == 0 {
		size = len(data)
	}
	for len(data) > 0 {
		n := min(size, len(data))
		_, _ = d.Write(data[:n])
		data = data[n:]
	}
	got.err = d.Close()
	return got
}

// line returns an item as one line, to be compared.
func line(i *stream.Item) string {
	if i.Type != "message" {
		text := i.Type
		for _, f := range i.Fields {
			text += fmt.Sprintf(" %s=%s", f.Name, f.Raw)
		}
		return text
	}
	return i.Message.Raw()
}

func lines(items []*stream.Item) []string {
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = line(item)
	}
	return out
}

// apiSample reads a sample, which may be packed.
func apiSample(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := io.Reader(f)
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// apiSamples returns the paths of all samples, those of some folders if any are named.
func apiSamples(t testing.TB, folders ...string) (paths []string) {
	t.Helper()
	if len(folders) == 0 {
		folders = []string{"*"}
	}
	for _, folder := range folders {
		found, err := filepath.Glob(filepath.Join("testdata", folder, "*", "stdout*"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no samples in %s: %v", folder, err)
		}
		for _, path := range found {
			path, _ = filepath.Rel("testdata", path)
			paths = append(paths, filepath.ToSlash(path))
		}
	}
	return paths
}

// decoded decodes JSON.
func decoded(t testing.TB, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}
