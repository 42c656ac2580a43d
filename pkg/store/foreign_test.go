package store_test

import (
	"runtime"
	"testing"

	"github.com/sess-tools/sess/pkg/store"
)

// A directory of another system is compared as it is written, one of this system never with it.
func TestForeignDirectories(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("they are its own there")
	}
	for _, tt := range []struct {
		dir, other string
		same       bool
	}{
		{`C:\Users\me\proj`, `C:\Users\me\proj`, true},
		{`C:\Users\me\proj`, `c:/users/me/proj/`, true},
		{`C:\Users\me\proj`, `C:\Users\me\project`, false},
		{`C:\Users\me\proj`, `D:\Users\me\proj`, false},
		{`C:\Users\me\proj`, "", false},
		{`C:\Users\me\proj`, "/w", false},
		{`\\server\share`, `\\server\share\`, true},
		{`C:\`, `c:/`, true},
		{"/w", `C:\w`, false},
		{"/w", `\w`, false},
	} {
		if got := store.SameDir(tt.dir)(tt.other); got != tt.same {
			t.Errorf("%s, %s: the same is %v", tt.dir, tt.other, got)
		}
	}
	for path, foreign := range map[string]bool{"": false, "/w": false, "w": false, "C:": false, "C:w": false, `C:\w`: true, "7:/w": false, `./C:\w`: false} {
		if store.Foreign(path) != foreign {
			t.Errorf("%q is foreign: %v", path, !foreign)
		}
	}
}
