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
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if n := columns(f.Fd()); n > 0 {
			return n
		}
	}
	if v, ok := lookup("COLUMNS"); ok {
		if n, err := strconv.Atoi(v); err == nil && n > 0 {
			return n
		}
	}
	return DefaultWidth
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
