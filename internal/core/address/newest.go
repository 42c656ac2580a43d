package address

import (
	"cmp"
	"context"
	"io"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/js"
)

// lister is the program that lists our own sessions.
const lister = "sess-ls"

// Newest returns the address, by its id, of the session that the operand NAME: or NAME:/DIR means, and that or the path
// of the running one for self:; other operands stay as they are. If the operand names no directory, it means cwd, "" for the current one. On a terminal and with -v it is
// said which session that is. None is the answer no.
func Newest(ctx context.Context, s *cli.Streams, operand, cwd string) (string, error) {
	a, ok := parseAddress(operand)
	if ok && a.format == Self {
		return resolve(s, operand)
	}
	if !ok || a.format == Remote || a.id != "" && !a.isDir() {
		return operand, nil
	}
	if a.isDir() {
		cwd = a.id
	}
	args := []string{"--verbose"} // says which one was taken
	if !s.Verbose && !tty.IsTerminal(s.ErrFile()) {
		args = nil
	}
	row, err := newest(ctx, a.format, cwd, Say(s, cli.Unseen), args...)
	if err != nil {
		return "", err
	}
	return row.Get("address").Str(), nil
}

// newest returns the row of the newest session of an agent in a directory, by the rule of the agent: one with messages,
// and no sub-agent's. None is the answer no.
func newest(ctx context.Context, agent, cwd string, say func(subprocess.Message), flags ...string) (js.Value, error) {
	args := append([]string{agent, "--list", "--recent", "--cwd=" + cmp.Or(cwd, ".")}, flags...)
	return firstRow(subprocess.Program{Name: Importer, Args: args, Say: say}.Start(ctx))
}

// firstRow reads the only row that a program prints, and ends it.
func firstRow(p io.ReadCloser, err error) (js.Value, error) {
	if err != nil {
		return "", err
	}
	defer p.Close()
	text, err := io.ReadAll(p)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return js.Value(line), nil
}

// OneOrNewest is [One] for a tool that reads one session: without an operand, where standard input is a terminal, it
// returns the address of [NewestHere].
func OneOrNewest(ctx context.Context, s *cli.Streams, operands []string) (string, error) {
	name, err := One(operands)
	if err != nil || name != "" || !tty.IsTerminal(s.InFile()) {
		return name, err
	}
	return NewestHere(ctx, s, "")
}

// NewestHere returns the address of the newest session of the current directory, of any agent or in our own store, and
// says which that is. The sessions of one agent may be left out, "" leaves out none; sub-agents' and sessions without
// messages are none. If there is no other, that is the answer no.
func NewestHere(ctx context.Context, s *cli.Streams, without string) (string, error) {
	silent := func(subprocess.Message) {}
	agents := known.Names()
	rows, errs := make([]js.Value, len(agents)+1), make([]error, len(agents)+1)
	var all sync.WaitGroup
	for i, agent := range agents {
		if agent != without {
			all.Go(func() { rows[i], errs[i] = newest(ctx, agent, "", silent) })
		}
	}
	all.Go(func() {
		args := []string{"--json", "--limit", "1", "--subagents", "no", "--where", ".firstMessage"}
		rows[len(agents)], errs[len(agents)] = firstRow(subprocess.Program{Name: lister, Args: args, Say: silent}.Start(ctx))
	})
	all.Wait()
	var best js.Value
	for i, r := range rows {
		if err := errs[i]; err != nil && cli.Status(err) != cli.ExitNo {
			s.Warn(cli.Unseen, "%v", err)
		} else if r.Get("modified").Str() > best.Get("modified").Str() { // in UTC, and of one length
			best = r
		}
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	name := best.Get("address").Str()
	if name == "" {
		return "", cli.WithHint(cli.No("no session of this directory"), "sess ls --agent all lists those of all directories; an address names one")
	}
	title := ""
	if t := best.Get("title").Str(); t != "" {
		title = ": " + tty.Clean(t)
	}
	s.Lightf("taking %s, the newest here%s", shortened(name), title)
	return name, nil
}

// shortened returns an address for a message: of a UUID the beginning.
func shortened(name string) string {
	const uuid, short = 36, 8
	if at := strings.LastIndexByte(name, ':') + 1; len(name)-at == uuid && name[at+short] == '-' {
		return name[:at+short]
	}
	return name
}
