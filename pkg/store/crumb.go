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

	"github.com/sess-tools/sess/pkg/jsonl"
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
		err = overwrite(dir, terminal, data)
	}
	if err != nil {
		return fmt.Errorf("leaving a breadcrumb: %w", err)
	}
	return nil
}

// overwrite writes a file under another name and renames it.
func overwrite(dir, name string, data []byte) error {
	temp := filepath.Join(dir, "."+rand.Text()[:12]+".tmp")
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if cerr := jsonl.Close(f); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(temp, filepath.Join(dir, name))
	}
	if err != nil {
		_ = os.Remove(temp) // the first error is what counts
	}
	return err
}

// ReadCrumb returns the breadcrumb of the terminal with that id. The error
// matches fs.ErrNotExist if there is none.
func (s Store) ReadCrumb(terminal string) (Crumb, error) {
	c, _, err := s.readCrumb(terminal)
	return c, err
}

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
		return Crumb{}, time.Time{}, fmt.Errorf("reading the breadcrumb %s: %w", path, cause(err))
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
	here := sameDir(cwd)
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
