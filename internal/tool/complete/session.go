package complete

import (
	"context"
	"os"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// sessions adds the sessions of the store whose ids begin with the word, those of this
// directory first. If there are none, a word of three characters or more is looked for in
// titles.
func sessions(ctx context.Context, at clikit.Place, add func(clikit.Candidate)) {
	dir, err := operand.StoreDir()
	if err != nil {
		return
	}
	cwd, _ := os.Getwd() // "" is the directory of no session
	var all []store.Candidate
	var found []clikit.Candidate
	paths := map[string]string{}
	store.Open(dir).Names(ctx, cwd, func(c store.Candidate) bool {
		if !session.ValidSessionID(c.ID) {
			return true
		}
		all = append(all, c)
		if _, twice := paths[c.ID]; !twice && strings.HasPrefix(c.ID, at.Word) {
			paths[c.ID] = c.Path
			found = append(found, clikit.Candidate{Value: c.ID})
			if len(found) <= most {
				add(found[len(found)-1]) // now, as this may take longer than there is time
			}
		}
		return true
	})
	if len(found) == 0 {
		if len(at.Word) >= 3 {
			byTitle(ctx, all, at.Word, add)
		}
		return
	}
	found = few(found)
	for _, c := range found {
		add(c)
	}
	each(ctx, len(found), func(i int) {
		if title := titleOf(ctx, paths[found[i].Value]); title != "" {
			add(clikit.Candidate{Value: found[i].Value, Text: title})
		}
	})
}

// byTitle adds the sessions that have a text in their titles, in upper or lower case.
func byTitle(ctx context.Context, all []store.Candidate, text string, add func(clikit.Candidate)) {
	text = strings.ToLower(text)
	var mu sync.Mutex
	found := 0
	each(ctx, len(all), func(i int) {
		title := titleOf(ctx, all[i].Path)
		if !strings.Contains(strings.ToLower(title), text) {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if found++; found <= most {
			add(clikit.Candidate{Value: all[i].ID, Text: title})
		}
	})
}

// titleOf returns the name of a session, or else its first question.
func titleOf(ctx context.Context, path string) string {
	row, err := store.Stat(ctx, path, false)
	if err != nil {
		return ""
	}
	if row.Name != "" {
		return row.Name
	}
	return row.FirstMessage
}

// each does 0 to n-1, a few at a time and in this order, until ctx ends.
func each(ctx context.Context, n int, do func(i int)) {
	const workers = 4
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
}
