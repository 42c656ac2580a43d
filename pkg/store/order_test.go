package store

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sess-tools/sess/pkg/session"
)

func TestSort(t *testing.T) {
	t.Parallel()
	row := func(path, name string, modified, created, messages, size int64) Row {
		return Row{Path: path, Size: size, Info: session.Info{
			Name: name, Modified: time.UnixMilli(modified), Created: time.UnixMilli(created), Messages: int(messages),
		}}
	}
	rows := []Row{
		row("p/1", "beta", 5, 1, 7, 10),
		row("p/2", "", 5, 2, 9, 30),
		row("a/3", "alpha", 4, 3, 8, 20),
		row("z/1", "beta", 6, 1, 7, 10),
		row("z/0", "", 9, 9, 0, 0),
	}
	for order, want := range map[Order][]string{
		ByModified: {"z/0", "z/1", "p/2", "p/1", "a/3"},
		ByCreated:  {"z/0", "a/3", "p/2", "z/1", "p/1"},
		BySize:     {"p/2", "a/3", "z/1", "p/1", "z/0"},
		ByMessages: {"p/2", "a/3", "z/1", "p/1", "z/0"},
		ByName:     {"a/3", "z/1", "p/1", "z/0", "p/2"},
	} {
		for range 20 {
			rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			Sort(rows, order)
			var got []string
			for _, r := range rows {
				got = append(got, r.Path)
			}
			same(t, orderNames[order], got, want)
		}
	}
}

func TestParseOrder(t *testing.T) {
	t.Parallel()
	for o := ByModified; o <= ByName; o++ {
		if got, err := ParseOrder(orderNames[o]); got != o || err != nil {
			t.Errorf("ParseOrder(%q) = %v, %v", orderNames[o], got, err)
		}
	}
	for _, word := range []string{"", "Modified", "mtime"} {
		if o, err := ParseOrder(word); err == nil {
			t.Errorf("ParseOrder(%q) = %v", word, o)
		}
	}
}
