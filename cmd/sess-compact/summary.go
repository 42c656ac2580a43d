package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/brief"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/command"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A made summary is one with a note of who made it.
type made struct {
	compact.Summary
	own  bool // we did, without a model
	paid bool // a command did, and there is no other copy of it
}

// summarize gets the summary: from a file, from a command, or by extraction.
func (j *job) summarize(plan *compact.Plan) (made, error) {
	if j.summary != "" {
		heading := compact.RequiredHeading
		if plan.Answer("any").TurnPrefix != "" {
			heading = compact.PrefixHeading
		}
		text, err := j.readSummary(heading)
		summary := plan.Answer(text)
		summary.Details = j.told("file", text)
		return made{Summary: summary, paid: j.summary == "-"}, err
	}
	a, ok := j.asker(plan.Leaf, plan.TokensBefore)
	if !ok {
		summary := j.extract(plan)
		summary.Details = j.told("extractive", summary.History+summary.TurnPrefix)
		return made{Summary: summary, own: true}, nil
	}
	var summary compact.Summary
	seen, err := j.asked(plan)
	if err != nil {
		return made{}, err
	}
	for _, r := range seen.Requests(j.promptOptions()) {
		text, err := a.ask(r)
		if err != nil {
			return made{}, err
		}
		if r.Name() == compact.PartTurnPrefix {
			summary.TurnPrefix = text
		} else {
			summary.History = text
		}
	}
	summary.Details = slices.Concat(j.told("command", summary.History+summary.TurnPrefix), a.account())
	return made{Summary: summary, paid: true}, nil
}

// extract makes the summary without a model.
func (j *job) extract(plan *compact.Plan) (s compact.Summary) {
	of := func(parts []compact.Part) brief.Deeds { return brief.OfParts(plan.After(), parts, j.src.Header.CWD) }
	switch {
	case plan.NeedsHistory():
		s.History = of(plan.Summarize).Summary(brief.History, plan.PreviousSummary)
	case plan.PreviousSummary != "": // one text of both, or each compaction within a turn would add to the one before
		s.History, s.Whole = of(plan.TurnPrefix).Summary(brief.History, plan.PreviousSummary), true
	}
	if plan.NeedsPrefix() && !s.Whole {
		s.TurnPrefix = of(plan.TurnPrefix).Summary(brief.Turn, "")
	}
	return s
}

// promptOptions says how prompts are made.
func (j *job) promptOptions() compact.PromptOptions {
	return compact.PromptOptions{Focus: j.instructions, MaxPrompt: j.maxPrompt}
}

// withoutSecrets returns parts without their secrets, if that is wanted: a prompt has the beginning of a long text, and half of a
// secret is not found.
func (j *job) withoutSecrets(parts []compact.Part) ([]compact.Part, error) {
	if j.secrets == nil {
		return parts, nil
	}
	messages := make([]session.Message, len(parts))
	for i, part := range parts {
		messages[i] = part.Message
	}
	messages, err := j.secrets.Messages(messages)
	if err != nil && messages == nil { // a prompt has no ids of calls
		return nil, fmt.Errorf("%s: %w", j.src.Name, err)
	}
	clean := slices.Clone(parts)
	for i := range clean {
		clean[i].Message = messages[i]
	}
	return clean, nil
}

// asked is a plan as a command gets to see it.
func (j *job) asked(plan *compact.Plan) (*compact.Plan, error) {
	seen := *plan
	var errs [3]error
	seen.Summarize, errs[0] = j.withoutSecrets(plan.Summarize)
	seen.TurnPrefix, errs[1] = j.withoutSecrets(plan.TurnPrefix)
	seen.PreviousSummary, errs[2] = j.clean(plan.PreviousSummary)
	return &seen, errors.Join(errs[:]...)
}

// askedOf is a branch as a command gets to see it.
func (j *job) askedOf(b *compact.Branch) (*compact.Branch, error) {
	seen := *b
	var err error
	seen.Parts, err = j.withoutSecrets(b.Parts)
	return &seen, err
}

// clean returns a prompt without its secrets, if that is wanted.
func (j *job) clean(prompt string) (string, error) {
	if j.secrets == nil {
		return prompt, nil
	}
	return j.secrets.Text(prompt)
}

// readSummary takes a summary that was made elsewhere, by the rules a command's
// answer has to keep.
func (j *job) readSummary(heading string) (string, error) {
	data, err := j.streams.ReadInput(j.summary, "summary", "--summary-file FILE")
	if err != nil {
		return "", err
	}
	if err := cli.UTF8(j.summary, string(data)); err != nil {
		j.streams.Warnf("%v; it stands for a replacement character", err) // it may have been paid for
	}
	text := strings.TrimSpace(js.ValidText(strings.ReplaceAll(string(data), "\r\n", "\n")))
	if text == "" {
		return "", cli.CommandFailed(errors.New("the summary is empty"))
	}
	text, err = j.take("", text, heading)
	return text, refused(err)
}

// take returns the summary in an answer to a prompt that asks for a heading.
func (j *job) take(prompt, reply, heading string) (string, error) {
	answer, err := j.answer(heading)
	if err != nil {
		return "", err
	}
	text, left, err := answer.Take(prompt, reply)
	if left != "" {
		j.streams.Notef("left out of the answer: %s", left)
	}
	return text, err
}

// refused is the error of a command that failed, or of its answer, with what to do
// about an answer that lacks what was asked for. The words of a server in trouble
// are no answer to be accepted.
func refused(err error) error {
	failed, ok := errors.AsType[*command.Error](err)
	err = cli.CommandFailed(err)
	if !errors.Is(err, command.ErrLacking) || ok && failed.Trouble() {
		return err
	}
	return cli.WithHint(err, "--no-require accepts any text")
}

// An asker has a command answer requests, and keeps account.
type asker struct {
	*job
	cmd     command.Command
	calls   int
	dropped int
	took    time.Duration
}

// asker returns what asks the command; ok is false if there is none.
func (j *job) asker(leaf string, tokens int64) (a *asker, ok bool) {
	cmd, ok := j.command(j.streams)
	cmd.Env = []string{"SESS_FILE=" + j.src.Path, "SESS_LEAF=" + leaf, fmt.Sprintf("SESS_TOKENS=%d", tokens)}
	return &asker{job: j, cmd: cmd}, ok
}

// ask asks until a request is answered: in chunks, after a failure again, and
// without the oldest messages if the model finds them too many.
func (a *asker) ask(r *compact.Request) (string, error) {
	start := time.Now()
	defer func() { a.took += time.Since(start) }()
	for !r.Done() {
		prompt, chunk, chunks, err := r.Next()
		if errors.Is(err, compact.ErrNoRoom) {
			return "", cli.WithHint(err, "raise --max-prompt")
		}
		if err != nil {
			return "", err
		}
		part := r.Name()
		if chunks > 1 {
			part += fmt.Sprintf(" %d/%d", chunk, chunks)
		}
		if prompt, err = a.clean(compact.System + "\n\n" + prompt); err != nil {
			return "", err
		}
		// On a terminal and with -v it says which answer is awaited: that may take minutes.
		say := a.streams.Notef
		if tty.IsTerminal(a.streams.ErrFile()) {
			say = a.streams.Infof
		}
		what := a.cmd.String()
		if chunks > 1 || part != compact.PartHistory {
			what += " for " + part
		}
		say("asking %s, %.1f kB", what, float64(len(prompt))/1000)
		reply, err := a.call(prompt, r.Heading(), part)
		if errors.Is(err, command.ErrOverflow) {
			if n, ok := r.Drop(); ok {
				a.dropped += n
				what := "more of the oldest message"
				if n > 0 {
					what = "the oldest " + tty.Count(n, "message", "messages")
				}
				a.streams.Warnf("%v; %s left out of the prompt", err, what)
				continue
			}
		}
		if err != nil {
			return "", refused(err)
		}
		r.Accept(reply)
	}
	return r.Summary(), nil
}

// call runs the command on one prompt, more than once if need be.
func (a *asker) call(prompt, heading, part string) (string, error) {
	run := a.cmd
	run.Env = append(run.Env[:len(run.Env):len(run.Env)], "SESS_CHUNK="+part)
	run.Check = func(prompt, reply string) (string, error) { return a.take(prompt, reply, heading) }
	retry := command.Retry{Attempts: a.retries, Report: func(try int, wait time.Duration, err error) {
		a.streams.Warnf("%v; asking again in %v (retry %d of %d)", err, wait.Round(100*time.Millisecond), try, a.retries)
	}}
	return retry.Run(a.ctx, func(ctx context.Context) (string, error) {
		a.calls++
		return run.Run(ctx, js.ValidText(prompt+"\n"))
	})
}

// account is what the entry's details say about the asking.
func (a *asker) account() []js.Field {
	out := []js.Field{
		{Name: "calls", Raw: strconv.Itoa(a.calls)},
		{Name: "milliseconds", Raw: strconv.FormatInt(a.took.Milliseconds(), 10)},
	}
	if a.dropped > 0 {
		out = append(out, js.RawField("dropped", strconv.Itoa(a.dropped)))
	}
	return out
}

// told are the members of details that every summary gets: who made it, and how
// many bytes it has.
func (j *job) told(summarizer, text string) []js.Field {
	return []js.Field{js.StringField("summarizer", summarizer), {Name: "bytes", Raw: strconv.Itoa(len(text))}}
}

// noContent is the summary of a branch without messages, as pi has it.
const noContent = "No content to summarize"

// leaveBranch makes the summary of the branch that is left, behind the entry
// that is gone back to.
func (j *job) leaveBranch() error {
	b, err := j.planBranch()
	if err != nil {
		return err
	}
	switch {
	case j.plan:
		return j.println(row.JSON(branchRow{
			FromID: b.From, TargetID: b.Target, CommonAncestorID: b.Ancestor, Estimate: b.Tokens, MessagesToSummarize: ids(b.Parts), Dropped: b.Dropped,
			FileOps: filesRow(b.Files),
		}))
	case j.prompt:
		seen, err := j.askedOf(b)
		if err != nil {
			return err
		}
		return j.printText(compact.System + "\n\n" + seen.Prompt(j.instructions))
	}
	m, err := j.summarizeBranch(b)
	if err != nil {
		return err
	}
	if m.paid {
		j.pay(m.History, "--branch", cmp.Or(b.Target, j.branch))
	}
	j.batch.Leaf = b.Target
	_, err = j.batch.Add(session.TypeBranchSummary, b.Fields(m.History, m.Details)...)
	return err
}

func (j *job) planBranch() (*compact.Branch, error) {
	leaf, _ := j.src.Session.Leaf()
	target, err := j.src.Session.Resolve(j.config.branch, leaf)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.src.Name, err)
	}
	var path []session.Entry
	if target >= 0 {
		path, _ = j.src.PathTo(target)
	}
	window := j.window
	if window == 0 {
		window = compact.DefaultBranchWindow
	}
	b, err := compact.NewBranch(j.path, path, compact.BranchOptions{
		Budget: max(1, window-j.reserve), Estimate: j.trigger().Estimate,
	})
	if errors.Is(err, compact.ErrNothing) {
		return nil, cli.No("no branch is left: %s is the leaf, or behind it", j.config.branch)
	}
	if err == nil && b.Dropped > 0 {
		j.streams.Warnf("%s: the oldest %s of the branch left out: more than --window less --reserve", j.src.Name, tty.Count(b.Dropped, "message", "messages"))
	}
	return b, err
}

func (j *job) summarizeBranch(b *compact.Branch) (made, error) {
	if b.Empty() {
		return made{Summary: compact.Summary{History: noContent}}, nil
	}
	if j.summary != "" {
		text, err := j.readSummary(b.Heading())
		return made{Summary: compact.Summary{History: text, Details: j.told("file", text)}, paid: j.summary == "-"}, err
	}
	a, ok := j.asker(b.From, b.Tokens)
	if !ok {
		heard := brief.OfParts(b.Entries, b.Heard(), j.src.Header.CWD)
		text := heard.Summary(brief.Branch, heard.Earlier.Text)
		return made{Summary: compact.Summary{History: text, Details: j.told("extractive", text)}}, nil
	}
	seen, err := j.askedOf(b)
	if err != nil {
		return made{}, err
	}
	text, err := a.ask(seen.Request(j.promptOptions()))
	return made{Summary: compact.Summary{History: text, Details: append(j.told("command", text), a.account()...)}, paid: true}, err
}
