package address_test

import (
	"errors"
	"testing"

	"github.com/sess-tools/sess/internal/core/address"
)

// A name that ends in a colon is told from the colon of the message.
func TestLocateName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"s.jsonl": "reading s.jsonl: x", "codex:": `reading "codex:": x`, "pi:4:": `reading "pi:4:": x`, "pi:4": "reading pi:4: x",
	} {
		if got := address.Locate(name, errors.New("x")).Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
