package jqmap

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/pkg/agent"
	"github.com/sess-tools/sess/pkg/session"
)

// Load reads the map in a file, of whatever name. Its error names the line.
func Load(path string) (*Map, error) {
	m := own(path, "")
	h, err := m.parse()
	if err != nil {
		return nil, err
	}
	if m.describe(h.agent); !agent.ValidName(h.agent.Name) {
		return nil, &SyntaxError{File: path, Reason: fmt.Sprintf("the name %q of the map is no word of lower case letters and digits", h.agent.Name)}
	}
	return m, m.Check()
}

// Own returns the maps in a directory, each under the name of its file. A file that is no map is a
// format whose sessions are an error, so that it hides no other one.
func Own(dir string) (list []formats.Format) {
	for _, path := range known.MapFiles(dir) {
		name := known.MapName(path)
		m := own(path, name)
		h, err := m.parse()
		if err == nil && h.agent.Name != name {
			err = &SyntaxError{File: path, Reason: fmt.Sprintf("the map is called %q, and its file %q", h.agent.Name, name)}
			m.parse = func() (*header, error) { return nil, err }
		}
		if err != nil {
			m.about.Home = func(formats.Env) (string, error) { return "", err }
		} else {
			m.describe(h.agent)
		}
		list = append(list, m)
	}
	return list
}

func own(path, name string) *Map {
	m := newMap(path, agent.Agent{Name: name, Grows: true}, func() ([]byte, error) { return known.ReadMap(path) })
	m.path, m.about.Own = path, true
	return m
}

// Path returns the file of a map that is the user's, "" for one that is part of the program.
func (m *Map) Path() string { return m.path }

// Check returns the error of a map that cannot be used: of its header, or of the program behind it.
func (m *Map) Check() error {
	if _, err := m.parse(); err != nil || m.like != "" { // which has no functions
		return err
	}
	p, err := m.take()
	if err == nil {
		m.give(p)
	}
	return err
}

// Text returns the text of a map.
func (m *Map) Text() (string, error) {
	text, err := m.text()
	return string(text), err
}

// bounds are what a map of the user's may take. Maps that are part of the program have none: the laws
// of their tests stand for them.
var bounds = struct {
	value, entry time.Duration // for one value, and without an entry
	heap         uint64        // bytes above those at the start
	acts         int           // of one value
	growth, free int           // times the bytes of a value, and so many bytes
}{5 * time.Second, time.Minute, 1 << 30, 100_000, 64, 16 << 20}

// measured is how often the heap is looked at.
const measured = 50 * time.Millisecond

// A LimitError is the error of a map that takes more than it may.
type LimitError struct{ Map, What string }

func (e *LimitError) Error() string { return fmt.Sprintf("the map %s %s", e.Map, e.What) }

// Is says that the session could not be read.
func (e *LimitError) Is(target error) bool { return target == session.ErrMalformed }

// limits are those of one reading; nil has none.
type limits struct {
	name  string
	entry time.Time // of the last entry
	heap  uint64    // at the start
	bytes int       // that a value may become
}

// limited returns the limits of a map, nil for one that has none.
func (m *Map) limited() *limits {
	if m.path == "" {
		return nil
	}
	return &limits{name: m.about.Name, entry: time.Now(), heap: heap()}
}

// heap returns the bytes of live and dead objects.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func (l *limits) exceeded(format string, args ...any) error {
	return &LimitError{l.name, fmt.Sprintf(format, args...)}
}

// ask gives a value to one of the functions of a map, within its limits. The error is that of a limit
// alone, or of yield: a map that fails says nothing.
func (m *Map) ask(ctx context.Context, p *program, call string, input any, yield func(any) error) error {
	limits := m.limited()
	ctx, limit := limits.watch(ctx)
	err := p.run(ctx, call, "", input, nil, m.about.Name, yield)
	if over := limit(); over != nil {
		return over
	}
	if _, failed := errors.AsType[*mapError](err); failed {
		return nil
	}
	return err
}

// watch returns a context for the work on one value, which ends it when it takes too long or too
// much. why returns the limit that it was, nil if it was none.
func (l *limits) watch(ctx context.Context) (_ context.Context, why func() error) {
	if l == nil {
		return ctx, func() error { return nil }
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		begun, tick := time.Now(), time.NewTicker(measured)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-tick.C:
				switch {
				case now.Sub(begun) > bounds.value:
					cancel(l.exceeded("takes longer than %v for one value", bounds.value))
				case heap() > l.heap+bounds.heap:
					cancel(l.exceeded("takes more than %d MiB of memory", bounds.heap>>20))
				}
			}
		}
	}()
	return ctx, func() error {
		cancel(nil)
		<-done
		cause := context.Cause(ctx)
		if _, limit := errors.AsType[*LimitError](cause); limit {
			return cause
		}
		if time.Since(l.entry) > bounds.entry {
			return l.exceeded("makes no entry for %v", bounds.entry)
		}
		return nil
	}
}

// act counts an act of a value, and the bytes that it makes.
func (l *limits) act(acts, size, of int) error {
	if l.bytes += size; l.bytes > bounds.growth*of+bounds.free {
		return l.exceeded("makes more than %d times the bytes of a value", bounds.growth)
	}
	if acts > bounds.acts {
		return l.exceeded("does more than %d acts for one value", bounds.acts)
	}
	return nil
}

// Merged puts maps of the user's into a list of formats: one with the name of a map of the program's
// replaces it, and one with the name of a format that is no map is left out, see [Shadows].
func Merged(list, own []formats.Format, before formats.Format) []formats.Format {
	list = slices.Clone(list)
	for _, m := range own {
		at := slices.IndexFunc(list, func(f formats.Format) bool { return f.About().Name == m.About().Name })
		switch {
		case at < 0:
			list = slices.Insert(list, slices.Index(list, before), m)
		case isMap(list[at]):
			list[at] = m
		}
	}
	return Liken(list)
}

// Shadows reports whether a map of the user's has the name of one of the program's, which it
// replaces, or of a format that it cannot replace.
func Shadows(list []formats.Format, name string) (replaces, refused bool) {
	f, ok := formats.Lookup(list, name)
	return ok && isMap(f), ok && !isMap(f)
}

func isMap(f formats.Format) bool {
	_, ok := Of(f)
	return ok
}
