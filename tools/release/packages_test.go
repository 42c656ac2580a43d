package main

import (
	"testing"
	"time"

	"github.com/sess-tools/sess/tools/release/names"
)

// The packages of the same files are the same, each time, from whichever directory.
func TestPackagesAreReproducible(t *testing.T) {
	t.Parallel()
	tree := []file{{"bin/sess", 0o755, varied(2 << 20)}, {"share/doc/sess/LICENSE", 0o644, []byte("MIT License\n\nCopyright (c) 2026 somebody\n\nTerms.\n")}}
	var sums []map[string]string
	for range 3 {
		b := &build{version: "1.2.3", time: time.Unix(1700000000, 0).UTC(), work: t.TempDir(), out: t.TempDir(), sums: map[string]string{}, stdout: t.Output()}
		if err := parallel(b.packages(names.Targets[0], tree)...); err != nil {
			t.Fatal(err)
		}
		sums = append(sums, b.sums)
	}
	for _, other := range sums[1:] {
		for name, want := range sums[0] {
			if other[name] != want {
				t.Errorf("%s differs", name)
			}
		}
	}
}

// varied returns n bytes that can be compressed, and not too well.
func varied(n int) []byte {
	out := make([]byte, n)
	state := uint32(1)
	for i := range out {
		state = state*1664525 + 1013904223
		out[i] = "abcdefgh the a of "[state>>27&15]
	}
	return out
}
