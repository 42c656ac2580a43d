package page

import (
	"crypto/sha256"
	_ "embed" // of the style and the script
	"encoding/base64"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/tree"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/titles"
)

// A Fold says how parts of an entry are shown: closed, open, only by their names, or not.
type Fold string

// The folds.
const (
	Folded Fold = "fold"
	Opened Fold = "open"
	Names  Fold = "names" // the first line alone
	None   Fold = "none"
)

// Options say what a page shows.
type Options struct {
	All       bool // the entries of all branches
	Tools     Fold
	Thinking  Fold
	MaxImage  int64    // bytes of one; 0: no limit
	MaxResult int64    // bytes of one text; 0: no limit
	Commits   []string // that the session led to: id and subject
	Used      string   // its tokens and its cost, as sess-stat counts them; "": not known
	Parent    *Child   // the session that started this one
	// Children are the sessions that calls of another agent started, by [calls.Started].
	Children map[string]Child
	// A page may be a part of several: which entries of the path it has, and the files of
	// its neighbours.
	From, To       int // To 0: the end
	Previous, Next string
}

// A Child is a session that another one started, or that started it.
type Child struct {
	Address string // what tools take
	Title   string
	About   string // how much it is
	File    string // its page, "" for none
	Text    string // what was said in it, "" if there is a page
}

// Stats say what a page has.
type Stats struct {
	Entries, Branches, Cut int
	Bytes                  int64
}

// Describe says how much a page has.
func (s Stats) Describe() string {
	text := fmt.Sprintf("%s, %s, %s", tty.Count(int64(s.Entries), "entry", "entries"), tty.Count(int64(s.Branches), "other branch", "other branches"), convo.SizeText(s.Bytes))
	if s.Cut > 0 {
		text += fmt.Sprintf(", %s cut", tty.Count(int64(s.Cut), "text", "texts"))
	}
	return text
}

//go:embed style.css
var style string

//go:embed times.js
var times string

//go:embed script.js
var script string

//go:embed index.js
var indexScript string

// page is a page as it is written.
type page struct {
	*markup
	o       Options
	s       *session.Session
	tree    *tree.Tree
	path    []int // without what importers keep
	on      map[int]bool
	results map[int]answers // of the entries with calls, by position
	nested  map[int]bool    // entries that stand in another
	gone    map[int]int     // of compactions: how many entries of the path left the context
	replies map[int]speech  // by the first of each row of replies
	goesOn  map[int]bool    // the other replies of a row
	zone    string          // the day of the last time that was shown
	timed   bool            // one was
	index   bool            // it is one, of other pages
	stats   Stats
	workers int
}

// answers are the entries of the results of an entry's calls, -1 for none.
type answers []int

// Write writes the page of a session, for a path to a leaf as [session.Session.PathIndex]
// gives it. The bytes depend on nothing else. The error is that of w.
func Write(w io.Writer, s *session.Session, path []int, o Options) (Stats, error) {
	return write(w, s, path, o, runtime.GOMAXPROCS(0))
}

// write is Write with as many workers.
func write(w io.Writer, s *session.Session, path []int, o Options, workers int) (Stats, error) {
	c := &disk.Counter{W: w}
	p := &page{markup: newMarkup(c), o: o, s: s, path: Said(s, path), tree: tree.New(s, path), on: map[int]bool{}, gone: map[int]int{}, replies: map[int]speech{}, goesOn: map[int]bool{}, workers: workers}
	for _, i := range p.path {
		p.on[i] = true
	}
	p.pair()
	p.context(path)
	shown := p.path
	if o.To > 0 {
		shown = p.path[o.From:min(o.To, len(p.path))]
	}
	p.rows(shown)
	title := p.title()
	p.head(title, path)
	p.nav()
	p.raw("<main>")
	p.header(title, shown)
	p.neighbours()
	p.entries(shown)
	if o.All && o.To == 0 {
		for _, chain := range p.chains() {
			p.rows(chain)
			p.stats.Branches++
			p.raw(`<details class="branch"`)
			p.attr("id", anchor("b-", p.s.Entries[chain[0]].ID()))
			p.raw("><summary>another branch <span class=\"s\">· ")
			p.text(tty.Count(int64(len(chain)), "entry", "entries"), " · ", js.Head(session.OneLine(convo.Say(p.s.Entries[chain[0]])), 80))
			p.raw("</span></summary><div>")
			for _, i := range chain {
				p.entry(i)
			}
			p.raw("</div></details>")
		}
	}
	p.neighbours()
	p.raw("</main>")
	p.scripts()
	err := p.w.Flush()
	p.stats.Bytes = c.N
	return p.stats, err
}

// Said returns the entries of a path that a page has: all but what importers and recorders
// keep for themselves, and copies of what was said before. Options.From and Options.To count these.
func Said(s *session.Session, path []int) []int {
	return slices.DeleteFunc(slices.Clone(path), func(i int) bool { return s.Entries[i].IsAside() || s.Entries[i].IsCopy() })
}

// manyEntries is from how many entries on a browser draws only those that are seen.
const manyEntries = 500

// head writes the head. The policy comes first: it holds for what follows.
func (p *page) head(title string, path []int) {
	p.raw(`<!doctype html><html lang="en" data-sess="1"`)
	if h := p.s.Header; h.ID != "" {
		p.attr("data-session", h.ID)
	}
	if n := len(path); n > 0 {
		p.attr("data-leaf", p.s.Entries[path[n-1]].ID())
	}
	p.raw(`><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"`)
	p.attr("content", policy(p.script()))
	p.raw(`><meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width,initial-scale=1"><title>`)
	p.text(title)
	p.raw("</title><style>")
	p.w.WriteString(style)
	p.raw("</style></head><body")
	switch {
	case p.index:
		p.raw(` class="index"`)
	case len(p.path) > manyEntries:
		p.raw(` class="large"`)
	}
	p.raw(">")
}

// script is what runs in the page.
func (p *page) script() string {
	if p.index {
		return times + indexScript
	}
	return times + script
}

// scripts writes the script, and the end of the page.
func (p *page) scripts() {
	p.raw("<script>")
	p.w.WriteString(p.script())
	p.raw("</script></body></html>\n")
}

// policy is the policy of a page: nothing is loaded, and nothing runs but its own script.
func policy(script string) string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) + "; img-src data:; base-uri 'none'; form-action 'none'"
}

// title is the title of the session.
func (p *page) title() string {
	title, _ := titles.OfSession(p.s.Header, p.s.Entries)
	return headOf(session.OneLine(title), 120)
}

// headOf returns the first words of a text, of at most n characters, with a sign if it has
// more. A word is cut only if it is long.
func headOf(text string, n int) string {
	head := js.Head(text, n)
	if len(head) == len(text) {
		return text
	}
	if text[len(head)] != ' ' {
		if at := strings.LastIndexByte(head, ' '); at > len(head)*2/3 {
			head = head[:at]
		}
	}
	return strings.TrimRight(head, " ,;:.") + "…"
}

// header writes the facts about the session.
func (p *page) header(title string, shown []int) {
	p.raw("<header><h1>")
	if title != "" {
		p.text(title)
	} else {
		p.text("session ", p.s.Header.ID)
	}
	p.raw("</h1><p>")
	on, all := 0, 0
	for i, e := range p.s.Entries {
		if tree.Quiet(e) {
			continue
		}
		if all++; p.on[i] {
			on++
		}
	}
	facts := []string{fmt.Sprintf("%s on this path, %d in the file", tty.Count(int64(on), "entry", "entries"), all)}
	var entries []session.Entry
	models := []string{}
	for _, i := range p.path {
		e := p.s.Entries[i]
		entries = append(entries, e)
		m, ok := e.Message()
		if !ok || m.Role() != session.RoleAssistant {
			continue
		}
		if model := m.Str("model"); model != "" && !slices.Contains(models, model) {
			models = append(models, model)
		}
	}
	if len(models) > 0 {
		facts = append(facts, strings.Join(models[:min(3, len(models))], ", "))
	}
	if projection := convo.Project(entries); len(projection) > 0 {
		facts = append(facts, grouped(convo.EstimateContext(convo.MessagesOf(projection), convo.Estimate))+" tokens in context")
	}
	if p.o.Used != "" {
		facts = append(facts, p.o.Used)
	}
	p.text(strings.Join(facts, " · "))
	p.span(entries)
	if p.s.Header.CWD != "" {
		p.text(" · ", p.s.Header.CWD)
	}
	p.failures(shown)
	if parent := p.o.Parent; parent != nil {
		p.raw(" · started by ")
		p.child(*parent)
	}
	p.commits()
	if !p.index {
		p.raw(`<div id="bar" hidden><input class="search" type="search" aria-label="Search this session" placeholder="Search this session, folded parts included"><output></output></div>`)
	}
}

// mostFailures is how many failed calls the head of a page has links to.
const mostFailures = 20

// failures goes on with the facts about the session, with links to the results of the calls that failed.
func (p *page) failures(shown []int) {
	var failed []int
	seen := map[int]bool{}
	for _, i := range shown {
		seen[i] = true
	}
	entries := make([]session.Entry, len(p.path))
	for n, i := range p.path {
		entries[n] = p.s.Entries[i]
	}
	for _, c := range calls.Of(entries, p.s.Header.CWD) {
		if c.Outcome == calls.Fail && c.Result >= 0 && seen[p.path[c.Result]] {
			failed = append(failed, p.path[c.Result])
		}
	}
	if len(failed) == 0 || p.o.Tools == None {
		return
	}
	p.raw(` · <span class="err">`)
	p.number(int64(len(failed)))
	p.raw(" failed:</span>")
	for n, i := range failed {
		if n == mostFailures {
			p.raw(" …")
			break
		}
		p.raw(" <a")
		p.attr("href", "#"+p.anchor(i))
		p.raw(">")
		p.number(int64(n + 1))
		p.raw("</a>")
	}
}

// commits ends the facts about the session, with the commits that it led to.
func (p *page) commits() {
	p.raw("</p>")
	defer p.raw("</header>")
	if len(p.o.Commits) == 0 {
		return
	}
	p.raw("<ul>")
	for _, commit := range p.o.Commits {
		id, subject, _ := strings.Cut(commit, " ")
		p.raw("<li><code>")
		p.text(id)
		p.raw("</code> ")
		p.text(subject)
		p.raw("</li>")
	}
	p.raw("</ul>")
}

// span writes from when to when the entries are.
func (p *page) span(entries []session.Entry) {
	var first, last int64
	for _, e := range entries {
		if ms, ok := e.Timestamp(); ok {
			if first == 0 {
				first = ms
			}
			last = ms
		}
	}
	if first == 0 {
		return
	}
	const layout = "2 Jan 2006, 15:04"
	from, to, until := time.UnixMilli(first).UTC(), time.UnixMilli(last).UTC(), layout
	if from.Format(time.DateOnly) == to.Format(time.DateOnly) {
		until = "15:04"
	}
	p.raw(" · ")
	p.time("from", from, layout)
	p.raw(" to ")
	p.time("to", to, until)
	p.raw(` <span class="zone">UTC</span>`)
}

// time writes a time, which the script shows in the zone of the reader by its class.
func (p *page) time(class string, t time.Time, layout string) {
	p.raw("<time")
	if class != "" {
		p.attr("class", class)
	}
	p.attr("datetime", t.Format(time.RFC3339))
	p.raw(">")
	p.text(t.Format(layout))
	p.raw("</time>")
}

// neighbours writes links to the pages before and after.
func (p *page) neighbours() {
	if p.o.Previous == "" && p.o.Next == "" {
		return
	}
	p.raw(`<p class="pages">`)
	if p.o.Previous != "" {
		p.raw("<a")
		p.attr("href", p.o.Previous)
		p.raw(`>earlier entries</a> `)
	}
	if p.o.Next != "" {
		p.raw("<a")
		p.attr("href", p.o.Next)
		p.raw(`>later entries</a>`)
	}
	p.raw("</p>")
}

// pair finds the results of the calls, so that they stand below them.
func (p *page) pair() {
	p.results, p.nested = map[int]answers{}, map[int]bool{}
	chains := [][]int{p.path}
	if p.o.All {
		chains = append(chains, p.chains()...)
	}
	for _, chain := range chains {
		var messages []session.Message
		var at []int
		for _, i := range chain {
			if m, ok := p.s.Entries[i].Message(); ok {
				messages, at = append(messages, m), append(at, i)
			}
		}
		for n, paired := range convo.Pair(messages) {
			if len(paired.Calls) == 0 {
				continue
			}
			list := slices.Repeat(answers{-1}, len(paired.Calls))
			for _, r := range paired.Results {
				if list[r.Call] < 0 && !p.nested[at[r.Message]] && p.o.To == 0 {
					list[r.Call] = at[r.Message]
					p.nested[at[r.Message]] = true
				}
			}
			p.results[at[n]] = list
		}
	}
}

// chains are the entries that are not on the path, in rows of those that follow each other.
func (p *page) chains() (list [][]int) {
	var row []int
	for r := range p.tree.Rows(true) {
		if p.on[r.Pos] {
			continue
		}
		if n := len(row); n > 0 && (r.Opens || r.Above != row[n-1]) {
			list, row = append(list, row), nil
		}
		row = append(row, r.Pos)
	}
	if len(row) > 0 {
		list = append(list, row)
	}
	return list
}

// context finds out how many entries each compaction of the path took out of the context.
func (p *page) context(path []int) {
	place := map[string]int{}
	n, from := -1, 0
	for _, i := range path {
		e := p.s.Entries[i]
		if !tree.Quiet(e) {
			n++
		}
		place[e.ID()] = max(n, 0)
		if e.Type() != session.TypeCompaction {
			continue
		}
		kept, ok := place[e.Str("firstKeptEntryId")]
		if !ok {
			kept = n
		}
		p.gone[i] = max(kept-from, 0)
		from = max(kept, from)
	}
}

// grouped returns a number with its thousands apart.
func grouped(n int64) string { return tty.Thousands(strconv.FormatInt(n, 10)) }
