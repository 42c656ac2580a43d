package check

import (
	"fmt"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

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
)

var severityOf = map[session.Kind]Severity{
	session.Empty: Error, session.NoHeader: Error, session.BadVersion: Error, session.NotJSON: Error,
	session.NotObject: Error, session.Fused: Error, session.NUL: Error, session.Torn: Error, session.TooDeep: Error,
	session.NoID: Error, session.DuplicateID: Error, session.MissingParent: Error, session.Cycle: Error,
	session.NoFirstKept: Error, convo.BlobMissing: Error, convo.BlobHash: Error,

	NoNewline: Warning, session.BOM: Warning, session.InvalidUTF8: Warning, session.LaterHeader: Warning,
	SameDuplicate: Warning, ParentAfter: Warning, DeadEnd: Warning, OrphanResult: Warning, NoTarget: Warning,
	UnknownBlock: Warning, ConflictMarker: Warning,

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
