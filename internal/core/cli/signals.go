package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// A signalContext is cancelled by the first SIGINT, SIGTERM, SIGHUP or SIGQUIT. Signals keep their
// default action, the end of the process, until a caller asks for Done or Err: catching them costs
// a thread, a sixth of the life of a tool that is done at once, and only a caller that asks has
// something to clean up.
//
// After the first signal the next one has its default action again.
type signalContext struct {
	context.Context // the deadline and values of the parent

	once   sync.Once
	asked  chan struct{} // closed once signals are caught
	caught context.Context
}

// watch starts to catch signals.
func (c *signalContext) watch() context.Context {
	c.once.Do(func() {
		ctx, stop := signal.NotifyContext(c.Context, wanted()...)
		context.AfterFunc(ctx, stop)
		c.caught = ctx
		close(c.asked)
	})
	return c.caught
}

func (c *signalContext) Done() <-chan struct{} { return c.watch().Done() }
func (c *signalContext) Err() error            { return c.watch().Err() }
func (c *signalContext) Value(key any) any     { return c.watch().Value(key) }

// cancellable returns a channel that is closed when ctx can be cancelled at all.
func cancellable(ctx context.Context) <-chan struct{} {
	if c, ok := ctx.(*signalContext); ok {
		return c.asked
	}
	return always
}

// cancelled is ctx.Err without the question: it does not start to catch signals.
func cancelled(ctx context.Context) error {
	select {
	case <-cancellable(ctx):
		return ctx.Err()
	default:
		return nil
	}
}

var always = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// wanted leaves out the signals that this process was started to ignore, as by nohup(1) and a
// shell's "&".
func wanted() []os.Signal {
	var sigs []os.Signal
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) {
			sigs = append(sigs, sig)
		}
	}
	return sigs
}
