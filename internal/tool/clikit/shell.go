package clikit

import "strings"

// ShellWords returns the command line of words for a POSIX shell: what a hint names can
// be run as it stands.
func ShellWords(argv []string) string {
	out := make([]string, len(argv))
	for i, arg := range argv {
		const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+"
		if out[i] = arg; arg == "" || strings.Trim(arg, plain) != "" {
			out[i] = ShellQuote(arg)
		}
	}
	return strings.Join(out, " ")
}
