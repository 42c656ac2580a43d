package main

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A starter is a session that is judged, and how many agents it started whose usage is not in it.
type starter struct {
	label string
	calls.Starter
}

// unseenAgents says which agents the sessions started that are not among those held to a limit. With --strict that is a breach.
func (r *report) unseenAgents(ctx context.Context, found selection.Found) {
	if !r.limited() || r.sessions.Subagents == selection.WithoutSubagents {
		return
	}
	quiet := &cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Quiet: true} // what cannot be read was told
	var judged []starter
	for of := range parallel.Map(ctx, 2*runtime.GOMAXPROCS(0), slices.Values(found.List), func(ctx context.Context, src selection.Source) starter {
		return r.starter(ctx, quiet, src)
	}) {
		judged = append(judged, of)
	}
	starters := make([]calls.Starter, len(judged))
	for i := range judged {
		starters[i] = judged[i].Starter
	}
	for i, missing := range calls.Unseen(starters) {
		if missing == 0 {
			continue
		}
		label := tty.Clean(judged[i].label)
		r.streams.Alwaysf(calls.UnseenText, label, missing)
		if r.strict {
			r.breach("strict", "%s: %s not among the sessions", label, tty.Count(missing, "agent that it started is", "agents that it started are"))
		}
	}
}

// starter reads a session for the agents that it started, nothing of one that cannot be read.
func (r *report) starter(ctx context.Context, quiet *cli.Streams, src selection.Source) starter {
	of := starter{label: src.Label()}
	var whole *address.Source
	if src.Name == "-" {
		s, err := session.ReadCut(bytes.NewReader(r.stdin.Bytes()), calls.Cut)
		if err != nil {
			return of
		}
		whole = &address.Source{Session: s}
	} else {
		in, err := src.Open(ctx, quiet)
		if err != nil {
			return of
		}
		defer in.Close()
		if whole, err = in.Cut(calls.Cut); err != nil || src.Here(whole.Header) != nil {
			return of
		}
	}
	of.Session, of.Path, of.Parent = whole.Header.ID, whole.Path, selection.StartedBy(whole)
	if slices.ContainsFunc(whole.Entries, isResult) {
		return of
	}
	for _, c := range calls.AgentsOf(calls.Of(whole.Entries, whole.Header.CWD), whole.Entries) {
		if c.Result >= 0 {
			if m, ok := whole.Entries[c.Result].Message(); ok && js.Value(m.Get("usage")).IsObject() {
				continue // which says what the agent used
			}
		}
		of.Agents++
	}
	return of
}

// isResult reports whether an entry has the usage that the agent told at the end of its run: that of its agents is in it.
func isResult(e session.Entry) bool {
	m, ok := e.Message()
	return ok && js.Value(m.Get("details")).Get("usageFrom").Str() == "result"
}
