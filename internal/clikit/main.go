package clikit

import (
	"context"
	"os"
	"runtime"
)

// Main runs t as a process and exits with its status.
//
// The context of the action is cancelled by the first SIGINT, SIGTERM, SIGHUP or
// SIGQUIT; a second one kills the process. Until the action first asks for
// ctx.Done or ctx.Err, itself or through a function it hands ctx to, these
// signals just kill. So ask before creating what has to be cleaned up. SIGPIPE
// always keeps its default action: writing to a pipe nobody reads ends a filter
// without a word.
func Main(t Tool) {
	if _, set := os.LookupEnv("GOMAXPROCS"); !set && runtime.GOMAXPROCS(0) == 1 {
		// With only one, the runtime takes it away from every system call of more
		// than a moment, which costs a tenth of reading a large file. It never
		// chooses one itself but for a machine, or a process, that has only one.
		runtime.GOMAXPROCS(2)
	}
	ctx := newSignalContext(context.Background())
	os.Exit(Run(ctx, t, os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
}
