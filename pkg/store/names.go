package store

import (
	"cmp"
	"context"
	"os"
	"slices"
	"time"
)

// Names calls visit for the sessions whose file names give their ids, until it returns
// false or ctx ends: those of the working directory cwd first, then those of the project
// that changed last, and so on, in each the newest first by their names. No file is
// opened: a name may lie, and who uses the id finds that out.
func (s Store) Names(ctx context.Context, cwd string, visit func(Candidate) bool) {
	f := finder{warn: func(string, error) {}, seen: map[string]bool{}}
	visited := func() bool {
		defer func() { f.files = f.files[:0] }()
		for _, path := range slices.Backward(f.files) {
			if ctx.Err() != nil {
				return false
			}
			if id, ok := idOf(path); ok && !visit(Candidate{ID: id, Path: path}) {
				return false
			}
		}
		return true
	}
	f.dir(s.Project(cwd), false)
	if !visited() {
		return
	}
	projects := byChange(f.dir(s.dir, true))
	for i := 0; visited() && i < len(projects); i++ {
		f.dir(projects[i], false)
	}
}

// byChange sorts directories: the one that changed last is the first.
func byChange(dirs []string) []string {
	times := make(map[string]time.Time, len(dirs))
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil {
			times[dir] = info.ModTime()
		}
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(times[b].Compare(times[a]), cmp.Compare(b, a)) })
	return dirs
}
