package command

import (
	"context"
	"os"
	"time"
)

const (
	// linger is how long a command's leftovers are borne with once it has
	// exited: a silence this long on standard output ends the reading, and a
	// process of the group that is still there after SIGTERM is killed. On a
	// busy machine a filter may need that long for its last words.
	linger = 2 * time.Second
	// poll is the interval at which the group is asked whether it is gone.
	poll = 10 * time.Millisecond
)

// outcome is what a process left.
type outcome struct {
	wait        error            // of exec.Cmd.Wait; nil is exit status 0
	state       *os.ProcessState // nil if the command was never reaped
	interrupted bool             // the context ended before the output did
	stdout      []byte           // at most one byte more than accepted
	stderr      tail
}

// finish waits until the command has answered, ends it if the context does
// first or the reply is too long, and in every case leaves no process in its group.
// Between SIGTERM and SIGKILL lies kill; silence is what drain takes.
func (p *process) finish(ctx context.Context, kill, silence time.Duration) outcome {
	var o outcome
	exited := false
	select {
	case o.wait = <-p.exited:
		exited = true
		o.interrupted = !p.drain(ctx, silence)
		kill = min(kill, linger)
	case <-p.full:
	case <-ctx.Done():
		o.interrupted = true
	}
	_ = p.stdin.Close()
	if p.end(exited, kill, &o.wait) {
		o.state = p.cmd.ProcessState
	}
	if !exited { // what was printed last may still be in the pipes
		select {
		case <-p.ended:
		case <-time.After(linger):
		}
	}
	closeAll(p.ours())
	p.pumps.Wait()
	p.notes.trim()
	o.stdout, o.stderr = p.reply, p.notes
	return o
}

// drain waits for the rest of the output of a command that has exited. It reports
// false if the context ended first.
func (p *process) drain(ctx context.Context, silence time.Duration) bool {
	return drained(p.ended, p.full, p.moved, ctx.Done(), silence)
}

// drained waits for the rest of the output of a command that has exited: another
// process may still be writing it (a shell's process substitution does). A
// process that merely holds the pipe is silent and ends the wait. Moved has a token for
// each arrival. It reports false if stop came first.
func drained(ended, full, moved <-chan struct{}, stop <-chan struct{}, silence time.Duration) bool {
	timer := time.NewTimer(silence)
	defer timer.Stop()
	for {
		select {
		case <-ended:
			return true
		case <-full:
			return true
		case <-moved:
			timer.Reset(silence)
		case <-timer.C:
			select {
			case <-moved: // just now
				timer.Reset(silence)
			default:
				return true
			}
		case <-stop:
			return false
		}
	}
}

// end ends every process of the command's group: SIGTERM, and after grace SIGKILL.
// It stores the command's wait result if that was still to come, and reports
// whether the command is known to have exited.
func (p *process) end(exited bool, grace time.Duration, wait *error) bool {
	if exited && !groupAlive(p.cmd.Process) {
		return true
	}
	terminateGroup(p.cmd.Process)
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		select {
		case *wait = <-p.exited:
			exited = true
		case <-tick.C:
		case <-p.killed:
			return exited || p.reaped(wait)
		case <-deadline.C:
			killGroup(p.cmd.Process)
			return exited || p.reaped(wait)
		}
		if exited && !groupAlive(p.cmd.Process) {
			return true
		}
	}
}

// kill ends the group at once; it is called once at most.
func (p *process) kill() {
	killGroup(p.cmd.Process)
	close(p.killed)
}

// reaped waits for a killed command. The wait is bounded, because a program of
// another user (sudo) cannot be killed by us.
func (p *process) reaped(wait *error) bool {
	select {
	case *wait = <-p.exited:
		return true
	case <-time.After(linger):
		return false
	}
}
