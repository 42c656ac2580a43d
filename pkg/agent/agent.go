// Package agent is the table of the agents whose sessions are read: what each is called, where a map finds its
// sessions, what its tools do, and how it goes on with a session.
//
// The row of an agent whose format is a map is the header of that map, internal/agents/jqmap/maps/NAME.jq;
// the others are in native.go.
package agent

//go:generate go test ../../internal/agents/jqmap -run ^TestTable$ -update

import (
	"slices"
	"strings"
	"sync"
)

// An Agent is a row of the table. All but Name may be unknown of a map of the user's.
type Agent struct {
	Name    string // a word in lower case, in addresses in front of the colon: "grok"
	Program string // what people call the program, "Grok Build"
	Summary string // what a source of the format is, "sessions of Grok Build"

	Homes []string // of a map: places of its sessions, of which the first whose variable is set counts
	Files []string // of a map whose place is all of the home directory, [Wide]: the patterns that lead to sessions
	Signs []string // of a map: texts of which the beginning of a session has one

	Zero  []string // tools whose result is an error unless the command ended with 0, so that any other result says that it did
	Tools []Tools  // its own tools by kind; the names that many agents have are in internal/core/calls

	Resume  []string // the command that goes on with a session; the word [ID] stands for its id. Nil is none
	Running []string // variables in which it hands the id of the running session to commands
	Mark    string   // a variable that it sets for commands, if it hands no id to them

	Like    string // the format of another agent in which the sessions are kept, "" for none
	Map     bool   // its format is a map
	Native  bool   // its sessions are files that every tool reads in place
	Grows   bool   // a session that goes on is one to which entries are appended
	Written bool   // sessions can be written in its format
}

// Tools are names of tools of which all calls are of one kind.
type Tools struct {
	Kind  string // "run", "read" and so on: see internal/core/calls
	Names []string
}

// Wide is the place of a map whose sessions are below directories of editors, of which there are many.
const Wide = "~"

// ID is the word of [Agent.Resume] that stands for the id of the session.
const ID = "ID"

// All returns the agents: those that keep their sessions in a place of their own.
func All() []Agent { return slices.Concat(native, embedded, rare) }

// EndsWithZero reports whether there is an agent whose tool of this name says by a result without an error that a command ended
// with 0, see [Agent.Zero].
func EndsWithZero(tool string) bool { return zeros()[tool] }

var zeros = sync.OnceValue(func() map[string]bool { return ZeroTools(All()) })

// ZeroTools returns the tools of [Agent.Zero] of agents.
func ZeroTools(agents []Agent) map[string]bool {
	tools := map[string]bool{}
	for _, a := range agents {
		for _, name := range a.Zero {
			tools[name] = true
		}
	}
	return tools
}

// Named returns the agent of [All] with a name, or the API.
func Named(name string) (Agent, bool) { return find(name, native, embedded, rare, apis) }

// Has reports whether an agent of [All] has a name.
func Has(name string) bool {
	_, ok := find(name, native, embedded, rare)
	return ok
}

func find(name string, lists ...[]Agent) (Agent, bool) {
	for _, list := range lists {
		for i := range list {
			if list[i].Name == name {
				return list[i], true
			}
		}
	}
	return Agent{}, false
}

// ResumeWith returns the command that goes on with the session that has an id, nil if none is known: sub-agents,
// whose ids begin with "agent-", cannot be gone on with.
func (a Agent) ResumeWith(id string) []string {
	if a.Resume == nil || strings.HasPrefix(id, "agent-") {
		return nil
	}
	command := slices.Clone(a.Resume)
	for i, word := range command {
		if word == ID {
			command[i] = id
		}
	}
	return command
}

// ValidName reports whether a name may be that of a map: a letter in lower case and up to 30 letters in lower case
// and digits.
func ValidName(name string) bool {
	if name == "" || len(name) > 31 || name[0] < 'a' {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}
