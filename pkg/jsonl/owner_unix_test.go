//go:build unix && !solaris && !aix

package jsonl

import (
	"os"
	"syscall"
	"testing"
)

func TestReplaceKeepsOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	path := newLog(t, "a")
	if err := os.Chown(path, 12, 34); err != nil {
		t.Skip("not even root can here:", err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Replace(t.Context(), path, Options{}, upper); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok || st.Uid != 12 || st.Gid != 34 || fi.Mode().Perm() != 0o640 {
		t.Errorf("owner %d:%d, mode %v, want 12:34, 0640", st.Uid, st.Gid, fi.Mode())
	}
}
