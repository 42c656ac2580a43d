package address

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// Importer is the program that reads the sessions of other agents. No other one
// links their formats, so that all others stay small and start at once.
const Importer = "sess-import"

// Remote is what the address of a session in a shared remote begins with, and Syncer the
// program that reads those. No other one links the libraries of remotes.
const (
	Remote = "remote"
	Syncer = "sess-sync"
)

// EveryAgent is the word for all of them.
const EveryAgent = "all"

// AgentOf returns the agent that stands in front of an address, "" if none does.
func AgentOf(text string) string {
	text, _ = Resolved(text)
	if name, _, ok := strings.Cut(text, ":"); ok && known.IsAgent(name) {
		return name
	}
	return ""
}

// SessionsOf iterates over the sessions of an agent whose ids begin with prefix, as the
// importer completes them.
func SessionsOf(ctx context.Context, format, prefix string) iter.Seq[cli.Candidate] {
	return func(yield func(cli.Candidate) bool) {
		text, _ := subprocess.Output(ctx, Importer, "--complete", "list", "--", format, "--session="+prefix)
		for line := range strings.Lines(text) {
			value, what, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if id, ok := strings.CutPrefix(value, "--session="); ok && !yield(cli.Candidate{Value: id, Text: what}) {
				return
			}
		}
	}
}

// An address names a session in the store of an agent: FORMAT:ID, FORMAT:/FILE for the one in a file, where
// several have one id, FORMAT: for the one of this directory that was written to last, or FORMAT:/DIR or
// FORMAT:./DIR for that of another one; or in the remote, remote:ID; or the running one, self: or
// self:FORMAT, which [Resolved] turns into the address or the path of that.
type address struct{ format, id string }

func (a address) String() string { return a.format + ":" + a.id }

// parseAddress reads an operand that is an address, whatever files there are: one of
// such a name is ./FORMAT:ID.
func parseAddress(operand string) (address, bool) {
	format, id, ok := strings.Cut(operand, ":")
	if !ok || !known.IsAgent(format) && format != Remote && format != Self {
		return address{}, false
	}
	if a := (address{format, id}); a.isPath() {
		if fi, err := os.Stat(id); err == nil && fi.Mode().IsRegular() {
			id, err = filepath.Abs(id)
			return address{format, id}, err == nil
		}
	}
	return address{format, id}, true
}

// Address takes an operand that is an address apart: the name in front of the colon, and behind it a directory, or the
// beginning of an id or the path of a file, or neither.
func Address(operand string) (name, dir, id string, ok bool) {
	a, ok := parseAddress(operand)
	if a.isDir() {
		return a.format, a.id, "", ok
	}
	return a.format, "", a.id, ok
}

// args are the words that have it print the session.
func (a address) args() []string {
	if a.format == Remote {
		return []string{"cat", "--", a.id}
	}
	switch {
	case a.id == "":
		return []string{a.format, "--recent"}
	case a.isDir():
		return []string{a.format, "--recent", "--cwd=" + a.id}
	}
	return []string{a.format, "--session=" + a.id}
}

// isDir reports whether the address names a directory, whose newest session is meant.
func (a address) isDir() bool {
	if !a.isPath() {
		return false
	}
	fi, err := os.Stat(a.id)
	return err != nil || !fi.Mode().IsRegular()
}

// isPath reports whether the address names a directory or a file: by a path that begins as no id does.
func (a address) isPath() bool {
	return a.id == "." || a.id == ".." || strings.HasPrefix(a.id, "/") || strings.HasPrefix(a.id, "./") || strings.HasPrefix(a.id, "../")
}

// open has the session imported, and returns its lines while they come.
func (a address) open(ctx context.Context, s *cli.Streams) (io.ReadCloser, error) {
	if a.format == Remote && a.id == "" {
		return nil, cli.WithHint(cli.UsageError("%s: is no id of a session", Remote), "%s:ID names one; sess-ls %s: lists them", Remote, Remote)
	}
	program, args := Syncer, a.args()
	if a.format != Remote {
		program = Importer
		if args = append(args, words(ctx, s)...); (a.id == "" || a.isDir()) && !s.Verbose && ctx.Value(lossesKey{}) == nil && tty.IsTerminal(s.ErrFile()) {
			args = append(args, "-v") // says which one was taken
		}
	}
	return start(ctx, subprocess.Program{Name: program, Args: args, Say: Say(s, cli.Damage)})
}

type poolsKey struct{}

// WithPools returns a context in which programs are run by a few processes, for a tool that reads many sessions.
func WithPools(ctx context.Context, pools []*subprocess.Pool) context.Context {
	return context.WithValue(ctx, poolsKey{}, pools)
}

// start starts a program, by the pool that [WithPools] has for it.
func start(ctx context.Context, of subprocess.Program) (io.ReadCloser, error) {
	pools, _ := ctx.Value(poolsKey{}).([]*subprocess.Pool)
	if i := slices.IndexFunc(pools, func(p *subprocess.Pool) bool { return p.Name == of.Name }); i >= 0 {
		return pools[i].Start(ctx, of)
	}
	return of.Start(ctx)
}

// TellOutputs warns of the outputs that Claude Code keeps in files beside sessions, which no tool reads: of those of the
// sessions with these addresses. Done says what was done without them; a gate says it with -q, too.
func TellOutputs(ctx context.Context, s *cli.Streams, gate bool, done string, addresses ...string) {
	const agent = "claude"
	ids := map[string]bool{}
	for _, text := range addresses {
		if a, ok := parseAddress(text); ok && a.format == agent {
			ids[strings.TrimSuffix(filepath.Base(a.id), ".jsonl")] = true
		}
	}
	if len(ids) == 0 || s.Quiet && !gate {
		return
	}
	text, _ := subprocess.Output(ctx, Importer, "--unread", agent) // without it nothing is known
	n := 0
	for line := range strings.Lines(text) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) == 3 && columns[1] == "output" && ids[filepath.Base(filepath.Dir(filepath.Dir(columns[2])))] {
			n++
		}
	}
	tell := s.Warnf
	if gate {
		tell = s.Alwaysf
	}
	if n > 0 {
		tell("%s beside sessions of Claude Code %s; %s --unread %s lists them", tty.Count(n, "output", "outputs"), done, Importer, agent)
	}
}

// Say hands messages of another program on as those of the one that s is for, its warnings as those of a class.
func Say(s *cli.Streams, class cli.Class) func(subprocess.Message) {
	return func(m subprocess.Message) {
		if path, ok := strings.CutSuffix(m.Text, ": "+cli.Empty); ok && m.Warning {
			s.PassOver(path)
		} else if m.Warning {
			if class == cli.Damage {
				s.Unjudged(cli.PlaceOf(m.Text), 1)
			}
			s.Warn(class, "%s", m.Text)
		} else {
			s.Lightf("%s", m.Text)
		}
	}
}

// Writable refuses the operand of a session that cannot be added to because it is
// in the store of another agent, or in the remote. It does not look at files.
func Writable(operand string) error {
	a, ok := parseAddress(operand)
	if !ok {
		return nil
	}
	if a.format == Remote {
		return cli.WithHint(
			cli.UsageError("%s: a session in the remote is read in place, and never written to", disk.Subject(operand)),
			"%s pull %s makes a file of it to write to", Syncer, quoted(a.id))
	}
	if a.format == Self {
		return cli.WithHint(cli.UsageError("%s: the running session is read, and never written to", disk.Subject(operand)), "%s %s -o FILE makes a copy to write to", "sess-fork", a)
	}
	choice := strings.Join(a.args(), " ")
	if a.isDir() {
		choice = a.format + " --recent --cwd " + quoted(a.id)
	} else if a.id != "" {
		choice = a.format + " --session " + quoted(a.id)
	}
	return cli.WithHint(
		cli.UsageError("%s: sessions of other agents are read in place, and never written to", disk.Subject(operand)),
		"%s %s -o FILE makes a session of it to write to", Importer, choice)
}

// quoted returns an id as a shell takes it.
func quoted(id string) string {
	if session.ValidSessionID(id) {
		return id
	}
	return cli.ShellQuote(id)
}

// header reads the header of the session.
func (a address) header(ctx context.Context, s *cli.Streams) (session.Header, error) {
	in, err := a.open(ctx, s)
	if err != nil {
		return session.Header{}, err
	}
	defer in.Close()
	h, err := session.ReadHeader(in)
	if err != nil {
		err = fmt.Errorf("reading %s: %w", disk.Subject(a.String()), err)
	}
	return h, err
}

// Resume returns the command that goes on with a session in the agent that has it, nil if none is known: of ours, of
// sub-agents, and of agents that do not take an id.
func Resume(name, id string) []string {
	a, _ := known.Agent(name)
	return a.ResumeWith(id)
}

// ResumeLine returns the command line of [Resume] from any directory, "" if there is none. It is part of a row, which is the
// same wherever it is printed.
func ResumeLine(agent, id, cwd string) string {
	command := Resume(agent, id)
	switch {
	case command == nil:
		return ""
	case cwd == "":
		return cli.ShellWords(command)
	}
	return cli.ShellWords([]string{"cd", cwd}) + " && " + cli.ShellWords(command)
}

// InDirectory returns the command line that runs commands one after the other in the working
// directory of a session: agents look for the sessions of the one they are in.
func InDirectory(cwd string, commands [][]string) string {
	here, err := os.Getwd()
	if cwd != "" && err == nil && !store.SameDir(here)(cwd) {
		commands = append([][]string{{"cd", cwd}}, commands...)
	}
	lines := make([]string, len(commands))
	for i, argv := range commands {
		lines[i] = cli.ShellWords(argv)
	}
	return strings.Join(lines, " && ")
}
