package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// forms are what --as prints; the first is the default.
var forms = []string{"entries", "context", "messages", "openai", "anthropic", "text", "markdown", "state"}

// A renderer prints one path in one form.
type renderer struct {
	*config
	*reading
	ctx        context.Context
	streams    *cli.Streams
	projection []convo.Projected // what of the path is in the context
	initial    []convo.Projected // what --reinject adds to it
	prompt     []session.Message // the system prompt that --system puts in front, if any
}

func (r *renderer) render() error {
	if r.projection == nil {
		r.projection = r.spoken(convo.Project(r.path))
	}
	at := convo.AfterSummary
	if r.reinject == "before-last-user" {
		at = convo.BeforeLastUser
	}
	r.projection = convo.Reinject(r.projection, r.initial, at)
	if r.wanted != nil {
		for i, p := range r.projection {
			r.projection[i].Messages = slices.DeleteFunc(slices.Clone(p.Messages), func(m session.Message) bool { return !r.isWanted(m) })
		}
	}
	switch r.as {
	case "entries":
		return r.entries()
	case "context":
		return r.value(convo.ContextOf(r.projection, r.path).Pieces()...)
	case "state":
		return r.value(r.state())
	case "messages":
		for _, p := range r.projection {
			for _, m := range p.Messages {
				if llm, ok := convo.MessageToLLM(m); !ok {
					continue
				} else if err := r.value(llm.Raw()); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return r.view()
}

// spoken returns what the form shows of a projection.
func (r *renderer) spoken(projection []convo.Projected) []convo.Projected {
	if r.verbatim() {
		return projection
	}
	return r.harness.Spoken(r.streams, r.name, projection)
}

// view prints a form that is made for an API or for people.
func (r *renderer) view() error {
	messages := r.withSystem(convo.MessagesOf(r.projection))
	var request render.JSON
	var repairs []string
	switch r.as {
	case "openai":
		request, repairs = render.OpenAI(convo.ToLLM(messages), render.Options{System: r.system})
	case "anthropic":
		request, repairs = render.Anthropic(convo.ToLLM(messages), render.Options{System: r.system})
	case "text":
		return render.Text(r.streams.Text(), messages)
	default:
		return render.Markdown(r.streams.Text(), messages)
	}
	for _, repair := range repairs {
		r.streams.Warnf("%s: %s", r.name, repair)
	}
	if r.projects != nil {
		return r.value(request.String())
	}
	if _, err := request.WriteTo(r.streams.Out); err != nil {
		return err
	}
	return r.line(r.streams.Out, "")
}

// withSystem puts the system prompt of a session_init entry in front, if one is
// wanted and the context has none, or drops the system messages. Without --system
// there is no prompt.
func (r *renderer) withSystem(messages []session.Message) []session.Message {
	var out []session.Message
	has := false
	for _, m := range messages {
		if m.Role() == session.RoleSystem {
			has = true
			if !r.system {
				continue
			}
		}
		out = append(out, m)
	}
	if has {
		return out
	}
	return append(slices.Clone(r.prompt), out...)
}

// systemPrompt returns the system prompt of the newest session_init entry of the
// path, if --system asks for it. A cut may leave the entry out, so ask before.
func (r *renderer) systemPrompt() []session.Message {
	if !r.system {
		return nil
	}
	for _, e := range slices.Backward(r.path) {
		if text := e.Str("systemPrompt"); e.Type() == session.TypeSessionInit && text != "" {
			return []session.Message{session.NewTextMessage(session.RoleSystem, text)}
		}
	}
	return nil
}

// entries prints the path as a session, or those of its entries that --where
// selects.
func (r *renderer) entries() error {
	if !r.noHeader && r.where == "" && r.jq == "" && r.wanted == nil {
		for _, line := range r.lead {
			if err := r.line(r.streams.Out, line); err != nil {
				return err
			}
		}
	}
	matched := false
	for _, e := range r.path {
		if !slices.ContainsFunc(convo.EntryMessages(e), r.isWanted) && r.wanted != nil {
			continue
		}
		if r.selects != nil {
			ok, err := r.selects.Match(r.ctx, e.Raw())
			if err != nil {
				return fmt.Errorf("%s:%d: --where: %w", r.name, e.Line(), err)
			}
			if !ok {
				continue
			}
		}
		matched = true
		if err := r.entry(e); err != nil {
			return err
		}
	}
	if (r.selects != nil || r.wanted != nil) && !matched {
		return cli.No("")
	}
	return nil
}

func (r *renderer) entry(e session.Entry) error {
	if r.jq == "" {
		return r.line(r.streams.Out, e.Raw())
	}
	if err := r.value(e.Raw()); err != nil {
		return fmt.Errorf("%s:%d: %w", r.name, e.Line(), err)
	}
	return nil
}

// value prints one JSON text, given in pieces, or what --jq makes of it.
func (r *renderer) value(pieces ...string) error {
	for i, text := range pieces {
		if !r.utf8 {
			pieces[i] = js.ValidText(text)
		}
	}
	if r.projects == nil {
		return r.line(r.streams.Out, pieces...)
	}
	var out error
	err := r.projects.Project(r.ctx, strings.Join(pieces, ""), func(json []byte) error {
		text := string(json)
		if r.raw && text[0] == '"' {
			text = js.Unquote(text)
		}
		out = r.line(r.streams.Out, text)
		return out
	})
	if err != nil && !errors.Is(err, out) {
		return fmt.Errorf("--jq: %w", err)
	}
	return err
}

// line prints a line, given in pieces. It joins none of them: they may be huge.
func (r *renderer) line(w io.Writer, pieces ...string) error {
	for _, text := range pieces {
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// reinjects are the places --reinject takes; the first is the default.
var reinjects = []string{"none", "after-summary", "before-last-user"}

// reinjected returns the initial context that --reinject asks for, as far as the form
// shows it.
func (r *renderer) reinjected() []convo.Projected {
	if r.reinject == "none" {
		return nil
	}
	initial := convo.InitialContext(r.path)
	switch r.as {
	case "context", "messages":
		return initial
	}
	if r.system {
		return initial
	}
	return slices.DeleteFunc(initial, func(p convo.Projected) bool {
		return p.Messages[0].Role() == session.RoleSystem
	})
}

// isWanted reports whether --role wants a message.
func (r *renderer) isWanted(m session.Message) bool { return r.wanted == nil || r.wanted[m.Role()] }

// newest returns the tail that --budget, --last or --turns wants. What --reinject and
// --system add comes off the budget.
func (r *renderer) newest() []convo.Projected {
	projection := convo.Project(r.path)
	switch {
	case r.last > 0:
		return r.tail(projection, func(said []convo.Projected) []convo.Projected { return render.Last(said, r.last) })
	case r.turns > 0:
		return r.tail(projection, func(said []convo.Projected) []convo.Projected { return render.Turns(said, r.turns) })
	}
	projection = r.spoken(projection)
	kept, ok := render.Budget(projection, r.budget-render.Tokens(r.initial)-render.Tokens(r.inFront(projection)))
	if !ok {
		part := "the newest part alone needs"
		if len(r.initial) > 0 {
			part = "the initial context and the newest part need"
		}
		r.streams.Warnf("%s: %s more than %d tokens", r.name, part, r.budget)
	}
	return kept
}

// tail returns the entries that cut keeps of a projection, by their messages, with the messages
// that the form shows.
func (r *renderer) tail(projection []convo.Projected, cut func([]convo.Projected) []convo.Projected) []convo.Projected {
	said, _ := convo.WithoutHarness(projection)
	if r.harness == address.KeepHarness {
		said = projection
	}
	keep := map[string]bool{}
	for _, p := range cut(said) {
		keep[p.Entry.ID()] = true
	}
	return slices.DeleteFunc(slices.Clone(r.spoken(projection)), func(p convo.Projected) bool { return !keep[p.Entry.ID()] })
}

// cut keeps the newest part of the path. Its entries are chained anew, so that they are a whole
// session.
func (r *renderer) cut() {
	r.projection = r.newest()
	keep := map[string]bool{}
	for _, p := range r.projection {
		keep[p.Entry.ID()] = true
	}
	var path []session.Entry
	parent, first := "", ""
	for _, e := range r.path {
		if !keep[e.ID()] {
			continue
		}
		if e.ParentID() != parent {
			e = e.WithParent(parent)
		}
		if first == "" {
			first = e.ID()
		}
		if e.Type() == session.TypeCompaction && !keep[e.Str("firstKeptEntryId")] {
			e = e.WithRaw("firstKeptEntryId", js.Quote(first))
		}
		path = append(path, e)
		parent = e.ID()
	}
	r.path = path
}

// inFront is the system prompt that --system puts in front of a context: none if
// the context has one, or if the form shows none.
func (r *renderer) inFront(projection []convo.Projected) []convo.Projected {
	switch r.as {
	case "entries", "context", "state", "messages":
		return nil
	}
	isSystem := func(m session.Message) bool { return m.Role() == session.RoleSystem }
	if len(r.prompt) == 0 || slices.ContainsFunc(convo.MessagesOf(slices.Concat(r.initial, projection)), isSystem) {
		return nil
	}
	return []convo.Projected{{Messages: r.prompt}}
}
