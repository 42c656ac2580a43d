package address

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
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
func leaveCrumb(s *cli.Streams, cwd, path string) {
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
func Continue(ctx context.Context, s *cli.Streams, cwd string) (path string, ok bool) {
	dir, err := StoreDir()
	if err != nil {
		return "", false
	}
	if path, ok = store.Open(dir).Continue(ctx, terminals(s), cwd); ok {
		s.Notef("%s: by the breadcrumb of this terminal", path)
	}
	return path, ok
}

func terminals(s *cli.Streams) []string {
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
		entries, _ := os.ReadDir(dir) // a directory that is not there holds nothing
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

// NoSessions is said where no agent has a session.
const NoSessions = "no sessions of any agent; sess says where it looked"

// NothingHere is said where neither the store nor an agent has a session of this directory.
const NothingHere = "no session of this directory, in the store or of an agent; --agent all takes those of all directories"

// OfNoAgent reports whether [NoSessions] is to be said of agents that have no session: of all of them, on a terminal.
func OfNoAgent(s *cli.Streams, agents []string) bool {
	return slices.Contains(agents, EveryAgent) && tty.IsTerminal(s.ErrFile())
}

// NothingStored says that the store has no session to list, and which flags look elsewhere: of the
// working directory cwd if that was named, of this one, or of all. It is news, which -q silences.
// On a terminal it also says how many there are elsewhere.
func NothingStored(ctx context.Context, s *cli.Streams, all bool, cwd string) string {
	others := "takes those of other agents"
	if !s.Quiet && tty.IsTerminal(s.ErrFile()) {
		if n, ok := ofAgents(ctx); ok {
			others = "has " + tty.Count(n, "session", "sessions") + " of other agents"
		}
	}
	if all {
		return "no session in the store: --agent all " + others
	}
	return "no session of " + cmp.Or(cwd, "this directory") + " in the store: --agent all " + others
}

// patience is how long the tool counts the sessions of other agents.
const patience = 2 * time.Second

// ofAgents counts the sessions of all agents where they keep them.
func ofAgents(ctx context.Context) (n int, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p, err := subprocess.Program{Name: "sess-ls", Args: []string{"-q", "-0", "--agent=all"}, Say: func(subprocess.Message) {}}.Start(ctx)
	if err != nil {
		return 0, false
	}
	defer p.Close()
	addresses, err := io.ReadAll(p)
	if err != nil && cli.Status(err) != cli.ExitNo {
		return 0, false
	}
	return bytes.Count(addresses, []byte{0}), true
}
