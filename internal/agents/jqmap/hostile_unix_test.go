//go:build unix

package jqmap_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
)

// A FIFO in the place of a session, of a file beside it, of a database or of a registry is waited for by nobody, and a link that goes round in a circle ends.
func TestFIFOs(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	fifo := func(path string) {
		must.Do(t, os.MkdirAll(filepath.Join(home, filepath.Dir(path)), 0o755))
		must.Do(t, syscall.Mkfifo(filepath.Join(home, path), 0o600))
	}
	formatstest.Put(t, filepath.Join(home, "cline/s1/s1.messages.json"), `{"agent":"lead","sessionId":"s1","origin":{},"messages":[]}`)
	fifo("cline/s1/s1.json")
	fifo("cline/s2/s2.messages.json")
	fifo("crush/projects.json")
	fifo("crush/crush.db")
	fifo("hermes/state.db")
	fifo("roo/.config/Code/" + storage + "1/api_conversation_history.json")
	link(t, "..", filepath.Join(home, "roo/.config/Code/round"))
	link(t, "state.db", filepath.Join(home, "hermes/other"))
	must.Do(t, os.MkdirAll(filepath.Join(home, "hermes/profiles"), 0o755))
	link(t, "..", filepath.Join(home, "hermes/profiles/round"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for name, want := range map[string]int{"cline": 1, "crush": 1, "hermes": 1, "roo": 1} {
			a, err := format(t, name).Open(t.Context(), source(filepath.Join(home, name)))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			wrong := 0
			for info, err := range a.List(t.Context(), formats.Query{Details: true}) {
				if err != nil {
					if wrong++; !strings.Contains(err.Error(), info.Path) || !strings.Contains(err.Error(), "not a regular file") {
						t.Errorf("%s: %v", name, err)
					}
				}
			}
			if err := a.Close(); err != nil || wrong < want {
				t.Errorf("%s: %d are wrong, %v", name, wrong, err)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("a reader hangs")
	}
}
