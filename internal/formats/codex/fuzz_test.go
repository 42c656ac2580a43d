package codex_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/corpus"
	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/codex"
	"github.com/sess-tools/sess/internal/formats/formatstest"
)

func FuzzImport(f *testing.F) {
	for name, data := range corpus.Golden(f, "codex/rollouts/0.169") {
		if strings.HasPrefix(name, "variants/") && len(data) < 10_000 {
			f.Add(data)
		}
	}
	// Laws: nothing panics; what comes out is a session, twice the same, of which no
	// line is skipped; it can be written, and what is written be read.
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := pipe(t, string(data))
		b, berr := pipe(t, string(data))
		if (err == nil) != (berr == nil) || a.Text() != b.Text() {
			t.Fatalf("twice, it is not the same: %v, %v", err, berr)
		}
		if err != nil {
			return
		}
		s := a.Session(t)
		for _, p := range s.Problems {
			t.Errorf("line %d: %s\n%s", p.Line, p.Text, a.Text())
		}
		out, _ := formatstest.Export(t, codex.Format, s, "")
		if _, err := pipe(t, out); err != nil {
			t.Errorf("what is written is refused: %v\n%s", err, out)
		}
	})
}

// pipe reads the session that comes on standard input.
func pipe(t testing.TB, text string) (formatstest.Result, error) {
	t.Helper()
	a, err := codex.Format.Open(t.Context(), &formats.Source{Stdin: strings.NewReader(text)})
	if err != nil {
		return formatstest.Result{}, err
	}
	defer a.Close()
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			return formatstest.Result{}, err
		}
		return formatstest.Try(t.Context(), codex.Format, a, info)
	}
	return formatstest.Result{}, errors.New("nothing listed")
}
