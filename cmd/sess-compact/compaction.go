package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/internal/summarize"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// The answers "no". That there is no need is what --if-needed asks, time and
// again, and is no news; that nothing can be done is.
var (
	errNoNeed  = clikit.No("")
	errNothing = clikit.No("nothing to compact")
)

// A compaction is a plan with its summary, not yet written.
type compaction struct {
	plan      *compact.Plan
	summary   compact.Summary
	extracted bool // the summary is our own
}

// refused marks err as the refusal of the summary.
func (m *compaction) refused(err error) error {
	if m.extracted {
		return clikit.No("%v", err)
	}
	return clikit.CommandFailed(err)
}

// compact plans and summarizes. It returns nil if it has printed all that was
// asked for.
func (c *config) compact(ctx context.Context, s *clikit.Streams, src *operand.Source) (*compaction, error) {
	leaf, _ := src.Session.Leaf()
	entries, _ := src.PathTo(leaf)
	if c.ifNeeded {
		tokens := session.MeasureProjection(session.Project(entries), entries).Tokens
		if !compact.ShouldCompact(tokens, c.window, c.reserve) {
			return nil, errNoNeed
		}
	}
	plan, err := compact.New(entries, compact.Options{Keep: c.keep, Rules: rules[c.rules]})
	if errors.Is(err, compact.ErrNothing) {
		return nil, errNothing
	}
	if err != nil {
		return nil, err
	}
	switch {
	case c.plan:
		_, err := fmt.Fprintln(s.Out, planJSON(plan))
		return nil, err
	case c.prompt:
		_, err := fmt.Fprintln(s.Out, js.ValidText(compact.System+"\n\n"+plan.Prompt(c.instructions)))
		return nil, err
	}
	m := &compaction{plan: plan}
	if err := c.summarize(ctx, s, m, src.Path); err != nil {
		return nil, err
	}
	return m, nil
}

// summarize gets the summary: from a file, from a command, or by extraction.
func (c *config) summarize(ctx context.Context, s *clikit.Streams, m *compaction, path string) error {
	if c.summary != "" {
		return c.readSummary(s, m)
	}
	cmd, ok := c.command(s)
	if !ok {
		m.summary, m.extracted = compact.Extract(m.plan), true
		return nil
	}
	cmd.Env = []string{"SESS_FILE=" + path, "SESS_LEAF=" + m.plan.Leaf, fmt.Sprintf("SESS_TOKENS=%d", m.plan.TokensBefore)}
	m.summary.Details = []session.Field{session.StringField("summarizer", "command")}
	ask := func(prompt, heading, chunk string) (reply string, err error) {
		run := cmd
		run.Env = append(run.Env[:len(run.Env):len(run.Env)], "SESS_CHUNK="+chunk)
		if run.Require, err = c.required(heading); err != nil {
			return "", err
		}
		reply, err = run.Run(ctx, js.ValidText(compact.System+"\n\n"+prompt+"\n"))
		if errors.Is(err, summarize.ErrCommand) {
			err = clikit.CommandFailed(err)
		}
		return reply, err
	}
	var err error
	if m.plan.NeedsHistory() {
		if m.summary.History, err = ask(m.plan.HistoryPrompt(c.instructions), compact.RequiredHeading, "history"); err != nil {
			return err
		}
	}
	if m.plan.NeedsPrefix() {
		m.summary.TurnPrefix, err = ask(m.plan.PrefixPrompt(c.instructions), compact.PrefixHeading, "turn-prefix")
	}
	return err
}

// readSummary takes a summary that was made elsewhere, by the rules a
// command's answer has to keep.
func (c *config) readSummary(s *clikit.Streams, m *compaction) error {
	in, err := s.OpenInput(c.summary)
	if err != nil {
		return err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("reading %s: %w", c.summary, err)
	}
	text := strings.TrimSpace(js.ValidText(strings.ReplaceAll(string(data), "\r\n", "\n")))
	if text == "" {
		return clikit.CommandFailed(errors.New("the summary is empty"))
	}
	m.summary = m.plan.Answer(text)
	heading := compact.RequiredHeading
	if m.summary.TurnPrefix != "" {
		heading = compact.PrefixHeading
	}
	require, err := c.required(heading)
	if err != nil {
		return err
	}
	if require != nil && !require.MatchString(text) {
		return clikit.WithHint(clikit.CommandFailed(fmt.Errorf("the summary lacks the heading %q", heading)), "--no-require accepts any text")
	}
	m.summary.Details = []session.Field{session.StringField("summarizer", "file")}
	return nil
}

// required is the pattern a summary has to match, nil for none.
func (c *config) required(heading string) (*regexp.Regexp, error) {
	if c.noRequire {
		return nil, nil
	}
	pattern := "^" + regexp.QuoteMeta(heading)
	if c.require != "" {
		pattern = c.require
	}
	re, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		return nil, clikit.UsageError("--require: %v", err)
	}
	return re, nil
}

// planJSON is what --plan prints. Fields are only ever added.
func planJSON(p *compact.Plan) string {
	ids := func(parts []compact.Part) []string {
		out := []string{}
		for _, part := range parts {
			out = append(out, part.EntryID)
		}
		return out
	}
	var previous *string
	if p.PreviousSummary != "" {
		previous = &p.PreviousSummary
	}
	list := func(l []string) []string { return append([]string{}, l...) }
	out, err := json.Marshal(map[string]any{
		"leaf": p.Leaf, "firstKeptEntryId": p.FirstKept, "isSplitTurn": p.SplitTurn,
		"tokensBefore": p.TokensBefore, "previousSummary": previous,
		"messagesToSummarize": ids(p.Summarize), "turnPrefixMessages": ids(p.TurnPrefix),
		"fileOps": map[string][]string{"read": list(p.Files.Read), "written": list(p.Files.Written), "edited": list(p.Files.Edited)},
	})
	if err != nil {
		panic(err) // strings, numbers and booleans marshal
	}
	return string(out)
}
