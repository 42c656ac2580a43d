package nats

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/share/remote"
)

// Headers of a message that is a part.
const (
	partHeader = "Sess-Part"
	sumHeader  = "Sess-Sha256"
)

// Append publishes a part under the condition that the last message of the subject is the one at
// after. A server remembers its messages for two minutes: the same message, sent again, gets the
// answer that was lost.
func (l *log) Append(ctx context.Context, key string, after remote.Pos, n uint64, part []byte) (remote.Pos, error) {
	if int64(len(part)) > l.Limits().MaxPart {
		return 0, fmt.Errorf("a part of %d bytes: %w (%d)", len(part), remote.ErrTooLarge, l.Limits().MaxPart)
	}
	if err := l.follows(ctx, key, after, n); err != nil {
		return 0, err
	}
	pos, err := l.put(ctx, l.subject(key), after, n, part)
	if err == nil {
		l.seen.Store(key, place{pos, n})
	}
	return pos, err
}

// A place is a position and the number of the part there.
type place struct {
	pos remote.Pos
	n   uint64
}

// follows refuses a number that is not the one behind the part at a position.
func (l *log) follows(ctx context.Context, key string, after remote.Pos, n uint64) error {
	if seen, _ := l.seen.Load(key); after == 0 && n == 1 || seen == (place{after, n - 1}) {
		return nil
	}
	p, err := l.at(ctx, key, after)
	if err == nil && (p.Pos != after || p.N+1 != n) {
		err = fmt.Errorf("appending part %d behind part %d: out of order", n, p.N)
	}
	return err
}

func (l *log) put(ctx context.Context, subject string, after remote.Pos, n uint64, part []byte) (pos remote.Pos, err error) {
	id, sum := sha256.New(), sha256.Sum256(part)
	fmt.Fprintf(id, "%s %d\n", subject, after)
	id.Write(part)
	m := &nats.Msg{Subject: subject, Data: part, Header: nats.Header{
		partHeader: {strconv.FormatUint(n, 10)}, sumHeader: {hex.EncodeToString(sum[:])},
	}}
	send := func(ctx context.Context) error {
		ack, err := l.publish(ctx, m, jetstream.WithExpectLastSequencePerSubject(uint64(after)),
			jetstream.WithMsgID(hex.EncodeToString(id.Sum(nil))), jetstream.WithRetryAttempts(1), jetstream.WithExpectStream(l.Stream))
		if err == nil {
			pos = remote.Pos(ack.Sequence)
			l.own.Store(ack.Sequence, true)
		}
		return err
	}
	for try := 0; ; try++ {
		if err := l.again(ctx, send); !errors.Is(err, remote.ErrExists) {
			return pos, err
		}
		next, err := l.next(ctx, subject, uint64(after)+1)
		switch {
		case err == nil && next.claims == n && bytes.Equal(next.Data, part):
			return next.Pos, nil // ours, and the server has forgotten its answer
		case err == nil && next.claims == n:
			return 0, remote.ErrMoved
		case err == nil: // it has no place in the session; ours goes behind it
			after, try = next.Pos, -1
			continue
		case !errors.Is(err, remote.ErrAbsent) || try >= replicating:
			return 0, err
		}
		// Another message has the place, but the replicas have not agreed on it yet.
		if err := bucket.Pause(ctx, try); err != nil {
			return 0, err
		}
	}
}

// replicating is how often a message is asked for that is on its way.
const replicating = 20

// A message is one of a subject, which may be a part.
type message struct {
	remote.Part        // its number is 0 if the message is not what was written
	claims      uint64 // the number that it says it has, 0 for none
}

// next returns the first message of a subject at a position or behind it.
func (l *log) next(ctx context.Context, subject string, from uint64) (message, error) {
	m, err := l.first(ctx, l.Stream, subject, from)
	if err != nil {
		return message{}, err
	}
	return partOf(m), nil
}

// first returns the first message of a stream at a position or behind it whose subject matches a filter.
func (l *log) first(ctx context.Context, stream, filter string, from uint64) (m *jetstream.RawStreamMsg, err error) {
	err = l.again(ctx, func(ctx context.Context) error {
		s, err := l.stream(ctx, stream)
		if err == nil {
			m, err = s.GetMsg(ctx, from, jetstream.WithGetMsgSubject(filter))
		}
		return err
	})
	return m, err
}

// at returns the part at a position.
func (l *log) at(ctx context.Context, key string, pos remote.Pos) (message, error) {
	p, err := l.next(ctx, l.subject(key), uint64(pos))
	if errors.Is(err, remote.ErrAbsent) {
		err = fmt.Errorf("the part at %d is missing: %w", pos, remote.ErrWentBack)
	}
	return p, err
}

// partOf returns the part that a message is; its number is 0 if the message is none.
func partOf(m *jetstream.RawStreamMsg) message {
	claims, _ := strconv.ParseUint(m.Header.Get(partHeader), 10, 64)
	n := claims
	if sum := sha256.Sum256(m.Data); m.Header.Get(sumHeader) != hex.EncodeToString(sum[:]) || !bytes.HasSuffix(m.Data, []byte("\n")) {
		n = 0
	}
	return message{remote.Part{Pos: remote.Pos(m.Sequence), N: n, Data: m.Data}, claims}
}

// Read asks for one message after the other. The last one, which is asked for first, says
// where to end. A message that is not the next part, or none at all, was not written by a
// program of ours: it is passed over, since it cannot be taken away.
func (l *log) Read(ctx context.Context, key string, after remote.Pos) iter.Seq2[remote.Part, error] {
	return func(yield func(remote.Part, error) bool) {
		last, err := l.end(ctx, key)
		if err == nil && last.Pos < after {
			err = fmt.Errorf("the part at %d is missing: %w", after, remote.ErrWentBack)
		}
		if err != nil {
			yield(remote.Part{}, err)
			return
		}
		w := walk{known: after == 0}
		for at := after; at < last.Pos; {
			p := last
			if uint64(at)+1 < uint64(last.Pos) {
				if p, err = l.next(ctx, l.subject(key), uint64(at)+1); err != nil {
					yield(remote.Part{}, err)
					return
				}
			}
			at = p.Pos
			fits, err := w.step(p)
			switch {
			case err != nil:
				yield(remote.Part{}, err)
				return
			case !fits:
				l.warn("%s: the message at %d is not the next part of the session, and ignored", l.Name(), p.Pos)
				continue
			}
			l.seen.Store(key, place{p.Pos, p.N})
			if !yield(p.Part, nil) {
				return
			}
		}
		if w.stray > w.n {
			yield(remote.Part{}, fmt.Errorf("part %d is missing in front of part %d: %w", w.n+1, w.stray, remote.ErrGap))
		}
	}
}

// A walk goes along the messages of a session.
type walk struct {
	n     uint64 // of the part before
	known bool   // n is: behind a position it is not
	stray uint64 // the greatest number of a part that is not where it belongs
}

// step reports whether a message is the next part.
func (w *walk) step(p message) (fits bool, err error) {
	switch {
	case p.claims != 0 && p.N == 0 && (!w.known || p.claims == w.n+1):
		return false, fmt.Errorf("part %d, at %d, is not what was written: %w", p.claims, p.Pos, remote.ErrDamaged)
	case p.N == 0 || w.known && p.N != w.n+1:
		w.stray = max(w.stray, p.N)
		return false, nil
	}
	w.n, w.known = p.N, true
	return true, nil
}

// Exists asks for the stream.
func (l *log) Exists(ctx context.Context) error {
	return l.again(ctx, func(ctx context.Context) error {
		_, err := l.stream(ctx, l.Stream)
		return err
	})
}

// Litter yields nothing: a message is there or not.
func (l *log) Litter(context.Context) iter.Seq2[string, error] {
	return func(func(string, error) bool) {}
}

// Has asks for the subject alone, and not for a message of it.
func (l *log) Has(ctx context.Context, key string) (bool, error) {
	if !remote.ValidKey(key) {
		return false, fmt.Errorf("%q is no key of a session", key)
	}
	info, err := l.subjects(ctx, l.Stream, l.subject(key))
	return err == nil && len(info.State.Subjects) > 0, err
}

func (l *log) Last(ctx context.Context, key string) (remote.Part, error) {
	p, err := l.end(ctx, key)
	if err != nil || p.Pos == 0 || p.N > 0 {
		if p.N > 0 {
			l.seen.Store(key, place{p.Pos, p.N})
		}
		return p.Part, err
	}
	var last remote.Part // behind it stands a message that is no part
	for p, err := range l.Read(ctx, key, 0) {
		if err != nil {
			return remote.Part{}, err
		}
		last = p
	}
	return last, nil
}

// end returns the last message of a session, whatever it is.
func (l *log) end(ctx context.Context, key string) (message, error) {
	if !remote.ValidKey(key) {
		return message{}, fmt.Errorf("%q is no key of a session", key)
	}
	m, err := l.lastOf(ctx, l.Stream, l.subject(key))
	if errors.Is(err, remote.ErrAbsent) {
		return message{}, nil
	}
	if err != nil {
		return message{}, err
	}
	return partOf(m), nil
}

// stream returns a stream, and asks the server for it once.
func (l *log) stream(ctx context.Context, name string) (jetstream.Stream, error) {
	if s, ok := l.streams.Load(name); ok {
		return s.(jetstream.Stream), nil
	}
	s, err := l.js.Stream(ctx, name)
	if err == nil {
		l.streams.Store(name, s)
	}
	return s, err
}

func (l *log) lastOf(ctx context.Context, stream, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = l.again(ctx, func(ctx context.Context) error {
		s, err := l.stream(ctx, stream)
		if err == nil {
			m, err = s.GetLastMsgForSubject(ctx, subject)
		}
		return err
	})
	return m, err
}

// subjects asks what a stream has of the subjects that match a filter: how many messages of each.
func (l *log) subjects(ctx context.Context, stream, filter string) (*jetstream.StreamInfo, error) {
	return l.info(ctx, stream, jetstream.WithSubjectFilter(filter))
}

func (l *log) info(ctx context.Context, stream string, options ...jetstream.StreamInfoOpt) (info *jetstream.StreamInfo, err error) {
	err = l.again(ctx, func(ctx context.Context) error {
		s, err := l.stream(ctx, stream)
		if err == nil {
			info, err = s.Info(ctx, options...)
		}
		return err
	})
	return info, err
}

// Heads yields the head of each session: the number of its messages. Messages cannot be deleted from the stream, so a session
// whose number is the same has the same end.
func (l *log) Heads(ctx context.Context) iter.Seq2[remote.Head, error] {
	return func(yield func(remote.Head, error) bool) {
		info, err := l.subjects(ctx, l.Stream, l.prefix+">")
		if err != nil {
			yield(remote.Head{}, err)
			return
		}
		for name, count := range info.State.Subjects {
			shard, key, _ := strings.Cut(strings.TrimPrefix(name, l.prefix), ".")
			if shard == probeShard {
				continue
			}
			if !remote.ValidKey(key) || remote.Shard(key) != shard {
				l.warn("%s: %s is no subject of a session, and ignored", l.Name(), name)
				continue
			}
			if !yield(remote.Head{Key: key, N: count, Tag: fmt.Sprintf("%d-%d", info.Created.UnixNano(), count)}, nil) {
				return
			}
		}
	}
}

// Tell leaves no word: the stream has its numbers. It asks for the last one if this connection appended something.
func (l *log) Tell(ctx context.Context, at string) (next string, err error) {
	some := false
	l.own.Range(func(any, any) bool { some = true; return false })
	if at == "" || !some {
		return at, nil
	}
	info, err := l.info(ctx, l.Stream)
	if err != nil {
		return at, err
	}
	if from, ok := numberIn(at, info); ok {
		for n := from + 1; n <= info.State.LastSeq; n++ {
			if _, ours := l.own.Load(n); !ours {
				return at, nil
			}
		}
		at = tagOf(info)
	}
	return at, nil
}

// News reads the messages behind the last one of an earlier call. Where that one is still the last it is one request.
func (l *log) News(ctx context.Context, from string, most int) (notes []remote.Note, next string, ok bool, err error) {
	info, err := l.info(ctx, l.Stream)
	if err != nil {
		return nil, "", false, err
	}
	next = tagOf(info)
	at, ok := numberIn(from, info)
	if !ok || info.State.LastSeq-at > uint64(most) {
		return nil, next, false, nil
	}
	for at < info.State.LastSeq {
		m, err := l.first(ctx, l.Stream, l.prefix+">", at+1)
		if errors.Is(err, remote.ErrAbsent) {
			break
		}
		if err != nil {
			return nil, "", false, err
		}
		at = m.Sequence
		shard, key, _ := strings.Cut(strings.TrimPrefix(m.Subject, l.prefix), ".")
		if p := partOf(m); p.N > 0 && remote.ValidKey(key) && remote.Shard(key) == shard {
			notes = append(notes, remote.Note{Key: key, N: p.N})
		}
	}
	return notes, next, true, nil
}

// Tag returns "": who appends a message does not learn how many there are.
func (l *log) Tag(string, uint64) string { return "" }

func (l *log) PutCard(ctx context.Context, c remote.Card) error {
	b, err := c.Encode()
	if err != nil {
		return err
	}
	return l.again(ctx, func(ctx context.Context) error {
		_, err := l.js.Publish(ctx, l.cards+remote.Month(c.Made)+"."+c.Key(), b, jetstream.WithExpectStream(l.cardStream()), jetstream.WithRetryAttempts(1))
		return err
	})
}

func (l *log) Card(ctx context.Context, key, made string) (remote.Card, error) {
	m, err := l.lastOf(ctx, l.cardStream(), l.cards+remote.Month(made)+"."+key)
	if errors.Is(err, remote.ErrAbsent) {
		return remote.Card{}, remote.ErrNoCard
	}
	if err != nil {
		return remote.Card{}, err
	}
	return remote.ParseCard(m.Data, key)
}

// Cards lists subjects. A new card has the last number of the stream, and so all are other ones.
func (l *log) Cards(ctx context.Context, since time.Time) iter.Seq2[remote.CardName, error] {
	return func(yield func(remote.CardName, error) bool) {
		info, err := l.subjects(ctx, l.cardStream(), l.cards+">")
		if err != nil {
			yield(remote.CardName{}, err)
			return
		}
		from, tag := remote.FirstMonth(since), tagOf(info)
		for subject := range info.State.Subjects {
			if name, ok := l.cardOf(subject, tag); ok && name.Month >= from && !yield(name, nil) {
				return
			}
		}
	}
}

func tagOf(info *jetstream.StreamInfo) string {
	return fmt.Sprintf("%d-%d", info.Created.UnixNano(), info.State.LastSeq)
}

// numberIn returns the number in a tag, if that is one of this stream.
func numberIn(tag string, info *jetstream.StreamInfo) (at uint64, ok bool) {
	made, last, _ := strings.Cut(tag, "-")
	at, err := strconv.ParseUint(last, 10, 64)
	return at, err == nil && made == strconv.FormatInt(info.Created.UnixNano(), 10) && at <= info.State.LastSeq
}

// Made returns when the stream was made.
func (l *log) Made(tag string) string {
	made, _, _ := strings.Cut(tag, "-")
	return made
}

// cardOf returns the name of the card that a subject is of.
func (l *log) cardOf(subject, tag string) (remote.CardName, bool) {
	month, key, _ := strings.Cut(strings.TrimPrefix(subject, l.cards), ".")
	return remote.CardName{Key: key, Month: month, Tag: tag}, remote.ValidKey(key) && remote.Month(month) == month
}

// Changed reads the messages behind the last one of a listing. Where that one is still the last, it asks for no subjects.
func (l *log) Changed(ctx context.Context, tag string, most int) (map[remote.CardName]remote.Card, string, error) {
	info, err := l.info(ctx, l.cardStream())
	if err != nil {
		return nil, "", err
	}
	now := tagOf(info)
	at, ok := numberIn(tag, info)
	if !ok {
		return nil, "", nil
	}
	came, read := map[remote.CardName]remote.Card{}, 0
	for at < info.State.LastSeq {
		m, err := l.first(ctx, l.cardStream(), l.cards+">", at+1)
		if errors.Is(err, remote.ErrAbsent) {
			break
		}
		if read++; err != nil || read > most {
			return nil, "", err
		}
		at = m.Sequence
		if name, ok := l.cardOf(m.Subject, now); ok {
			card, err := remote.ParseCard(m.Data, name.Key)
			if err != nil {
				return nil, "", nil // a listing tells of it
			}
			came[name] = card
		}
	}
	return came, now, nil
}
