package store

import (
	"os"
	"strings"
)

// terminalVariables are the variables that name a terminal, in oh-my-pi 18's
// order, with what it puts in front of their values.
var terminalVariables = []struct{ name, prefix string }{
	{"ZELLIJ_PANE_ID", "zellij-"},
	{"TMUX_PANE", "tmux-"},
	{"CMUX_SURFACE_ID", "cmux-"},
	{"KITTY_WINDOW_ID", "kitty-"},
	{"WEZTERM_PANE", "wezterm-"},
	{"TERM_SESSION_ID", "apple-"},
	{"WT_SESSION", "wt-"},
}

// Terminals returns the ids of the terminal a process runs in, made as
// oh-my-pi 18 makes them: from tty, the path of the terminal that standard
// input is ("" if it is none), and from the environment, whose first variable
// that is set counts. The first id is oh-my-pi's, and the one to write under;
// a program whose input is a pipe, though, only has the environment's, so a
// reader looks at both. Without any, as in CI, there is none.
//
// The ids serve as names of files. One that cannot is left out.
func Terminals(tty string, getenv func(string) string) []string {
	var ids []string
	if tty != "" {
		ids = append(ids, strings.ReplaceAll(strings.TrimPrefix(tty, "/dev/"), "/", "-"))
	}
	for _, v := range terminalVariables {
		value := getenv(v.name)
		if value == "" {
			continue
		}
		if s := getenv("ZELLIJ_SESSION_NAME"); v.name == "ZELLIJ_PANE_ID" && s != "" {
			value = strings.NewReplacer("/", "-", `\`, "-").Replace(s) + "-" + value
		}
		ids = append(ids, v.prefix+value)
		break
	}
	valid := ids[:0]
	for _, id := range ids {
		if validTerminal(id) {
			valid = append(valid, id)
		}
	}
	return valid
}

// validTerminal reports whether an id can be the name of a file in its own
// directory, and of no temporary one. oh-my-pi takes any value as it is.
func validTerminal(id string) bool {
	if id == "" || id[0] == '.' || len(id) > 255 || strings.ContainsAny(id, "/"+string(os.PathSeparator)) {
		return false
	}
	return !strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f })
}
