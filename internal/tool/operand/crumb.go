package operand

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/tty"
	"github.com/sess-tools/sess/pkg/store"
)

// LeaveCrumb notes, if the session that was appended to lies in the store, that
// this terminal was last used for it. A draft leaves none, as
// there may never be a session of that name.
func (t *Target) LeaveCrumb() {
	if (t.file != nil || t.place.stored) && !t.place.draft() && inStore(t.place.path) {
		leaveCrumb(t.streams, t.Header.CWD, t.place.path)
	}
}

// leaveCrumb writes the terminal's breadcrumb for a session of the store. It is
// a convenience: errors are printed with -v only. Without a terminal nothing is
// written.
func leaveCrumb(s *clikit.Streams, cwd, path string) {
	ids := terminals(s)
	if len(ids) == 0 || cwd == "" {
		return
	}
	dir, err := StoreDir()
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		err = store.Open(dir).WriteCrumb(ids[0], store.Crumb{CWD: cwd, Path: path})
	}
	if err != nil {
		s.Notef("%v", err)
	}
}

// Continue returns the session of the working directory cwd that this terminal
// was last used for, as its breadcrumb beside the store says. It reports false
// without one that still holds; see [store.Store.Continue].
func Continue(ctx context.Context, s *clikit.Streams, cwd string) (path string, ok bool) {
	dir, err := StoreDir()
	if err != nil {
		return "", false
	}
	if path, ok = store.Open(dir).Continue(ctx, terminals(s), cwd); ok {
		s.Notef("%s: by the breadcrumb of this terminal", path)
	}
	return path, ok
}

func terminals(s *clikit.Streams) []string {
	return store.TerminalIDs(terminalName(s.InFile()), os.Getenv)
}

// terminalName returns the path of the terminal that f is, below /dev, or "".
func terminalName(f *os.File) string {
	if f == nil || !tty.IsTerminal(f) {
		return ""
	}
	if runtime.GOOS == "linux" {
		name, err := os.Readlink("/proc/self/fd/" + strconv.FormatUint(uint64(f.Fd()), 10))
		if err != nil || !strings.HasPrefix(name, "/dev/") {
			return ""
		}
		return name
	}
	return deviceName(f, "/dev/pts", "/dev")
}

// deviceName looks for the device that f is in directories, as ttyname(3) does.
func deviceName(f *os.File, dirs ...string) string {
	want, err := f.Stat()
	if err != nil {
		return ""
	}
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir) // what is not there holds nothing
		for _, e := range entries {
			if e.Type()&os.ModeDevice == 0 {
				continue
			}
			if info, err := e.Info(); err == nil && os.SameFile(info, want) {
				return filepath.Join(dir, e.Name())
			}
		}
	}
	return ""
}
