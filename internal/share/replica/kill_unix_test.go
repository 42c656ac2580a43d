//go:build unix

package replica

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sess-tools/sess/internal/share/remote"
)

// TestKilled kills a process in front of each of its effects. Nobody repairs anything:
// the next push and pull lose nothing, and send nothing twice.
func TestKilled(t *testing.T) {
	t.Parallel()
	if os.Getenv("SESS_TEST_KILL") != "" {
		victim(t)
		return
	}
	l, r := entry("l1", "")+entry("l2", "l1"), entry("r1", "")
	for _, tt := range []struct {
		name, file, remote, action string
		steps                      []string
	}{
		{"new", header + l, "", "push", []string{"append", "appended", "card", "state"}},
		{"both", header + l, header + r, "push", []string{"take", "append", "appended", "card", "state"}},
		{"pull", header, header + r, "pull", []string{"take", "state"}},
		{"pull both", header + l, header + r, "pull", []string{"take", "state"}},
	} {
		for i := range 2 * len(tt.steps) {
			step, how := tt.steps[i/2], []string{"", "listed"}[i%2]
			t.Run(tt.name+"/"+step+how, func(t *testing.T) {
				t.Parallel()
				d := t.TempDir()
				log, path := ready(t, filepath.Join(d, "remote")), filepath.Join(d, "s.jsonl")
				write(t, path, tt.file)
				if tt.remote != "" {
					if _, err := log.Append(t.Context(), testID, 0, 1, []byte(tt.remote)); err != nil {
						t.Fatal(err)
					}
				}
				c := exec.Command(os.Args[0], "-test.run=^TestKilled$")
				c.Env = append(os.Environ(), "SESS_TEST_KILL="+step, "SESS_TEST_DIR="+d, "SESS_TEST_ACTION="+tt.action, "SESS_TEST_LISTED="+how)
				out, err := c.CombinedOutput()
				if s, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGKILL {
					t.Fatalf("not killed: %v\n%s", err, out)
				}
				other := filepath.Join(d, "other.jsonl")
				write(t, other, header)
				o := options(log)
				if how != "" {
					o.Listing = listed(t, log)
				}
				mustRun(t, Push, path, o)
				mustRun(t, Pull, other, options(log))
				got := inRemote(t, log)
				if content(t, path) != got || content(t, other) != got {
					t.Errorf("file\n%s\nother\n%s\nremote\n%s", content(t, path), content(t, other), got)
				}
				for line := range strings.Lines(tt.file + tt.remote) {
					if strings.Count(got, line) != 1 {
						t.Errorf("%q is there %d times", line, strings.Count(got, line))
					}
				}
				for c, err := range remote.ReadCards(t.Context(), log, "") {
					if err != nil || c.ID != testID {
						t.Errorf("%v, %v", c, err)
					}
				}
			})
		}
	}
}

// victim runs one action and kills itself in front of a step.
func victim(t *testing.T) {
	d := os.Getenv("SESS_TEST_DIR")
	o := options(openRemote(t, filepath.Join(d, "remote")))
	o.Step = func(step string) {
		if step == os.Getenv("SESS_TEST_KILL") {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	}
	if os.Getenv("SESS_TEST_LISTED") != "" {
		o.Listing = listed(t, o.Log)
	}
	run := Push
	if os.Getenv("SESS_TEST_ACTION") == "pull" {
		run = Pull
	}
	_, err := run(t.Context(), filepath.Join(d, "s.jsonl"), o)
	fmt.Println("survived:", err)
}
