// Package bucket says what an object store does, and a directory of files in the same way: it keeps named objects.
// Names have slashes between their elements.
package bucket

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"math/rand/v2"
	"time"
)

// A Bucket keeps named objects. Its errors are those of this package where they fit.
type Bucket interface {
	// Create makes an object of a name that is not there, whole and durable, or not at
	// all, and returns its ETag, if it knows it. The error matches ErrExists if the name is taken, and ErrUnknown if it
	// cannot be told whether the object was made.
	Create(ctx context.Context, name string, data []byte) (etag string, err error)
	// Put makes or replaces an object.
	Put(ctx context.Context, name string, data []byte) error
	// Get returns an object. The error matches ErrAbsent if there is none, ErrTooLarge if it has more
	// than most bytes, and ErrDamaged if it is not what was written. A bucket that cannot tell
	// says in List what a part has to be.
	// The data may stand in room, which may be nil and is not read.
	Get(ctx context.Context, name string, most int64, room []byte) ([]byte, error)
	// List yields the objects whose names begin with prefix, which ends in a slash, and
	// come after a name in byte order. Those of one directory come in byte order.
	List(ctx context.Context, prefix, after string) iter.Seq2[Object, error]
	Limits() Limits
	Name() string
	Close() error
}

// Limits are those of a bucket.
type Limits struct {
	MaxPart int64 // bytes of an object
}

// An Object is what a list says of an object.
type Object struct {
	Name string
	Size int64
	// Sums are SHA-256s, in hex, of which a part has to have one: of those who tried to make
	// it, the one who did. Empty if there is none, and nil if Get compares them.
	Sums []string
	// ETag is another one if the object has other bytes, "" if the bucket has no such thing.
	ETag string
}

var (
	// ErrExists means: the name is taken.
	ErrExists = errors.New("the name is taken")
	// ErrUnknown means: it cannot be told what was done.
	ErrUnknown = errors.New("no answer")
	// ErrAbsent means: there is no such object.
	ErrAbsent = errors.New("no such object")
	// ErrDenied means: the remote refuses what was asked.
	ErrDenied = errors.New("permission denied by the remote")
	// ErrFull means: the remote has no room.
	ErrFull = errors.New("the remote is full")
	// ErrTooLarge means: a part or an object is larger than the limit.
	ErrTooLarge = errors.New("larger than the remote allows")
	// ErrNoRemote means: there is no remote at the place.
	ErrNoRemote = errors.New("not a remote")
	// ErrDamaged means: parts are missing, or are not what was written.
	ErrDamaged = errors.New("damaged in the remote")
	// ErrSilent means: the remote took too long to answer, or to go on with an answer.
	ErrSilent = errors.New("the remote does not answer")
)

// Room returns a slice of n bytes, in room if there is as much.
func Room(room []byte, n int64) []byte {
	if int64(cap(room)) < n {
		return make([]byte, n)
	}
	return room[:n]
}

// SumOf returns the SHA-256 of an object, in hex.
func SumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Pause waits before a further try, for a random time of up to 20 ms that doubles with
// each try, and 2 s at most. The error is that of ctx.
func Pause(ctx context.Context, try int) error {
	most := 2 * time.Second
	if try < 7 {
		most = 20 * time.Millisecond << try
	}
	t := time.NewTimer(rand.N(most))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return ctx.Err()
	}
}
