// Package nats keeps a remote in a stream of NATS JetStream, a subject for each session.
// It is the only importer of its client library.
package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/share/remote"
)

const (
	// answerTime is how long an answer is waited for. The library takes a deadline of the
	// caller for its own, and after the death of a leader would wait for all of that.
	answerTime = 2 * time.Second
	// DefaultTimeout bounds all tries. Choosing another leader takes five seconds, and as much
	// again where all servers were started anew.
	DefaultTimeout = 30 * time.Second
	// headers is room for the headers of a message, in bytes.
	headers = 4 << 10
)

// A Config says where the stream is.
type Config struct {
	Servers []string      // nats://HOST[:PORT] or tls://HOST[:PORT]
	Stream  string        // "" is SESS
	Creds   string        // a file with credentials, "" for none
	Timeout time.Duration // of all tries to get an answer; 0 is DefaultTimeout
}

// DefaultStream is the name of the stream if none is given.
const DefaultStream = "SESS"

// Open connects to the servers.
func Open(c Config, warn func(string, ...any)) (remote.Log, error) {
	if c.Stream == "" {
		c.Stream = DefaultStream
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	l := &log{Config: c, warn: warn, prefix: strings.ToLower(c.Stream) + ".v1.", cards: strings.ToLower(c.Stream) + "-cards.v1."}
	options := []nats.Option{
		nats.Name("sess-sync"), nats.Timeout(min(answerTime, c.Timeout)), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				l.denied.Store(&err) // what was asked never gets an answer
			}
		}),
	}
	if c.Creds != "" {
		options = append(options, nats.UserCredentials(c.Creds))
	}
	var err error
	if l.nc, err = nats.Connect(strings.Join(c.Servers, ","), options...); err != nil {
		return nil, l.classed(err)
	}
	if l.js, err = jetstream.New(l.nc); err != nil {
		l.nc.Close()
		return nil, err
	}
	l.publish = l.js.PublishMsg
	return l, nil
}

type log struct {
	Config
	warn          func(string, ...any)
	nc            *nats.Conn
	js            jetstream.JetStream
	prefix, cards string // of subjects
	denied        atomic.Pointer[error]
	streams       sync.Map // by name, what the server said of a stream
	seen          sync.Map // by key, the place of a part that this connection saw
	own           sync.Map // the numbers of the messages that it appended
	publish       func(context.Context, *nats.Msg, ...jetstream.PublishOpt) (*jetstream.PubAck, error)
}

// cardStream is the name of the stream with the listing.
func (l *log) cardStream() string { return l.Stream + "_CARDS" }

func (l *log) Limits() remote.Limits { return remote.Limits{MaxPart: l.nc.MaxPayload() - headers} }

func (l *log) Close() error {
	l.nc.Close()
	return nil
}

func (l *log) Name() string { return strings.Join(l.Servers, ",") + "/" + l.Stream }

func (l *log) subject(key string) string { return l.prefix + remote.Shard(key) + "." + key }

// again makes a request until there is an answer, or no patience left.
func (l *log) again(ctx context.Context, ask func(context.Context) error) error {
	until := time.Now().Add(l.Timeout)
	for try := 0; ; try++ {
		tctx, cancel := context.WithTimeout(ctx, min(answerTime, l.Timeout))
		err := l.classed(ask(tctx))
		cancel()
		if !errors.Is(err, remote.ErrUnknown) || time.Now().After(until) {
			return err
		}
		if perr := bucket.Pause(ctx, try); perr != nil {
			return perr
		}
	}
}

// Codes of errors that are named by none of the library's, or by one of several.
const (
	codeInsufficient = 10023
	codeMaxBytes     = 10077
	codeMaxMessages  = 10078
	codeWrongLast    = 10071 // with one replica
	codeWrongLastR   = 10164 // with several
	codeNoCluster    = 10074
	codeNoMessage    = 10037
	codeInProcess    = 10158 // the same message, sent before, is on its way
)

// classed returns an error of the library as one of a remote.
func (l *log) classed(err error) error {
	if err == nil {
		return nil
	}
	is := remote.ErrUnknown
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		switch api.ErrorCode {
		case codeWrongLast, codeWrongLastR:
			is = remote.ErrExists
		case codeInsufficient, codeMaxBytes, codeMaxMessages:
			is = remote.ErrFull
		case codeNoMessage:
			is = remote.ErrAbsent
		case codeInProcess:
		case jetstream.JSErrCodeStreamNotFound:
			is = remote.ErrNoRemote
		default:
			if api.Code >= 400 && api.Code < 500 {
				return err
			}
		}
		return fmt.Errorf("%w: %w", is, err)
	}
	switch denied := l.denied.Load(); {
	case denied != nil:
		is, err = remote.ErrDenied, *denied
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		is = remote.ErrDenied
	case errors.Is(err, nats.ErrMaxPayload):
		is = remote.ErrTooLarge
	case errors.Is(err, jetstream.ErrMsgNotFound):
		is = remote.ErrAbsent
	case errors.Is(err, jetstream.ErrStreamNotFound):
		is = remote.ErrNoRemote
	}
	return fmt.Errorf("%w: %w", is, err)
}
