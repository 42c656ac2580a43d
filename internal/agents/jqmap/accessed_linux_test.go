package jqmap_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/must"
)

// accessed returns when a directory was read last.
func accessed(t *testing.T, dir string) time.Time {
	t.Helper()
	fi, err := os.Stat(dir)
	must.Do(t, err)
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		t.Skip("the file system says nothing of it")
	}
	return time.Unix(st.Atim.Sec, st.Atim.Nsec)
}
