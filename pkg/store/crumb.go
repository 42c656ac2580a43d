package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
)

// crumbLimit is how much of a breadcrumb is read, in bytes. Two paths of any
// system fit.
const crumbLimit = 64 << 10

// A Crumb is a breadcrumb: what a terminal was last used for. It lies in a file
// with the terminal's id for its name, as oh-my-pi leaves it.
type Crumb struct {
	CWD  string // the session's working directory
	Path string // the session, absolute
}

// ParseCrumb reads the content of a breadcrumb: the two paths, a line each.
// Further lines, of which oh-my-pi 18 writes some, say nothing here. It reports
// false for anything else, and for paths that are not absolute.
func ParseCrumb(data []byte) (Crumb, bool) {
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) < 2 {
		return Crumb{}, false
	}
	c := Crumb{CWD: lines[0], Path: lines[1]}
	return c, filepath.IsAbs(c.CWD) && filepath.IsAbs(c.Path) && !strings.ContainsRune(c.CWD+c.Path, 0)
}

// Encode returns the content of the breadcrumb. It reports false if that would
// not be read as the same crumb, such as for a directory with a line feed in
// its name.
func (c Crumb) Encode() ([]byte, bool) {
	data := []byte(c.CWD + "\n" + c.Path + "\n")
	back, ok := ParseCrumb(data)
	return data, ok && back == c && len(data) <= crumbLimit
}

// crumbs is the directory of the breadcrumbs, beside that of the store as in
// oh-my-pi. A relative store has to be made absolute for it.
func (s Store) crumbs() (string, error) {
	dir, err := filepath.Abs(s.dir)
	return filepath.Join(filepath.Dir(dir), "terminal-sessions"), err
}

// WriteCrumb leaves the breadcrumb c for the terminal with that id, in place of
// the one before. The file gets mode 0600, its directory 0700; readers see the
// old content or the new. Nothing is synced: a crumb is a convenience.
func (s Store) WriteCrumb(terminal string, c Crumb) error {
	data, ok := c.Encode()
	if !ok {
		return fmt.Errorf("leaving a breadcrumb: it cannot hold the paths %q and %q", c.CWD, c.Path)
	}
	if !validTerminal(terminal) {
		return fmt.Errorf("leaving a breadcrumb: bad terminal id %.60q", terminal)
	}
	dir, err := s.crumbs()
	if err == nil {
		err = makeDir(dir, false)
	}
	if err == nil {
		temp := filepath.Join(dir, "."+rand.Text()[:12]+".tmp")
		err = disk.Replace(disk.OS{}, temp, filepath.Join(dir, terminal), data, false)
	}
	if err != nil {
		return fmt.Errorf("leaving a breadcrumb: %w", err)
	}
	return nil
}

// readCrumb returns a breadcrumb and when it was left. The error matches
// fs.ErrNotExist if there is none.
func (s Store) readCrumb(terminal string) (Crumb, time.Time, error) {
	if !validTerminal(terminal) {
		return Crumb{}, time.Time{}, fmt.Errorf("reading a breadcrumb: bad terminal id %.60q", terminal)
	}
	dir, err := s.crumbs()
	if err != nil {
		return Crumb{}, time.Time{}, fmt.Errorf("reading a breadcrumb: %w", err)
	}
	path := filepath.Join(dir, terminal)
	f, is, err := open(path)
	if err != nil {
		return Crumb{}, time.Time{}, fmt.Errorf("reading the breadcrumb %s: %w", path, err)
	}
	defer f.close()
	data, err := io.ReadAll(io.LimitReader(f, crumbLimit))
	if err != nil {
		return Crumb{}, time.Time{}, fmt.Errorf("reading the breadcrumb %s: %w", path, disk.Cause(err))
	}
	c, ok := ParseCrumb(data)
	if !ok {
		return Crumb{}, time.Time{}, fmt.Errorf("reading the breadcrumb %s: not two absolute paths on two lines", path)
	}
	return c, is.modTime, nil
}

// Continue returns the session that the breadcrumbs of these terminals name for
// the working directory cwd, as oh-my-pi's "continue" does: the crumb's
// directory is cwd, with symbolic links resolved on both sides, and the file
// exists and has a valid header. Of several it is the one left last, of those
// left at the same time that of the terminal named first. It reports false if
// there is none, whatever the reason.
func (s Store) Continue(ctx context.Context, terminals []string, cwd string) (path string, ok bool) {
	type found struct {
		path string
		left time.Time
	}
	var list []found
	here := SameDir(cwd)
	for _, id := range terminals {
		if c, left, err := s.readCrumb(id); err == nil && cwd != "" && here(c.CWD) {
			list = append(list, found{c.Path, left})
		}
	}
	slices.SortStableFunc(list, func(a, b found) int { return b.left.Compare(a.left) })
	for _, f := range list {
		if _, err := header(ctx, f.path); err == nil {
			return f.path, true
		}
	}
	return "", false
}

// terminalVariables are the variables that name a terminal, in oh-my-pi 18's order, with its
// prefixes of their values.
var terminalVariables = []struct{ name, prefix string }{
	{"ZELLIJ_PANE_ID", "zellij-"},
	{"TMUX_PANE", "tmux-"},
	{"CMUX_SURFACE_ID", "cmux-"},
	{"KITTY_WINDOW_ID", "kitty-"},
	{"WEZTERM_PANE", "wezterm-"},
	{"TERM_SESSION_ID", "apple-"},
	{"WT_SESSION", "wt-"},
}

// TerminalIDs returns the ids of the terminal a process runs in, made as
// oh-my-pi 18 makes them: from tty, the path of the terminal that standard
// input is ("" if it is none), and from the environment, whose first variable
// that is set counts. The first id is oh-my-pi's, and the one to write under;
// a program whose input is a pipe, though, only has the environment's, so a
// reader looks at both. Without any, as in CI, there is none.
//
// The ids serve as names of files. One that cannot is left out.
func TerminalIDs(tty string, getenv func(string) string) []string {
	var ids []string
	if tty != "" {
		ids = append(ids, strings.ReplaceAll(strings.TrimPrefix(tty, "/dev/"), "/", "-"))
	}
	for _, v := range terminalVariables {
		value := getenv(v.name)
		if value == "" {
			continue
		}
		if s := getenv("ZELLIJ_SESSION_NAME"); v.name == "ZELLIJ_PANE_ID" && s != "" {
			value = strings.NewReplacer("/", "-", `\`, "-").Replace(s) + "-" + value
		}
		ids = append(ids, v.prefix+value)
		break
	}
	valid := ids[:0]
	for _, id := range ids {
		if validTerminal(id) {
			valid = append(valid, id)
		}
	}
	return valid
}

// validTerminal reports whether an id can be the name of a file in its own
// directory, and of no temporary one. oh-my-pi takes any value as it is.
func validTerminal(id string) bool {
	if id == "" || id[0] == '.' || len(id) > 255 || strings.ContainsAny(id, "/"+string(os.PathSeparator)) {
		return false
	}
	return !strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f })
}
