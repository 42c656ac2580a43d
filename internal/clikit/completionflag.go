package clikit

// completionFlag makes a tool print the script that completes its flags in the
// shell named by the one argument behind it. It is there for installers, so that
// what they install is what the tool takes, and --help does not list it.
const completionFlag = "--completion"

// asksCompletion returns the shell that args want a script for, and whether they
// do. The flag counts only alone on the command line: elsewhere it is unknown.
func asksCompletion(args []string) (shell string, ok bool) {
	if len(args) != 2 || args[0] != completionFlag {
		return "", false
	}
	return args[1], true
}
