package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/template"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/command"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
)

// A made summary is one with a note of who made it.
type made struct {
	compact.Summary
	own  bool // we did, without a model
	paid bool // a command did, and there is no other copy of it
}

// summarize gets the summary: from the hook, from a file, from a command, or by
// extraction.
func (j *job) summarize(plan *compact.Plan, focus string, given *string) (made, error) {
	m, err := j.summaryOf(plan, focus, given)
	if err != nil {
		return made{}, err
	}
	m.Details = append(m.Details, j.more()...)
	m.Short, m.PreserveData = j.short, j.preserve
	return m, nil
}

func (j *job) summaryOf(plan *compact.Plan, focus string, given *string) (made, error) {
	switch {
	case given != nil:
		summary := plan.Answer(*given)
		summary.Details = j.told("hook", *given)
		return made{Summary: summary, paid: true}, nil
	case j.summary != "":
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
		summary := compact.Extract(plan)
		summary.Details = j.told("extractive", summary.History+summary.TurnPrefix)
		return made{Summary: summary, own: true}, nil
	}
	var summary compact.Summary
	for _, r := range plan.Requests(j.promptOptions(focus)) {
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

// more are the members of details that --details gives.
func (j *job) more() (out []js.Field) {
	for name, value := range js.Members(j.details) {
		out = append(out, js.RawField(js.Unquote(name), value))
	}
	return out
}

// promptOptions says how prompts are made.
func (j *job) promptOptions(focus string) compact.PromptOptions {
	return compact.PromptOptions{Focus: focus, ResultLimit: cmp.Or(j.clipResult, -1), MaxPrompt: j.maxPrompt, Write: j.form.writer()}
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
	data, err := j.streams.ReadInput(j.summary, "summary", "--summary FILE")
	if err != nil {
		return "", err
	}
	if err := clikit.UTF8(j.summary, string(data)); err != nil {
		j.streams.Warnf("%v; it stands for a replacement character", err) // it may have been paid for
	}
	text := strings.TrimSpace(js.ValidText(strings.ReplaceAll(string(data), "\r\n", "\n")))
	if text == "" {
		return "", clikit.CommandFailed(errors.New("the summary is empty"))
	}
	text, err = j.take("", text, heading)
	return text, refused(err)
}

// take returns the summary in an answer to a prompt that asks for a heading.
func (j *job) take(prompt, reply, heading string) (string, error) {
	answer, err := j.answer(j.form.heading(heading))
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
	err = clikit.CommandFailed(err)
	if !errors.Is(err, command.ErrLacking) || ok && failed.Trouble() {
		return err
	}
	return clikit.WithHint(err, "--no-require accepts any text")
}

// A form is the template of --template. It is read once, because the file may be
// a pipe, or be edited while the command runs. A nil form stands for the built-in
// prompts.
type form struct {
	text string
	tmpl *template.Template
}

// readForm reads the template in a file; "" names none.
func readForm(name string) (*form, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the template %s: %w", name, disk.Cause(err))
	}
	t, err := template.New(name).Parse(string(data))
	if err != nil {
		return nil, clikit.UsageError("--template: %v", err)
	}
	return &form{string(data), t}, nil
}

// writer returns what makes prompts of the template, nil without one.
func (f *form) writer() func(compact.PromptData) (string, error) {
	if f == nil {
		return nil
	}
	return func(d compact.PromptData) (string, error) {
		var b strings.Builder
		if err := f.tmpl.Execute(&b, d); err != nil {
			return "", fmt.Errorf("--template: %w", err)
		}
		return b.String(), nil
	}
}

// heading returns the heading that an answer has to have, "" for none: that of
// the built-in prompt, unless a template asks for another one, or for none.
func (f *form) heading(builtIn string) string {
	if f == nil || strings.Contains(f.text, ".Heading") {
		return builtIn
	}
	for line := range strings.Lines(f.text) {
		if line = strings.TrimRight(line, " \r\n"); strings.HasPrefix(line, "#") && !strings.Contains(line, "{{") {
			return line
		}
	}
	return ""
}
