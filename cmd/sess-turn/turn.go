package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/command"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// maxAnswer is how many bytes the command may print: the events of an agent hold what
// its tools printed.
const maxAnswer = 64 << 20

// A turn is one run.
type turn struct {
	*config
	ctx     context.Context
	streams *cli.Streams
	name    string // the operand

	began  int64             // in milliseconds since the epoch
	user   []session.Message // what the user says, nothing for --go-on
	sent   []session.Message // what the command is told of it
	prompt []session.Message // of --system

	secrets *redact.Redactor // of --redact, nil: they stay

	read
	tokens int64 // of what the command is given, estimated
	out    *sink
}

// read is what was read of the session, which is not held while the command runs.
type read struct {
	path    []session.Entry // that the turn goes on from, as far as its context needs
	leaf    string          // id of the last entry of the path, "" for none
	tip     string          // id of the leaf of the session, if it was read whole
	stored  string          // path of the session
	session string          // name for messages
}

// readTexts reads what the user and the system say.
func (t *turn) readTexts() error {
	text, err := t.userText()
	if err != nil {
		return err
	}
	t.began = time.Now().UnixMilli()
	if !t.goOn {
		sent, err := t.clean(session.RoleUser, text)
		if err != nil {
			return err
		}
		t.user, t.sent = []session.Message{session.NewTextMessage(session.RoleUser, text)}, []session.Message{sent}
	}
	if t.system == "" {
		return nil
	}
	prompt, err := t.streams.ReadText(t.system, "system prompt", "--system")
	if err != nil {
		return err
	}
	said, err := t.clean(session.RoleSystem, prompt)
	t.prompt = []session.Message{said}
	return err
}

// clean is a message with a text, without its secrets if that is wanted.
func (t *turn) clean(role, text string) (session.Message, error) {
	if t.secrets == nil {
		return session.NewTextMessage(role, text), nil
	}
	text, err := t.secrets.Text(text)
	return session.NewTextMessage(role, text), err
}

func (t *turn) userText() (string, error) {
	if t.goOn {
		return "", nil
	}
	if t.text != nil {
		if *t.text == "" {
			return "", cli.UsageError("no text: --text is empty")
		}
		return *t.text, cli.UTF8("--text", *t.text)
	}
	text, err := t.streams.ReadText(t.file, "text", "--text or --file")
	if err == nil && text == "" {
		err = cli.WithHint(cli.UsageError("no text: the input is empty"), "--go-on asks for the next answer without one, behind the result of a tool")
	}
	return text, err
}

// make makes the turn.
func (t *turn) make() error {
	if err := t.readSession(); err != nil {
		return err
	}
	if err := t.answerable(); err != nil {
		return err
	}
	if t.dryRun {
		prompt, err := t.ask()
		if err == nil {
			_, err = io.WriteString(t.streams.Out, prompt)
		}
		return err
	}
	if !t.noStore {
		target, err := t.open() // what would keep the turn from being added shows before it is paid for
		if err != nil {
			return err
		}
		if err := target.Close(); err != nil {
			return err
		}
	}
	if t.compact {
		if err := t.fit(); err != nil {
			return err
		}
	}
	prompt, err := t.ask()
	if err != nil {
		return err
	}
	live := t.streams.Live
	if t.print == printText || t.reply == stream.Text {
		live = t.streams.LiveText
	}
	t.out = &sink{w: live()}
	printed, failed := t.answer(prompt)
	switch {
	case failed != nil && !t.keeps(failed):
		return cli.CommandFailed(failed)
	case t.noStore:
		var r reply
		if t.reply != stream.Text {
			r = t.readReply(printed)
		}
		if r.failed != nil {
			return cli.CommandFailed(fmt.Errorf("running %s: %w", command.Command{Argv: t.streams.Command}, r.failed))
		}
		return cmp.Or(t.out.failed(), t.ctx.Err(), r.unread)
	}
	return t.finish(printed, failed)
}

// readSession reads the path that the turn goes on from.
func (t *turn) readSession() error {
	in, err := address.Open(t.ctx, t.streams, t.name)
	if err != nil {
		return err
	}
	defer in.Close()
	t.read = read{stored: in.Path(), session: in.Name}
	if t.secrets != nil {
		if err := in.Through(t.secrets.Session); err != nil {
			return err
		}
	}
	if t.target.Parent == "" && t.expect == "" {
		path, _, err := in.Recent(address.RecentSession)
		if err == nil {
			t.path, t.leaf = path, path[len(path)-1].ID()
		}
		if !errors.Is(err, session.ErrWhole) {
			return err
		}
	}
	src, err := in.Session()
	if err != nil {
		return err
	}
	return t.take(src)
}

// take takes the path from a session that was read whole.
func (t *turn) take(src *address.Source) error {
	if err := src.Expect(t.expect); err != nil {
		return err
	}
	at, ok := src.Session.Leaf()
	if ok {
		t.tip = src.Entries[at].ID()
	}
	if t.target.Parent != "" {
		var err error
		if at, err = src.Session.Resolve(t.target.Parent, at); err != nil {
			return fmt.Errorf("%s: %w", src.Name, err)
		}
	}
	if at >= 0 {
		t.path, _ = src.PathTo(at)
		t.leaf = src.Entries[at].ID()
	}
	return nil
}

// answerable refuses --go-on where there is nothing to answer: behind an answer, whose calls may lack their results.
func (t *turn) answerable() error {
	if !t.goOn {
		return nil
	}
	said := convo.ToLLM(convo.MessagesOf(convo.Project(t.path)))
	if len(said) == 0 {
		return cli.WithHint(cli.UsageError("%s: it has no message, so --go-on has nothing to answer", t.session), "-t TEXT says something")
	}
	switch last := said[len(said)-1]; {
	case last.Role() != session.RoleAssistant:
		return nil
	case len(last.ToolCalls()) > 0:
		return cli.WithHint(cli.UsageError("%s: it ends with calls without results, which --go-on cannot answer", t.session),
			"sess-append -r toolResult --tool-call-id %s adds a result", cli.ShellWords([]string{last.ToolCalls()[0].ID}))
	}
	return cli.WithHint(cli.UsageError("%s: it ends with an answer, so --go-on has nothing to answer", t.session), "-t TEXT says something")
}

// answer runs the command. An error comes with the output so far.
func (t *turn) answer(prompt string) (printed []byte, err error) {
	cmd := command.Command{
		Argv: t.streams.Command, Timeout: t.timeout, MaxReply: maxAnswer,
		Env: []string{"SESS_FILE=" + t.stored, "SESS_LEAF=" + t.leaf, fmt.Sprintf("SESS_TOKENS=%d", t.tokens)},
	}
	shown := t.shown()
	cmd.Stdout = shown
	if t.streams.Verbose {
		cmd.Stderr = t.streams.Err
	}
	// What an agent did before it failed it would do again, so it is for the user to say.
	retry := command.Retry{Attempts: t.attempts(), Asked: t.retries == nil}
	retry.Report = func(try int, wait time.Duration, err error) {
		t.streams.Warnf("%v; asking again in %v (retry %d of %d)", err, wait.Round(100*time.Millisecond), try, retry.Attempts)
	}
	_, err = retry.Run(t.ctx, func(ctx context.Context) (string, error) {
		printed, err = cmd.Collect(ctx, prompt)
		return "", err
	})
	if d, ok := shown.(*stream.Decoder); ok {
		_ = d.Close() // damage is told when the answer is stored
		return printed, err
	}
	if tty.IsTerminal(t.streams.OutFile()) && len(printed) > 0 && printed[len(printed)-1] != '\n' {
		_, _ = t.out.Write([]byte("\n"))
	}
	return printed, err
}

// shown is where what the command prints is shown: as it is, or the text of its answer alone.
func (t *turn) shown() io.Writer {
	if t.print != printText || t.reply == stream.Text {
		return t.out
	}
	return stream.New(stream.Options{
		From: t.reply, Now: func() int64 { return time.Now().UnixMilli() },
		Emit: func([]*stream.Item) error { return nil },
		Say:  func(text string) { _, _ = io.WriteString(t.out, text) },
	})
}

// keeps reports whether a turn that failed is stored: if that is asked for, and the
// command ran.
func (t *turn) keeps(failed error) bool {
	e, ok := errors.AsType[*command.Error](failed)
	return t.keepFailed && ok && e.Reason != command.NotStarted
}

// A sink is standard output, with its first error.
type sink struct {
	w   io.Writer
	mu  sync.Mutex
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	return n, err
}

// failed returns the first error.
func (s *sink) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// behind returns the entries behind the one with an id on a path; "" is in front of all.
func behind(path []session.Entry, id string) []session.Entry {
	return path[slices.IndexFunc(path, func(e session.Entry) bool { return e.ID() == id })+1:]
}

// ask returns what the command is given: the conversation, with what the user says now
// at its end.
func (t *turn) ask() (string, error) {
	said := slices.Concat(t.prompt, convo.MessagesOf(t.context()))
	messages := convo.ToLLM(said)
	for _, m := range messages {
		t.tokens += convo.Estimate(m)
	}
	var b strings.Builder
	var request render.JSON
	var repairs []string
	switch t.as {
	case "text":
		err := render.Text(&b, said)
		return b.String(), err
	case "messages":
		for _, m := range messages {
			b.WriteString(js.ValidText(m.Raw()) + "\n")
		}
		return b.String(), nil
	case "openai":
		request, repairs = render.OpenAI(messages, render.Options{System: true})
	case "anthropic":
		request, repairs = render.Anthropic(messages, render.Options{System: true})
	}
	for _, repair := range repairs {
		t.streams.Warnf("%s: %s", t.session, repair)
	}
	return request.String() + "\n", nil
}

// context returns what the command sees of the path, and what the user says now: without
// the system prompts of the session, which are of another program, and with the newest
// part that fits the window.
func (t *turn) context() []convo.Projected {
	var projection []convo.Projected
	for _, p := range address.DropHarness.Spoken(t.streams, t.session, convo.Project(t.path)) {
		p.Messages = slices.DeleteFunc(slices.Clone(p.Messages), func(m session.Message) bool { return m.Role() == session.RoleSystem })
		projection = append(projection, p)
	}
	if len(t.sent) > 0 {
		projection = append(projection, convo.Projected{Messages: t.sent})
	}
	if t.window == 0 {
		return projection
	}
	kept, ok := render.Budget(projection, t.room()-render.Tokens([]convo.Projected{{Messages: t.prompt}}))
	left := len(convo.MessagesOf(projection)) - len(convo.MessagesOf(kept))
	switch {
	case !ok:
		t.streams.Warnf("%s: the new text does not fit: the window has room for %d tokens", t.session, t.room())
	case left > 0:
		t.streams.Warnf("%s: the context does not fit the window; messages left out, the oldest: %d", t.session, left)
	}
	return kept
}

// room is how many tokens of the window may be used.
func (t *turn) room() int64 { return t.window - t.reserve() }

// said is how many of them are for the new prompt, the system prompt included.
func (t *turn) said() int64 {
	return render.Tokens([]convo.Projected{{Messages: slices.Concat(t.prompt, t.sent)}})
}

// A reply has the entries that are added for a turn: the user's prompt, and the answer.
type reply struct {
	items  []*stream.Item
	failed error // why the turn failed although the command ended well, nil if it did not
	unread error // a part of what was printed could not be read
}

var errNoAnswer = errors.New("what it printed holds no answer")

// readReply makes a reply of what the command printed.
func (t *turn) readReply(printed []byte) reply {
	if t.reply == stream.Text {
		text, changed := command.Clean(string(printed))
		if changed {
			t.streams.Warnf("the answer has control characters, or bytes that are not UTF-8: they are not stored")
		}
		return reply{items: append(t.question(), said(session.NewTextMessage(session.RoleAssistant, text)))}
	}
	var r reply
	tally := cli.NewTally(t.streams.Warnf)
	items, unread := stream.Decode(printed, stream.Options{
		From: t.reply, Note: t.streams.Notef, Now: func() int64 { return time.Now().UnixMilli() },
		Warn: func(format string, args ...any) { tally.Warnf(format, format, args...) },
	})
	tally.More("", "")
	r.items, r.unread = t.inserted(items), unread
	isAnswer := func(i *stream.Item) bool { return hasRole(i, session.RoleAssistant) }
	last := len(r.items) - 1
	for last >= 0 && !isAnswer(r.items[last]) {
		last--
	}
	switch {
	case last < 0:
		r.failed = errNoAnswer
	case r.items[last].Failed():
		m := r.items[last].Message
		r.failed = fmt.Errorf("the answer ended with stopReason %s: %s", m.Str("stopReason"), cmp.Or(m.Str("errorMessage"), "it does not say why"))
	}
	return r
}

// inserted puts the user's prompt among the items of a stream. A program that prints its prompt
// prints all of the conversation, so that is left out.
func (t *turn) inserted(items []*stream.Item) []*stream.Item {
	out, at := []*stream.Item{}, 0
	for n, i := range items {
		if hasRole(i, session.RoleAssistant) {
			out = append(out, items[n:]...)
			break
		}
		if hasRole(i, session.RoleUser) {
			at = len(out)
			continue
		}
		out = append(out, i)
	}
	return slices.Insert(out, at, t.question()...)
}

func hasRole(i *stream.Item, role string) bool {
	return i.Type == session.TypeMessage && i.Message.Role() == role
}

// question has the item of what the user said, when the turn began.
func (t *turn) question() (items []*stream.Item) {
	for _, m := range t.user {
		i := said(m)
		i.Time = t.began
		items = append(items, i)
	}
	return items
}

// said is the item of a message.
func said(m session.Message) *stream.Item {
	return &stream.Item{Type: session.TypeMessage, Message: m}
}

// fail adds to the reply of a command that failed why it did. One that was stopped was aborted.
func (r *reply) fail(text string, why error) {
	stop := "error"
	if e, ok := errors.AsType[*command.Error](why); ok && (e.Reason == command.Signaled || e.Reason == command.TimedOut) {
		stop = "aborted"
	}
	content := "[]"
	if text != "" {
		content = "[" + session.TextBlock(js.Quote(text)) + "]"
	}
	r.items = append(r.items, said(session.NewMessage(js.Object(
		js.StringField("role", session.RoleAssistant), js.RawField("content", content),
		js.StringField("stopReason", stop), js.StringField("errorMessage", why.Error()),
	))))
}
