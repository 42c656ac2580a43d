package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// list lists the sessions that are meant: those of all agents, and ours, unless the user says which.
func (j *job) list(ctx context.Context) (found selection.Found, err error) {
	sel := j.config.sessions
	switch {
	case j.session != "" && sel.Given():
		return found, cli.UsageError("--session names the session: the flags that select others exclude it")
	case j.session != "":
		return sel.Find(ctx, j.streams, []string{j.session})
	case len(sel.Agents) > 0 || sel.CWD != "" || sel.Since != "" || sel.Until != "":
		sel.Rows, sel.All = true, sel.All || len(sel.Agents) == 0 && sel.CWD == ""
		return j.listed(ctx, sel)
	}
	// Ours are listed without rows: most are told to be of another time or place by less than a row costs.
	ours := selection.Selection{All: true, Tells: true, Subagents: sel.Subagents}
	if sel.All {
		return j.listed(ctx, ours)
	}
	others := selection.Selection{Rows: true, Agents: []string{address.EveryAgent}, Subagents: sel.Subagents}
	var more selection.Found
	var failed error
	var both sync.WaitGroup
	both.Go(func() { more, failed = j.listed(ctx, others) })
	found, err = j.listed(ctx, ours)
	both.Wait()
	found.List, found.Failed = append(found.List, more.List...), errors.Join(found.Failed, more.Failed)
	return found, cmp.Or(err, failed)
}

// listed lists sessions; that there is none is no error.
func (j *job) listed(ctx context.Context, sel selection.Selection) (selection.Found, error) {
	found, err := sel.Find(ctx, j.streams, nil)
	if cli.Status(err) == cli.ExitNo {
		err = nil
	}
	return found, err
}

// near leaves those sessions that may have led to the wanted commits: of their time, and of their place.
func (j *job) near(ctx context.Context, wanted []string, list []selection.Source) (out []selection.Source) {
	oldest, newest := int64(math.MaxInt64), int64(math.MinInt64)
	for _, id := range wanted {
		if c := j.commits[id]; c != nil {
			oldest, newest = min(oldest, c.Author), max(newest, c.Author, c.Committed) // who rebases came later
		}
	}
	if newest < oldest {
		return nil
	}
	isNear := func(_ context.Context, src selection.Source) bool {
		h, ok := headOf(src, oldest-lookBack)
		switch {
		case src.Named || !ok:
			return true
		case h.modified < oldest-lookBack, h.created > newest+around, !j.here(h.cwd):
			return false
		}
		return !j.silent(h.file, said(wanted, h.modified < oldest-longestWait))
	}
	at := 0
	for near := range parallel.Map(ctx, 2*runtime.GOMAXPROCS(0), slices.Values(list), isNear) {
		if near {
			out = append(out, list[at])
		}
		at++
	}
	return out
}

// A head has the facts about a session that are known before it is read.
type head struct {
	file, cwd         string // file is "" if other tools know no file of it
	created, modified int64  // in seconds since the epoch
}

// headOf returns the head of a session by its row, or by its file; of one that was modified before a time no more than
// that. ok is false if all of it has to be read to tell.
func headOf(src selection.Source, since int64) (h head, ok bool) {
	if src.Row != "" {
		h = head{src.Row.Get("path").Str(), src.Row.Get("cwd").Str(), src.Time("created") / 1000, src.Time("modified") / 1000}
		return h, h.modified != 0
	}
	fi, err := os.Stat(src.Name)
	if err != nil || !fi.Mode().IsRegular() || !src.IsFile() {
		return h, false
	}
	if h.file, h.modified = src.Name, fi.ModTime().Unix(); h.modified < since {
		return h, true
	}
	f, err := os.Open(src.Name)
	if err != nil {
		return h, false
	}
	defer f.Close()
	header, err := session.ReadHeader(f)
	if errors.Is(err, session.ErrNotSession) {
		return h, true // which is nowhere
	}
	ms, _ := js.ParseTime(header.Timestamp)
	h.cwd, h.created = header.CWD, ms/1000
	return h, err == nil
}

// here reports whether a session's directory is one of the repository: in a work tree, or in one that is gone or on another machine
// and was called as the repository is, with what a task or a branch adds to the name.
func (j *job) here(cwd string) bool {
	for _, tree := range j.repo.Trees {
		if cwd == tree || strings.HasPrefix(cwd, tree+"/") {
			return true
		}
	}
	for element := range strings.FieldsFuncSeq(cwd, func(r rune) bool { return r == '/' || r == '\\' }) {
		if element == j.repo.Name || strings.HasPrefix(element, j.repo.Name+"-") || strings.HasSuffix(element, "-"+j.repo.Name) {
			return true
		}
	}
	return false
}

// mostNames is how many names of files a session's bytes are searched for before it is read, and mostBytes how large
// a session is that they are searched in.
const mostNames, mostBytes = 64, 64 << 20

// longestWait is how many seconds after the last message of a session a command that it ran may still have waited for leave.
const longestWait = 24 * 3600

// said returns words of which at least one stands in the bytes of a session that made one of the wanted commits. Over is
// a session that ended long before the commit: it can only have made it by a call that waited for leave, whose result names it.
func said(wanted []string, over bool) (words []string) {
	if !over || len(wanted) > mostNames {
		return []string{"commit", "merge", "rebase", "cherry-pick", "revert"} // am and pull say one of them
	}
	for _, id := range wanted {
		words = append(words, id[:7])
	}
	return words
}

// silent reports whether the bytes of a session's file say that it has nothing to do with the commits: neither a word of
// those that made one, nor the name of a file that one touched.
func (j *job) silent(name string, made []string) bool {
	fi, err := os.Stat(name)
	if len(j.touched) > mostNames || err != nil || !fi.Mode().IsRegular() || fi.Size() > mostBytes || path.Ext(name) != ".jsonl" {
		return false
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	for _, word := range made {
		if bytes.Contains(text, []byte(word)) {
			return false
		}
	}
	for file := range j.touched {
		ascii := strings.IndexFunc(file, func(r rune) bool { return r >= 0x7f || r < 0x20 || r == '"' || r == '\\' }) < 0
		if !ascii || bytes.Contains(text, []byte(file)) {
			return false
		}
	}
	return true
}
