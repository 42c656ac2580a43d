package address

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// stdinName names standard input in messages.
const stdinName = "standard input"

// One returns the only operand, "" if there is none.
func One(operands []string) (string, error) {
	if len(operands) > 1 {
		unexpected := operands[1]
		if !exists(operands[0]) && exists(unexpected) {
			unexpected = operands[0]
		}
		return "", cli.UsageError("unexpected operand %q", unexpected)
	}
	if len(operands) == 0 {
		return "", nil
	}
	return operands[0], RefuseEmpty(operands[0])
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// RefuseEmpty refuses an operand that is empty: a variable that was not set, or a command
// that printed nothing, where a session was meant.
func RefuseEmpty(operand string) error {
	if operand != "" {
		return nil
	}
	return cli.WithHint(cli.UsageError("the name of the session is empty"), "- is standard input")
}

// Path returns the file to open for the session an operand names: the operand
// itself if such a file exists, else its draft, else the file of the session of
// the store with that id or unique id prefix. Standard input has the path "". That
// of another agent's session is an error.
func Path(ctx context.Context, operand string) (string, error) {
	p, err := locate(ctx, operand)
	return p.file, err
}

// A place is the path of a session and the file that holds it. A draft has the path
// of the session it will be. The file of a session that has a committed segmented
// store is that store.
type place struct {
	path, file string
	stored     bool
}

func (p place) draft() bool { return p.file != p.path && !p.stored }

// placeTries bounds how often a session is looked for that goes away between
// being found and being opened. Once is what publishing a draft takes, or migrating
// and rolling back.
const placeTries = 16

// open finds the session an operand names and opens it with the function given,
// once more if it was a draft that has been published in between.
func open(ctx context.Context, s *cli.Streams, operand string, with func(place) error) (p place, err error) {
	for range placeTries {
		p, err = locate(ctx, operand)
		if p, err = sessionAt(operand, p, err); err != nil {
			return p, err
		}
		err = with(p)
		if err == nil && p.draft() {
			s.Notef("%s: not published yet, using its draft %s", p.path, p.file)
		}
		if err == nil && p.stored && s.Once(p.path) {
			s.Notef("%s: its segmented store %s is the session", p.path, p.file)
		}
		if err == nil || !p.mayMove(err) {
			break
		}
	}
	if fi, serr := os.Stat(operand); err != nil && serr == nil && fi.IsDir() && !p.isStore() {
		err = cli.WithHint(err, "sess-ls %s lists the sessions in it", cli.ShellWords([]string{operand}))
	}
	return p, err
}

// misnamed adds to the error of an entry that is not in a session what lists those that are.
func misnamed(path string, err error) error {
	if _, ok := errors.AsType[*session.RefError](err); !ok || path == "" || strings.HasSuffix(err.Error(), ")") {
		return err // or it says what there is
	}
	return cli.WithHint(err, "sess-tree %s shows the entries", cli.ShellWords([]string{path}))
}

// ErrAbsent is the error of an operand that names nothing.
var ErrAbsent = errors.New("no such session")

// An absentError says of an operand that it names nothing, in its own words.
type absentError string

func (e absentError) Error() string        { return string(e) }
func (e absentError) Is(target error) bool { return target == ErrAbsent }

// Creatable adds to the error of a session that is not there that --create makes it, for a
// tool that has the flag.
func Creatable(err error, created bool) error {
	absent, ok := errors.AsType[absentError](err)
	if created || !ok || err.Error() != string(absent) {
		return err // or there is more to it: it was there before
	}
	return cli.WithHint(absent, "--create makes it")
}

func locate(ctx context.Context, operand string) (place, error) {
	if operand == "" || operand == "-" {
		return place{}, nil
	}
	if err := Writable(operand); err != nil {
		return place{}, err
	}
	file, err := store.Locate(operand)
	switch {
	case err == nil:
		return place{path: operand, file: file}, nil
	case !errors.Is(err, fs.ErrNotExist), strings.ContainsRune(operand, os.PathSeparator):
		return place{}, elsewhere(operand, fmt.Errorf("opening %s: %w", disk.Subject(operand), disk.Cause(err)))
	}
	dir, derr := StoreDir()
	if derr != nil {
		return place{}, err
	}
	found, ferr := store.Open(dir).Find(ctx, operand)
	switch {
	case errors.Is(ferr, store.ErrNotFound), errors.Is(ferr, fs.ErrNotExist):
		return place{}, notFound(operand, ferr)
	case ferr != nil:
		return place{}, ferr
	}
	return place{path: found, file: found}, nil
}

// notFound says that an operand names nothing, which the store finds too, and what may have
// been meant.
func notFound(operand string, cause error) error {
	if len(operand) < session.MinPrefix {
		return absentError(fmt.Sprintf("%s: no such file, and the beginning of an id has at least %d characters", disk.Subject(operand), session.MinPrefix))
	}
	err := absentError(disk.Subject(operand) + ": no such file, and no session of the store has such an id")
	if agent, ok := cli.Another(operand, known.Names()); ok {
		return cli.WithHint(err, ofAgent, agent, agent, agent)
	}
	if near, ok := nearAddress(operand); ok {
		return cli.WithHint(err, "did you mean %s?", near)
	}
	if missing, ok := errors.AsType[*store.NotFoundError](cause); ok && len(missing.Nearest) > 0 {
		return cli.WithHint(err, "did you mean %s?", strings.Join(missing.Nearest, " or "))
	}
	if near, ok := nearFile(operand); ok {
		return cli.WithHint(err, "did you mean %s?", near)
	}
	if strings.Trim(operand, "0123456789abcdef-") == "" {
		return cli.WithHint(err, "the name of an agent stands before the id of its session, as in claude:%s; sess-ls --agent all lists those sessions, sess-ls --all those of the store", operand)
	}
	return cli.WithHint(err, "sess-ls --all lists the sessions of the store")
}

// ofAgent is the hint for the name of an agent where an operand is wanted.
const ofAgent = "%s: is the newest session of %s here, and --agent %s takes all of them"

// nearFile returns the session file of this directory that a mistyped name was most likely
// meant to be.
func nearFile(name string) (near string, ok bool) {
	files, err := filepath.Glob("*.jsonl")
	if err != nil || filepath.Ext(name) != ".jsonl" {
		return "", false
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(file, ".jsonl")
	}
	near, ok = cli.Closest(strings.TrimSuffix(name, ".jsonl"), files)
	return near + ".jsonl", ok
}

// nearAddress returns the address that a mistyped one was most likely meant to be.
func nearAddress(operand string) (near string, ok bool) {
	format, id, ok := strings.Cut(operand, ":")
	if !ok {
		return "", false
	}
	agent, ok := cli.Closest(format, append(known.Names(), Remote, Self))
	return agent + ":" + id, ok
}

// Mistaken adds to the error of a file that is not there what may have been meant.
func Mistaken(operand string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if near, ok := nearAddress(operand); ok && near != operand {
		return cli.WithHint(err, "did you mean %s?", near)
	}
	if agent, ok := cli.Another(operand, known.Names()); ok {
		return cli.WithHint(err, ofAgent, agent, agent, agent)
	}
	return elsewhere(operand, err)
}

// elsewhere adds a hint to the error of a file that is not there, if the operand is a URL: how to read a session from the web
// or from a remote.
func elsewhere(operand string, err error) error {
	scheme, _, ok := strings.Cut(operand, "://")
	switch {
	case !ok:
		return err
	case scheme == "http" || scheme == "https":
		return cli.WithHint(err, "fetch it, and name the file: curl -fsSo s.jsonl %s", cli.ShellQuote(operand))
	}
	return cli.WithHint(err, "SESS_REMOTE names a remote, and %s:ID a session in it", Remote)
}

// StoreDir returns the directory of the store.
func StoreDir() (string, error) {
	home, _ := os.UserHomeDir() // Dir complains if it needs it
	return store.Dir(os.Getenv, home)
}

// Reference returns how a new session names the one it descends from: by the
// absolute path of the file its operand names, "" for no operand. A draft is
// named by the path it will have, another agent's session by its id.
func Reference(ctx context.Context, s *cli.Streams, operand string) (string, error) {
	if operand == "" {
		return "", nil
	}
	operand, err := Resolved(operand)
	if err != nil {
		return "", err
	}
	if a, ok := parseAddress(operand); ok {
		h, err := a.header(ctx, s)
		return h.ID, err
	}
	p, err := locate(ctx, operand)
	if err != nil {
		return "", err
	}
	if p.path == "" {
		return "", cli.UsageError("standard input is no session to descend from")
	}
	return filepath.Abs(p.path)
}

// inStore reports whether a path lies inside the store.
func inStore(path string) bool {
	dir, err := StoreDir()
	if err != nil {
		return false
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(dir, abs)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(os.PathSeparator))
}

// MeantText adds to the error of a second operand that a text comes after -t, as a command line of the tool with the words rest behind it.
func MeantText(err error, tool string, operands []string, rest ...string) error {
	if len(operands) < 2 {
		return err
	}
	text, name := operands[0], operands[1]
	if _, serr := os.Stat(text); serr == nil { // it is the other way round
		text, name = name, text
	}
	return cli.WithHint(err, "the text comes after -t: %s", cli.ShellWords(append([]string{tool, "-t", text, name}, rest...)))
}
