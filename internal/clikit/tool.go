package clikit

import (
	"context"

	"github.com/urfave/cli/v2"
)

// A Tool describes one binary.
type Tool struct {
	Name     string // "sess-append"
	Summary  string // the NAME line of its man page, without the name
	Args     string // operands as in the SYNOPSIS, "[SESSION]"
	Doc      string // a paragraph or two of plain text
	Examples string // printed before the flags in --help; one command a line

	// Command says that words after "--" are a command to run, handed over in
	// [Streams.Command], and not operands.
	Command bool

	// Commands are what the tool does, one of them at a time, if it is several
	// things: the first operand is the Name of one. Each has flags and operands of
	// its own, and a help. Such a tool has no New.
	Commands []Tool

	// New returns fresh flags and the action that reads them. It is called once
	// per Run, so that Run may be called concurrently, and it must not look at
	// the world: help, completion and the man page test call it too.
	//
	// The flags help, h, version, quiet, q, verbose and v belong to the frame.
	New func() ([]cli.Flag, Action)
}

// An Action is the body of a tool. It gets the operands, flags removed. Its
// error is printed by [Run] and chooses the exit status, see [Status].
type Action func(ctx context.Context, s *Streams, operands []string) error
