package page

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/session"
)

// A Link is what an index says of a session.
type Link struct {
	File, Title, CWD string
	Agent            string // whose session it is
	First, Last      time.Time
	Messages         int
	Cost             float64 // in USD; 0: not known
}

// LinkTo says what an index has to say of a session.
func LinkTo(s *session.Session, path []int) Link {
	p := &page{s: s, path: path}
	l := Link{Title: p.title(), CWD: s.Header.CWD}
	for _, i := range path {
		e := s.Entries[i]
		if ms, ok := e.Timestamp(); ok {
			l.Last = time.UnixMilli(ms).UTC()
			if l.First.IsZero() {
				l.First = l.Last
			}
		}
		if _, ok := e.Message(); ok && !e.IsHarness() {
			l.Messages++
		}
	}
	return l
}

// sessions is the title of an index.
const sessions = "Sessions"

// Index writes a page with links to the pages of sessions, in their order. The error is that
// of w.
func Index(w io.Writer, links []Link) error {
	p := &page{markup: newMarkup(w), s: &session.Session{}, index: true}
	p.head(sessions, nil)
	p.raw("<main><header><h1>")
	p.text(sessions)
	p.raw("</h1><p>")
	p.text(tty.Count(int64(len(links)), "session", "sessions"))
	priced := slices.ContainsFunc(links, func(l Link) bool { return l.Cost > 0 })
	p.raw(`</p></header><div id="bar" hidden><input class="search" type="search" placeholder="search titles, agents, directories" aria-label="search"><output></output></div>`)
	p.raw(`<table><thead><tr><th>session</th><th>agent</th><th>directory</th><th>last, <span class="zone">UTC</span></th><th>messages</th>`)
	if priced {
		p.raw("<th>cost</th>")
	}
	p.raw("</tr></thead><tbody>")
	for _, l := range links {
		p.raw("<tr><td><a")
		p.attr("href", l.File)
		p.raw(">")
		if l.Title == "" {
			l.Title = l.File
		}
		p.text(l.Title)
		p.raw("</a></td><td>")
		p.text(l.Agent)
		p.raw("</td><td>")
		// A path may go on in another line behind each of its names.
		for name := range strings.SplitAfterSeq(l.CWD, "/") {
			p.text(name)
			if strings.HasSuffix(name, "/") {
				p.raw("<wbr>")
			}
		}
		p.raw("</td><td>")
		if !l.Last.IsZero() {
			p.time("date", l.Last, "2006-01-02 15:04")
		}
		p.raw("</td><td>")
		p.number(int64(l.Messages))
		if priced {
			p.raw("</td><td>")
		}
		if l.Cost > 0 {
			p.text(fmt.Sprintf("$%.3f", l.Cost))
		}
		p.raw("</td></tr>")
	}
	p.raw("</tbody></table></main>")
	p.scripts()
	return p.w.Flush()
}
