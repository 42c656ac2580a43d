package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/tool/clikit"
)

// A task is one session of many.
type task struct {
	info   formats.Info
	sink   *sink // nil if the session could not be listed
	losses []formats.Loss
	err    error
	done   chan struct{} // closed when the other fields are set
}

// A tally says how it went.
type tally struct {
	made, there, failed int
	status              int // of the failures, the largest
}

// atOnce is how many sessions are converted at a time. More than there are
// processors, since some wait for the disk.
func atOnce() int { return min(runtime.GOMAXPROCS(0)+1, 8) }

// every imports all sessions that are not there yet. They are converted beside each
// other, but get their names, and are told of, in the order of the list, so that of
// two with one name it is always the same that has it.
func (j *job) every(ctx context.Context, a formats.Archive) error {
	// What a session leaves behind is garbage at once, and little of it is alive.
	debug.SetGCPercent(400)
	ctx, stop := context.WithCancel(ctx)
	tasks := j.tasks(ctx, a)
	defer func() {
		stop()
		for t := range tasks { // no longer wanted
			t.abandon()
		}
	}()
	var sum tally
	for t := range tasks {
		<-t.done
		if err := j.told(ctx, t, &sum); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	j.progress.Clear()
	return j.sum(sum)
}

// tasks begins the tasks of an archive, and gives them in the order of its list.
func (j *job) tasks(ctx context.Context, a formats.Archive) <-chan *task {
	n := atOnce()
	buffers := make(chan *bufio.Writer, n) // who has one may work
	for range n {
		buffers <- bufio.NewWriterSize(nil, bufferSize)
	}
	tasks := make(chan *task, n)
	go func() {
		defer close(tasks)
		for info, err := range a.List(ctx, formats.Query{}) {
			if ctx.Err() != nil {
				return
			}
			if err == nil && !j.here(info.CWD) {
				continue
			}
			t := &task{info: info, err: err, done: make(chan struct{})}
			if err != nil {
				close(t.done)
			} else {
				buffer := <-buffers
				t.sink = j.sink(buffer)
				go func() {
					t.convert(ctx, a)
					buffers <- buffer
					close(t.done)
				}()
			}
			tasks <- t
		}
	}()
	return tasks
}

func (t *task) convert(ctx context.Context, a formats.Archive) {
	t.err = t.sink.convert(ctx, a, t.info, func(l formats.Loss) { t.losses = append(t.losses, l) })
}

// abandon leaves nothing of a task.
func (t *task) abandon() {
	<-t.done
	if t.sink != nil {
		_, _ = t.sink.publish(errors.New("abandoned"))
	}
}

// told gives the session of a task its name, and says what became of it. The error is
// one that the next session would have as well.
func (j *job) told(ctx context.Context, t *task, sum *tally) error {
	if ctx.Err() != nil {
		t.abandon()
		return ctx.Err()
	}
	j.progress.Showf("%d sessions: %d imported, %d there already, %d failed", sum.made+sum.there+sum.failed, sum.made, sum.there, sum.failed)
	path, err := "", t.err
	if t.sink != nil {
		path, err = t.sink.publish(t.err)
		for _, l := range t.losses {
			j.progress.Clear()
			j.losses.Tell(t.sink.id, l)
		}
	}
	switch {
	case errors.Is(err, errThere):
		sum.there++
		j.streams.Notef("%s: is there already", path)
	case isWriteError(err):
		return err
	case err != nil:
		err = named(t.info, err)
		sum.failed, sum.status = sum.failed+1, max(sum.status, clikit.Status(err))
		j.progress.Clear()
		j.streams.Warnf("%v", err)
	default:
		sum.made++
		_, err := fmt.Fprintln(j.streams.Out, path)
		return err
	}
	return nil
}

// sum says how it went. The status of a run that failed in part is the
// largest of the failures.
func (j *job) sum(s tally) error {
	switch {
	case s.failed > 0:
		return clikit.Unread(s.failed, s.failed+s.made+s.there, s.status)
	case s.made+s.there == 0:
		return clikit.No("no session")
	case s.there > 0:
		j.streams.Infof("%d imported, %d there already", s.made, s.there)
	}
	return nil
}
