package formats

import (
	"errors"
	"fmt"

	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// ErrUnread is the error of a session of which something says that words or usage are there, and of which neither a message nor a
// call was found: its agent keeps them where the format does not look. An empty session would pass every check.
var ErrUnread = errors.New("not read")

// Claim says that a source tells of words or of usage of the session: "its row counts 1,350 tokens", "wire.jsonl beside it has 9 lines". If
// no message and no call is added, [Builder.Read] fails with [ErrUnread]. The first claim is the one that is told. A total that a
// source tells, see [Count.Rest], is a claim by itself.
func (b *Builder) Claim(format string, args ...any) {
	if b.claim == "" {
		b.claim = fmt.Sprintf(format, args...)
	}
}

// Pass says that messages were passed over, as [Builder.UsageOnly] allows: the session was read.
func (b *Builder) Pass() { b.spoke = true }

// weigh notes whether an entry is a message or a call, or the rest of a total of which neither was found.
func (b *Builder) weigh(e session.Entry) {
	if b.spoke {
		return
	}
	switch e.Type() {
	case session.TypeMessage, session.TypeCompaction, session.TypeBranchSummary:
		b.spoke = true
	case session.TypeUsage:
		switch n := spentIn(js.Value(e.Get("usage"))).all(); {
		case e.Str("kind") != usageRest:
			b.spoke = true
		case n > 0:
			b.Claim("its own total is %s", tty.Count(n, "token", "tokens"))
		}
	}
}

// unread is the error of a session that was not read, though all of it was asked for.
func (b *Builder) unread() error {
	if b.Growth == Closed || b.spoke || b.claim == "" {
		return nil
	}
	return fmt.Errorf("%w: %s, and neither a message nor a call was found", ErrUnread, b.claim)
}
