package subprocess

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/proc"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// Each is the flag of a program that a [Pool] runs: from each line of standard input it takes a JSON array of arguments, runs
// them as one invocation, and answers in frames.
const Each = "--each"

// The kinds of frames. A frame is its kind, a space, a number and a line feed; behind those of the first two are so many bytes.
const (
	frameOut    = "out"
	frameErr    = "err"
	frameStatus = "status"
)

// frames is a writer of frames of one kind.
type frames struct {
	w    io.Writer
	mu   *sync.Mutex
	kind string
}

func (f frames) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := fmt.Fprintf(f.w, "%s %d\n", f.kind, len(b)); err != nil {
		return 0, err
	}
	return f.w.Write(b)
}

// AnswerEach is the side of the program: it runs the invocations that r names, and writes their output and their statuses to w.
// It flushes w behind each of them. The heap may grow to several times its live part,
// which is small: a process of a short life collects less.
func AnswerEach(r io.Reader, w io.Writer, flush func() error, run func(out, errs io.Writer, args []string) int) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	mu := &sync.Mutex{} // an answer may still be warned of when it has ended
	for line, err := range jsonl.Lines(r) {
		if err != nil {
			return err
		}
		list := js.Value(line.Data)
		if !js.Valid(line.Data) || !list.IsArray() {
			return cli.UsageError("%s: line %d is no JSON array of arguments", Each, line.Number)
		}
		var args []string
		for arg := range list.Elements() {
			args = append(args, arg.Str())
		}
		status := run(frames{w, mu, frameOut}, frames{w, mu, frameErr}, args)
		mu.Lock()
		_, err := fmt.Fprintf(w, "%s %d\n", frameStatus, status)
		err = errors.Join(err, flush())
		mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// A Pool runs a program many times by few processes, which end with this one. It may be used concurrently: there are as many
// processes as invocations at a time. One that dies costs the invocation that it was busy with.
type Pool struct {
	Name string
	Args []string // in front of the flag
	path string   // of the program, "" to find it
	mu   sync.Mutex
	idle []*worker
}

// A worker is a process that answers one invocation after the other.
type worker struct {
	stdin  *os.File
	stdout *bufio.Reader
	run    *proc.Reader
	end    context.CancelFunc
}

// Start is [Program.Start] by a process of the pool, of the arguments and Say of p alone.
func (p *Pool) Start(ctx context.Context, of Program) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("running %s: %w", p.Name, err)
	}
	w, err := p.worker()
	if err != nil {
		return nil, err
	}
	var args []string
	for _, arg := range of.Args {
		args = append(args, js.Quote(arg))
	}
	a := &answer{pool: p, worker: w, ctx: ctx, talk: talk{name: p.Name, say: of.Say}}
	a.leave = context.AfterFunc(ctx, w.end)
	_, _ = fmt.Fprintf(w.stdin, "[%s]\n", strings.Join(args, ",")) // if it fails the process has ended, and reading says why
	return a, nil
}

// worker returns a process that has nothing to do.
func (p *Pool) worker() (*worker, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return w, nil
	}
	p.mu.Unlock()
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("running %s: %w", p.Name, err)
	}
	defer func() { _ = theirs.Close() }()                // the program has its own
	ctx, end := context.WithCancel(context.Background()) // an invocation ends by its own context
	run, err := Program{Name: p.Name, Args: append(slices.Clone(p.Args), Each), Stdin: theirs, path: p.path}.Start(ctx)
	if err != nil {
		end()
		return nil, errors.Join(err, ours.Close())
	}
	return &worker{ours, bufio.NewReaderSize(run, 64<<10), run, end}, nil
}

// Close waits for the processes, which end when they get no more to do.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.idle {
		_ = w.stdin.Close()
	}
	for _, w := range p.idle {
		_, _ = io.Copy(io.Discard, w.stdout) // its answers were read
		w.close()
	}
	p.idle = nil
}

// close ends a process.
func (w *worker) close() {
	_ = w.stdin.Close() // it reads no more
	w.end()
	_ = w.run.Close()
}

// An answer is what one invocation prints.
type answer struct {
	pool   *Pool
	worker *worker
	ctx    context.Context //nolint:containedctx // of one invocation, as that of proc.Reader
	leave  func() bool
	talk   talk

	left int64 // bytes of the frame
	err  error // once it has ended
	done bool
}

// Read reads what the invocation prints. It returns io.EOF behind all of it, if the status is 0.
func (a *answer) Read(b []byte) (int, error) {
	for !a.done {
		if a.left == 0 {
			if a.done, a.err = a.readFrame(); a.done {
				break
			}
			continue
		}
		n, err := a.worker.stdout.Read(b[:min(int64(len(b)), a.left)])
		a.left -= int64(n)
		if n > 0 {
			return n, nil
		}
		if err != nil {
			a.done, a.err = true, a.broken(err)
		}
	}
	return 0, a.err
}

// readFrame reads the head of the next frame: of output its length, for Read to go on with; of messages and of the exit status all.
// It reports whether the invocation has ended, and its error.
func (a *answer) readFrame() (bool, error) {
	line, err := a.worker.stdout.ReadString('\n')
	if err != nil {
		return true, a.broken(err)
	}
	var kind string
	var n int64
	if _, err := fmt.Sscanf(line, "%s %d\n", &kind, &n); err != nil {
		kind = ""
	}
	switch kind {
	case frameOut:
		a.left = n
		return false, nil
	case frameErr:
		if _, err := io.CopyN(&a.talk, a.worker.stdout, n); err != nil {
			return true, a.broken(err)
		}
		return false, nil
	case frameStatus:
		a.release(true)
		failure := func(text string) error {
			return errors.New(cmp.Or(text, fmt.Sprintf("%s ended with exit status %d", a.pool.Name, n)))
		}
		return true, cmp.Or(a.talk.verdict(int(n), failure), io.EOF)
	}
	return true, a.broken(fmt.Errorf("no frame: %.40q", line))
}

// broken is the error of an invocation whose process has died.
func (a *answer) broken(err error) error {
	stopped := a.ctx.Err()
	a.release(false)
	switch {
	case stopped != nil:
		err = stopped
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	default:
		return err // the process has said it
	}
	return fmt.Errorf("running %s: %w", a.pool.Name, err)
}

// release gives the process back, or ends it.
func (a *answer) release(sound bool) {
	if a.worker == nil {
		return
	}
	w := a.worker
	a.worker = nil
	if !a.leave() || !sound {
		w.close()
		return
	}
	a.pool.mu.Lock()
	a.pool.idle = append(a.pool.idle, w)
	a.pool.mu.Unlock()
}

// Close ends the process if the invocation has not ended.
func (a *answer) Close() error {
	if !a.done {
		a.done, a.err = true, io.ErrClosedPipe
		a.release(false)
	}
	return nil
}
