package formats

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/sess-tools/sess/pkg/agent"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// A Format reads and writes the sessions of one agent. Its methods may be
// called concurrently.
type Format interface {
	// About returns the format's name and its abilities. It reads no file.
	About() About

	// Detect reports whether a file called name that begins with head, its first
	// [HeadSize] bytes or all of it, without a byte order mark, is of this format. It reads nothing else, and
	// says yes only to what no other format would mean: the first format of a
	// list that says yes has the file.
	Detect(name string, head []byte) bool

	// Open opens a source for reading, and reading alone: nothing in it changes,
	// not even a file beside a database. The source outlives the archive.
	Open(ctx context.Context, src *Source) (Archive, error)

	// Export writes a session, every branch that the format can hold. Before it writes, it tells t
	// of each part that the format cannot hold. The error of a format that is only read is
	// [ErrReadOnly].
	Export(ctx context.Context, s *session.Session, t *Target) error
}

// About describes a format.
type About struct {
	Name     string   // a word in lower case, such as "codex"; [Builder.Custom] puts it before its types
	Summary  string   // the sources that it reads, in a few words
	Versions []string // what [Target.Version] may be, the default first; nil if there is one form only

	ReadOnly bool   // Export returns ErrReadOnly
	Index    bool   // [Target.Index] means something
	Own      bool   // it is a map of the user's: see [session.OwnAgent]
	Like     string // the format of another agent in which the sessions are kept, "" for none
	Native   bool   // its sessions are files that every tool reads
	Content  bool   // [Target.Content] means something
	Grows    bool   // its reader heeds [Builder.Growth]

	// Home returns where the agent keeps its sessions on this machine, a path that
	// [Format.Open] takes. Nil is an agent that has no such place.
	Home func(Env) (string, error)

	// Here returns a function that says whether the agent goes on in the directory dir
	// with a session of the working directory cwd. Nil is an agent that wants the same one.
	Here func(dir string) func(cwd string) bool

	// Filed returns a function that says whether a session is kept where the agent looks for the newest one of the
	// directory dir. Nil is an agent for which Here decides that.
	Filed func(dir string) func(Info) bool
}

// AboutOf describes the format of an agent, or an API, as far as the table of package agent does.
func AboutOf(name string) About {
	a, _ := agent.Named(name)
	return About{Name: name, Summary: a.Summary, ReadOnly: !a.Written, Native: a.Native, Grows: a.Grows}
}

// Kept returns the part in front of the colon of the names of the format's custom entries.
func (a About) Kept() string {
	switch {
	case a.Like != "":
		return a.Like
	case a.Own:
		return session.OwnAgent(a.Name)
	}
	return a.Name
}

// Env is what of the environment decides where an agent keeps its sessions.
type Env struct {
	Getenv func(string) string
	Home   string // the user's home directory, "" if unknown

	// Git runs a command of git that only reads, in a directory, and returns its output; nil if
	// there is no git to be run.
	Git func(ctx context.Context, dir string, stdin io.Reader, args ...string) (io.ReadCloser, error)
}

// An Archive is an open source: one session, or many. Its methods may be called
// concurrently, and Read while an iteration of List is under way.
type Archive interface {
	// List yields the sessions there are, in an order that is the same each time.
	// What cannot be listed is yielded with its error, which names the file, and at
	// least its Path; the iteration goes on, unless the error is that of ctx.
	List(ctx context.Context, q Query) iter.Seq2[Info, error]

	// Read gives the session that List yielded as info to b: the header, and then
	// every entry of every branch, those included that a compaction or a revert
	// took out of sight. Reading it twice gives the same bytes. An error of b is
	// returned as it is, or wrapped; any other names the file.
	Read(ctx context.Context, info Info, b *Builder) error

	Close() error
}

// A Lasting is an archive that may stay open between readings.
type Lasting interface {
	Archive

	// Lasts reports whether the archive can be read on now: it shows what one that is opened now would, and it holds no lock that the agent
	// waits for. What has come since may be missing.
	Lasts() bool
}

// A Sourced is an archive that knows all files that a session is made of.
type Sourced interface {
	// Sources returns the paths of the files, first one that is there; nil if they are not known. One that is not there counts: the
	// session may be another with it.
	Sources(ctx context.Context, info Info) []string
}

// SourcesOf returns the files that a session is made of, nil if the archive does not know them.
func SourcesOf(ctx context.Context, a Archive, info Info) []string {
	if s, ok := a.(Sourced); ok {
		return s.Sources(ctx, info)
	}
	return nil
}

// Beside returns a database and the files that SQLite keeps beside it.
func Beside(path string) []string { return []string{path, path + "-wal", path + "-journal"} }

// A Query says which sessions are asked for, and how much about them.
type Query struct {
	// ID is a session's id, the beginning of one or its name; "" asks for all. An
	// archive may yield others too: the asker compares. It is there so that a
	// store that knows where to look need not look everywhere.
	ID string

	// Details asks for names, times and counts even where a session has to be
	// read whole for them.
	Details bool

	// Only says for which sessions Details counts: it gets the facts of a listing without them. Nil is all.
	Only func(Info) bool

	// Newest, if it is above 0, asks for the beginnings of so many files alone, those that were written to
	// last, and of those whose place says that they are of the working directory CWD. Of the others the
	// Info says what the file system knows, and has no ID. An archive that need not open a file for each
	// session lists as ever.
	Newest int
	CWD    string
}

// Detailed reports whether the details of a session are asked for. Info has the facts of a listing without them.
func (q Query) Detailed(info Info) bool { return q.Details && (q.Only == nil || q.Only(info)) }

// An Info has the facts about a session that a listing prints: the columns of sess-ls, and how the
// archive finds the session again. An unknown fact is zero; Exact says that counts are right.
type Info struct {
	store.Row           // Path is the file or database the session is in
	Key       string    // the archive's own: a row id, an offset
	Alias     string    // another name that it was asked for by, or ""
	Elsewhere bool      // there is no ID, and the session is not of [Query.CWD]
	Alone     bool      // its file has no other session, and is all that it is in: ModTime says when it was written to
	Latest    time.Time // no message of it is later, where [Query.Only] asked; zero if that is not known, or Alone says it
	// CWDHash is the hash of the working directory, where nothing that the agent wrote says which directory that is: see
	// [Hash]. It tells whether a directory is that of the session. A listing does not print it.
	CWDHash string

	// Dated says that Modified is when the session was written to, though its file has others: a listing knows the newest without reading them.
	Dated bool

	Undated bool // it does not say yet when it was made: Created is when the file was written to
	Unread  bool // reading it was [ErrUnread]: the facts are those of a listing without details

	// Main says that the beginning of the file has a message of the main conversation, Aside that its messages are a
	// sub-agent's. If neither is set, only reading the session tells.
	Main, Aside bool
}

// Last returns a time behind which the session has no message, the zero time if none is known.
func (i Info) Last() time.Time {
	switch {
	case i.Dated:
		return i.Modified
	case i.Alone:
		return i.ModTime
	}
	return i.Latest
}

// ErrReadOnly is the error of exporting to a format that is only read.
var ErrReadOnly = errors.New("the format is only read, not written")

// HeadSize is how many bytes of a file are looked at to detect its format.
const HeadSize = 64 << 10

// Lookup returns the format of list called name.
func Lookup(list []Format, name string) (Format, bool) {
	for _, f := range list {
		if f.About().Name == name {
			return f, true
		}
	}
	return nil, false
}

// Names returns the names of the formats of list.
func Names(list []Format) []string {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.About().Name
	}
	return names
}

// Detect returns the first format of list to which the file called name, that
// begins with head, belongs.
func Detect(list []Format, name string, head []byte) (Format, bool) {
	for _, f := range list {
		if f.Detect(name, head) {
			return f, true
		}
	}
	return nil, false
}
