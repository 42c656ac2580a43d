package summarize

import (
	"os"
	"os/signal"
	"syscall"
)

// interrupts are the signals by which somebody ends a program.
var interrupts = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// insist calls kill at the second of the signals that end a program, until stop
// is called. The first one cancels the caller's context. To count them they are
// caught from the beginning: caught after the first, a second one that follows at
// once would end this process and leave the command running.
func insist(kill func()) (stop func()) {
	caught, done, over := make(chan os.Signal, 2), make(chan struct{}), make(chan struct{})
	for _, sig := range interrupts {
		if !signal.Ignored(sig) { // as by nohup(1)
			signal.Notify(caught, sig)
		}
	}
	go func() {
		defer close(over)
		for range 2 {
			select {
			case <-caught:
			case <-done:
				return
			}
		}
		kill()
	}()
	return func() {
		signal.Stop(caught)
		close(done)
		<-over // nothing is killed after this
	}
}
