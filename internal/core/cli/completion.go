package cli

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
)

// The scripts are the same for every tool, but for the lines that say which there are.
var (
	//go:embed completion.bash
	bashScript string

	//go:embed completion.zsh
	zshScript string

	//go:embed completion.fish
	fishScript string
)

// Completion writes a script that completes the command lines of the given tools. The
// shell is bash, zsh or fish. The script asks the tool itself, which has to be in PATH:
// what there is to complete stands in one place, and is never out of date.
func Completion(w io.Writer, shell string, tools []Tool) error {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	all := strings.Join(names, " ")
	var script string
	switch shell {
	case "bash":
		script = bashScript + "complete -F _sess_complete " + all + "\n"
	case "zsh":
		script = "#compdef " + all + "\n\n" + zshScript + "_sess_complete \"$@\"\n"
	case "fish":
		script = fishScript
		for _, name := range names {
			script += "complete -c " + name + " -k -f -a '(__sess_complete)'\ncomplete -c " + name + " -F -n __sess_files\n"
		}
	default:
		return UsageError("no completion for shell %q: want bash, zsh, fish", shell)
	}
	if _, err := io.WriteString(w, script); err != nil {
		return fmt.Errorf("writing completion: %w", err)
	}
	return nil
}

// dashed returns the names as they stand on a command line.
func (d FlagDoc) dashed() []string {
	out := make([]string, len(d.Names))
	for i, n := range d.Names {
		out[i] = dashed(n)
	}
	return out
}

// ShellQuote quotes s for a POSIX shell, bash and zsh among them.
func ShellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// completionFlag makes a tool print the script that completes its command lines in the
// shell named by the one argument behind it. It is there for installers, and --help does
// not list it.
const completionFlag = "--completion"

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
