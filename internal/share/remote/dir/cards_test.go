package dir

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/must"
)

// A counter counts the cards that are read.
type counter struct {
	remote.Log
	read chan struct{}
}

func (c counter) Card(ctx context.Context, key, made string) (remote.Card, error) {
	c.read <- struct{}{}
	return c.Log.Card(ctx, key, made)
}

// TestCardsAreReadOnce: a listing reads no card whose file is the one that was read, unless it was written just now, when another
// one may look the same.
func TestCardsAreReadOnce(t *testing.T) {
	t.Parallel()
	name, r := place(t, disk.Claim)
	r.Plant(t, "v1/remote.json", string(remote.Marker(testTime)))
	l := counter{r.Open(t), make(chan struct{}, 100)}
	cache := filepath.Join(t.TempDir(), "cards")
	put := func(i int, text string) {
		t.Helper()
		must.Do(t, l.PutCard(t.Context(), remote.Card{ID: fmt.Sprintf("c%d", i), Made: "2026-01-02T03:04:05.000Z", Title: text}))
	}
	age := func() {
		err := filepath.WalkDir(filepath.Join(name, "v1/i"), func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				err = os.Chtimes(path, time.Time{}, time.Now().Add(-time.Minute).Truncate(time.Minute))
			}
			return err
		})
		must.Do(t, err)
	}
	for i := range 20 {
		put(i, "was")
	}
	for n, step := range []struct {
		do         func()
		read, news int
	}{
		{read: 20},
		{read: 20}, // written just now
		{do: age, read: 20},
		{read: 0},
		{do: func() { put(3, "now") }, read: 1, news: 1},
		{read: 1, news: 1},
		{do: func() { put(4, "now"); age() }, read: 20, news: 2}, // all have another time
		{read: 0, news: 2},
	} {
		if step.do != nil {
			step.do()
		}
		news := 0
		for card, err := range remote.ReadCards(t.Context(), l, cache) {
			must.Do(t, err)
			if card.Title == "now" {
				news++
			}
		}
		if got := len(l.read); got != step.read || news != step.news {
			t.Errorf("step %d: %d cards read, want %d; %d are new, want %d", n, got, step.read, news, step.news)
		}
		for len(l.read) > 0 {
			<-l.read
		}
	}
}
