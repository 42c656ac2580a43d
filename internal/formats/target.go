package formats

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// A Target is where an export goes, and what is to come of it.
type Target struct {
	Path    string    // a file that must not exist, a directory, or what else the format takes; "" for Out
	DB      string    // an agent's database that exists, to put the session into instead; "" for none
	Out     io.Writer // standard output
	Version string    // one of [About.Versions], "" if it has none
	Blobs   string    // directory of the blobs that the session refers to, "" for none
	Strict  bool      // a loss is an error, and nothing is written
	DryRun  bool      // everything goes to Out, nothing else is written
	Sync    bool      // what is written is durable when Export returns
	Growth  int64     // how many times its size a session may become; 0 for [MaxGrowth]
	Index   bool      // the agent's list of names is to have the session's as well, if Path is its home
	Env     Env

	Losses int      // how many there have been
	Made   []string // paths of what was written

	lose func(Loss)
}

// NewTarget returns a target that gives each loss to lose.
func NewTarget(lose func(Loss)) *Target { return &Target{lose: lose} }

// ErrLossy is the error of an export that may not lose anything and would.
var ErrLossy = errors.New("the session cannot be held without loss")

// Lose tells of a loss.
func (t *Target) Lose(where, kind, format string, args ...any) {
	t.Losses++
	t.lose(loss(where, kind, format, args))
}

// At returns an entry as [Loss.Where] has it.
func At(e session.Entry) string {
	if e.ID() == "" {
		return fmt.Sprintf("line %d", e.Line())
	}
	return "entry " + e.ID()
}

// Ready is to be asked when all losses have been told and nothing has been
// written: its error ends a strict export that lost something.
func (t *Target) Ready() error {
	if t.Strict && t.Losses > 0 {
		return ErrLossy
	}
	return nil
}

// File writes one file, after asking Ready: to Out if there is no Path or only a
// dry run is asked for, as name into the directory Path, or as the file Path.
// name may have several elements, whose directories are made. An existing file
// is never touched: the error matches fs.ErrExist.
func (t *Target) File(name string, content io.WriterTo) error {
	if err := t.Ready(); err != nil {
		return err
	}
	if t.Path == "" || t.DryRun {
		_, err := content.WriteTo(t.Out)
		return err
	}
	path := t.Path
	fi, err := os.Stat(path)
	switch {
	case err == nil && fi.IsDir(), os.IsPathSeparator(path[len(path)-1]):
		if !filepath.IsLocal(name) {
			return fmt.Errorf("naming the file: %q would not lie in %s", name, path)
		}
		path = filepath.Join(path, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("making the directory of %s: %w", path, disk.Cause(err))
		}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("creating %s: %w", path, disk.Cause(err))
	}
	if err := jsonl.Create(path, content, t.Sync); err != nil {
		return err
	}
	t.Made = append(t.Made, path)
	return nil
}

// ActivePath returns the path to the leaf of s, for formats that hold one branch, and
// tells of what stays behind. The entries' problems have been told by whoever
// read the session.
func (t *Target) ActivePath(s *session.Session) []session.Entry {
	leaf, ok := s.Leaf()
	if !ok {
		return nil
	}
	path, _ := s.Path(leaf)
	onPath := make(map[string]bool, len(path))
	for _, e := range path {
		onPath[e.ID()] = true
	}
	left, first := 0, ""
	for _, e := range s.Entries {
		if e.Type() == session.TypeMessage && !onPath[e.ID()] {
			if left++; left == 1 {
				first = At(e)
			}
		}
	}
	if left > 0 {
		t.Lose(first, KindBranch, "%s on other branches left out; sess-fork makes sessions of them", plural(left, "message"))
	}
	return path
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// MaxGrowth is how many times its size a session may become when nothing else is said,
// and freeGrowth how many bytes it may become in any case.
const (
	MaxGrowth  = 16
	freeGrowth = 64 << 20
)

// A GrowthError is the error of an export that would be far larger than the session,
// which repeats nothing.
type GrowthError struct {
	Why        string
	Size, Made int64 // bytes, of the session and of what would be made of it
	Unfinished bool  // more would be made than Made
}

// Error names the sizes.
func (e *GrowthError) Error() string {
	more := ""
	if e.Unfinished {
		more = "more than "
	}
	return fmt.Sprintf("%s: %s%d bytes would be made of %d, %s%d times as many", e.Why, more, e.Made, e.Size, more, e.Times())
}

// Times returns how many times the size of the session that would be, rounded up.
func (e *GrowthError) Times() int64 { return (e.Made + max(e.Size, 1) - 1) / max(e.Size, 1) }

// Afford is to be asked before anything is written by a format that repeats parts of a
// session: its error says that size bytes would become made, which is too many.
func (t *Target) Afford(size, made int64, why string) error {
	most := t.Growth
	if most == 0 {
		most = MaxGrowth
	}
	e := &GrowthError{Why: why, Size: size, Made: made}
	if e.Times() <= most || t.Growth == 0 && made <= freeGrowth {
		return nil
	}
	return e
}
