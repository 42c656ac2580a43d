package main

import (
	"slices"
	"testing"

	"github.com/sess-tools/sess/internal/test/scripttest"
	"github.com/sess-tools/sess/pkg/js"
)

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){tool.Name: main})
}

func TestScript(t *testing.T) {
	t.Parallel()
	scripttest.Run(t, "testdata")
}

// TestResumed: the line is that of the newest session, or of the newest one here.
func TestResumed(t *testing.T) {
	t.Parallel()
	rows := []js.Value{`{"resume":"cd /x && claude --resume a"}`, `{"resume":"codex resume b"}`, `{"resume":null}`}
	for _, c := range []struct {
		newest []js.Value
		here   bool
		want   string
	}{
		{rows, false, "cd /x && claude --resume a"},
		{rows, true, "codex resume b"},
		{rows[2:], true, ""},
		{rows[:1], true, ""},
		{nil, false, ""},
	} {
		if got := resumed(c.newest, c.here); got != c.want {
			t.Errorf("%s, here %v: %q, want %q", c.newest, c.here, got, c.want)
		}
	}
}

// TestLatest: the newest sessions of all, and of one that an agent has no copy of ours.
func TestLatest(t *testing.T) {
	t.Parallel()
	rows := []js.Value{
		`{"kind":"session","session":"a","agent":null,"modified":"2026-01-04"}`,
		`{"kind":"session","session":"b","agent":null,"modified":"2026-01-02"}`,
		`{"kind":"home","agent":"claude"}`,
		`{"kind":"session","session":"a","agent":"claude","modified":"2026-01-03"}`,
	}
	var got []string
	for _, r := range latest(rows) {
		got = append(got, r.Get("agent").Str()+":"+r.Get("session").Str())
	}
	if want := []string{"claude:a", ":b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
