package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A difference is one that a user could see.
type difference struct {
	line string // the command line, or the unit
	what string // stdout, stderr, status or files
	text string // a short diff
}

// compareAll runs all units with both sets of tools, and returns the differences
// in the order of the units and how many command lines there were.
func compareAll(ctx context.Context, base string, sets [2]string, units []unit, jobs int) ([]difference, int, error) {
	found, errs := make([][]difference, len(units)), make([]error, len(units))
	var next, count atomic.Int64
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for k := range jobs {
		w, err := newWorker(filepath.Join(base, fmt.Sprint("job", k)), sets)
		if err != nil {
			return nil, 0, err
		}
		wg.Go(func() {
			for i := int(next.Add(1) - 1); i < len(units) && ctx.Err() == nil; i = int(next.Add(1) - 1) {
				var n int
				if found[i], n, errs[i] = w.compare(ctx, units[i]); errs[i] != nil {
					errs[i] = fmt.Errorf("running %s: %w", units[i].name, errs[i])
					cancel()
				}
				count.Add(int64(n))
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, 0, err
		}
	}
	return slices.Concat(found...), int(count.Load()), ctx.Err()
}

// A worker runs one unit at a time, always at the same path.
type worker struct{ dir string }

// newWorker makes a worker with the sets of tools in its directory. Each tool is
// there twice: beside the others, and alone.
func newWorker(dir string, sets [2]string) (*worker, error) {
	for i, set := range sets {
		tools, err := os.ReadDir(set)
		if err != nil {
			return nil, err
		}
		for _, t := range tools {
			from := filepath.Join(set, t.Name())
			to := filepath.Join(dir, fmt.Sprint("set", i))
			for _, name := range []string{filepath.Join(to, t.Name()), filepath.Join(to, "alone", t.Name(), t.Name())} {
				if err := link(from, name); err != nil {
					return nil, err
				}
			}
		}
	}
	return &worker{dir}, nil
}

// link makes a second name of a file, or a copy on another file system.
func link(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return put(to, data, 0o755)
}

// run runs a unit with one set of tools.
func (w *worker) run(ctx context.Context, u unit, set int) (r result, err error) {
	p := place{filepath.Join(w.dir, "dir"), filepath.Join(w.dir, "bin"), filepath.Join(w.dir, "log")}
	for _, dir := range []string{p.dir, p.log} {
		if err := os.RemoveAll(dir); err != nil {
			return r, err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return r, err
		}
	}
	mine := filepath.Join(w.dir, fmt.Sprint("set", set))
	if err := os.Rename(mine, p.bin); err != nil {
		return r, err
	}
	r.records, err = u.run(ctx, p)
	if e := os.Rename(p.bin, mine); err == nil {
		err = e
	}
	if err == nil {
		r.files, err = snapshot(p.dir)
	}
	return r, err
}

// compare returns how the two sets differ at a unit, and how many command lines
// it has. Only where a byte differs is it run again. A difference is one that is
// there each time: twice, and more often where a set differs from itself.
func (w *worker) compare(ctx context.Context, u unit) (found []difference, count int, err error) {
	unordered := map[string]bool{}
	for tries, n := 2, 0; n < tries; n++ {
		var once, again [2]result
		if err := w.runBoth(ctx, u, &once); err != nil {
			return nil, 0, err
		}
		count = len(once[0].records)
		if len(differences(u.name, once[0], once[1])) == 0 {
			return nil, count, nil
		}
		if err := w.runBoth(ctx, u, &again); err != nil {
			return nil, 0, err
		}
		shuffled(unordered, once[0].files, again[0].files)
		var first, second [2]result
		for set := range once {
			once[set].prepare(unordered)
			again[set].prepare(unordered)
			first[set], second[set] = settled(once[set], again[set]), settled(again[set], once[set])
			if len(differences(u.name, first[set], second[set])) > 0 {
				tries = 5
			}
		}
		if found = differences(u.name, first[0], first[1]); len(found) == 0 {
			break
		}
	}
	return found, count, nil
}

func (w *worker) runBoth(ctx context.Context, u unit, to *[2]result) (err error) {
	for set := range to {
		if to[set], err = w.run(ctx, u, set); err != nil {
			return err
		}
	}
	return nil
}

// differences compares two results.
func differences(unit string, a, b result) []difference {
	var out []difference
	add := func(line, what, x, y string) {
		if x != y {
			out = append(out, difference{line, what, shortDiff(x, y)})
		}
	}
	for i := range max(len(a.records), len(b.records)) {
		if i >= len(a.records) || i >= len(b.records) || a.records[i].line != b.records[i].line {
			add(unit, "status", lines(a), lines(b))
			break
		}
		x, y := a.records[i], b.records[i]
		add(x.line, "status", x.status, y.status)
		add(x.line, "stdout", string(x.stdout), string(y.stdout))
		add(x.line, "stderr", string(x.stderr), string(y.stderr))
	}
	was := listing(a.files)
	if is := listing(b.files); was != is {
		add(unit, "files", was, is)
		return out
	}
	for i, f := range a.files {
		if !bytes.Equal(f.data, b.files[i].data) {
			add(unit, "files", f.name+"\n"+string(f.data), f.name+"\n"+string(b.files[i].data))
		}
	}
	return out
}

// lines is the command lines of a result, one a line.
func lines(r result) string {
	var out strings.Builder
	for _, r := range r.records {
		fmt.Fprintf(&out, "%s: %s\n", r.line, r.status)
	}
	return out.String()
}

// listing is the names and modes of files.
func listing(files []file) string {
	var out strings.Builder
	for _, f := range files {
		fmt.Fprintf(&out, "%s %s\n", f.mode, f.name)
	}
	return out.String()
}

// shortDiff shows the first line in which two texts differ, from shortly before
// the first byte that does.
func shortDiff(a, b string) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	start := max(strings.LastIndexByte(a[:at], '\n')+1, at-60)
	first := strings.Count(a[:at], "\n") + 1
	clip := func(s string) string {
		s, _, more := strings.Cut(s[start:], "\n")
		if s == "" && !more {
			return "(the end)"
		}
		if len(s) > 200 {
			s = s[:200] + "…"
		}
		return strings.Trim(fmt.Sprintf("%q", s), `"`)
	}
	return fmt.Sprintf("  line %d\n  -%s\n  +%s\n", first, clip(a), clip(b))
}
