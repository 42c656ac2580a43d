package operand

// NothingStored says that the store has no session to list, and which flags look elsewhere: of
// the working directory cwd if that was named, of this one, or of all. It is news, which -q
// silences.
func NothingStored(all bool, cwd string) string {
	switch {
	case all:
		return "no session in the store: --agent all takes those of other agents"
	case cwd != "":
		return "no session of " + cwd + " in the store: --agent all takes those of other agents"
	}
	return "no session of this directory in the store: --all takes those of all directories, --agent all those of other agents"
}
