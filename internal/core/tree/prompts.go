package tree

import (
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// A skeleton is the prompts of the active path, with one line for what was done between two prompts.
type skeleton struct {
	*screen.Screen
	t     *Tree
	short func(string) string
	calls [][]calls.Call // by the position of their entry
	total deeds

	done  deeds // since the last row
	reply int   // the position of the last answer with text since then, -1 for none
	id    int   // columns of the longest short id
}

// Deeds are calls, counted.
type deeds struct {
	all, failed int
	kinds       map[string]int
}

func (d *deeds) add(list []calls.Call) {
	for _, c := range list {
		if d.kinds == nil {
			d.kinds = map[string]int{}
		}
		d.all++
		d.kinds[c.Kind]++
		if c.Outcome == calls.Fail {
			d.failed++
		}
	}
}

// String says how many calls there are, and of which kinds: "3 calls: 2 run, 1 read; 1 failed".
func (d *deeds) String() string {
	var kinds []string
	for _, kind := range calls.Kinds() {
		if n := d.kinds[kind]; n > 0 {
			kinds = append(kinds, screen.Count(n)+" "+kind)
		}
	}
	text := tty.Count(int64(d.all), "call", "calls") + ": " + strings.Join(kinds, ", ")
	if d.failed > 0 {
		text += "; " + screen.Count(d.failed) + " failed"
	}
	return text
}

// Prompts prints the prompts of the active path, its compactions, labels and branches, and its end, below a heading of the
// session. Between them stands what was done, in a line. The error is that of writing.
func Prompts(sc *screen.Screen, t *Tree, of screen.Heading) error {
	s := &skeleton{Screen: sc, t: t, reply: -1}
	var ids []string
	var path []int
	for i, e := range t.Session.Entries {
		if t.parent[i] == outside {
			continue
		}
		ids = append(ids, e.ID())
	}
	for i := t.leaf; i >= 0 && len(path) < len(t.parent); i = t.parent[i] {
		path = append(path, i)
	}
	slices.Reverse(path)
	s.short = screen.Short(ids)
	for _, id := range ids {
		s.id = max(s.id, screen.Columns(s.short(id)))
	}
	s.id = min(s.id, max(sc.Width/3, 8))
	s.calls = make([][]calls.Call, len(t.Session.Entries))
	entries := make([]session.Entry, len(path))
	for n, i := range path {
		entries[n] = t.Session.Entries[i]
	}
	for _, c := range calls.Of(entries, t.Session.Header.CWD) {
		i := path[c.Entry]
		s.calls[i] = append(s.calls[i], c)
		s.total.add([]calls.Call{c})
	}
	if err := s.head(of, entries); err != nil {
		return err
	}
	if err := s.branches(t.Roots, path); err != nil {
		return err
	}
	for _, i := range path {
		if err := s.entry(i, path); err != nil {
			return err
		}
	}
	if err := sc.Blank(); err != nil {
		return err
	}
	return sc.Foot("To before ID: sess-fork --at 'ID^', or sess-handoff --to AGENT --leaf 'ID^'")
}

// head says which session it is, and how much of it there is.
func (s *skeleton) head(of screen.Heading, path []session.Entry) error {
	if of.Title != "" {
		if err := s.Write(screen.Cell{Text: screen.OneLine(of.Title), Style: tty.Bold}); err != nil {
			return err
		}
	}
	var first, last time.Time
	messages := int64(0)
	for _, e := range path {
		if _, ok := e.Message(); ok {
			messages++
		}
		if ms, ok := e.Timestamp(); ok {
			if last = time.UnixMilli(ms); first.IsZero() {
				first = last
			}
		}
	}
	parts := []screen.Cell{{Text: s.Directory(of.Address, max(s.Width/3, 24)), Style: tty.Cyan}}
	add := func(text string) {
		if text != "" {
			parts = append(parts, screen.Cell{Text: " " + s.Marks.Dot + " " + text, Style: tty.Dim})
		}
	}
	add(s.Directory(of.CWD, 32))
	when := screen.When(first, s.Now)
	if to := screen.When(last, s.Now); to != when && to[:6] == when[:6] {
		when += " " + s.Marks.None + " " + screen.Minute(last, s.Now)
	} else if to != when {
		when += " " + s.Marks.None + " " + to
	}
	add(when)
	sum := tty.Count(messages, "message", "messages")
	if s.total.all > 0 {
		sum += ", " + tty.Count(int64(s.total.all), "call", "calls")
	}
	if s.total.failed > 0 {
		sum += ", " + screen.Count(s.total.failed) + " failed"
	}
	add(sum)
	if err := s.Write(parts...); err != nil {
		return err
	}
	return s.Blank()
}

// entry prints an entry of the path if it is one of the skeleton, and the branches that leave the path there.
func (s *skeleton) entry(i int, path []int) error {
	e := s.t.Session.Entries[i]
	_, asked := typed.Prompt(e)
	label, note := s.t.Label(i), s.t.Note(i)
	mark, style := "", tty.Plain
	switch {
	case i == s.t.leaf:
		mark = s.Marks.Leaf
	case asked:
		mark = s.Marks.Prompt
	case e.Type() == session.TypeCompaction || e.Type() == session.TypeBranchSummary:
		mark = s.Marks.Compaction
	case label != "" || note != "":
		mark = s.Marks.Line
	}
	if mark == "" {
		s.done.add(s.calls[i])
		if spoken(e) == session.RoleAssistant {
			s.reply = i
		}
	} else {
		if i == s.t.leaf && !asked {
			s.done.add(s.calls[i])
		}
		if err := s.between(); err != nil {
			return err
		}
		if asked {
			style = tty.Bold
		}
		if i != s.t.leaf {
			s.done.add(s.calls[i])
		}
		text := screen.Cell{Text: s.says(e), Style: style}
		if label != "" {
			text.Tail += "  @" + label
		}
		if note != "" {
			text.Tail += "  [" + note + "]"
		}
		if err := s.row(mark, e.ID(), convo.Kind(e), text); err != nil {
			return err
		}
	}
	return s.branches(s.t.Children(i), path)
}

// between prints what was done since the last row, or what was answered if nothing was done.
func (s *skeleton) between() error {
	done, reply := s.done, s.reply
	s.done, s.reply = deeds{}, -1
	switch {
	case done.all > 0:
		return s.row(s.Marks.Line, "", "", screen.Cell{Text: done.String(), Style: tty.Dim})
	case reply >= 0:
		e := s.t.Session.Entries[reply]
		return s.row(s.Marks.Line, "", convo.Kind(e), screen.Cell{Text: s.says(e), Style: tty.Dim})
	}
	return nil
}

// says is the text of an entry, on one line; of a compaction, the tokens that were saved.
func (s *skeleton) says(e session.Entry) string {
	if before := js.Value(e.Get("tokensBefore")).Int(); e.Type() == session.TypeCompaction && before > 0 {
		return screen.Tokens(convo.EntryTokens(e)) + " tokens for " + screen.Tokens(before)
	}
	text := convo.Say(e)
	return screen.OneLine(text[:min(len(text), mostSaid)])
}

// mostSaid is how many bytes of a text are looked at for its row.
const mostSaid = 4 << 10

// kindWidth is how many columns the kind of an entry has at least.
const kindWidth = 9

// row prints a row.
func (s *skeleton) row(mark, id, kind string, text screen.Cell) error {
	left := []screen.Cell{{Text: s.Pad(mark, 1) + " ", Style: tty.Dim}}
	if id == "" && kind == "" {
		return s.Line(append(left, screen.Cell{Text: strings.Repeat(" ", s.id+2)}), text)
	}
	shown := screen.OneLine(kind)
	if kind == session.RoleToolResult {
		shown = "result"
	}
	return s.Line(append(left, screen.Cell{Text: s.Pad(s.short(id), s.id) + "  ", Style: tty.Cyan},
		screen.Cell{Text: s.Pad(shown, min(max(kindWidth, screen.Columns(shown)), 16)) + "  ", Style: tty.Dim}), text)
}

// branches prints siblings that are not on the path, each with all that is below it in a row.
func (s *skeleton) branches(siblings, path []int) error {
	for _, i := range siblings {
		if s.t.Active(i) || len(path) > 0 && i == path[0] {
			continue
		}
		entries, prompts, messages, end := 0, 0, 0, i
		for stack := []int{i}; len(stack) > 0; {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			e := s.t.Session.Entries[at]
			entries++
			if _, ok := typed.Prompt(e); ok {
				prompts++
			}
			if spoken(e) != "" {
				end = at
			}
			if _, ok := e.Message(); ok {
				messages++
			}
			stack = append(stack, s.t.Children(at)...)
		}
		if messages == 0 && s.t.Label(i) == "" {
			continue // it says nothing: a label, a change of the model
		}
		e := s.t.Session.Entries[end]
		sum := " " + s.Marks.Dot + " " + tty.Count(int64(entries), "entry", "entries")
		if prompts > 0 {
			sum += ", " + tty.Count(int64(prompts), "prompt", "prompts")
		}
		err := s.Line([]screen.Cell{
			{Text: s.Marks.Fork + s.branchLine() + s.Marks.Branch + " ", Style: tty.Dim},
			{Text: s.Pad(s.short(e.ID()), s.id) + "  ", Style: tty.Cyan},
			{Text: s.Pad(screen.OneLine(convo.Kind(e)), kindWidth) + "  ", Style: tty.Dim},
		}, screen.Cell{Text: s.says(e), Style: tty.Dim, Tail: sum})
		if err != nil {
			return err
		}
	}
	return nil
}

// branchLine leads to a branch.
func (s *skeleton) branchLine() string {
	if s.Marks.Fork == "+" {
		return "-"
	}
	return "─"
}
