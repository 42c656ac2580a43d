package main

import (
	"os"
	"strings"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/pkg/store"
)

// inDirectory returns the command line that runs commands one after the other in the working
// directory of a session: agents look for the sessions of the one they are in.
func inDirectory(cwd string, commands [][]string) string {
	here, err := os.Getwd()
	if cwd != "" && err == nil && !store.SameDir(here)(cwd) {
		commands = append([][]string{{"cd", cwd}}, commands...)
	}
	lines := make([]string, len(commands))
	for i, argv := range commands {
		lines[i] = clikit.ShellWords(argv)
	}
	return strings.Join(lines, " && ")
}
