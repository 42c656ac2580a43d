package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sess-tools/sess/internal/scripttest"
)

// scriptUnits are the testscripts of the tools. What they expect is not looked
// at, and they go on after a failure: it is for the tests to be right.
func scriptUnits(root string) ([]unit, error) {
	names, err := filepath.Glob(filepath.Join(root, "cmd/*/testdata/*.txtar"))
	var out []unit
	for _, name := range names {
		abs, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		out = append(out, unit{name, func(ctx context.Context, p place) ([]record, error) {
			return runScript(ctx, p, name, abs)
		}})
	}
	return out, err
}

// hold stands for the one command that a test of a tool has of its own: it locks
// a session as another writer does, until the file beside it is gone.
const hold = `#!/bin/sh
exec 9<>"$1"
flock 9
: >"$1.held"
while [ -e "$1.held" ]; do sleep 0.01; done
`

// runScript runs a script with the tool it is for as its only one, as its tests do.
func runScript(ctx context.Context, p place, name, abs string) ([]record, error) {
	dir, err := os.MkdirTemp(filepath.Dir(p.log), "shims-")
	if err != nil {
		return nil, err
	}
	defer remove(dir)
	tool := filepath.Base(filepath.Dir(filepath.Dir(name)))
	if err := shims(p, filepath.Join(p.bin, "alone", tool), dir); err != nil {
		return nil, err
	}
	if err := putProgram(filepath.Join(dir, "hold"), hold); err != nil {
		return nil, err
	}
	params := scripttest.Params(dir)
	params.Files, params.WorkdirRoot, params.ContinueOnError = []string{abs}, p.dir, true
	params.UpdateScripts = false
	params.Deadline = time.Now().Add(10 * limit)
	e := &engine{}
	testscript.RunT(e, params)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	records, err := noted(p.log, name)
	for _, text := range e.timedOut() {
		records = append(records, record{line: name, status: text})
	}
	return records, err
}

// An engine is what testscript runs in, instead of a test.
type engine struct {
	mu  sync.Mutex
	log strings.Builder
}

func (*engine) Skip(...any)      { runtime.Goexit() }
func (e *engine) Fatal(a ...any) { e.Log(a...); e.FailNow() }
func (*engine) FailNow()         { runtime.Goexit() }
func (*engine) Parallel()        {}
func (*engine) Verbose() bool    { return false }

func (e *engine) Log(a ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, v := range a {
		if text, ok := v.(string); ok {
			e.log.WriteString(text + "\n")
		}
	}
}

func (e *engine) Run(_ string, f func(testscript.T)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(e)
	}()
	<-done
}

// timedOut returns what the log has to say of the time that was up.
func (e *engine) timedOut() []string {
	if strings.Contains(e.log.String(), "test timed out") {
		return []string{"timed out"}
	}
	return nil
}
