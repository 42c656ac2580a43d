// Release makes what a version of the tools is published as.
//
// Usage:
//
//	release [--root DIR] [--targets LIST] [--check] [--quick] VERSION [DIR]
//
// It builds the commit that is checked out in --root, from an archive of its sources, and puts
// the artifacts into DIR, dist/VERSION unless given. What is not committed is not in them. The
// same commit, version and release of Go give the same bytes, wherever and by whomever. --check
// shows that: it makes the artifacts twice, in other directories, with another umask, locale, time
// zone and build cache, compares them, and leaves nothing behind unless DIR is given. --quick compresses little, which
// takes a fifth of the time: for a release that is tried and not published.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/sess-tools/sess/tools/release/names"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Stdout, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, stdout io.Writer, args []string) error {
	flags := flag.NewFlagSet("release", flag.ExitOnError)
	root := flags.String("root", ".", "the repository")
	list := flags.String("targets", "", "the platforms, such as linux/amd64,darwin/arm64; all by default")
	check := flags.Bool("check", false, "make everything twice and compare")
	quick := flags.Bool("quick", false, "compress little: to try a release, not to publish it")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: release [--targets LIST] [--check] [--quick] VERSION [DIR]")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() < 1 || flags.NArg() > 2 {
		flags.Usage()
		os.Exit(2)
	}
	version, dir := flags.Arg(0), flags.Arg(1)
	if err := names.Check(version); err != nil {
		return err
	}
	targets := names.Targets
	if *list != "" {
		var err error
		if targets, err = names.Parse(*list); err != nil {
			return err
		}
	}
	if *check {
		return compareTwo(ctx, stdout, *root, version, targets, *quick, dir)
	}
	if dir == "" {
		dir = filepath.Join(*root, "dist", version)
	}
	return release(ctx, stdout, *root, version, targets, *quick, dir)
}
