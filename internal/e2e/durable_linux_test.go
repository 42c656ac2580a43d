package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What a repair could not keep is made durable exactly if the copy is.
func TestRejectedIsAsDurableAsTheCopy(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
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
			if err := os.Mkdir(filepath.Join(dir, "store"), 0o700); err != nil {
				t.Fatal(err)
			}
			trace := filepath.Join(dir, "trace")
			args := []string{"-f", "-qq", "-y", "-o", trace, "-e", "trace=fsync,fdatasync", filepath.Join(bin, "sess-check"), "--repair", "-o", tt.file}
			if tt.sync != "" {
				args = append(args, "--sync", tt.sync)
			}
			c := exec.Command("strace", append(args, "s.jsonl")...)
			c.Dir, c.Env = dir, env(dir)
			r := wait(t, c)
			if strings.Contains(r.stderr, "strace: ") {
				t.Skipf("strace cannot trace here: %s", r.stderr)
			}
			if r.status != 0 {
				t.Fatalf("status %d: %s", r.status, r.stderr)
			}
			if got := readFile(t, filepath.Join(dir, tt.file+".rej")); !strings.Contains(got, "garbage") {
				t.Errorf("rejected: %q", got)
			}
			log := readFile(t, trace)
			for _, file := range []string{tt.file, tt.file + ".rej"} {
				if synced := strings.Contains(log, filepath.Join(dir, file)+">"); synced != tt.durable {
					t.Errorf("%s: synced %v, want %v:\n%s", file, synced, tt.durable, log)
				}
			}
		})
	}
}
