package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/findings"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A report has the rows to print, and the faults on the way.
type report struct {
	*config
	streams  *cli.Streams
	screen   *screen.Screen // nil if rows are for programs, or of a form that was asked for
	lacks    []string       // what the sums on a screen do not have
	place    row.Place      // of the only session
	problems []error        // that decide the status
	breaches []findings.Finding
	session  string       // what the only session is called
	stdin    bytes.Buffer // what was read of standard input, if a limit is held to it
}

// fail takes note of an error that decides the status once all is printed.
func (r *report) fail(err error) {
	if err != nil {
		r.problems = append(r.problems, err)
	}
}

// breach takes note of a limit that does not hold. Flag is the one that says it.
func (r *report) breach(flag, format string, args ...any) {
	err := cli.No("%s (--%s)", fmt.Sprintf(format, args...), flag)
	r.breaches = append(r.breaches, findings.Finding{Session: r.session, Line: 1, Rule: flag, Message: err.Error()})
	r.fail(err)
}

// strictness is the flag by which a cost or a time that is not known fails.
func (r *report) strictness() string {
	if r.strictPrices {
		return "strict-prices"
	}
	return "strict"
}

// limiting is the flag of a limit.
func (r *report) limiting() string {
	switch {
	case r.limits.cost >= 0:
		return "max-cost"
	case r.maxTokens >= 0:
		return "max-tokens"
	case r.limits.hasContext():
		return "max-context"
	}
	return "max-growth"
}

// outcome is the error of the tool. Breaches are printed for GitHub, if they are wanted so.
func (r *report) outcome() error {
	if n := r.streams.PassedOver(); n > 0 && (r.strict || r.strictPrices) {
		r.breach(r.strictness(), "files of no bytes: %d", n)
	}
	if r.github {
		for _, b := range r.breaches {
			if _, err := fmt.Fprintln(r.streams.Out, b.Annotation()); err != nil {
				return err
			}
		}
	}
	return errors.Join(r.problems...)
}

// A reading is what came of a source.
type reading struct {
	session usage.Session
	usage.Content
	err error
}

// ledger reads the calls of all sources, some at once. What cannot be read is warned of
// and decides the status.
func (r *report) ledger(ctx context.Context, found selection.Found) (*usage.Ledger, error) {
	l := &usage.Ledger{KeepCopies: r.noDedup}
	readings := make([]reading, 0, len(found.List))
	wants := ctx
	switch {
	case r.needsBranches():
	case r.limited() || r.strict || r.strictPrices: // a gate
		wants = address.UsageOnly(ctx)
	default:
		wants = address.Remembered(ctx)
	}
	for got := range parallel.Map(wants, runtime.GOMAXPROCS(0), slices.Values(found.List), r.read) {
		if errors.Is(got.err, selection.ErrNotHere) {
			got = reading{}
		} else {
			l.Add(got.session, got.Calls)
		}
		got.Calls, got.Header = nil, session.Header{}
		readings = append(readings, got)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.complain(found, readings)
	if len(readings) == 1 {
		r.place = placeOf(&readings[0].session)
	}
	l.Settle()
	return l, nil
}

// read reads the calls of a source.
func (r *report) read(ctx context.Context, src selection.Source) (got reading) {
	got.session = usage.Session{Name: src.Name, Agent: src.Owner()}
	in, err := src.Open(ctx, r.streams)
	if err != nil {
		got.err = err
		return got
	}
	defer in.Close()
	if path := in.Path(); path != "" {
		got.session.Name = path
	}
	var from io.Reader = disk.Reader{Ctx: ctx, R: in}
	if src.Name == "-" && r.limited() {
		from = io.TeeReader(from, &r.stdin)
	}
	got.Content, err = usage.Read(from, usage.Options{
		Agent: got.session.Agent, Strict: r.strict || r.strictPrices || r.whole(), Branches: r.needsBranches(),
	})
	if err != nil {
		got.err = address.Locate(in.Name, err)
	}
	h := got.Header
	got.session.ID, got.session.Parent, got.session.CWD = h.ID, h.ParentSession, h.CWD
	got.session.Origin = h.Origin()
	place := in.Place(h.ID)
	got.session.Operand, got.session.Path = place.Address, place.Path
	got.session.Time, got.session.Timed = js.ParseTime(h.Timestamp)
	if err := src.Here(h); err != nil && got.err == nil {
		got.err = err
	}
	for i, d := range got.Damage {
		got.Damage[i].Err = fmt.Errorf("%s:%d: %w", cleanName(in.Name), d.Line, d.Err)
	}
	return got
}

// placeOf says in rows which session it is.
func placeOf(s *usage.Session) row.Place {
	return row.Place{Address: s.Operand, Path: s.Path, Session: s.ID}
}

// cleanName is the name of a session in a message.
func cleanName(name string) string {
	if name == "" || name == "-" {
		return "(standard input)"
	}
	return name
}

// complain warns of damaged sources.
func (r *report) complain(found selection.Found, readings []reading) {
	tally, unseen := r.streams.Tally(cli.Damage), r.streams.Tally(cli.Unseen)
	failed, status, damaged := 0, cli.ExitDone, false
	var unread error // the first damage that hides calls from a limit
	for i := range readings {
		got := &readings[i]
		for _, d := range got.Damage {
			tally.Warnf("damaged lines", "%v", d.Err)
		}
		if more := got.Damaged - len(got.Damage); more > 0 {
			tally.Warnf("sessions with more damage", "%s: … and %s", cleanName(got.session.Name), tty.Count(more, "more damaged line", "more damaged lines"))
		}
		r.streams.Unjudged(cleanName(got.session.Name), got.Damaged)
		damaged = damaged || got.Damaged > 0
		if d := got.Damage; unread == nil && len(d) > 0 && (!d[0].Torn || !address.Fresh(got.session.Path)) {
			unread = address.NotWhole(d[0].Err)
		}
		if got.err == nil {
			continue
		}
		failed, status = failed+1, max(status, cli.Status(got.err))
		if len(readings) == 1 {
			r.fail(got.err)
		} else {
			unseen.Warnf("unreadable sessions", "%v", got.err)
		}
	}
	tally.More("", "")
	unseen.More("", "")
	r.fail(found.Failed)
	if len(readings) > 1 {
		r.fail(r.streams.Unread(failed, len(readings), status))
	}
	if r.whole() && unread != nil && !r.strict && !r.strictPrices {
		r.fail(unread)
	}
	if damaged && (r.strict || r.strictPrices) {
		status := cli.ExitMalformed
		if unread == nil {
			status = cli.ExitUsage // the last line of a file that was just written to
		}
		r.fail(cli.WithStatus(errors.New("damaged lines may have calls that are not counted"), status))
	}
}

// needsBranches reports whether it matters on which branch a call is.
func (c *config) needsBranches() bool {
	return slices.Contains(c.keys, "branch")
}

// write prints text that was put together.
func (r *report) write(text string) error {
	_, err := io.WriteString(r.streams.Out, text)
	return err
}
