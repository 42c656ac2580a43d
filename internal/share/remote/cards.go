package remote

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A CardName is a card that is listed and was not read. [Log.Card] reads it by its key and its month.
type CardName struct {
	Key   string `json:"key"`
	Month string `json:"month"` // in which the session was made
	Tag   string `json:"tag"`   // as long as it is the same, so is the card; "" tells nothing
}

// A changer is a log that can say which cards came since all were listed, or since it was asked the last time.
type changer interface {
	// Changed returns the cards that were written since a listing had a tag, and the tag that it has now. The cards are nil if it
	// cannot tell, or if there are more than most; then the tag, if there is one, is that of a listing that is made behind this call.
	Changed(ctx context.Context, tag string, most int) (cards map[CardName]Card, now string, err error)
	// Made returns what a tag has of the remote: another one in the same place has something else.
	Made(tag string) string
}

// ReadCards yields the cards of all sessions, some read at once. For a card that is not one the
// error is ErrNoCard, and the iteration goes on if the caller does. Cards that are in the cache, a file, and have the tag of
// then are not read, and the cache is brought up to date behind the last card; "" is no cache.
func ReadCards(ctx context.Context, l Log, cache string) iter.Seq2[Card, error] {
	return readCards(ctx, l, cache, nil)
}

// mostChanged is how many objects of the journal, or messages, are read for the cards that came, in place of a listing.
const mostChanged = 4096

// A Since says up to where the cards of a remote were read. It counts behind the last card.
type Since struct {
	Remote string // the remote, by its name and what tells it from another one that had the name
	Place  string // what says that, "" if nothing does
	All    bool   // all cards were read
}

// A since is a place in words.
type since struct {
	Remote string `json:"remote"`
	Tag    string `json:"tag"` // see changer
}

// ReadCardsSince yields the cards that were written since a place that it returned. If the remote cannot tell, or it is another one, it yields
// all, as [ReadCards] does. What a place does not see is what [Log] does not see by News, for a day at most.
func ReadCardsSince(ctx context.Context, l Log, cache, place string) (iter.Seq2[Card, error], *Since) {
	is := &Since{}
	end := func(tag string, bad bool) {
		c, ok := l.(changer)
		if !ok || tag == "" {
			return
		}
		is.Remote = l.Name() + " " + c.Made(tag)
		if !bad { // a bad card is told each time
			data, _ := json.Marshal(since{l.Name(), tag}) // which has texts alone
			is.Place = string(data)
		}
	}
	return func(yield func(Card, error) bool) {
		var from since
		if c, ok := l.(changer); ok && json.Unmarshal([]byte(place), &from) == nil && from.Remote == l.Name() && from.Tag != "" {
			came, now, err := c.Changed(ctx, from.Tag, mostChanged)
			if err != nil {
				yield(Card{}, err)
				return
			}
			if came != nil {
				for _, name := range slices.SortedFunc(maps.Keys(came), byMonth) {
					if !yield(came[name], nil) {
						return
					}
				}
				end(now, false)
				return
			}
		}
		is.All = true
		tag, bad := "", false
		for card, err := range readCards(ctx, l, cache, &tag) {
			bad = bad || err != nil
			if !yield(card, err) {
				return
			}
		}
		end(tag, bad)
	}, is
}

// readCards is [ReadCards]. At gets the tag of the cards that were listed, "" if there is none, unless it is nil.
func readCards(ctx context.Context, l Log, cache string, at *string) iter.Seq2[Card, error] {
	return func(yield func(Card, error) bool) {
		was, old := loadCards(cache, l.Name())
		_, journaled := l.(*log)
		begun := ""
		if c, ok := l.(changer); ok && (cache != "" || at != nil) && (journaled || was.Tag != "" && was.Month == "") { // of a month: an older version listed from there on
			next, now, err := changed(ctx, c, was, old)
			switch begun = now; {
			case err != nil:
				yield(Card{}, err)
				return
			case next != nil:
				for _, name := range slices.SortedFunc(maps.Keys(next), byMonth) {
					if !yield(next[name], nil) {
						return
					}
				}
				if at != nil {
					*at = now
				}
				if now != was.Tag {
					_ = saveCards(cache, l.Name(), CardName{Tag: now}, next) // without it the next run reads more
				}
				return
			}
		}
		var names []CardName
		for name, err := range l.Cards(ctx, time.Time{}) {
			if err != nil {
				yield(Card{}, err)
				return
			}
			names = append(names, name)
		}
		next, i, read, bad := map[CardName]Card{}, 0, 0, false
		for card, err := range parallel.MapErr(ctx, readers, slices.Values(names), func(ctx context.Context, name CardName) (Card, error) {
			if card, ok := old[name]; ok {
				return card, nil
			}
			return l.Card(ctx, name.Key, name.Month)
		}) {
			name := names[i]
			if journaled { // a card that is written behind this listing is in the journal
				name.Tag = cmp.Or(name.Tag, noTag)
			}
			if err == nil && name.Tag != "" {
				if next[name] = card; card != old[name] {
					read++
				}
			}
			i++
			bad = bad || err != nil
			if !yield(card, err) || err != nil && !errors.Is(err, ErrNoCard) {
				return
			}
		}
		is := CardName{}
		if _, ok := l.(changer); ok && len(names) > 0 {
			if is.Tag = begun; !journaled {
				is.Tag = names[0].Tag
			}
		}
		if at != nil {
			*at = is.Tag
		}
		if bad { // it is told each time
			is.Tag = ""
		}
		if cache != "" && (read > 0 || len(next) != len(old) || is.Tag != was.Tag) {
			_ = saveCards(cache, l.Name(), is, next) // without it the next run reads more
		}
	}
}

func byMonth(a, b CardName) int {
	return cmp.Or(cmp.Compare(a.Month, b.Month), cmp.Compare(a.Key, b.Key))
}

// changed returns the cards of a cache with those that came since it was made in place of the old ones.
func changed(ctx context.Context, c changer, was CardName, old map[CardName]Card) (next map[CardName]Card, now string, err error) {
	came, now, err := c.Changed(ctx, was.Tag, len(old)/2)
	if err != nil || came == nil {
		return nil, now, err
	}
	replaced := map[CardName]bool{}
	for name := range came {
		replaced[CardName{Key: name.Key, Month: name.Month}] = true
	}
	next = map[CardName]Card{}
	for name, card := range old {
		if name.Tag == was.Tag {
			name.Tag = now
		}
		if !replaced[CardName{Key: name.Key, Month: name.Month}] {
			next[name] = card
		}
	}
	for name, card := range came {
		if name.Month >= was.Month {
			next[name] = card
		}
	}
	return next, now, nil
}

// CardCache returns the file that keeps the cards of a remote on this machine, "" if there is no place for one.
func CardCache(l Log) string {
	dir, err := disk.CacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "cards-"+bucket.SumOf([]byte(l.Name()))[:16]+".ndjson")
}

// The first line of a cache says whose cards they are, and of a [changer] with what tag those from a month on were listed: the tag
// counts if the other lines have the SHA-256, since a card that is missing there is not looked for. Each other line is a card.
type cacheLine struct {
	Remote string `json:"remote,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	CardName
	Card json.RawMessage `json:"card,omitempty"`
}

// loadCards reads a cache. Lines that are no cards are passed over, and one of another remote is as good as none.
func loadCards(cache, remote string) (was CardName, list map[CardName]Card) {
	f, err := os.OpenFile(cache, os.O_RDONLY|disk.NoFollow|disk.Nonblock, 0)
	if err != nil {
		return was, nil
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || disk.Regular(fi) != nil {
		return was, nil
	}
	list = map[CardName]Card{}
	sum, want := sha256.New(), ""
	for l, err := range jsonl.Lines(f) {
		var line cacheLine
		if err != nil || l.Torn {
			break
		}
		jerr := json.Unmarshal(l.Data, &line)
		if l.Number == 1 {
			if jerr != nil || line.Remote != remote {
				return was, nil
			}
			was, want = line.CardName, line.SHA256
			continue
		}
		sum.Write(append(l.Data, '\n'))
		if card, err := ParseCard(line.Card, line.Key); jerr == nil && err == nil && line.Tag != "" {
			list[line.CardName] = card
		}
	}
	if hex.EncodeToString(sum.Sum(nil)) != want {
		was = CardName{}
	}
	return was, list
}

// saveCards replaces a cache.
func saveCards(cache, remote string, was CardName, list map[CardName]Card) error {
	var head, b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	var err error
	for name, card := range list {
		data, cerr := card.Encode()
		if b.Len() == 0 { // or it is copied again and again
			b.Grow(len(list) * (len(data) + len(data)/2))
		}
		err = errors.Join(err, cerr, e.Encode(cacheLine{CardName: name, Card: data}))
	}
	err = errors.Join(err, json.NewEncoder(&head).Encode(cacheLine{Remote: remote, SHA256: bucket.SumOf(b.Bytes()), CardName: was}))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(cache), 0o700)
	}
	if err != nil {
		return err
	}
	return disk.Anew(disk.OS{}, cache, &net.Buffers{head.Bytes(), b.Bytes()}, false)
}
