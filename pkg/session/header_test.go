package session_test

import (
	"testing"

	"github.com/sess-tools/sess/pkg/session"
)

// A session that got an id of its own has its agent's in a header for that agent; any other header stays as it is.
func TestOriginal(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"type":"session","version":3,"id":"a-1","cwd":"/","of":"a"}`: `{"type":"session","version":3,"id":"a","cwd":"/"}`,
		`{"type":"session", "version":3,"id":"a"}`:                     `{"type":"session", "version":3,"id":"a"}`,
		`{"type":"session","version":3,"id":"a","of":null}`:            `{"type":"session","version":3,"id":"a","of":null}`,
	} {
		h, err := session.HeaderOf([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Original(); got.Raw() != want || got.ID != "a" {
			t.Errorf("%s: %s, %s", raw, got.ID, got.Raw())
		}
	}
}
