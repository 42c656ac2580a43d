// Package corpus opens the sessions and the golden answers of testdata, and
// the examples of the documentation, for tests. Large files are kept
// compressed, and the golden answers of one program version are one archive.
package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Dir returns the path of testdata.
func Dir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..", "testdata")
}

// Session returns the bytes of the session at path, relative to testdata and
// without the .zst of a compressed one.
func Session(t testing.TB, path string) []byte {
	t.Helper()
	name := filepath.Join(Dir(), filepath.FromSlash(path))
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = readCompressed(name + ".zst")
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// PiSessions returns the paths of the sessions that pi's golden answers are about.
func PiSessions(t testing.TB) []string {
	t.Helper()
	return append(Sessions(t, "pi/sessions"), Sessions(t, "pi/genuine")...)
}

// Sessions returns the paths, relative to testdata, of all sessions below dir.
func Sessions(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(filepath.Join(Dir(), dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(Dir(), strings.TrimSuffix(path, ".zst"))
		if strings.HasSuffix(rel, ".jsonl") {
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Golden returns the files of an archive of golden answers, such as
// "pi/golden/1.5", by name.
func Golden(t testing.TB, archive string) map[string][]byte {
	t.Helper()
	data, err := readCompressed(filepath.Join(Dir(), filepath.FromSlash(archive)+".tar.zst"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	if err := eachFile(data, func(name string, _ bool, data []byte) error {
		files[name] = data
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

// PiName returns the name the golden answers of pi use for a session: that of
// its file, or for a genuine one its version and the end of its id.
func PiName(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	if dir := filepath.Dir(path); strings.HasPrefix(dir, "pi/genuine/") {
		return "genuine-" + filepath.Base(dir) + "-" + base[strings.LastIndexByte(base, '-')+1:]
	}
	return base
}

// Turns returns a conversation of about 30000 tokens, as sess-append --entries takes it.
func Turns() string {
	var b strings.Builder
	long := strings.Repeat("and so it went on, word for word, ", 60)
	for n := range 60 {
		fmt.Fprintf(&b, `{"role":"user","content":"do step %d"}`+"\n", n)
		if n == 10 {
			b.WriteString(`{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"make"}}]}` + "\n")
			b.WriteString(`{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":"ok"}` + "\n")
		}
		fmt.Fprintf(&b, `{"role":"assistant","content":"step %d: %s"}`+"\n", n, long)
	}
	return b.String()
}
