package storev2

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/must"
)

// manyEntries writes a session of n messages of about 900 bytes.
func manyEntries(b *testing.B, n int) string {
	b.Helper()
	name := filepath.Join(fastDir(b), "s.jsonl")
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
	must.Do(b, err)
	defer f.Close()
	text := strings.Repeat("a word and another, ", 40)
	fmt.Fprintln(f, testHeader)
	parent := "null"
	for i := range n {
		_, err := fmt.Fprintf(f, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-02-15T18:10:00.000Z","message":{"role":"user","content":[{"type":"text","text":"%s"}],"timestamp":1771179000000}}`+"\n", uint32(i)*2654435761, parent, text)
		must.Do(b, err)
		parent = fmt.Sprintf(`"%08x"`, uint32(i)*2654435761)
	}
	return name
}

func BenchmarkMigrate(b *testing.B) {
	name := manyEntries(b, 20000)
	fi, err := os.Stat(name)
	must.Do(b, err)
	b.SetBytes(fi.Size())
	for b.Loop() {
		_, err := Migrate(background, name, Options{})
		must.Do(b, err)
	}
}

// The oldest entries are the ones that a search from the end finds last.
func BenchmarkGet(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			name := manyEntries(b, n)
			_, err := Migrate(background, name, Options{})
			must.Do(b, err)
			for b.Loop() {
				s, err := Open(Dir(name), Options{})
				must.Do(b, err)
				_, err = s.Get(fmt.Sprintf("%08x", 2654435761&0xffffffff))
				must.Do(b, err)
			}
		})
	}
}
