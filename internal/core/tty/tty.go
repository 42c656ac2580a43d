package tty

import (
	"strconv"
	"strings"

	"github.com/mattn/go-isatty"
)

// DefaultWidth is the number of columns assumed when nothing says otherwise.
const DefaultWidth = 80

// IsTerminal reports whether v, usually an [os.File], is a terminal. Anything
// without a file descriptor is not one, so ask before wrapping a stream in a
// buffer. /dev/null is a character device but no terminal.
func IsTerminal(v any) bool {
	f, ok := v.(interface{ Fd() uintptr })
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// Color reports whether output to w may be coloured. The mode is the value of
// a --color flag: "always" and "never" decide by themselves; "auto" (and any
// other value) asks for a terminal, a TERM other than "dumb", and an empty
// NO_COLOR. The environment is read through lookup, usually [os.LookupEnv].
func Color(mode string, w any, lookup func(string) (string, bool)) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	if v, _ := lookup("NO_COLOR"); v != "" {
		return false
	}
	if v, _ := lookup("TERM"); v == "dumb" {
		return false
	}
	return IsTerminal(w)
}

// Width returns the width of the terminal w in columns. Without a terminal it
// is COLUMNS, read through lookup, and failing that [DefaultWidth].
func Width(w any, lookup func(string) (string, bool)) int {
	columns, _ := size(w)
	return first(columns, "COLUMNS", lookup, DefaultWidth)
}

// Height returns how many lines the terminal w has. Without a terminal it is LINES, read through lookup, and failing that 24.
func Height(w any, lookup func(string) (string, bool)) int {
	_, lines := size(w)
	return first(lines, "LINES", lookup, 24)
}

// size asks the driver of the terminal w. 0 is one that is not known.
func size(w any) (columns, lines int) {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		return windowSize(f.Fd())
	}
	return 0, 0
}

// first returns n, or else the number in a variable, or else usual.
func first(n int, variable string, lookup func(string) (string, bool), usual int) int {
	if v, ok := lookup(variable); n <= 0 && ok {
		n, _ = strconv.Atoi(v)
	}
	if n <= 0 {
		return usual
	}
	return n
}

// UTF8 reports whether the characters of the locale are UTF-8. The first variable that is set and not empty decides, as
// in setlocale(3); without any the locale is C. The environment is read through lookup, usually [os.LookupEnv].
func UTF8(lookup func(string) (string, bool)) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v, _ := lookup(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}
