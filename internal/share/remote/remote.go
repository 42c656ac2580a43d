// Package remote is a log of sessions that many machines share.
//
// A session is a log of parts. A part is one or more whole lines, and is never changed
// or deleted; the parts of a session, joined, are its file. Parts are numbered from 1.
// A number is given once: an appender names the part that it saw last, and loses
// with [ErrMoved] if another part came meanwhile. That is all the coordination there
// is. See docs/adr/0034 and 0035.
//
// Engines are a directory and an object store, both of which are a [bucket.Bucket] to [Over], and
// a stream.
// Package remotetest has the tests that every engine passes.
package remote

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
)

// A Pos is a place in the log of a session, behind a part. It means something to the
// engine that gave it, and only grows. 0 is in front of all parts.
type Pos uint64

// A Part is one part of a session.
type Part struct {
	Pos  Pos    // behind the part
	N    uint64 // its number, from 1
	Data []byte // whole lines
}

type (
	// A Bucket keeps the parts of an engine that is one.
	Bucket = bucket.Bucket
	// An Object is what a list of it says.
	Object = bucket.Object
	// Limits are those of an engine.
	Limits = bucket.Limits
)

// A Log is where sessions are shared. Its methods may be called concurrently. A key is
// what [KeyOf] makes of the id of a session.
type Log interface {
	// Append adds part n behind the position of part n-1, which is 0 for the first. The
	// error is ErrMoved if there is a part n with other bytes; then nothing was added. Of
	// several that append the same number exactly one succeeds. An answer that was lost
	// is cleared up: after nil the part is there, and durable. The bytes of the part are
	// not used any more when Append returns.
	Append(ctx context.Context, key string, after Pos, n uint64, part []byte) (Pos, error)
	// Read yields the parts behind a position, in order: every part that was
	// acknowledged before the call. The data of a part is valid until the next one is
	// asked for. The error is ErrWentBack if there is no such part any more, ErrDamaged
	// for a part that is not what was written, ErrGap, behind all parts in front of it, for
	// one that is missing, and ErrNoRemote if there is no remote.
	Read(ctx context.Context, key string, after Pos) iter.Seq2[Part, error]
	// Has reports whether there is a part of the session. It reads none.
	Has(ctx context.Context, key string) (bool, error)
	// Last returns the last part; its number is 0 if there is none.
	Last(ctx context.Context, key string) (Part, error)
	// Heads lists all sessions, each once. It may have to read a name for each part.
	Heads(ctx context.Context) iter.Seq2[Head, error]
	// Tag returns the tag, as of [Head], of part n of a session, if this log listed or made it last; else "".
	Tag(key string, n uint64) string
	// PutCard writes what a listing says of a session, in place of an earlier card.
	PutCard(ctx context.Context, c Card) error
	// Card returns the card of a session that was made at a time or in a month, ErrNoCard if there is none.
	Card(ctx context.Context, key, made string) (Card, error)
	// Cards lists the cards of the sessions that were made since a time, as far as months
	// tell; the zero time lists all. Cards may be stale or missing. [ReadCards] reads them.
	Cards(ctx context.Context, since time.Time) iter.Seq2[CardName, error]
	// Tell leaves word of the parts and cards that this log wrote, for News on other machines. It returns the place behind them,
	// if nothing else came since News returned a place, and else that place.
	Tell(ctx context.Context, at string) (next string, err error)
	// News returns the sessions that something came for since News returned a place, if it can tell that by reading most objects or messages, or a
	// few. Some of them may have been returned before. It reports false if it cannot; then a listing of all that begins behind this call has
	// all parts in front of the next place. A place is "" at first, and where there is none. Parts are missing that writers did not tell, or told by
	// clocks that are more than half an hour behind.
	News(ctx context.Context, from string, most int) (notes []Note, next string, ok bool, err error)
	Limits() Limits
	// Exists returns ErrNoRemote if there is no remote, and ErrVersion for one with another
	// layout.
	Exists(ctx context.Context) error
	// Litter yields the names of files that killed writers have left. They do no harm.
	Litter(ctx context.Context) iter.Seq2[string, error]
	// Init makes the remote if it is not there. The error is ErrUnsafe if the engine does not keep
	// the promise of Append. Probe is the test of that.
	Init(ctx context.Context) error
	Probe(ctx context.Context) error
	// Name names the remote in messages, and is the same on every run. It has no secrets.
	Name() string
	Close() error
}

var (
	// ErrMoved means: another part has the number.
	ErrMoved = errors.New("the session in the remote moved")
	// ErrDenied means: the remote refuses what was asked.
	ErrDenied = bucket.ErrDenied
	// ErrFull means: the remote has no room.
	ErrFull = bucket.ErrFull
	// ErrTooLarge means: a part or an object is larger than the limit.
	ErrTooLarge = bucket.ErrTooLarge
	// ErrNoRemote means: there is no remote at the place.
	ErrNoRemote = bucket.ErrNoRemote
	// ErrUnsafe means: the engine lets two writers have one number.
	ErrUnsafe = errors.New("two writers can get the same number")
	// ErrDamaged means: parts are missing, or are not what was written.
	ErrDamaged = bucket.ErrDamaged
	// ErrGap means: there are parts behind one that is missing.
	ErrGap error = gap{}
	// ErrVersion means: the remote has a layout that this program does not know.
	ErrVersion = errors.New("made by a newer program")
	// ErrSilent means: the remote took too long to answer, or to go on with an answer.
	ErrSilent = bucket.ErrSilent
	// ErrWentBack means: the remote has fewer parts than it had.
	ErrWentBack = errors.New("the remote went back")
	// ErrNoCard means: there is no card.
	ErrNoCard = errors.New("no card")
)

// A gap is damage.
type gap struct{}

func (gap) Error() string { return ErrDamaged.Error() }

func (gap) Is(err error) bool { return err == ErrDamaged }

// IsPart reports whether the name of an object is that of a part of a session. Of such an
// object a bucket keeps the SHA-256.
func IsPart(name string) bool {
	_, ok := numberOf(name[strings.LastIndexByte(name, '/')+1:])
	return ok && strings.HasPrefix(name, parts)
}

// Errors of a Bucket.
var (
	ErrExists  = bucket.ErrExists
	ErrUnknown = bucket.ErrUnknown
	ErrAbsent  = bucket.ErrAbsent
)
