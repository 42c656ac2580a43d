package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/command"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/memo"
	"github.com/sess-tools/sess/internal/core/redact/rules"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
)

// A finding is what was found of one thing.
type finding struct {
	Check  string
	Status status
	Text   string
	Hint   string // what to do, "" for nothing
}

type status string

const (
	ok   status = "ok"
	warn status = "warn" // a tool does less than it could
	fail status = "fail" // a tool does not work
)

// A check examines one thing.
type check func(ctx context.Context, s *cli.Streams) []finding

// versions compares the tools that are found with this one.
func versions(ctx context.Context, _ *cli.Streams) []finding {
	const check = "versions"
	var other, silent []string
	names := subprocess.Installed("sess-")
	for _, name := range names {
		line, err := subprocess.Output(ctx, name, "--version")
		version, isOurs := strings.CutPrefix(line, name+" ")
		version, _, found := strings.Cut(version, " (session format")
		switch {
		case err != nil:
			silent = append(silent, name)
		case isOurs && found && version != cli.Version():
			other = append(other, name+" "+version)
		}
	}
	switch {
	case !slices.Contains(names, "sess-import"):
		return []finding{{check, warn, "sess-import is not installed", "sessions of other agents cannot be read"}}
	case len(other) > 0:
		return []finding{{check, warn, fmt.Sprintf("this is %s, but there is %s", cli.Version(), strings.Join(other, ", ")), "install all tools from one version"}}
	case len(silent) > 0:
		return []finding{{check, warn, "no version from " + strings.Join(silent, ", "), "remove what is no tool, or install it again"}}
	}
	return []finding{{Check: check, Status: ok, Text: fmt.Sprintf("%s, %s", cli.Version(), tty.Count(len(names), "program", "programs"))}}
}

// place returns the store, and the nearest directory above it that exists.
func place() (dir, existing string, err error) {
	if dir, err = address.StoreDir(); err != nil {
		return "", "", err
	}
	existing = dir
	for {
		if _, err := os.Stat(existing); !errors.Is(err, fs.ErrNotExist) || existing == filepath.Dir(existing) {
			return dir, existing, nil
		}
		existing = filepath.Dir(existing)
	}
}

// probe makes a file in a directory. The function removes it.
func probe(dir string) (f *os.File, remove func(), err error) {
	f, err = os.CreateTemp(dir, ".sess-doctor-")
	return f, func() {
		f.Close()
		_ = os.Remove(f.Name()) // the directory could be written to a moment ago
	}, err
}

// storeDir looks whether sessions can be stored.
func storeDir(context.Context, *cli.Streams) []finding {
	const check = "store"
	dir, existing, err := place()
	if err != nil {
		return []finding{{check, fail, err.Error(), "set SESS_DIR to a directory"}}
	}
	_, remove, err := probe(existing)
	if err != nil {
		return []finding{{check, fail, fmt.Sprintf("%s: %v", existing, disk.Cause(err)), "set SESS_DIR to a directory that you may write to"}}
	}
	defer remove()
	if existing != dir {
		return []finding{{Check: check, Status: ok, Text: dir + ", to be made"}}
	}
	if fi, err := os.Stat(dir); err == nil && fi.Mode().Perm()&0o077 != 0 {
		return []finding{{check, warn, fmt.Sprintf("%s: other users may enter it (%v)", dir, fi.Mode().Perm()), "chmod 700 keeps sessions private"}}
	}
	return []finding{{Check: check, Status: ok, Text: dir}}
}

// locks looks whether two writers of a file in the store would see each other.
func locks(context.Context, *cli.Streams) []finding {
	const check = "locks"
	_, existing, err := place()
	if err != nil {
		return nil // the store's finding
	}
	first, remove, err := probe(existing)
	if err != nil {
		return nil
	}
	defer remove()
	second, err := os.OpenFile(first.Name(), os.O_RDWR, 0)
	if err != nil {
		return []finding{{check, fail, fmt.Sprintf("%s: %v", existing, disk.Cause(err)), "keep sessions on another file system"}}
	}
	defer second.Close()
	taken, err := disk.Flock(first)
	again, err2 := disk.Flock(second)
	switch {
	case err != nil || err2 != nil || !taken:
		return []finding{{check, warn, fmt.Sprintf("%s: the file system has no locks", existing), "lock files are used instead; a killed writer may leave one"}}
	case again:
		return []finding{{check, fail, fmt.Sprintf("%s: two writers get the same lock", existing), "keep sessions on another file system"}}
	}
	return []finding{{Check: check, Status: ok, Text: "a second writer waits for the first"}}
}

// cache says how much is remembered of other agents' sessions, and where.
func cache(context.Context, *cli.Streams) []finding {
	const check = "cache"
	dir, err := memo.Dir()
	switch {
	case err != nil:
		return []finding{{check, warn, err.Error(), "set XDG_CACHE_HOME to a directory, or nothing is remembered of other agents' sessions"}}
	case dir == "":
		return []finding{{Check: check, Status: ok, Text: "off"}}
	}
	entries, size := memo.Size(dir)
	return []finding{{Check: check, Status: ok, Text: fmt.Sprintf("%s, %s, %s", dir, tty.Count(entries, "entry", "entries"), tty.Count(int(size), "byte", "bytes"))}}
}

// variables are what the tools read from the environment under a name of their own.
var variables = []string{"SESS_DIR", memo.Variable, command.Variable, "SESS_MODEL", "SESS_PROVIDER", rules.Variable, command.Guard}

// environment looks at the variables that tools read.
func environment(context.Context, *cli.Streams) []finding {
	const check = "environment"
	var out []finding
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case !strings.HasPrefix(name, "SESS_"), value == "" && name != command.Variable:
		case !slices.Contains(variables, name):
			f := finding{Check: check, Status: warn, Text: "no tool reads " + name}
			if closest, is := cli.Closest(name, variables); is {
				f.Hint = "did you mean " + closest + "?"
			}
			out = append(out, f)
		case name == command.Guard:
			out = append(out, finding{check, warn, name + " is set", "sess-compact starts no command in here"})
		case strings.TrimSpace(value) == "" && name == command.Variable:
			out = append(out, finding{check, fail, name + " is set, but empty", "name a command in it, or unset it"})
		}
	}
	if len(out) == 0 {
		out = append(out, finding{Check: check, Status: ok, Text: "no variable that contradicts the tools"})
	}
	return out
}

// agents lists the agents whose sessions are found.
func agents(ctx context.Context, _ *cli.Streams) []finding {
	const check = "agents"
	text, err := subprocess.Output(ctx, "sess-import", "--homes")
	if err != nil && cli.Status(err) != cli.ExitNo {
		return []finding{{Check: check, Status: warn, Text: err.Error()}}
	}
	var out []finding
	for line := range strings.Lines(text) {
		if name, home, is := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); is {
			out = append(out, finding{Check: check, Status: ok, Text: name + ": " + home})
		}
	}
	if len(out) == 0 {
		out = append(out, finding{Check: check, Status: ok, Text: "no sessions of other agents"})
	}
	return append(out, unread(ctx)...)
}

// unread says how many files at the homes of agents are not read, and names those that may be sessions.
func unread(ctx context.Context) (out []finding) {
	const check, most = "unread", 3
	text, err := subprocess.Output(ctx, "sess-import", "--unread")
	if err != nil && cli.Status(err) != cli.ExitNo {
		return []finding{{Check: check, Status: warn, Text: err.Error()}}
	}
	type kind struct{ agent, what string }
	var kinds []kind
	paths := map[kind][]string{}
	for line := range strings.Lines(text) {
		if columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(columns) == 3 {
			k := kind{columns[0], columns[1]}
			if paths[k] == nil {
				kinds = append(kinds, k)
			}
			paths[k] = append(paths[k], columns[2])
		}
	}
	for _, k := range kinds {
		n, list := len(paths[k]), paths[k]
		if k.what == "output" {
			out = append(out, finding{Check: check, Status: ok, Text: fmt.Sprintf("%s: %s beside sessions, which no tool reads", k.agent, tty.Count(n, "output", "outputs"))})
			continue
		}
		if n > most {
			list = append(slices.Clone(list[:most]), "…")
		}
		out = append(out, finding{check, warn, fmt.Sprintf("%s: %s may be sessions, and no tool reads them: %s", k.agent, tty.Count(n, "file", "files"), strings.Join(list, ", ")), "sess-import --unread lists them"})
	}
	return out
}

// maps looks at the user's own maps.
func maps(ctx context.Context, _ *cli.Streams) (out []finding) {
	const check = "maps"
	text, err := subprocess.Output(ctx, "sess-import", "--maps")
	if err != nil {
		return []finding{{Check: check, Status: warn, Text: err.Error()}}
	}
	homes, _ := subprocess.Output(ctx, "sess-import", "--homes")
	for line := range strings.Lines(text) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) != 4 || columns[2] == "embedded" {
			continue
		}
		f := finding{Check: check, Status: ok, Text: columns[0] + ": " + columns[2]}
		info, err := os.Stat(columns[2])
		switch {
		case columns[3] != "ok":
			f.Status, f.Text = warn, columns[0]+": "+columns[3]
		case err == nil && info.Mode().Perm()&0o022 != 0:
			f.Status, f.Text, f.Hint = warn, columns[2]+": others may write it", "chmod go-w it"
		case !strings.Contains("\n"+homes, "\n"+columns[0]+"\t"):
			f.Status, f.Text = warn, columns[0]+": none of its homes is on this machine"
		}
		out = append(out, f)
	}
	return out
}

// secrets looks at the file of rules for secrets.
func secrets(_ context.Context, s *cli.Streams) []finding {
	const check = "secrets"
	r, err := rules.Read(s, rules.Added{Keyless: true})
	switch {
	case err != nil:
		return []finding{{check, fail, err.Error(), "no tool takes secrets out until it is repaired"}}
	case r.File == "":
		return []finding{{Check: check, Status: ok, Text: "the built-in rules, and no redact.toml"}}
	}
	if fi, err := os.Stat(r.File); err == nil && fi.Mode().Perm()&0o022 != 0 {
		return []finding{{check, warn, r.File + ": other users may write it, and declare that nothing is a secret", "chmod go-w it"}}
	}
	return []finding{{Check: check, Status: ok, Text: fmt.Sprintf("%s, %s", r.File, tty.Count(len(r.Set.Rules()), "rule", "rules"))}}
}

// answerTime is how long the summarizer has to answer a few words.
const answerTime = time.Minute

// summarizer asks the summarizer for a word.
func (c *config) summarizer(ctx context.Context, s *cli.Streams) []finding {
	const check = "summarizer"
	shell := os.Getenv(command.Variable)
	switch {
	case strings.TrimSpace(shell) == "":
		return []finding{{check, ok, command.Variable + " is not set", "sess-compact extracts summaries without a model"}}
	case c.offline:
		return []finding{{Check: check, Status: ok, Text: shell + ", not asked"}}
	}
	cmd := command.Command{Shell: shell, Name: command.Variable, Timeout: answerTime, Summarizes: true}
	if s.Verbose {
		cmd.Stderr = s.Err
	}
	if _, err := cmd.Run(ctx, "Reply with the word ok, and nothing else."); err != nil {
		return []finding{{check, fail, err.Error(), "sess-compact will fail in the same way"}}
	}
	return []finding{{Check: check, Status: ok, Text: shell + ", answers"}}
}

// terminals says which streams are terminals.
func terminals(_ context.Context, s *cli.Streams) []finding {
	const check = "terminals"
	var are []string
	for _, f := range []struct {
		name string
		file *os.File
	}{{"input", s.InFile()}, {"output", s.OutFile()}, {"error", s.ErrFile()}} {
		if tty.IsTerminal(f.file) {
			are = append(are, "standard "+f.name)
		}
	}
	if len(are) == 0 {
		return []finding{{Check: check, Status: ok, Text: "none"}}
	}
	locale := ""
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale = os.Getenv(name); locale != "" {
			break
		}
	}
	if lower := strings.ToLower(locale); !strings.Contains(lower, "utf-8") && !strings.Contains(lower, "utf8") {
		return []finding{{check, warn, fmt.Sprintf("the locale %q is not UTF-8", locale), "tools print UTF-8; set LANG, for example to C.UTF-8"}}
	}
	return []finding{{Check: check, Status: ok, Text: fmt.Sprintf("%s, %d columns", strings.Join(are, ", "), tty.Width(s.OutFile(), os.LookupEnv))}}
}

// driver is the name of the merge driver in the documentation of sess-merge.
const driver = "sess"

// mergeDriver looks whether git knows the merge driver that the attributes of the work
// tree name: git says nothing of one that it does not know, and merges lines.
func mergeDriver(ctx context.Context, _ *cli.Streams) []finding {
	const check = "git"
	file := attributes()
	if file == "" {
		return nil
	}
	line, err := subprocess.Output(ctx, "git", "config", "--get", "merge."+driver+".driver")
	if err != nil || strings.TrimSpace(line) == "" {
		return []finding{{
			check, warn, fmt.Sprintf("%s names the merge driver %s, which git does not know here: it merges lines", file, driver),
			"git config merge." + driver + ".driver 'sess-merge --git -- %O %A %B %P'",
		}}
	}
	return []finding{{Check: check, Status: ok, Text: fmt.Sprintf("%s names the merge driver %s: %s", file, driver, line)}}
}

// attributes returns the file with attributes that names the driver, "" if none does, from
// the working directory up to the top of the work tree.
func attributes() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for found := ""; ; dir = filepath.Dir(dir) {
		if name := filepath.Join(dir, ".gitattributes"); found == "" && names(name) {
			found = name
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return found
		}
		if dir == filepath.Dir(dir) {
			return "" // in no work tree
		}
	}
}

// names reports whether a file with attributes names the driver.
func names(file string) bool {
	data, err := disk.ReadFile(file)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) > 1 && !strings.HasPrefix(words[0], "#") && slices.Contains(words[1:], "merge="+driver) {
			return true
		}
	}
	return false
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
json
offline
`
