// Package cli is the frame every sess-* binary hangs in: flags, help,
// version, messages and exit statuses, in one place so that the tools cannot
// drift apart.
//
// The rules it enforces:
//
//   - Data goes to standard output; everything else goes to standard error, one
//     line a message, behind the tool's name, with control characters made
//     visible.
//   - Flags may stand before or after operands; "--" ends them.
//   - A usage error is status 2 and writes nothing to standard output.
//   - An error on standard output is never lost, not even after success.
//   - Only [Main] calls os.Exit.
//
// Flags are urfave/cli's flag types, made by [String], [Bool] and the other
// constructors, and parsed here the way getopt_long(3) does it. Its App is not
// used; docs/adr/0028-the-command-line.md says why.
package cli

import (
	"context"
	_ "embed"
	"runtime/debug"
	"slices"
	"strings"
)

// A Tool describes one binary.
type Tool struct {
	Name     string // "sess-append"
	Summary  string // the NAME line of its man page, without the name
	Args     string // operands as in the SYNOPSIS, "[SESSION]"
	Doc      string // a paragraph or two of plain text
	Examples string // printed before the flags in help; one command a line

	// Common are the flags that most people use, which are those that -h prints, in this order: a line for each with
	// its long name, and behind a colon its text where that of --help is too long for a line. A line may name several.
	Common string

	// Command says that words after "--" are a command to run, handed over in
	// [Streams.Command], and not operands.
	Command bool

	// Dispatch says that the first operand names a program: the flags end in front of
	// it, and the words behind it are operands, flags among them.
	Dispatch bool

	// Writes says that the tool changes or records a session: its warnings are printed at once and each of them, beside the
	// entries that they are about. Those of others are kept to the end of the run, see [Streams.Fold].
	Writes bool

	// Commands are the commands of a tool that has several: the first operand is the Name of one.
	// Each has flags, operands and a help. Such a tool has no New.
	Commands []Tool

	// New returns fresh flags and the action that reads them. It is called once
	// per Run, so that Run may be called concurrently, and it must not look at
	// the world: help, completion and the man page test call it too.
	//
	// The flags help, h, version, quiet, q, verbose, v and color belong to the frame, but for those names
	// that the tool declares itself.
	New func() ([]Flag, Action)

	// Complete adds candidates for a place of a command line that is no flag, none of a flag's few
	// words, and no file. It is called for the names that Args and the usage of the flags have.
	// Candidates that it adds after ctx has ended are dropped.
	Complete func(ctx context.Context, at Place, add func(Candidate))
}

// An Action is the body of a tool. It gets the operands, flags removed. Its
// error is printed by [Run] and chooses the exit status, see [Status].
type Action func(ctx context.Context, s *Streams, operands []string) error

// pick returns the command that args name, and args without its name. The flags
// of the frame, which take no values, may stand before it, and so may a switch of
// the command. A tool without commands is its own.
func (t Tool) pick(args []string) (Tool, []string, error) {
	if len(t.Commands) == 0 {
		return t, args, nil
	}
	for i, arg := range args {
		if len(arg) > 1 && arg[0] == '-' && arg != "--" {
			continue
		}
		at := slices.IndexFunc(t.Commands, func(c Tool) bool { return c.Name == arg })
		if at < 0 {
			return t, nil, t.unknownCommand(arg, i > 0, args[i+1:])
		}
		c := t.Commands[at]
		c.Name, c.Writes = t.Name+" "+c.Name, c.Writes || t.Writes
		return c, slices.Concat(args[:i], args[i+1:]), nil
	}
	return t, args, nil
}

// flags returns fresh flags and the action that reads them. A tool with commands
// has neither, if none is named.
func (t Tool) flags() ([]Flag, Action) {
	if len(t.Commands) == 0 {
		return t.New()
	}
	return nil, func(context.Context, *Streams, []string) error {
		return UsageError("no command named: want %s", strings.Join(t.commandNames(), ", "))
	}
}

// unknownCommand refuses a word where a command stands. Behind a flag it may be the value of
// that, which belongs behind the command.
func (t Tool) unknownCommand(word string, behind bool, rest []string) error {
	err := UsageError("unknown command %q: want %s", word, strings.Join(t.commandNames(), ", "))
	for _, name := range t.commandNames() {
		if behind && slices.Contains(rest, name) {
			return WithHint(err, "the flags of a command come after it: %s %s ...", t.Name, name)
		}
	}
	if closest, ok := Closest(word, t.commandNames()); ok {
		return WithHint(err, "did you mean %s?", closest)
	}
	return err
}

func (t Tool) commandNames() []string {
	names := make([]string, len(t.Commands))
	for i, c := range t.Commands {
		names[i] = c.Name
	}
	return names
}

// version is set by scripts/install with -ldflags -X.
var version string

// archived is "VERSION COMMIT" in an archive of the sources: git fills it in, as does
// scripts/release. In a working copy it is the two formats that git would replace.
//
//go:embed archive.txt
var archived string

// Version returns the version of the running binary and, if it is known and no part of the version,
// the beginning of the commit behind it: what scripts/install said, else what the archive says that
// it was built from, else what Go recorded, else "(devel)".
func Version() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(version, archived, info)
}

func versionOf(stamped, archived string, info *debug.BuildInfo) string {
	if stamped != "" {
		return stamped
	}
	if v, commit := ofArchive(archived); commit != "" {
		return withCommit(v, commit)
	}
	if info == nil || info.Main.Version == "" {
		return "(devel)"
	}
	return withCommit(info.Main.Version, revision(info))
}

// ofArchive returns what an archive says of itself. An archive of a commit without a tag has no version,
// and a git that is older than 2.32 leaves the format of the version as it is.
func ofArchive(text string) (version, commit string) {
	words := strings.Fields(text)
	if len(words) == 0 || strings.Contains(words[len(words)-1], "$") {
		return "", ""
	}
	commit = words[len(words)-1]
	if len(words) == 2 && !strings.ContainsAny(words[0], "$%") {
		return words[0], commit
	}
	return "(devel)", commit
}

// revision is the commit that Go found in the working copy, "" if there was none.
func revision(info *debug.BuildInfo) string {
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

// withCommit adds the commit to a version, unless the version says it, as that of an untagged
// commit does.
func withCommit(version, commit string) string {
	commit = commit[:min(12, len(commit))]
	if commit == "" || strings.Contains(version, commit[:min(7, len(commit))]) {
		return version
	}
	return version + " " + commit
}
