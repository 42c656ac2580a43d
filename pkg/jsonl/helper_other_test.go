//go:build !unix || solaris || aix

package jsonl

import "testing"

func mkfifo(t *testing.T, _ string) {
	t.Helper()
	t.Skip("no named pipes")
}

func childLimit(t *testing.T, _ string) {
	t.Helper()
	t.Skip("no file size limit")
}
