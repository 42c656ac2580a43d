package address

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

const (
	// Self is what the address of the running session begins with: self: or self:AGENT.
	Self = "self"
	// SelfVariable names running sessions, AGENT:ID or sess:FILE, with commas between them. It goes before the
	// variables of agents.
	SelfVariable = "SESS_SELF"
	// recorded stands in the place of an agent in front of the path of a session of ours.
	recorded = "sess"
)

// SelfValue is the value of [SelfVariable] for a command that is recorded in the file at a path.
func SelfValue(path string) string { return recorded + ":" + path }

// A Running has the sessions in which this program runs, as the environment names them.
type Running struct {
	first []address // by SelfVariable
	rest  []address // by the variables of agents
	note  string    // the agent that runs this program, and does not say in which session
}

// RunningSessions reads the environment: SESS_SELF, and the variables of the agents that are known. An agent hands on the
// variables of the one that started it, so that several sessions may be running.
func RunningSessions(getenv func(string) string) (r Running) {
	for part := range strings.SplitSeq(getenv(SelfVariable), ",") {
		name, id, ok := strings.Cut(part, ":")
		switch last := len(r.first) - 1; {
		case ok && name == recorded && filepath.IsAbs(id), ok && known.IsAgent(name) && session.ValidSessionID(id):
			r.first = append(r.first, address{name, id})
		case !ok && last >= 0 && r.first[last].format == recorded: // a path with a comma
			r.first[last].id += "," + part
		}
	}
	for _, agent := range known.Agents() {
		for _, variable := range agent.Running {
			a := address{agent.Name, getenv(variable)}
			if session.ValidSessionID(a.id) && !slices.Contains(r.rest, a) {
				r.rest = append(r.rest, a)
			}
		}
		named := slices.ContainsFunc(r.first, func(a address) bool { return a.format == agent.Name })
		if r.note == "" && agent.Mark != "" && getenv(agent.Mark) != "" && !named {
			r.note = agent.Name
		}
	}
	return r
}

// Address returns what other tools take for the session that self:AGENT means, and self: if agent is "": its address, or the
// path of one of ours. Sessions that SESS_SELF names go before others. None, and more than one, is a usage error.
func (r Running) Address(agent string) (string, error) {
	var found []string
	for _, list := range [][]address{r.first, r.rest} {
		for _, a := range list {
			if agent == "" || agent == a.format {
				found = append(found, a.String())
			}
		}
		if len(found) > 0 {
			break
		}
	}
	operand := address{Self, agent}.String()
	switch len(found) {
	case 0:
		return "", cli.WithHint(cli.UsageError("%s: nothing says which session is running", disk.Subject(operand)), "%s=AGENT:ID names it", SelfVariable)
	case 1:
		return strings.TrimPrefix(found[0], recorded+":"), nil
	}
	return "", cli.WithHint(cli.UsageError("%s: several sessions are running: %s", disk.Subject(operand), strings.Join(found, ", ")), "self:AGENT chooses, and so does %s=AGENT:ID", SelfVariable)
}

// Note is what has to be said where the running session is left out, and may not be: "" for nothing.
func (r Running) Note() string {
	if r.note == "" {
		return ""
	}
	return known.ProgramName(r.note) + " does not say which session is running, so that may be among the results; " + SelfVariable + "=" + r.note + ":ID names it"
}

// Silent returns the agent that runs this program and does not say in which session, "" for none.
func (r Running) Silent() string { return r.note }

// Known returns the test for all of the running sessions: their copies, by their ids, and the sessions that name one of them as
// the one that they come from, as those of sub-agents do.
func (r Running) Known() func(id, path, parent string) bool {
	names := map[string]bool{}
	for _, a := range slices.Concat(r.first, r.rest) {
		names[a.id] = true
		if a.format != recorded {
			continue
		}
		if f, err := store.OpenFile(a.id); err == nil {
			if h, err := session.ReadHeader(f); err == nil {
				names[h.ID] = true
			}
			_ = f.Close()
		}
	}
	return func(id, path, parent string) bool {
		if parent == "" {
			parent = store.ParentFile(path)
		}
		_, of, _ := strings.Cut(strings.TrimSuffix(filepath.Base(parent), ".jsonl"), "_")
		return names[id] || names[parent] || names[of]
	}
}

// Resolved returns the operand that another one means: of self: that of the running session, any other itself.
func Resolved(operand string) (string, error) {
	if a, ok := parseAddress(operand); ok && a.format == Self {
		return RunningSessions(os.Getenv).Address(a.id)
	}
	return operand, nil
}

// resolve is [Resolved], and -v says which session that is.
func resolve(s *cli.Streams, operand string) (string, error) {
	name, err := Resolved(operand)
	if err == nil && name != operand {
		s.Notef("%s: taking %s", operand, tty.Clean(name))
	}
	return name, err
}
