package complete

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// Reader is the Complete of a tool that reads sessions, those of other agents among them.
func Reader(ctx context.Context, at cli.Place, add func(cli.Candidate)) {
	if at.Kind == "SESSION|DIR" {
		at.Kind = "SESSION"
	}
	if at.Kind == "SESSION" && addresses(ctx, at, add) {
		return
	}
	Writer(ctx, at, add)
}

// Words returns the Complete of a tool that reads sessions, and of which some places take certain words: kinds has
// the words by the kind of place. Several may stand there with commas between.
func Words(kinds map[string]func() []string) func(context.Context, cli.Place, func(cli.Candidate)) {
	return func(ctx context.Context, at cli.Place, add func(cli.Candidate)) {
		if words := kinds[at.Kind]; words != nil {
			List(at, add, words()...)
			return
		}
		Reader(ctx, at, add)
	}
}

// Writer is the Complete of a tool that adds to sessions.
func Writer(ctx context.Context, at cli.Place, add func(cli.Candidate)) {
	switch at.Kind {
	case "SESSION":
		add(cli.Files)
		if !strings.ContainsAny(at.Word, "/~") {
			sessions(ctx, at, add)
		}
	case "REF":
		references(at, add)
	case "ROLE":
		at.Match(add, session.Roles()...)
	case "ROLE,ROLE":
		List(at, add, session.Roles()...)
	case "TYPE":
		at.Match(add, session.Types()...)
	}
}

// List completes the last of several words with commas between.
func List(at cli.Place, add func(cli.Candidate), words ...string) {
	before := at.Word[:strings.LastIndexByte(at.Word, ',')+1]
	for _, w := range words {
		at.Match(add, before+w)
	}
}

// most is how many candidates of one kind there are at most, and two.
const most = 100

// few returns the first candidates of a list. Where there are more, the first and the last
// of all by their bytes are among them: what all have in common is what these have, and
// only that does a shell insert.
func few(list []cli.Candidate) []cli.Candidate {
	if len(list) <= most {
		return list
	}
	out := list[:most:most]
	first, last := list[most], list[most]
	for _, c := range list[most:] {
		if c.Value < first.Value {
			first = c
		}
		if c.Value > last.Value {
			last = c
		}
	}
	return append(out, first, last)
}

// addresses adds sessions of other agents, and reports whether the word can be nothing
// else. The formats are linked by one program alone, which is asked.
func addresses(ctx context.Context, at cli.Place, add func(cli.Candidate)) bool {
	format, id, ok := strings.Cut(at.Word, ":")
	if !ok {
		for _, agent := range append(known.Names(), address.Self) {
			if at.Word != "" {
				at.Match(add, agent+":")
			}
		}
		return false
	}
	if !known.IsAgent(format) {
		return false
	}
	for c := range address.SessionsOf(ctx, format, id) {
		c.Value = format + ":" + c.Value
		add(c)
	}
	return true
}

// Sizes in bytes up to which a session is read whole, and for its ids alone. Above them
// the end of it is read.
const (
	readLimit    = 4 << 20
	outlineLimit = 16 << 20
)

// references adds the labels and the entries of the session on the line, the newest
// first, and the references that have names.
func references(at cli.Place, add func(cli.Candidate)) {
	switch at.Flag {
	case "leaf":
		at.Match(add, "last", "newest-message", "longest")
	case "parent":
		at.Match(add, "null")
	}
	at.Match(add, "root")
	if len(at.Operands) == 0 {
		return
	}
	entries, labels := read(at.Operands[len(at.Operands)-1])
	text := map[string]string{}
	var found []cli.Candidate
	for _, e := range slices.Backward(entries) {
		text[e.ID()] = strings.TrimSpace(convo.Kind(e) + ": " + convo.Say(e))
		if e.ID() != "" && strings.HasPrefix(e.ID(), at.Word) {
			found = append(found, cli.Candidate{Value: e.ID(), Text: text[e.ID()]})
		}
	}
	for _, l := range slices.Backward(labels) {
		if name := "@" + l.Name; strings.HasPrefix(name, at.Word) {
			add(cli.Candidate{Value: name, Text: text[l.Target]})
		}
	}
	for _, c := range few(found) {
		add(c)
	}
}

// read returns the entries and labels of a session, or as many as can be read at once.
func read(name string) ([]session.Entry, []session.Label) {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(name, "~/") {
		name = filepath.Join(home, name[2:])
	}
	path, err := address.Path(context.Background(), name)
	if err != nil || path == "" {
		return nil, nil
	}
	fi, err := os.Stat(path) // before it is opened: a FIFO would wait for a writer
	if err != nil || !fi.Mode().IsRegular() {
		return nil, nil
	}
	f, err := disk.OpenRegular(path)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	var s *session.Session
	switch size := fi.Size(); {
	case size <= readLimit:
		s, err = session.Read(f)
	default:
		recent, rerr := session.ReadRecent(f, size)
		if rerr == nil {
			return recent.Path, nil
		}
		if !errors.Is(rerr, session.ErrWhole) || size > outlineLimit {
			return nil, nil
		}
		s, err = session.ReadOutline(io.NewSectionReader(f, 0, size))
	}
	if err != nil {
		return nil, nil
	}
	return s.Entries, s.Labels()
}

// sessions adds the sessions of the store whose ids begin with the word, those of this
// directory first. If there are none, a word of three characters or more is looked for in
// titles.
func sessions(ctx context.Context, at cli.Place, add func(cli.Candidate)) {
	dir, err := address.StoreDir()
	if err != nil {
		return
	}
	cwd, _ := os.Getwd() // "" is the directory of no session
	var all []store.Candidate
	var found []cli.Candidate
	paths := map[string]string{}
	store.Open(dir).Names(ctx, cwd, func(c store.Candidate) bool {
		if !session.ValidSessionID(c.ID) {
			return true
		}
		all = append(all, c)
		if _, twice := paths[c.ID]; !twice && strings.HasPrefix(c.ID, at.Word) {
			paths[c.ID] = c.Path
			found = append(found, cli.Candidate{Value: c.ID})
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
			add(cli.Candidate{Value: found[i].Value, Text: title})
		}
	})
}

// byTitle adds the sessions that have a text in their titles, in upper or lower case.
func byTitle(ctx context.Context, all []store.Candidate, text string, add func(cli.Candidate)) {
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
			add(cli.Candidate{Value: all[i].ID, Text: title})
		}
	})
}

// titleOf returns the title of a session.
func titleOf(ctx context.Context, path string) string {
	row, err := store.Stat(ctx, path, false)
	if err != nil {
		return ""
	}
	title, _ := row.Title()
	return title
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
