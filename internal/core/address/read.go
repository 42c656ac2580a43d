package address

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// A Source is a session that was read, and where from.
type Source struct {
	*session.Session
	Name string // for messages
	Path string // "" for standard input and another agent's session; for a draft the path it will have

	operand string
	streams *cli.Streams
}

// Read reads the session an operand names and warns of its damage.
func Read(ctx context.Context, s *cli.Streams, operand string) (*Source, error) {
	in, err := Open(ctx, s, operand)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.Session()
}

// An Input is a session that is open and has not been read.
type Input struct {
	io.ReadCloser
	File string // path of the file that is open, "" for standard input, and for another agent's session
	Name string // for messages

	operand string // as it was given
	path    string // as in Source
	foreign bool   // no file that could be read anywhere: another agent's, or a segmented store's
	streams *cli.Streams
}

// Open opens the session an operand names. Another agent's session is read while it
// is imported. An error of the import is an error of reading, so a truncated session
// is never mistaken for a complete one.
func Open(ctx context.Context, s *cli.Streams, operand string) (*Input, error) {
	operand, err := resolve(s, operand)
	if err != nil {
		return &Input{streams: s, operand: operand}, err
	}
	in := &Input{streams: s, operand: operand}
	if a, ok := parseAddress(operand); ok {
		in.ReadCloser, err = a.open(ctx, s)
		in.Name, in.foreign = operand, true
		return in, err
	}
	p, err := open(ctx, s, operand, func(p place) (err error) {
		if in.foreign = p.isStore(); in.foreign {
			in.ReadCloser, err = p.openStore(ctx, s)
			return err
		}
		in.ReadCloser, err = s.OpenInput(p.file)
		return err
	})
	in.File, in.Name, in.path = p.file, cmp.Or(p.name(), stdinName), p.path
	return in, err
}

// OpenAny is [Open] for tools that only read: a file of another agent, of any format that the importer finds in it, is
// read while it is imported, as a session in that agent's home is. -v says so.
func OpenAny(ctx context.Context, s *cli.Streams, operand string) (*Input, error) {
	in, err := Open(ctx, s, operand)
	if err != nil || in.File == "" {
		return in, err
	}
	f, size, ok := in.Large(0)
	if !ok {
		return in, nil
	}
	_, err = session.ReadHeader(io.NewSectionReader(f, 0, size))
	if p, ok := session.AsProblem(err); !ok || p.Kind != session.NoHeader {
		return in, nil
	}
	format := Format(in.File)
	if format == "" {
		return in, nil // reading it names the fault
	}
	f.Close()
	s.Notef("%s: read as a session of %s", in.Name, known.ProgramName(format))
	in.ReadCloser, err = start(ctx, subprocess.Program{Name: Importer, Args: append(words(ctx, s), format, "--", in.File), Say: Say(s, cli.Damage)})
	in.File, in.foreign = "", true
	return in, err
}

// ReadAny is [Read] for tools that only read, see [OpenAny].
func ReadAny(ctx context.Context, s *cli.Streams, operand string) (*Source, error) {
	in, err := OpenAny(ctx, s, operand)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.Session()
}

// OpenFound opens a session file that was found in a directory, or a segmented store that stands
// for it. It is read to the length that it has now, so that a link to an endless file of the system
// holds up no tool. beside knows the files in its directory.
func OpenFound(ctx context.Context, s *cli.Streams, name string, beside *Neighbours) (*Input, error) {
	if stored, err := beside.Stored(name); err == nil && stored == "" {
		if f, err := store.OpenFile(name); err == nil {
			return &Input{ReadCloser: f, File: name, Name: name, operand: name, path: name, streams: s}, nil
		}
	}
	return Open(ctx, s, name)
}

// Path is the path of the session: "" for standard input and another agent's session, for
// a draft the path it will have.
func (in *Input) Path() string { return in.path }

// Place says in rows which session it is, by its id.
func (in *Input) Place(session string) row.Place { return placeOf(in.operand, in.path, session) }

// Place says in rows which session it is.
func (src *Source) Place() row.Place { return placeOf(src.operand, src.Path, src.Header.ID) }

// placeOf returns the place of a session by the operand that names it. An address that
// means another session later on, such as that of the newest one, becomes the one by id.
func placeOf(operand, path, session string) row.Place {
	p := row.Place{Address: path, Path: path, Session: session}
	if a, ok := parseAddress(operand); ok {
		p.Address = operand
		if session != "" && (a.id == "" || a.isDir() || strings.HasPrefix(session, a.id)) {
			p.Address = address{a.format, session}.String()
		}
	}
	return p
}

// Through has the session read through a filter, which reads all of it at once.
func (in *Input) Through(filter func(io.Reader) (io.Reader, error)) error {
	out, err := filter(in.ReadCloser)
	if err != nil {
		return located(in.Name, err)
	}
	in.ReadCloser, in.foreign = struct {
		io.Reader
		io.Closer
	}{out, in.ReadCloser}, true
	return nil
}

// RecentSession is the size in bytes from which on [Input.Recent] is worth its while.
// Below it reading all takes some milliseconds, and finds whatever is wrong.
const RecentSession = 1 << 20

// large is the size in bytes from which on a session is one of few. The collector then lets garbage become largePercent of the
// live heap, where it would become as large as the session. To look more often is cheap, since most of a session is text: a fifth
// of the processor time of printing it as text, on another core.
const (
	large        = 64 << 20
	largePercent = 3
)

// Session reads it all and warns of its damage.
func (in *Input) Session() (*Source, error) { return in.Cut(nil) }

// Cut is Session for a tool that needs not all of the text, see [session.ReadCut]; nil keeps all.
func (in *Input) Cut(cut func(line string) string) (*Source, error) {
	src := &Source{Path: in.path, Name: in.Name, operand: in.operand, streams: in.streams}
	var err error
	if cut != nil {
		src.Session, err = session.ReadCut(in, cut)
	} else {
		src.Session, err = session.Read(in)
	}
	if err != nil {
		return nil, located(src.Name, err)
	}
	if n := len(src.Entries); n > 0 && src.Entries[n-1].Offset() >= large {
		debug.SetGCPercent(largePercent)
	}
	src.Warn(src.Problems)
	return src, nil
}

// Warn prints problems of the session as warnings.
func (in *Input) Warn(problems []session.Problem) {
	src := Source{Name: in.Name, streams: in.streams}
	src.Warn(problems)
}

// Recent reads from the end of a session of at least so many bytes the path that its context needs,
// and warns of its damage; see [session.ReadRecent]. The error is [session.ErrWhole] if the session
// has to be read whole, and then nothing has been read.
func (in *Input) Recent(least int64) ([]session.Entry, []session.Problem, error) {
	f, size, ok := in.Large(least)
	if !ok {
		return nil, nil, session.ErrWhole
	}
	recent, err := session.ReadRecent(f, size)
	if errors.Is(err, session.ErrWhole) {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, located(in.Name, err)
	}
	in.Warn(recent.Problems)
	return recent.Path, recent.Problems, nil
}

// Large returns the open file and its size, if it is a regular file of at least
// that many bytes, of which nothing has been read: one that can be read anywhere.
func (in *Input) Large(least int64) (f *os.File, size int64, ok bool) {
	if f, ok = in.ReadCloser.(*os.File); !ok && !in.foreign {
		f = in.streams.InFile()
	}
	if f == nil {
		return nil, 0, false
	}
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() || fi.Size() < least {
		return nil, 0, false
	}
	at, err := f.Seek(0, io.SeekCurrent)
	return f, fi.Size(), err == nil && at == 0
}

// Whole reports whether all of the session is there, in a file or with another agent: not so in a pipe, whose writer may take
// its time.
func (in *Input) Whole() bool {
	_, _, file := in.Large(0)
	return file || in.foreign
}

// Locate puts the file at path, standard input if it is "", and the line if
// there is one, in front of an error.
func Locate(path string, err error) error {
	if path == "" {
		path = stdinName
	}
	return located(path, err)
}

// located puts the file, and the line if there is one, in front of an error.
func located(name string, err error) error {
	p, ok := session.AsProblem(err)
	name = disk.Subject(name)
	switch {
	case !ok:
		return fmt.Errorf("reading %s: %w", name, err)
	case p.Line == 0:
		err = fmt.Errorf("%s: %w", name, p)
	default:
		err = fmt.Errorf("%s:%d: %w", name, p.Line, p)
	}
	switch p.Kind {
	case session.Empty:
		return cli.WithHint(err, "sess-new makes a new session")
	case session.NoHeader:
		if unpack := compressed(name); unpack != "" {
			return cli.WithHint(err, "it is compressed: %s %s prints the session", unpack, cli.ShellWords([]string{name}))
		}
		if format := Format(name); format != "" {
			return cli.WithHint(err, "it looks like one of %s: %s %s %s", format, Importer, format, name)
		}
		return cli.WithHint(err, "sess-new makes a session, and %s makes one of another agent's", Importer)
	}
	return err
}

// compressed returns the command that prints the content of a compressed file, "" if the file is
// not compressed.
func compressed(name string) string {
	fi, err := os.Stat(name)
	if err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	f, err := disk.OpenRegular(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 6)
	n, _ := io.ReadFull(f, head)
	for magic, unpack := range map[string]string{"\x1f\x8b": "gzip -dc", "\x28\xb5\x2f\xfd": "zstd -dc", "\xfd7zXZ\x00": "xz -dc", "BZh": "bzip2 -dc"} {
		if strings.HasPrefix(string(head[:n]), magic) {
			return unpack
		}
	}
	return ""
}

// Format returns the format of a file that is another agent's, "" if that cannot be found out.
func Format(name string) string {
	if fi, err := os.Stat(name); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	p, err := subprocess.Program{Name: Importer, Args: []string{"-q", "--detect", "--", name}}.Start(ctx)
	if err != nil {
		return ""
	}
	defer p.Close()
	format, err := io.ReadAll(io.LimitReader(p, 100))
	if err != nil {
		return ""
	}
	name = strings.TrimSpace(string(format))
	if a, _ := known.Agent(name); a.Native {
		return "" // one of ours, which is damaged
	}
	return name
}

// Warn prints problems as warnings.
func (src *Source) Warn(problems []session.Problem) {
	tally := src.streams.Tally(cli.Damage)
	for _, p := range problems {
		if Hides(p) {
			src.streams.Unjudged(src.Name, 1)
		}
		tally.Warnf(string(p.Kind), "%v", located(src.Name, p))
	}
	tally.More(src.Name+": ", "; sess-check lists them")
}

// Addable reports why nothing can be added to the session, nil if it can: to be
// asked before work is done for it.
func (src *Source) Addable() error { return addable(src.Name, src.Header) }

// Draft returns a batch for entries behind the leaf that are made while the
// session is not held, to be adopted by a [Target] when it is.
func (src *Source) Draft() session.Batch {
	b := session.Batch{
		Now:   time.Now().UnixMilli(),
		Known: func(id string) bool { _, ok := src.Index(id); return ok },
	}
	if i, ok := src.Session.Leaf(); ok {
		b.Leaf = src.Entries[i].ID()
	}
	return b
}

// Leaf resolves a leaf reference and returns its position.
func (src *Source) Leaf(ref string) (int, error) {
	i, err := src.ResolveLeaf(ref)
	if err != nil {
		return -1, misnamed(src.Path, fmt.Errorf("%s: %w", src.Name, err))
	}
	return i, nil
}

// PathTo returns the path to the entry at position leaf and warns of its gaps.
func (src *Source) PathTo(leaf int) ([]session.Entry, []session.Problem) {
	path, problems := src.Session.Path(leaf)
	src.Warn(problems)
	return path, problems
}

// Strict returns the first of the problems as the error that ends a --strict
// run, nil if there is none.
func (src *Source) Strict(problems ...[]session.Problem) error {
	for _, list := range problems {
		for _, p := range list {
			return located(src.Name, p)
		}
	}
	return nil
}
