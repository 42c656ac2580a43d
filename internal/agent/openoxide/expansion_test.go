package openoxide_test

import (
	"bytes"
	"testing"

	"github.com/sess-tools/sess/internal/agent/openoxide"
)

// What MessagePack becomes is bounded by what it is.
func TestExpansion(t *testing.T) {
	t.Parallel()
	const n = 1 << 16
	long := func(lead byte, value ...byte) []byte {
		return append([]byte{lead, 0, 1, 0, 0}, bytes.Repeat(value, n)...)
	}
	for name, data := range map[string][]byte{
		"nulls":              long(0xdd, 0xc0),
		"small numbers":      long(0xdd, 0xe0),
		"control characters": append([]byte{0xdb, 0, 1, 0, 0}, make([]byte, n)...),
		"doubles":            long(0xdd, 0xcb, 0x80, 0x10, 0, 0, 0, 0, 0, 1),
	} {
		text, err := openoxide.Unpack(data)
		if err != nil || len(text) > 6*len(data) || len(text) < n {
			t.Errorf("%s: %d bytes become %d, %v", name, len(data), len(text), err)
		}
	}
	if _, err := openoxide.Unpack([]byte{0xdb, 0xff, 0xff, 0xff, 0xff, 'x'}); err == nil {
		t.Error("a text of four gigabytes that is not there is read")
	}
}
