package clikit

import (
	"context"
	"os"
)

// Main runs t as a process and exits with its status.
//
// The context of the action is cancelled by the first SIGINT, SIGTERM or
// SIGHUP; a second one kills the process. Until the action first asks for
// ctx.Done or ctx.Err, itself or through a function it hands ctx to, these
// signals just kill. So ask before creating what has to be cleaned up. SIGPIPE
// always keeps its default action: writing to a pipe nobody reads ends a filter
// without a word.
func Main(t Tool) {
	ctx := newSignalContext(context.Background())
	os.Exit(Run(ctx, t, os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
}
