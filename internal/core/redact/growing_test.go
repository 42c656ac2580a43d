package redact

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/planted"
	"github.com/sess-tools/sess/pkg/js"
)

// grown cleans a session line by line.
func grown(t *testing.T, r *Redactor, text string) (out []string) {
	t.Helper()
	g := r.Growing()
	for line := range strings.Lines(text) {
		clean, err := g.Line(strings.TrimSuffix(line, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, clean)
	}
	return out
}

// What becomes of a line is as if all lines were cleaned at once, where no secret goes on in another line.
func TestGrowingPlanted(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		s := planted.Make(seed)
		text := strings.Join(grown(t, with(t, Options{}), s.Text()), "\n")
		for _, secret := range s.Secrets {
			if strings.Contains(text, secret) {
				t.Errorf("seed %d: a secret is left", seed)
			}
		}
	}
}

// Of a secret in several lines the first part stays, and it is nowhere whole; a line is never another one because of what follows.
func TestGrowingCuts(t *testing.T) {
	t.Parallel()
	secret := planted.New(7).GitHub()
	for name, cut := range cuts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := cut(secret)
			all := grown(t, with(t, Options{}), text)
			var said strings.Builder
			for _, line := range all {
				v := js.Value(line)
				said.WriteString(v.Get("data", "event", "delta", "text").Str() + v.Get("data", "event", "delta", "partial_json").Str() + v.Get("data", "event", "delta", "thinking").Str())
				for block := range v.Get("message", "content").Elements() {
					said.WriteString(block.Get("text").Str() + block.Get("thinking").Str())
				}
			}
			if strings.Contains(said.String(), secret) || !strings.Contains(strings.Join(all, ""), "[redacted:") {
				t.Error("it is whole")
			}
			lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
			for n := range lines {
				part := grown(t, with(t, Options{}), strings.Join(lines[:n], ""))
				if strings.Join(part, "\n") != strings.Join(all[:len(part)], "\n") {
					t.Errorf("after %d lines it is no beginning", n)
				}
			}
		})
	}
}
