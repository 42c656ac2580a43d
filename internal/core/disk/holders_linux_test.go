package disk

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sess-tools/sess/internal/test/must"
)

// Only who writes to the file itself counts, and not this process.
func TestHolders(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]int{">>": 1, "<>": 1, "<": 0, ">>other/": 0, ">>link": 0} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			name := filepath.Join(dir, "s.jsonl")
			write(t, name, "x\n")
			must.Do(t, os.Mkdir(filepath.Join(dir, "other"), 0o700))
			target := map[string]string{">>other/": ">>other/s.jsonl", ">>link": ">>link.jsonl"}[how]
			if target == "" {
				target = how + "s.jsonl"
			}
			c := exec.Command("sh", "-c", "exec 7"+target+"; echo; read x")
			c.Dir = dir
			in, err := c.StdinPipe()
			must.Do(t, err)
			out, err := c.StdoutPipe()
			must.Do(t, err)
			must.Do(t, c.Start())
			if _, err := out.Read(make([]byte, 1)); err != nil { // it has opened the file
				t.Fatal(err)
			}
			syscall.ForkLock.RLock() // a process that another test starts has our files until it runs its program
			defer syscall.ForkLock.RUnlock()
			own, err := os.OpenFile(name, os.O_WRONLY, 0)
			must.Do(t, err)
			defer own.Close()
			fi, err := own.Stat()
			must.Do(t, err)
			list := Holders(name, fi)
			if len(list) != want || want == 1 && (list[0].PID != c.Process.Pid || list[0].Name != "sh") {
				t.Errorf("%v, want %d of process %d", list, want, c.Process.Pid)
			}
			in.Close()
			_ = c.Wait()
		})
	}
}
