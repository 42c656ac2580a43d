package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/core/parallel"
)

// Names of objects. All begin with the version of the layout.
const (
	marker = "v1/remote.json"
	parts  = "v1/s/"
	cards  = "v1/i/"
	probes = "v1/probe/"
	digits = 12 // of a part's number, so that byte order is the order of numbers

	readers      = 16 // objects fetched at once
	largePart    = 1 << 20
	largeReaders = 3        // of which some have more bytes than largePart
	hugePart     = 64 << 20 // in bytes; with such a part only one is held at a time
	largestRoom  = 8 << 20  // in bytes; more is had for a part that needs it
)

// Over returns the log that is kept in a bucket. The position of a part is its number. Warn is
// called for each object that does not belong there and is ignored.
func Over(b Bucket, warn func(format string, args ...any)) Log { return OverBy(b, warn, time.Now) }

// OverBy is Over with another clock.
func OverBy(b Bucket, warn func(format string, args ...any), now func() time.Time) Log {
	return &log{b: b, warn: warn, now: now}
}

type log struct {
	b      Bucket
	warn   func(format string, args ...any)
	now    func() time.Time
	known  known
	tags   sync.Map // by key, the tag of the last part that was listed or made
	untold untold
}

func (l *log) Limits() Limits { return l.b.Limits() }
func (l *log) Name() string   { return l.b.Name() }

func (l *log) Close() error {
	l.untold.close()
	return l.b.Close()
}

func dirOf(key string) string { return parts + Shard(key) + "/" + key + "/" }

func nameOf(key string, n uint64) string { return fmt.Sprintf("%s%0*d", dirOf(key), digits, n) }

// numberOf returns the number of a part from the last element of its name.
func numberOf(base string) (uint64, bool) {
	n, err := strconv.ParseUint(base, 10, 64)
	return n, err == nil && n > 0 && len(base) == digits
}

// notKey is the error for a key that KeyOf never returns: it would be a path.
func notKey(key string) error { return fmt.Errorf("%q is no key of a session", key) }

func (l *log) Append(ctx context.Context, key string, after Pos, n uint64, part []byte) (Pos, error) {
	switch {
	case !ValidKey(key):
		return 0, notKey(key)
	case n != uint64(after)+1:
		return 0, fmt.Errorf("appending part %d behind part %d: out of order", n, after)
	case int64(len(part)) > l.b.Limits().MaxPart:
		return 0, fmt.Errorf("a part of %d bytes: %w (%d)", len(part), ErrTooLarge, l.b.Limits().MaxPart)
	}
	l.untold.keep(Note{Key: key, N: n})
	name := nameOf(key, n)
	for try := 0; ; try++ {
		etag, err := l.b.Create(ctx, name, part)
		if err == nil {
			l.tags.Store(key, listed{n: n, size: int64(len(part)), etag: etag}.tag())
			l.note(ctx, Note{Key: key, N: n})
			return Pos(n), nil
		}
		if !errors.Is(err, ErrExists) && !errors.Is(err, ErrUnknown) {
			return 0, err
		}
		// Either answer may follow a write of ours whose answer was lost. The bytes tell.
		there, gerr := l.b.Get(ctx, name, l.b.Limits().MaxPart, nil)
		switch {
		case gerr == nil && bytes.Equal(there, part):
			l.note(ctx, Note{Key: key, N: n})
			return Pos(n), nil
		case gerr == nil, errors.Is(gerr, ErrTooLarge), errors.Is(gerr, ErrDamaged):
			return 0, ErrMoved
		case try >= answers:
			return 0, errors.Join(err, gerr)
		case !errors.Is(gerr, ErrAbsent) && !errors.Is(gerr, ErrUnknown):
			return 0, gerr
		}
		if err := bucket.Pause(ctx, try); err != nil {
			return 0, err
		}
	}
}

// answers is how often a write is tried again that got no answer and is not there.
const answers = 6

func (l *log) Read(ctx context.Context, key string, after Pos) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		list, gap := l.list(ctx, key, uint64(after))
		for part, err := range l.fetch(ctx, key, list) {
			if !yield(part, err) || err != nil {
				return
			}
		}
		if gap != nil {
			yield(Part{}, gap)
		}
	}
}

// A listed part has a number, a size, and the sums of which it has to have one; nil if
// the bucket compares them.
type listed struct {
	n    uint64
	size int64
	sums []string
	etag string
}

// list returns the parts behind part n, which has to be there, without gaps. With ErrGap it
// returns those in front of the gap.
func (l *log) list(ctx context.Context, key string, n uint64) ([]listed, error) {
	if !ValidKey(key) {
		return nil, notKey(key)
	}
	exists := make(chan error, 1) // whether it is a remote: the first question about a session takes no longer for that
	go func() { exists <- l.Exists(ctx) }()
	list, err := l.parts(ctx, key, n)
	if eerr := <-exists; eerr != nil {
		return nil, eerr
	}
	return list, err
}

func (l *log) parts(ctx context.Context, key string, n uint64) ([]listed, error) {
	dir, from := dirOf(key), ""
	if n > 0 {
		from = nameOf(key, n-1) // so that part n is listed, too
	}
	var list []listed
	next := max(n, 1)
	for o, err := range l.objects(ctx, dir, from) {
		if err != nil {
			return nil, err
		}
		got, ok := numberOf(strings.TrimPrefix(o.Name, dir))
		switch {
		case !ok:
			l.warn("%s: %s is no part of a session, and ignored", l.Name(), o.Name)
			continue
		case got < next:
			continue
		case got > next && n > 0 && next == n:
			return nil, fmt.Errorf("part %d is missing: %w: %w", n, ErrWentBack, ErrDamaged)
		case got > next:
			return list, l.late(ctx, key, next, got)
		case o.Size > l.b.Limits().MaxPart:
			return nil, fmt.Errorf("part %d has %d bytes: %w: %w", got, o.Size, ErrTooLarge, ErrDamaged)
		}
		next++
		p := listed{got, o.Size, o.Sums, o.ETag}
		l.tags.Store(key, p.tag())
		if got > n {
			list = append(list, p)
		}
	}
	if n > 0 && next == n {
		return nil, fmt.Errorf("part %d is missing: %w", n, ErrWentBack)
	}
	return list, nil
}

// mostObjects is how many objects one listing may have: a list of a hostile server may never end.
const mostObjects = 10_000_000

// objects lists, and ends with an error behind too many objects.
func (l *log) objects(ctx context.Context, prefix, after string) iter.Seq2[Object, error] {
	return l.objectsUpTo(ctx, prefix, after, mostObjects)
}

func (l *log) objectsUpTo(ctx context.Context, prefix, after string, most int) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		n := 0
		for o, err := range l.b.List(ctx, prefix, after) {
			if n++; err == nil && n > most {
				err = fmt.Errorf("listing %s: more than %d objects: %w", prefix, most, ErrDamaged)
			}
			if !yield(o, err) || err != nil {
				return
			}
		}
	}
}

// late returns nil for a part that is not in a list but is there now. A list is made in some order,
// and is no picture of one moment: of two parts that come meanwhile it may have the second one
// alone. The parts in front of them are complete as of its beginning.
func (l *log) late(ctx context.Context, key string, n, behind uint64) error {
	_, err := l.b.Get(ctx, nameOf(key, n), 0, nil)
	if errors.Is(err, ErrTooLarge) {
		return nil
	}
	if err == nil || errors.Is(err, ErrAbsent) { // an empty one is none
		err = ErrGap
	}
	return fmt.Errorf("part %d is missing in front of part %d: %w", n, behind, err)
}

// fetch yields the parts of a list, some of which are fetched ahead. Each stands where
// one stood that was yielded before: fresh memory costs as much as reading a file does.
func (l *log) fetch(ctx context.Context, key string, list []listed) iter.Seq2[Part, error] {
	width, most := readers, int64(0)
	for _, p := range list {
		most = max(most, p.size)
		switch {
		case p.size > hugePart:
			width = 1
		case p.size > largePart:
			width = min(width, largeReaders)
		}
	}
	return func(yield func(Part, error) bool) {
		rooms := make(chan []byte, width+1)
		for range width + 1 {
			rooms <- nil
		}
		for part, err := range parallel.MapErr(ctx, width, slices.Values(list), func(ctx context.Context, p listed) (Part, error) {
			room := <-rooms
			if room == nil {
				room = make([]byte, 0, min(most, largestRoom))
			}
			return l.part(ctx, key, p, room)
		}) {
			if !yield(part, err) {
				return
			}
			rooms <- part.Data
		}
	}
}

// part reads a part.
func (l *log) part(ctx context.Context, key string, p listed, room []byte) (Part, error) {
	data, err := l.b.Get(ctx, nameOf(key, p.n), p.size, room)
	switch {
	case errors.Is(err, ErrAbsent), errors.Is(err, ErrTooLarge):
		err = fmt.Errorf("part %d changed while it was read: %w", p.n, ErrDamaged)
	case err == nil && int64(len(data)) != p.size:
		err = fmt.Errorf("part %d has %d bytes, not %d: %w", p.n, len(data), p.size, ErrDamaged)
	case err == nil && !summed(data, p.sums) && !summed(data, l.sumsNow(ctx, key, p.n)):
		err = fmt.Errorf("part %d has no SHA-256, or another one than was written: %w", p.n, ErrDamaged)
	case err == nil && (len(data) == 0 || data[len(data)-1] != '\n'):
		err = fmt.Errorf("part %d does not end with a line feed: %w", p.n, ErrDamaged)
	case err != nil:
		err = fmt.Errorf("part %d: %w", p.n, err)
	}
	return Part{Pos: Pos(p.n), N: p.n, Data: data}, err
}

// sumsNow returns the sums of a part, none if they cannot be had. A list that was made while others
// wrote may have the sum of a writer who came too late, and not that of the one who did not.
func (l *log) sumsNow(ctx context.Context, key string, n uint64) []string {
	list, err := l.parts(ctx, key, n-1)
	if err != nil || len(list) == 0 || list[0].n != n || list[0].sums == nil {
		return []string{}
	}
	return list[0].sums
}

// summed reports whether data has one of some sums, or there is nothing to compare.
func summed(data []byte, sums []string) bool {
	return sums == nil || slices.Contains(sums, bucket.SumOf(data))
}

func (l *log) Has(ctx context.Context, key string) (bool, error) {
	if !ValidKey(key) {
		return false, notKey(key)
	}
	if err := l.Exists(ctx); err != nil {
		return false, err
	}
	dir := dirOf(key)
	for o, err := range l.objects(ctx, dir, "") {
		if err != nil {
			return false, err
		}
		if _, ok := numberOf(strings.TrimPrefix(o.Name, dir)); ok {
			return true, nil
		}
	}
	return false, nil
}

func (l *log) Last(ctx context.Context, key string) (Part, error) {
	list, err := l.list(ctx, key, 0)
	if err != nil || len(list) == 0 {
		return Part{}, err
	}
	for part, err := range l.fetch(ctx, key, list[len(list)-1:]) {
		return part, err
	}
	return Part{}, nil
}

func (l *log) PutCard(ctx context.Context, c Card) error {
	b, err := c.Encode()
	if err != nil {
		return err
	}
	l.untold.keep(Note{Key: c.Key(), N: c.N, Month: Month(c.Made)})
	if err = l.b.Put(ctx, cards+Month(c.Made)+"/"+c.Key(), b); err == nil {
		l.note(ctx, Note{Key: c.Key(), N: c.N, Month: Month(c.Made)})
	}
	return err
}

func (l *log) Card(ctx context.Context, key, made string) (c Card, err error) {
	if !ValidKey(key) {
		return c, notKey(key)
	}
	name := cards + Month(made) + "/" + key
	b, err := l.b.Get(ctx, name, maxCard, nil)
	switch {
	case errors.Is(err, ErrAbsent):
		return c, ErrNoCard
	case errors.Is(err, ErrTooLarge), errors.Is(err, ErrDamaged): // the listing goes on without it
		return c, fmt.Errorf("%w that can be read: %s: %w", ErrNoCard, name, err)
	case err != nil:
		return c, err
	}
	return ParseCard(b, key)
}

func (l *log) Cards(ctx context.Context, since time.Time) iter.Seq2[CardName, error] {
	return func(yield func(CardName, error) bool) {
		from := FirstMonth(since)
		if from != "" {
			from = cards + from
		}
		if err := l.Exists(ctx); err != nil {
			yield(CardName{}, err)
			return
		}
		for o, err := range l.objects(ctx, cards, from) {
			if err != nil {
				yield(CardName{}, err)
				return
			}
			month, key, ok := strings.Cut(strings.TrimPrefix(o.Name, cards), "/")
			if !ok || !ValidKey(key) || Month(month) != month {
				l.warn("%s: %s is no card, and ignored", l.Name(), o.Name)
				continue
			}
			if !yield(CardName{Key: key, Month: month, Tag: listed{size: o.Size, etag: o.ETag}.tag()}, nil) {
				return
			}
		}
	}
}

func (l *log) Init(ctx context.Context) error {
	if err := l.Exists(ctx); errors.Is(err, ErrVersion) {
		return err
	}
	if err := l.Probe(ctx); err != nil {
		return err
	}
	_, err := l.b.Create(ctx, marker, Marker(time.Now()))
	if errors.Is(err, ErrExists) || errors.Is(err, ErrUnknown) {
		return l.Exists(ctx)
	}
	return err
}

// Litter yields the files that killed writers have left, if the bucket has such.
func (l *log) Litter(ctx context.Context) iter.Seq2[string, error] {
	if b, ok := l.b.(interface {
		Litter(ctx context.Context, prefix string) iter.Seq2[string, error]
	}); ok {
		return b.Litter(ctx, "v1")
	}
	return func(func(string, error) bool) {}
}
