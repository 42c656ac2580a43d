package remote

import (
	"context"
	"errors"
	"iter"
	"strings"
)

// A Bucket keeps named objects: what an object store does, and a directory of files.
// Names have slashes between their elements. The errors of the package are returned where
// they fit.
type Bucket interface {
	// Create makes an object of a name that is not there, whole and durable, or not at
	// all. The error matches ErrExists if the name is taken, and ErrUnknown if it cannot be
	// told whether the object was made.
	Create(ctx context.Context, name string, data []byte) error
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

// Room returns a slice of n bytes, in room if there is as much.
func Room(room []byte, n int64) []byte {
	if int64(cap(room)) < n {
		return make([]byte, n)
	}
	return room[:n]
}

// An Object is what a list says of an object.
type Object struct {
	Name string
	Size int64
	// Sums are SHA-256s, in hex, of which a part has to have one: of those who tried to make
	// it, the one who did. Empty if there is none, and nil if Get compares them.
	Sums []string
}

// IsPart reports whether the name of an object is that of a part of a session. Of such an
// object a bucket keeps the SHA-256.
func IsPart(name string) bool {
	_, ok := numberOf(name[strings.LastIndexByte(name, '/')+1:])
	return ok && strings.HasPrefix(name, parts)
}

// Errors of a Bucket.
var (
	ErrExists  = errors.New("the name is taken")
	ErrUnknown = errors.New("no answer")
	ErrAbsent  = errors.New("no such object")
)
