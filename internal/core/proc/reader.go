package proc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// A Reader reads what a program prints: all of it, or an error says why not. Its methods must not be called concurrently.
type Reader struct {
	run   *Process
	ctx   context.Context
	leave func() bool // the context no longer ends the program
	name  string
	grace time.Duration
	judge Judge
	err   error // of the run, once it ended
}

// A Judge says what to make of a program that has ended: nil, and reading ends with io.EOF, or an error. State is how it
// exited. Err is the context's error, or one of reading; then the judge returns that.
type Judge func(state *os.ProcessState, err error) error

// Open starts a program, which errors call name. It gets SIGTERM when the context ends or the reader is closed before its
// end, and SIGKILL after grace.
func (p Program) Open(ctx context.Context, name string, grace time.Duration, judge Judge) (*Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("running %s: %w", name, err)
	}
	run, err := p.Start()
	if err != nil {
		return nil, fmt.Errorf("running %s: %w", name, err)
	}
	r := &Reader{run: run, ctx: ctx, name: name, grace: grace, judge: judge}
	r.leave = context.AfterFunc(ctx, func() {
		run.End(grace)
		run.Cut()
	})
	return r, nil
}

// Read reads what the program prints. It returns io.EOF if that was all of it and the judge agrees.
func (r *Reader) Read(b []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.run.Read(b)
	if err == nil || n > 0 {
		return n, nil // an error comes again
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	r.err = cmp.Or(r.finish(err), io.EOF)
	return 0, r.err
}

// finish waits for the program to end and has it judged.
func (r *Reader) finish(reading error) error {
	_ = r.run.Close() // later writes to the other end fail
	<-r.run.Exited()
	r.run.Release(r.grace)
	stopped := r.ctx.Err()
	r.leave()
	state, _, waiting := r.run.Ended()
	if err := cmp.Or(reading, waiting); stopped == nil && err != nil && (state == nil || state.Success()) {
		stopped = fmt.Errorf("reading what %s prints: %w", r.name, cause(err))
	}
	return r.judge(state, stopped)
}

// Close ends the program if it has not ended, and waits for it.
func (r *Reader) Close() error {
	if r.err == nil {
		_ = r.run.Close()
		r.run.End(r.grace)
		_ = r.finish(nil)
		r.err = io.ErrClosedPipe
	}
	return nil
}

// Failure words the end of a program that ended otherwise than with status 0, and said text.
func Failure(name string, state *os.ProcessState, text string) error {
	switch {
	case text == "":
		text = fmt.Sprintf("%s ended with %s", name, state)
	case !state.Exited():
		text = fmt.Sprintf("%s ended with %s: %s", name, state, text)
	}
	return errors.New(text)
}
