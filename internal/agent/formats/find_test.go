package formats_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/formats"
)

// listed is an archive of sessions "ID NAME", and of errors "!".
type listed []string

func (l listed) List(context.Context, formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		for _, text := range l {
			var info formats.Info
			var err error
			if info.ID, info.Name, _ = strings.Cut(text, " "); info.ID == "!" {
				err = errors.New("reading x: broken")
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

func (listed) Read(context.Context, formats.Info, *formats.Builder) error { return nil }
func (listed) Close() error                                               { return nil }

func TestFind(t *testing.T) {
	t.Parallel()
	archive := listed{"!", "aaaa1 first", "aaaa2 twin", "bbbb1 twin", "bbbb12 last", "cccc1 dddd1", "dddd1 x"}
	for id, want := range map[string]string{
		"aaaa1": "aaaa1", "bbbb1": "bbbb1", "bbbb12": "bbbb12", "cccc": "cccc1", "last": "bbbb12", "dddd1": "dddd1",
		"aaaa": "!aaaa means 2 sessions: aaaa1, aaaa2", "twin": "!twin means 2 sessions: aaaa2, bbbb1",
		"ccc": "!no such session ccc; and not all could be read: reading x: broken",
	} {
		info, err := formats.Find(t.Context(), archive, id)
		got := info.ID
		if err != nil {
			got = "!" + err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
	if _, err := formats.Find(t.Context(), archive, "ccc"); !errors.Is(err, formats.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}
