package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a repair could not keep is made durable exactly if the copy is.
func TestRejectedIsAsDurableAsTheCopy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		sync, file string
		durable    bool
	}{
		{"", "copy.jsonl", false},
		{"always", "copy.jsonl", true},
		{"never", "copy.jsonl", false},
		{"", "store/copy.jsonl", true},
		{"always", "store/copy.jsonl", true},
		{"never", "store/copy.jsonl", false},
	} {
		t.Run(tt.sync+" "+tt.file, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", good+"garbage\n")
			check(t, os.Mkdir(filepath.Join(dir, "store"), 0o700))
			args := []string{"SESS_SYNC=" + tt.sync, "sess-check", "--repair", "-o", tt.file}
			r, log := traced(t, dir, []string{"-y", "-e", "trace=fsync,fdatasync"}, append(args, "s.jsonl")...)
			if r.status != 0 {
				t.Fatalf("status %d: %s", r.status, r.stderr)
			}
			if got := readFile(t, filepath.Join(dir, tt.file+".rej")); !strings.Contains(got, "garbage") {
				t.Errorf("rejected: %q", got)
			}
			for _, file := range []string{tt.file, tt.file + ".rej"} {
				name := filepath.Join(dir, filepath.Dir(file), "."+filepath.Base(file)+".new-") // until it is whole
				if synced := strings.Contains(log, name); synced != tt.durable {
					t.Errorf("%s: synced %v, want %v:\n%s", file, synced, tt.durable, log)
				}
			}
		})
	}
}
