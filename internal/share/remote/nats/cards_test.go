package nats

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/must"
)

// TestCardsAreReadOnce: a listing that finds nothing new is a request, and a new card one more, however many there are; months
// that were not listed are not taken for listed.
func TestCardsAreReadOnce(t *testing.T) {
	t.Parallel()
	at, stream, cache := address(t), newStream(), filepath.Join(t.TempDir(), "cards")
	l := connect(t, at, stream)
	must.Do(t, l.Init(t.Context()))
	const sessions = 30
	put := func(i int, text string) {
		t.Helper()
		c := remote.Card{ID: fmt.Sprintf("c%d", i), Made: fmt.Sprintf("2026-%02d-02T03:04:05.000Z", 1+i%3), Title: text}
		must.Do(t, l.PutCard(t.Context(), c))
	}
	for i := range sessions {
		put(i, "")
	}
	other := connect(t, at, stream)
	must.Do(t, other.Exists(t.Context()))
	for n, step := range []struct {
		do          func()
		cards, news int
		requests    uint64
	}{
		{cards: 30, requests: 2 + 30}, // the stream and its subjects, then cards
		{cards: 30, requests: 1},
		{do: func() { put(3, "new"); put(sessions, "new") }, cards: 31, news: 2, requests: 3},
		{cards: 31, news: 2, requests: 1},
		{do: func() { put(2, "new"); put(4, "new") }, cards: 31, news: 4, requests: 3},
		{cards: 31, news: 4, requests: 1},
		{do: func() { // more than half: a listing, and each card
			for i := range sessions {
				put(i, "")
			}
		}, cards: 31, news: 1, requests: 1 + 16 + 1 + 31},
	} {
		if step.do != nil {
			step.do()
		}
		before, cards, news := other.nc.Stats().OutMsgs, 0, 0
		for card, err := range remote.ReadCards(t.Context(), other, cache) {
			must.Do(t, err)
			if cards++; card.Title != "" {
				news++
			}
		}
		if got := other.nc.Stats().OutMsgs - before; cards != step.cards || news != step.news || got != step.requests {
			t.Errorf("step %d: %d cards, %d new, %d requests; want %d, %d, %d", n, cards, news, got, step.cards, step.news, step.requests)
		}
	}
	// A card that cannot be read is told each time.
	if _, err := l.js.Publish(t.Context(), l.cards+"2026-03.c5", []byte("no card")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		bad := 0
		for _, err := range remote.ReadCards(t.Context(), other, cache) {
			if err != nil {
				bad++
			}
		}
		if bad != 1 {
			t.Errorf("%d cards cannot be read", bad)
		}
	}
}
