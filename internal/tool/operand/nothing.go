package operand

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/sibling"
	"github.com/sess-tools/sess/internal/tool/tty"
)

// NothingStored says that the store has no session to list, and which flags look elsewhere: of
// the working directory cwd if that was named, of this one, or of all. It is news, which -q
// silences. A person is also told how many there are elsewhere.
func NothingStored(ctx context.Context, s *clikit.Streams, all bool, cwd string) string {
	others := "takes those of other agents"
	if !s.Quiet && tty.IsTerminal(s.ErrFile()) {
		if n, ok := ofAgents(ctx); ok {
			others = "has " + tty.Count(n, "session", "sessions") + " of other agents"
		}
	}
	switch {
	case all:
		return "no session in the store: --agent all " + others
	case cwd != "":
		return "no session of " + cwd + " in the store: --agent all " + others
	}
	return "no session of this directory in the store: --all takes those of all directories, --agent all " + others
}

// patience is how long a person waits to hear how many sessions other agents have.
const patience = 2 * time.Second

// ofAgents counts the sessions of all agents where they keep them.
func ofAgents(ctx context.Context) (n int, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p, err := sibling.Program{Name: "sess-ls", Args: []string{"-q", "-0", "--agent=all"}, Say: func(sibling.Message) {}}.Start(ctx)
	if err != nil {
		return 0, false
	}
	defer p.Close()
	addresses, err := io.ReadAll(p)
	if err != nil && clikit.Status(err) != clikit.ExitNo {
		return 0, false
	}
	return bytes.Count(addresses, []byte{0}), true
}
