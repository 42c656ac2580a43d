package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/core/parallel"
)

// The ids of sessions are in no order of time, so a list of parts cannot begin at the part that was seen last. Writers leave an object
// in a journal, whose names can be listed so: v1/j/DAY/TIME-RANDOM, by their clocks, behind the parts that it names. Readers list the journal
// from the last name that they saw, and from some time in front of it, since clocks differ and a request may take long.
// A part that the journal does not name is found by a list of all parts alone.

const (
	journal     = "v1/j/"
	journalTime = "2006-01-02/150405.000"

	// overlap is by how much a clock may be behind those of others, the time of a request included. Amazon S3 refuses clocks
	// that are 15 minutes off.
	overlap = 30 * time.Minute
	// recent is how far back from now the end of the journal is looked for, at first.
	recent = 48 * time.Hour

	mostNotes  = 4096          // in one object
	maxJournal = 4 << 20       // of one object, in bytes
	mostSeen   = 20 * page     // names of the journal that are remembered
	mostNews   = 1_000_000     // notes that are read
	fewNews    = 4 * readers   // objects of the journal that are always read
	mostWait   = mostNotes / 4 // notes that wait to be told, while a push goes on
)

// A Note names a session to which a writer appended, up to a part, or whose card it wrote.
type Note struct {
	Key   string `json:"key"`
	N     uint64 `json:"n"`               // the number of the last part
	Month string `json:"month,omitempty"` // of its card, if that was written
}

// untold are the notes that are not in the journal yet.
type untold struct {
	mu    sync.Mutex
	notes map[string]Note
	told  []string // names of the objects that were made

	file  string     // what the names of files of notes begin with, "" to keep none, see [KeepNotes]
	kept  *os.File   // the one of this log, nil before the first note
	files []*os.File // with those of runs that were killed, which are locked
}

func (u *untold) add(n Note) (count int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.notes == nil {
		u.notes = map[string]Note{}
	}
	was := u.notes[n.Key]
	if n.Month == "" {
		n.Month = was.Month
	}
	n.N = max(n.N, was.N)
	u.notes[n.Key] = n
	return len(u.notes)
}

// take returns the notes in the order of their keys, and forgets them.
func (u *untold) take() (notes []Note) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, n := range u.notes {
		notes = append(notes, n)
	}
	u.notes = nil
	slices.SortFunc(notes, func(a, b Note) int { return strings.Compare(a.Key, b.Key) })
	return notes
}

// note remembers what was appended or put, for Tell. Of a long push the first notes are told while it goes on.
func (l *log) note(ctx context.Context, n Note) {
	if l.untold.add(n) >= mostWait {
		_ = l.tellAll(ctx) // what could not be told is told again at the end, and that error counts
	}
}

func (l *log) Tell(ctx context.Context, at string) (next string, err error) {
	err = l.tellAll(ctx)
	p, ok := placeOf(at)
	l.untold.mu.Lock()
	defer l.untold.mu.Unlock()
	told := l.untold.told
	if len(told) == 0 || at != "" && !ok {
		return at, err
	}
	if at == "" { // there was no journal, and its first objects are ours
		p = place{Remote: l.known.sum}
		p.At, _ = timeOf(slices.Min(told))
	}
	p.Seen = append(p.Seen, told...)
	slices.Sort(p.Seen)
	data, jerr := json.Marshal(p)
	return string(data), errors.Join(err, jerr)
}

func (l *log) tellAll(ctx context.Context) error {
	notes := l.untold.take()
	for len(notes) > 0 {
		some := notes[:min(len(notes), mostNotes)]
		if err := l.tell(ctx, some); err != nil {
			for _, n := range notes {
				l.untold.add(n)
			}
			return err
		}
		notes = notes[len(some):]
	}
	return nil
}

// tell makes one object of the journal.
func (l *log) tell(ctx context.Context, notes []Note) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, n := range notes {
		if err := e.Encode(n); err != nil {
			return err
		}
	}
	for try := 0; ; try++ {
		name := l.now().UTC().Format(journalTime) + "-" + rand.Text()
		_, err := l.b.Create(ctx, journal+name, b.Bytes())
		if err == nil {
			l.untold.mu.Lock()
			l.untold.told = append(l.untold.told, name)
			l.untold.mu.Unlock()
		}
		if !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrExists) || try >= answers {
			return err
		}
		if err := bucket.Pause(ctx, try); err != nil {
			return err
		}
	}
}

// A place says what of the journal was read.
type place struct {
	Remote string   `json:"remote"` // the SHA-256 of the marker: a remote that was made anew has another journal
	At     string   `json:"at"`     // the latest time that was seen, as in names
	Seen   []string `json:"seen"`   // the names from the overlap on
}

// placeOf reads a place that News returned. It reports false for any other text.
func placeOf(text string) (p place, ok bool) {
	if json.Unmarshal([]byte(text), &p) != nil {
		return p, false
	}
	_, err := time.Parse(journalTime, p.At)
	return p, err == nil
}

// floor returns the time from which on names may be new behind a place.
func floor(at string) string {
	t, err := time.Parse(journalTime, at)
	if err != nil {
		return ""
	}
	return t.Add(-overlap).Format(journalTime)
}

// timeOf returns the time in a name of the journal, without its prefix.
func timeOf(name string) (at string, ok bool) {
	if len(name) <= len(journalTime) || name[len(journalTime)] != '-' || strings.Contains(name[len(journalTime):], "/") {
		return "", false
	}
	at = name[:len(journalTime)]
	_, err := time.Parse(journalTime, at)
	return at, err == nil
}

func (l *log) News(ctx context.Context, from string, most int) (notes []Note, next string, ok bool, err error) {
	if err := l.Exists(ctx); err != nil {
		return nil, "", false, err
	}
	was, ok := placeOf(from)
	if ok = ok && was.Remote == l.known.sum; !ok {
		next, err := l.start(ctx)
		return nil, next, false, err
	}
	names, err := l.names(ctx, floor(was.At))
	if err != nil {
		return nil, "", false, err
	}
	fresh := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, old := slices.BinarySearch(was.Seen, name)
		return old
	})
	next = l.place(was.At, names)
	if len(fresh) > max(most, fewNews) {
		return nil, next, false, nil
	}
	notes, ok, err = l.read(ctx, fresh)
	return notes, next, ok, err
}

// start returns the place at the end of the journal, "" if there is none.
func (l *log) start(ctx context.Context) (string, error) {
	names, err := l.names(ctx, l.now().UTC().Add(-recent).Format(journalTime))
	if err == nil && len(names) == 0 { // or the clock is ahead
		names, err = l.names(ctx, "")
	}
	if err != nil {
		return "", err
	}
	return l.place("", names), nil
}

// place returns the place behind names that were listed from the overlap of a time on. Own and foreign clocks may be ahead: the
// time is that of a writer, and not later than now.
func (l *log) place(at string, names []string) string {
	now := l.now().UTC().Format(journalTime)
	for _, name := range names {
		if t, _ := timeOf(name); t <= now {
			at = max(at, t)
		}
	}
	if at == "" { // all are ahead
		if len(names) == 0 {
			return ""
		}
		at = now
	}
	from := floor(at)
	i, _ := slices.BinarySearch(names, from)
	data, err := json.Marshal(place{l.known.sum, at, names[i:]})
	if err != nil || len(names)-i > mostSeen {
		return ""
	}
	return string(data)
}

// names lists the journal behind a time, in order, without its prefix.
func (l *log) names(ctx context.Context, from string) (names []string, err error) {
	if from != "" {
		from = journal + from
	}
	for o, err := range l.objectsUpTo(ctx, journal, from, mostObjects) {
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(o.Name, journal)
		if _, ok := timeOf(name); !ok {
			l.warn("%s: %s is no object of the journal, and ignored", l.Name(), o.Name)
			continue
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// read returns the notes of objects of the journal. It reports false if one of them cannot be read as such; one that is gone is
// as good as none that was never written.
func (l *log) read(ctx context.Context, names []string) (notes []Note, ok bool, err error) {
	for list, err := range parallel.MapErr(ctx, readers, slices.Values(names), func(ctx context.Context, name string) (list []Note, err error) {
		data, err := l.b.Get(ctx, journal+name, maxJournal, nil)
		switch {
		case errors.Is(err, ErrAbsent):
			return nil, nil
		case err != nil:
			return nil, err
		}
		for line := range bytes.Lines(data) {
			var n Note
			if err := json.Unmarshal(line, &n); err != nil || !ValidKey(n.Key) {
				return nil, fmt.Errorf("%s: %w", name, ErrDamaged)
			}
			list = append(list, n)
		}
		return list, nil
	}) {
		switch {
		case errors.Is(err, ErrDamaged), errors.Is(err, ErrTooLarge):
			return nil, false, nil
		case err != nil:
			return nil, false, err
		}
		if notes = append(notes, list...); len(notes) > mostNews {
			return nil, false, nil
		}
	}
	return notes, true, nil
}

// cardAge is the age from which on all cards are listed again.
const cardAge = 24 * time.Hour

// noTag is the tag of a card that was read without a listing, which is that of no listed one.
const noTag = "-"

// A listedAt is the tag of the cards: when all were listed, and the place behind.
type listedAt struct {
	Full  int64  `json:"full"` // in milliseconds since the epoch
	Place string `json:"place"`
}

// Made returns the SHA-256 of the marker.
func (l *log) Made(tag string) string {
	var at listedAt
	_ = json.Unmarshal([]byte(tag), &at) // an invalid tag has nothing
	p, _ := placeOf(at.Place)
	return p.Remote
}

// Changed reads the cards that the journal names.
func (l *log) Changed(ctx context.Context, tag string, most int) (map[CardName]Card, string, error) {
	var at listedAt
	if age := time.Duration(0); json.Unmarshal([]byte(tag), &at) == nil {
		if age = l.now().Sub(time.UnixMilli(at.Full)); age < 0 || age >= cardAge {
			at.Place = ""
		}
	}
	notes, next, ok, err := l.News(ctx, at.Place, most)
	if err != nil {
		return nil, "", err
	}
	from := at.Place
	at.Place = next
	var came map[CardName]Card
	if ok && from != "" {
		came, err = l.cardsOf(ctx, notes)
	}
	if came == nil {
		at.Full = l.now().UnixMilli()
	}
	data, jerr := json.Marshal(at)
	return came, string(data), errors.Join(err, jerr)
}

// cardsOf reads the cards of notes, nil if one is none.
func (l *log) cardsOf(ctx context.Context, notes []Note) (map[CardName]Card, error) {
	written := map[CardName]bool{}
	for _, n := range notes {
		if n.Month != "" && Month(n.Month+"-01") == n.Month {
			written[CardName{Key: n.Key, Month: n.Month, Tag: noTag}] = true
		}
	}
	names := slices.SortedFunc(maps.Keys(written), byMonth)
	came, next := map[CardName]Card{}, 0
	for card, err := range parallel.MapErr(ctx, readers, slices.Values(names), func(ctx context.Context, name CardName) (Card, error) {
		return l.Card(ctx, name.Key, name.Month)
	}) {
		switch {
		case errors.Is(err, ErrNoCard):
			return nil, nil
		case err != nil:
			return nil, err
		}
		came[names[next]] = card
		next++
	}
	return came, nil
}
