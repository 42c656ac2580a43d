// Sess-sync shares sessions between machines, in a directory, a bucket or a stream.
//
// Usage:
//
//	sess-sync COMMAND [flags] ... [SESSION...]
//
// A session in a remote is a log of parts that are never changed. Push appends to it
// what the file has more, pull appends to the file what the log has more; both keep
// all lines. See sess-sync(1) and docs/remotes.md.
package main

import (
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
)

var tool = cli.Tool{
	Name:    "sess-sync",
	Summary: "share sessions between machines",
	Args:    "... [SESSION...]",
	Doc: `The remote is a directory, dir:PATH or a path; a bucket,
s3://BUCKET[/PREFIX][?endpoint=https://HOST&region=R]; or a stream of NATS JetStream,
tls://HOST[,HOST][/STREAM] or nats://. SESS_REMOTE names it, or --remote of push and pull.`,
	Examples: `sess-sync init /mnt/team/sessions
export SESS_REMOTE=/mnt/team/sessions
sess-sync push s.jsonl
sess-sync pull -a
sess-sync ls`,
	Complete: complete.Writer,
	Commands: []cli.Tool{initCommand, pushCommand, pullCommand, appendCommand, catCommand, lsCommand, checkCommand},
}

// commonFlags are those that -h of a command prints, see [cli.Tool].
const commonFlags = `
remote
all
agent: collect the agents NAME,NAME first, and push those
redact: take secrets out of what --agent collects
expect-leaf
reseed
follow
since: only sessions made in the month since WHEN
json
cards: print cards: where sessions end, and what they cost
after: print only what is behind WHERE, which cat -v says
probe
dry-run
`

func main() { cli.Main(tool) }
