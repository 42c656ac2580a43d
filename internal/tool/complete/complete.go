package complete

import (
	"context"
	"strings"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/pkg/session"
)

// Reader is the Complete of a tool that reads sessions, those of other agents among them.
func Reader(ctx context.Context, at clikit.Place, add func(clikit.Candidate)) {
	if at.Kind == "SESSION" && addresses(ctx, at, add) {
		return
	}
	Writer(ctx, at, add)
}

// Writer is the Complete of a tool that adds to sessions.
func Writer(ctx context.Context, at clikit.Place, add func(clikit.Candidate)) {
	switch at.Kind {
	case "SESSION":
		add(clikit.Files)
		if !strings.ContainsAny(at.Word, "/~") {
			sessions(ctx, at, add)
		}
	case "REF":
		references(at, add)
	case "ROLE":
		at.Match(add, session.Roles()...)
	case "ROLE,ROLE":
		List(at, add, session.Roles()...)
	case "TYPE":
		at.Match(add, session.Types()...)
	}
}

// List completes the last of several words with commas between.
func List(at clikit.Place, add func(clikit.Candidate), words ...string) {
	before := at.Word[:strings.LastIndexByte(at.Word, ',')+1]
	for _, w := range words {
		at.Match(add, before+w)
	}
}

// most is how many candidates of one kind there are at most, and two.
const most = 100

// few returns the first candidates of a list. Where there are more, the first and the last
// of all by their bytes are among them: what all have in common is what these have, and
// only that does a shell insert.
func few(list []clikit.Candidate) []clikit.Candidate {
	if len(list) <= most {
		return list
	}
	out := list[:most:most]
	first, last := list[most], list[most]
	for _, c := range list[most:] {
		if c.Value < first.Value {
			first = c
		}
		if c.Value > last.Value {
			last = c
		}
	}
	return append(out, first, last)
}

// addresses adds sessions of other agents, and reports whether the word can be nothing
// else. The formats are linked by one program alone, which is asked.
func addresses(ctx context.Context, at clikit.Place, add func(clikit.Candidate)) bool {
	format, id, ok := strings.Cut(at.Word, ":")
	if !ok {
		for _, agent := range operand.Agents() {
			if at.Word != "" {
				at.Match(add, agent+":")
			}
		}
		return false
	}
	if !operand.IsAgent(format) {
		return false
	}
	for c := range operand.SessionsOf(ctx, format, id) {
		c.Value = format + ":" + c.Value
		add(c)
	}
	return true
}
