package address

import (
	"path/filepath"
	"strings"
)

// Shown returns the name under which people see a session, before it is shortened: its address if it has one, AGENT:ID for
// one of an agent whose sessions are files of ours, the id of a file that is called by it, as in the store, or the path.
// Agent is "" for none. The name is the operand for which other tools take the session; id may be "" if it is not known.
func Shown(agent, name, id string) string {
	if _, ok := parseAddress(name); ok {
		return name
	}
	base, jsonl := strings.CutSuffix(filepath.Base(name), ".jsonl")
	if _, own, ok := strings.Cut(base, "_"); ok && jsonl && id == "" {
		id = own
	}
	switch {
	case agent != "" && id != "":
		return agent + ":" + id
	case id != "" && jsonl && strings.HasSuffix(base, "_"+id):
		return id
	}
	return name
}
