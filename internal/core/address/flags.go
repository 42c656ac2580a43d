package address

import (
	"cmp"
	"os"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

var tails = map[string]jsonl.Tail{"blank": jsonl.Blank, "end-line": jsonl.EndLine, "refuse": jsonl.Refuse}

// Flags are those of a tool that adds to a session. Settle has to be called when they have been
// read.
func (o *TargetOptions) Flags() []cli.Flag {
	o.tail = "blank"
	return []cli.Flag{WaitFlag(&o.Wait), GraceVariable(&o.Grace), SyncVariable(&o.Sync)}
}

// TailFlag is the flag of the tool that adds to sessions of others.
func (o *TargetOptions) TailFlag() cli.Flag {
	return cli.Choice(&o.tail, "tail", []string{"blank", "end-line", "refuse"}, "`HOW` to treat a torn last line")
}

// Settle turns what the flags say into what the other fields mean.
func (o *TargetOptions) Settle() {
	o.Tail = tails[o.tail]
	if o.Wait == 0 {
		o.Wait = -1 // no wait at all
	}
	if o.Grace == 0 {
		o.Grace = -1
	}
}

// CreateFlag is the flag of a tool that makes the session it adds to; see [Ensure].
func CreateFlag(dst *bool) cli.Flag {
	return cli.Bool(dst, "create", "make the session if there is none")
}

// WaitFlag is the flag of a tool that takes the lock of a session.
func WaitFlag(dst *time.Duration) cli.Flag {
	return cli.Env("SESS_WAIT", cli.Duration(dst, "wait", jsonl.DefaultWait, "wait for the lock at most `DURATION`"))
}

// WaitVariable is WaitFlag as a variable alone.
func WaitVariable(dst *time.Duration) cli.Flag { return cli.Variable("SESS_WAIT", WaitFlag(dst)) }

// GraceVariable has the grace of a torn last line, which a live writer may still end, in a variable.
func GraceVariable(dst *time.Duration) cli.Flag {
	return cli.Variable("SESS_GRACE", cli.Duration(dst, "grace", jsonl.DefaultGrace, "leave a torn last line alone until `DURATION` after the last write"))
}

// SyncFlag is the flag of a tool that writes.
func SyncFlag(dst *string) cli.Flag {
	return cli.Env("SESS_SYNC", cli.Choice(dst, "sync", []string{"", "always", "never"}, "`WHEN` to sync writes to disk (by default always in the store, never elsewhere)"))
}

// SyncVariable is SyncFlag as a variable alone.
func SyncVariable(dst *string) cli.Flag { return cli.Variable("SESS_SYNC", SyncFlag(dst)) }

// BlobsVariable has the directory of blobs, to which images are references, in a variable.
func BlobsVariable(dst *string) cli.Flag {
	return cli.Variable("SESS_BLOBS", cli.String(dst, "blobs", "", "replace references to images with the blobs in `DIR`"))
}

// ForceFlag is the flag that has the File made in the place of one that is there.
func (d *Destination) ForceFlag() cli.Flag {
	return cli.Bool(&d.Force, "force", "replace existing files")
}

// Flags are those of a tool that makes a session.
func (d *Destination) Flags() []cli.Flag {
	return []cli.Flag{
		cli.Bool(&d.Store, "store", "make the file in the store and print its path"),
		cli.Output(&d.File, "make `FILE`, and print its path; - is standard output"),
		d.ForceFlag(),
		SyncVariable(&d.Sync),
		cli.Bool(&d.DryRun, "dry-run, n", "print the session, and write nothing"),
	}
}

// Defaults are what assistant messages lack: what flags say or, where they say nothing,
// the environment.
func Defaults(provider, model string) session.Defaults {
	return session.Defaults{
		Provider: cmp.Or(provider, os.Getenv("SESS_PROVIDER")), Model: cmp.Or(model, os.Getenv("SESS_MODEL")),
	}
}

// A Harness says what becomes of the words that agents put into a conversation in the
// user's name: reminders, lists of skills, what hooks print.
type Harness string

// What can become of them.
const (
	DropHarness Harness = "drop"
	KeepHarness Harness = "keep"
)

// HarnessFlag is the flag that says what becomes of an agent's words in the user's name.
// It has the same name and meaning in every tool.
func HarnessFlag(dst *Harness) cli.Flag {
	words := []string{string(DropHarness), string(KeepHarness)}
	return cli.Choice((*string)(dst), "harness", words, "`HOW` to treat words of an agent in the user's name, such as reminders")
}

// Spoken returns the messages of a projection that are to be shown, and says under -v how many are
// left out of the session called name.
func (h Harness) Spoken(s *cli.Streams, name string, projection []convo.Projected) []convo.Projected {
	if h == KeepHarness {
		return projection
	}
	spoken, notes := convo.WithoutHarness(projection)
	if notes.Count > 0 && s.Once("harness of "+name) {
		s.Notef("%s: %s left out", disk.Subject(name), notes)
	}
	return spoken
}
