package tty_test

import (
	"testing"

	"github.com/sess-tools/sess/internal/core/tty"
)

func TestUTF8(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		env  map[string]string
		want bool
	}{
		{"none", nil, false},
		{"LANG", map[string]string{"LANG": "en_US.UTF-8"}, true},
		{"C", map[string]string{"LANG": "C"}, false},
		{"C.UTF-8", map[string]string{"LC_ALL": "C.UTF-8"}, true},
		{"utf8", map[string]string{"LC_CTYPE": "de_DE.utf8"}, true},
		{"Latin 1", map[string]string{"LANG": "de_DE.ISO-8859-1"}, false},
		{"LC_ALL wins", map[string]string{"LC_ALL": "C", "LC_CTYPE": "en_US.UTF-8", "LANG": "en_US.UTF-8"}, false},
		{"LC_CTYPE wins", map[string]string{"LC_CTYPE": "POSIX", "LANG": "en_US.UTF-8"}, false},
		{"empty is unset", map[string]string{"LC_ALL": "", "LC_CTYPE": "", "LANG": "en_US.UTF-8"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tty.UTF8(func(name string) (string, bool) { v, ok := tt.env[name]; return v, ok }); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
