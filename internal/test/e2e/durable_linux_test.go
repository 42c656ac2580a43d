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

// A session that was put into a database of others stays there if the power fails
// after the tool has said so: the removal of SQLite's journal is durable by then.
// With a journal that comes back, SQLite would undo what was written.
func TestExportIntoDatabaseIsDurable(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"zeroclaw", "openoxide"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", good)
			write(t, dir, "o.jsonl", strings.Replace(good, `"id":"`, `"id":"other-`, 1))
			if r := runCommand(t, dir, "", "sess-export", "-q", format, "-o", "x.db", "o.jsonl"); r.status != 0 {
				t.Fatalf("status %d: %s", r.status, r.stderr)
			}
			r, log := traced(t, dir, []string{"-y", "-e", "trace=fsync,fdatasync,unlink,unlinkat,write"},
				"SESS_SYNC=always", "sess-export", "-q", format, "-o", "x.db", "s.jsonl")
			if r.status != 0 || r.stdout != "x.db\n" {
				t.Fatalf("status %d, %q: %s", r.status, r.stdout, r.stderr)
			}
			_, after, removed := strings.Cut(log, `x.db-journal"`)
			before, _, printed := strings.Cut(after, `"x.db\n"`)
			if !removed || !printed {
				t.Fatalf("no journal was removed, or no path printed:\n%s", log)
			}
			if !strings.Contains(before, "sync(") || !strings.Contains(before, "<"+dir+">)") {
				t.Errorf("the directory is not synced between the removal of the journal and the answer:\n%s", log)
			}
		})
	}
}
