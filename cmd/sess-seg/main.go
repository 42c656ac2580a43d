// Sess-seg keeps sessions in segmented stores, for those too large for one file.
//
// Usage:
//
//	sess-seg COMMAND [flags] ... SESSION
//
// It makes the store of a session and rolls it back, appends to it, reads it,
// verifies it, and puts it in order after a crash. See sess-seg(1).
package main

import (
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
)

var tool = cli.Tool{
	Name:    "sess-seg",
	Writes:  true,
	Summary: "keep large sessions in segmented stores",
	Args:    "... SESSION",
	Doc: `SESSION is the JSONL file, the id of a session in the store, or the segmented
store itself, the directory NAME.v2 beside the file.`,
	Examples: `sess-seg migrate s.jsonl
sess-seg append s.v2 < entries.jsonl
sess-seg tail 100 s.v2
sess-seg verify s.v2 || sess-seg recover s.v2
sess-seg cat s.v2 > copy.jsonl`,
	Complete: complete.Writer,
	Commands: []cli.Tool{
		migrateCommand, rollbackCommand, recoverCommand,
		statusCommand, verifyCommand,
		checkpointCommand, rollbackToCommand, rebuildCommand,
		catCommand, tailCommand, getCommand, appendCommand,
	},
}

func main() { cli.Main(tool) }
