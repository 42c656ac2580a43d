package check

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// Options say what to look at beside the session itself.
type Options struct {
	// Blob opens the blob with that SHA-256 sum in hex. Nil leaves references
	// to blobs unchecked.
	Blob func(sum string) (io.ReadCloser, error)
}

// Check reads a session and returns its findings, in the order of the lines, the worst finding of a
// line first. The error is the reader's; an input that is no session is a finding.
//
// A session whose header is missing is looked at as if it had one.
func Check(r io.Reader, o Options) ([]Finding, error) {
	lines := &lineScan{}
	in := &rewinder{r: io.TeeReader(r, lines)}
	read := session.ReadOutline // the lines hold more than is asked of them
	if o.Blob != nil {
		read = session.Read
	}
	s, err := read(in)
	var findings []Finding
	headless := false
	if p, ok := errors.AsType[session.Problem](err); ok {
		findings = append(findings, finding(p))
		if !in.lost && p.Kind == session.NoHeader && lines.line > 0 {
			s, err = session.Read(io.MultiReader(strings.NewReader(standIn), bytes.NewReader(in.seen), in.r))
			headless = true
		} else {
			// The lines behind it are looked at, too.
			_, err = io.Copy(io.Discard, in)
		}
	}
	if err != nil {
		return nil, err
	}
	findings = append(findings, lines.finish(s != nil && s.Torn)...)
	if s != nil {
		found := problems(s, lines)
		found = append(found, tree(s)...)
		found = append(found, contents(s)...)
		found = append(found, pairs(s)...)
		if o.Blob != nil {
			found = append(found, blobs(s, o.Blob)...)
		}
		if headless {
			found = withoutHeader(found)
		}
		findings = append(findings, found...)
	}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(b.Severity, a.Severity))
	})
	return findings, nil
}

// problems are those that reading found, some told more exactly.
func problems(s *session.Session, lines *lineScan) []Finding {
	var out []Finding
	same := repeats(s)
	for _, p := range s.Problems {
		switch {
		case p.Kind == session.Torn && lines.nul:
			p.Kind, p.Text = session.NUL, "NUL bytes at the end of the file, skipped"
		case p.Kind == session.DuplicateID && same[p.Line]:
			p.Kind = SameDuplicate
		}
		out = append(out, finding(p))
	}
	if s.Header.Version < session.Version {
		out = append(out, finding(session.Problem{
			Line: 1, Kind: OldVersion, Text: "an old version of the format; --migrate writes it as version 3",
		}))
	}
	return out
}

// repeats returns the lines of the entries that have the id of an earlier one,
// and its bytes.
func repeats(s *session.Session) map[int]bool {
	if !slices.ContainsFunc(s.Problems, func(p session.Problem) bool { return p.Kind == session.DuplicateID }) {
		return nil
	}
	before := map[string]session.Entry{} // id to its last entry so far
	same := map[int]bool{}
	for _, e := range s.Entries {
		if last, ok := before[e.ID()]; ok && last.SameLine(e) {
			same[e.Line()] = true
		}
		before[e.ID()] = e
	}
	return same
}

// A Severity tells how much a finding matters.
type Severity int

// The severities.
const (
	Note    Severity = iota // legal, and perhaps not intended
	Warning                 // some reader stumbles over it, or hides something
	Error                   // something is lost, or hidden from every reader
)

var severities = [...]string{"note", "warning", "error"}

func (s Severity) String() string { return severities[s] }

// Kinds of findings beside those that reading a session reports.
const (
	NoNewline      session.Kind = "no-final-newline"
	BlankLine      session.Kind = "blank-line"
	CarriageReturn session.Kind = "carriage-return"
	OldVersion     session.Kind = "old-version"
	SameDuplicate  session.Kind = "same-duplicate"
	ParentAfter    session.Kind = "parent-after-child"
	SeveralRoots   session.Kind = "several-roots"
	SeveralHeads   session.Kind = "several-heads"
	DeadEnd        session.Kind = "dead-end"
	OrphanResult   session.Kind = "orphan-result"
	NoResult       session.Kind = "no-result"
	NoTarget       session.Kind = "no-target"
	UnknownBlock   session.Kind = "unknown-block"
	TimeBackward   session.Kind = "time-backward"
	WideMode       session.Kind = "wide-mode"
	ConflictMarker session.Kind = "conflict-marker"
	RepeatedUsage  session.Kind = "repeated-usage"
	NoReplacement  session.Kind = "no-replacement"
)

var severityOf = map[session.Kind]Severity{
	session.Empty: Error, session.NoHeader: Error, session.BadVersion: Error, session.NotJSON: Error,
	session.NotObject: Error, session.Fused: Error, session.NUL: Error, session.Torn: Error, session.TooDeep: Error,
	session.NoID: Error, session.DuplicateID: Error, session.MissingParent: Error, session.Cycle: Error,
	session.NoFirstKept: Error, NoReplacement: Error, convo.BlobMissing: Error, convo.BlobHash: Error,

	NoNewline: Warning, session.BOM: Warning, session.InvalidUTF8: Warning, session.LaterHeader: Warning,
	SameDuplicate: Warning, ParentAfter: Warning, DeadEnd: Warning, OrphanResult: Warning, NoTarget: Warning,
	UnknownBlock: Warning, ConflictMarker: Warning, RepeatedUsage: Warning,

	BlankLine: Note, CarriageReturn: Note, OldVersion: Note, SeveralRoots: Note, SeveralHeads: Note,
	NoResult: Note, TimeBackward: Note, WideMode: Note,
}

// A Finding is one thing that is wrong or odd.
type Finding struct {
	session.Problem
	Severity Severity
}

func finding(p session.Problem) Finding { return Finding{Problem: p, Severity: severityOf[p.Kind]} }

// found makes a finding about an entry.
func found(e session.Entry, kind session.Kind, format string, args ...any) Finding {
	return finding(session.Problem{
		Line: e.Line(), Offset: e.Offset(), Kind: kind, ID: e.ID(), Text: fmt.Sprintf(format, args...),
	})
}

// Worst returns the highest severity among findings; ok is false if there are
// none.
func Worst(findings []Finding) (worst Severity, ok bool) {
	for _, f := range findings {
		worst = max(worst, f.Severity)
	}
	return worst, len(findings) > 0
}

// Sound reports whether a session is one of which Check, without blobs, finds
// nothing: one branch, and nothing wrong. It reads r until it knows, in a tenth of
// the memory that finding something takes. False may be wrong: Check decides.
func Sound(r io.Reader) (bool, error) {
	c := chain{tree: session.NewSkeleton(0), targets: map[string]int{}, calls: map[string]struct{}{}}
	clean, err := session.EachOutline(r, c.next)
	return clean && len(c.calls) == 0 && !c.tree.Repeats() && c.known(), err
}

// A chain is entries of which each hangs from the one before it.
type chain struct {
	tree    *session.Skeleton
	time    int64               // the latest, in milliseconds since the epoch
	targets map[string]int      // ids that are spoken of, and how many entries there were then
	calls   map[string]struct{} // tool calls without a result so far
	replies session.Replies
}

// next adds an entry. It returns false if there may be something to say of it.
func (c *chain) next(e session.Entry) bool {
	if c.tree.AddEntry(e); e.ID() == "" || !c.tree.IsChain() {
		return false
	}
	if ms, ok := e.Timestamp(); ok {
		if ms < c.time {
			return false
		}
		c.time = ms
	}
	switch e.Type() {
	case session.TypeLabel, session.TypeContextEdit:
		if e.Type() == session.TypeContextEdit && e.Get("replacement") == "" {
			return false
		}
		c.speaksOf(e.Str("targetId"))
	case session.TypeCompaction:
		c.speaksOf(e.Str("firstKeptEntryId"))
	}
	m, ok := e.Message()
	return !ok || m.Foreign() == "" && !c.replies.Twice(m) && c.pairs(m)
}

// speaksOf says that the newest entry speaks of one that has to be there by now.
func (c *chain) speaksOf(id string) {
	if _, before := c.targets[id]; !before {
		c.targets[id] = c.tree.Len()
	}
}

// known reports whether all entries that are spoken of are there, in time. It is
// asked once, since a table of all ids would take longer than reading them.
func (c *chain) known() bool {
	ids := slices.Collect(maps.Keys(c.targets))
	for i, n := range c.tree.FindAll(ids) {
		if n < 0 || n >= c.targets[ids[i]] {
			return false
		}
	}
	return true
}

// pairs reports whether a message that is a tool's result answers a call that
// waits for it, and remembers the calls that it makes.
func (c *chain) pairs(m session.Message) bool {
	if m.Role() == session.RoleToolResult {
		call := m.Str("toolCallId")
		if _, waits := c.calls[call]; !waits {
			return false
		}
		delete(c.calls, call)
	}
	for _, call := range m.ToolCalls() {
		c.calls[call.ID] = struct{}{}
	}
	return true
}
