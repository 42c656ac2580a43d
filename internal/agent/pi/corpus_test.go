package pi_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/formatstest"
	"github.com/sess-tools/sess/internal/agent/pi"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/js"
)

// writers are the versions that wrote the sessions of the corpus.
var writers = map[string]string{
	"pi/genuine/0.73": "pi-0.73", "pi/genuine/1.5": "pi-0.87", "omp/13": "omp-13", "omp/18": "omp-18", "omp/genuine/out13": "omp-13", "omp/genuine/out13-compact": "omp-13",
	"omp/genuine/out18": "omp-18", "omp/genuine/out18-compact": "omp-18",
}

func TestLaws(t *testing.T) {
	t.Parallel()
	sources, versions := map[string]string{}, map[string]string{}
	for dir, version := range writers {
		for _, path := range corpus.Sessions(t, dir) {
			name := strings.ReplaceAll(dir, "/", " ") + " " + filepath.Base(path)
			sources[name], versions[name] = string(corpus.Session(t, path)), version
		}
	}
	if len(sources) < 20 {
		t.Errorf("only %d sessions", len(sources))
	}
	formatstest.Laws(t, pi.Omp, formatstest.Corpus{
		Sources: sources, File: "s.jsonl", Lines: true, Lax: true, // forks of pi 0.73 miss parents
		Usage:   usage,
		Version: func(name string) string { return versions[name] },
		IDs:     []*regexp.Regexp{regexp.MustCompile(`"id":"([0-9a-f]{8})"`), regexp.MustCompile(`"toolCallId":"([^"]+)"`)},
	})
}

// usage sums up the replies and the summaries of a session.
func usage(source string) (input, output int64) {
	for line := range strings.Lines(source) {
		for _, v := range []js.Value{js.Value(strings.TrimSpace(line)), js.Value(line).Get("message")} {
			input, output = input+v.Get("usage").Get("input").Int(), output+v.Get("usage").Get("output").Int()
		}
	}
	return input, output
}
