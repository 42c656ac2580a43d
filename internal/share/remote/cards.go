package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"iter"
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

// ReadCards yields the cards of the sessions that were made since a time, some read at once. For a card that is not one the
// error is ErrNoCard, and the iteration goes on if the caller does. Cards that are in the cache, a file, and have the tag of
// then are not read, and the cache is brought up to date behind the last card; "" is no cache.
func ReadCards(ctx context.Context, l Log, since time.Time, cache string) iter.Seq2[Card, error] {
	return func(yield func(Card, error) bool) {
		var names []CardName
		for name, err := range l.Cards(ctx, since) {
			if err != nil {
				yield(Card{}, err)
				return
			}
			names = append(names, name)
		}
		old := loadCards(cache, l.Name())
		next, i, read := map[CardName]Card{}, 0, 0
		for card, err := range parallel.MapErr(ctx, readers, slices.Values(names), func(ctx context.Context, name CardName) (Card, error) {
			if card, ok := old[name]; ok {
				return card, nil
			}
			return l.Card(ctx, name.Key, name.Month)
		}) {
			if name := names[i]; err == nil && name.Tag != "" {
				if next[name] = card; card != old[name] {
					read++
				}
			}
			i++
			if !yield(card, err) || err != nil && !errors.Is(err, ErrNoCard) {
				return
			}
		}
		from := FirstMonth(since)
		for name, card := range old {
			if name.Month < from { // which was not listed
				next[name] = card
			}
		}
		if cache != "" && (read > 0 || len(next) != len(old)) {
			_ = saveCards(cache, l.Name(), next) // without it the next run reads more
		}
	}
}

// CardCache returns the file that keeps the cards of a remote on this machine, "" if there is no place for one.
func CardCache(l Log) string {
	dir, err := disk.CacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "cards-"+bucket.SumOf([]byte(l.Name()))[:16]+".ndjson")
}

// The first line of a cache says whose cards they are, and each other one is a card.
type cacheLine struct {
	Remote string `json:"remote,omitempty"`
	CardName
	Card json.RawMessage `json:"card,omitempty"`
}

// loadCards reads a cache. Lines that are no cards are passed over, and one of another remote is as good as none.
func loadCards(cache, remote string) map[CardName]Card {
	f, err := os.OpenFile(cache, os.O_RDONLY|disk.NoFollow|disk.Nonblock, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || disk.Regular(fi) != nil {
		return nil
	}
	list := map[CardName]Card{}
	for l, err := range jsonl.Lines(f) {
		var line cacheLine
		if err != nil || l.Torn {
			break
		}
		jerr := json.Unmarshal(l.Data, &line)
		if l.Number == 1 && (jerr != nil || line.Remote != remote) {
			return nil
		}
		if card, err := ParseCard(line.Card, line.Key); jerr == nil && err == nil && line.Tag != "" {
			list[line.CardName] = card
		}
	}
	return list
}

// saveCards replaces a cache.
func saveCards(cache, remote string, list map[CardName]Card) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(cacheLine{Remote: remote})
	for name, card := range list {
		data, cerr := card.Encode()
		err = errors.Join(err, cerr, e.Encode(cacheLine{CardName: name, Card: data}))
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(cache), 0o700)
	}
	if err != nil {
		return err
	}
	return disk.Replace(disk.OS{}, cache+"-"+rand.Text(), cache, b.Bytes(), false)
}
