package store

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestDir(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the paths of the table are not absolute here")
	}
	for _, tt := range []struct {
		name, sess, xdg, home, want string
	}{
		{"nothing set", "", "", "/home/u", "/home/u/.local/share/sess/sessions"},
		{"xdg", "", "/data", "/home/u", "/data/sess/sessions"},
		{"xdg without home", "", "/data", "", "/data/sess/sessions"},
		{"relative xdg is passed over", "", "data", "/home/u", "/home/u/.local/share/sess/sessions"},
		{"sess", "/s", "/data", "/home/u", "/s"},
		{"sess is cleaned", "/s//x/", "", "/home/u", "/s/x"},
		{"relative sess", "s", "/data", "", "s"},
		{"no home", "", "", "", ""},
		{"relative home", "", "", "u", ""},
		{"relative xdg and no home", "", "data", "", ""},
	} {
		env := map[string]string{"SESS_DIR": tt.sess, "XDG_DATA_HOME": tt.xdg}
		got, err := Dir(func(k string) string { return env[k] }, tt.home)
		if got != filepath.FromSlash(tt.want) || (err != nil) != (tt.want == "") {
			t.Errorf("%s: got %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}
