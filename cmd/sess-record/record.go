package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/command"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// again is after how long entries that could not be written are tried again.
const again = 200 * time.Millisecond

// shortly is how long the prompt may wait for the lock in front of the command.
const shortly = time.Second

// record writes down the prompt, passes the stream on, and writes down the entries that are whole.
func (w *writer) record(src *source) error {
	d := stream.New(w.options(w, src.live))
	if err := w.ask(d); err != nil {
		return err
	}
	on, err := src.start()
	if err != nil {
		d.Fail(stream.Failure{Stop: "error", Text: err.Error()})
		err = errors.Join(err, d.Close(), w.finish())
		w.spoken()
		return err
	}
	w.leave = func() {
		if c, ok := on.out.(io.Closer); ok {
			_ = c.Close()
		}
	}
	back, passed := &backlog{wake: make(chan struct{}, 1), room: make(chan struct{}, 1)}, make(chan error, 1)
	go func() { passed <- pass(w.out(), on.out, back) }()
	end := w.follow(d, back, on)
	if !end.stopped {
		end.passed = errors.Join(<-passed, w.refused)
	}
	end.how, end.wait = on.wait()
	return w.conclude(d, src, on, end)
}

// ask writes down the prompt, before anybody answers it.
func (w *writer) ask(d *stream.Decoder) error {
	if err := d.Ask(); err != nil || len(w.pending) == 0 {
		return err
	}
	if err := w.commit(min(w.target.Wait, shortly)); err != nil {
		w.try() // which tells the error
	}
	return nil
}

// out is where the stream passes to.
func (w *writer) out() io.Writer {
	if w.print == printText {
		return io.Discard
	}
	return w.streams.Live()
}

// say prints what the assistant says.
func (w *writer) say(text string) {
	if w.printed == nil {
		w.printed = w.streams.LiveText()
	}
	if w.refused != nil {
		return
	}
	if _, w.refused = io.WriteString(w.printed, text); cli.Status(w.refused) == cli.ExitPipe {
		w.leave()
	}
}

// An end is how a stream came to its end.
type end struct {
	stopped bool // by a signal, before it ended
	decoded error
	passed  error
	how     command.Ending
	wait    error
}

// follow decodes what passes until it ends and its printer has exited, or until a signal ends
// it.
func (w *writer) follow(d *stream.Decoder, back *backlog, on begun) (e end) {
	var data []byte
	retry := time.NewTicker(again)
	defer retry.Stop()
	exited := on.exited
	for ended := false; !ended || exited != nil; {
		w.speak()
		select {
		case <-w.saying:
			w.saying = nil
		case <-back.wake:
			data, ended = back.take(data)
			if _, err := d.Write(data); err != nil {
				e.decoded = err
				return e
			}
		case <-exited:
			exited = nil
		case <-retry.C:
		case <-on.stop:
			data, _ = back.take(data)
			_, e.decoded = d.Write(data)
			e.stopped = true
			return e
		}
		if len(w.pending) > 0 {
			w.try()
		}
	}
	return e
}

// conclude writes down how it ended, and returns what that means for the status.
func (w *writer) conclude(d *stream.Decoder, src *source, on begun, e end) error {
	isCommand := src.argv != nil
	ending := e.stopped || on.ending()
	if f := failureOf(e, isCommand); f != nil {
		d.Fail(*f)
	}
	var unread error
	if err := errors.Join(e.decoded, d.Close()); err != nil {
		unread = fmt.Errorf("%s: %w", w.name, err)
	}
	if isCommand {
		w.pending = append(w.pending, w.run(src.argv, e.how))
	}
	kept := w.last(on.stop)
	on.leave()
	err := e.status(isCommand)
	if ending {
		w.streams.Hurry(err)
	}
	w.lacks(d.Tale(), unread == nil)
	if w.bestEffort {
		w.tell(unread)
		w.tell(kept)
		unread, kept = nil, nil
	}
	w.spoken() // behind the entries
	if e.stopped && !isCommand {
		return errors.Join(err, kept)
	}
	return errors.Join(err, e.passed, unread, kept, w.unanswered(d.Tale()))
}

// status is the error that the status of the run comes from: how the command ended, or the signal.
func (e end) status(isCommand bool) error {
	var err error
	switch {
	case e.how.TimedOut:
		return cli.CommandFailed(e.wait)
	case isCommand:
		err = errors.Join(e.wait, cli.CommandStatus(e.how.Status))
	}
	if e.stopped {
		err = errors.Join(err, context.Canceled)
	}
	return err
}

// last writes the rest. A signal ends the wait for the session.
func (w *writer) last(stop <-chan os.Signal) error {
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	go func() {
		select {
		case <-stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	w.ctx = ctx
	return w.finish()
}

// caught are the signals that programs catch and report by their status, as a shell does.
var caught = []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM}

// failureOf returns how the printer of the stream failed, nil if it succeeded.
func failureOf(e end, isCommand bool) *stream.Failure {
	switch {
	case e.how.TimedOut:
		return &stream.Failure{Stop: "aborted", Text: "the command took too long and was stopped"}
	case e.how.Signal != nil:
		return &stream.Failure{Stop: "aborted", Text: fmt.Sprintf("the command was ended by signal %d (%s)", e.how.Status-128, e.how.Signal)}
	case e.how.Status != 0:
		stop := "error"
		if slices.Contains(caught, syscall.Signal(e.how.Status-128)) {
			stop = "aborted"
		}
		return &stream.Failure{Stop: stop, Text: session.RunEnded + strconv.Itoa(e.how.Status)}
	case e.stopped && !isCommand:
		return &stream.Failure{Stop: "aborted", Text: "a signal ended the recording"}
	}
	return nil
}

// run is the entry about how a command ended.
func (w *writer) run(argv []string, how command.Ending) *stream.Item {
	data := []js.Field{
		js.RawField("command", words(argv, w.prompt)), js.IntField("status", int64(how.Status)),
		js.RawField("seconds", strconv.FormatFloat(math.Round(how.Took.Seconds()*1000)/1000, 'f', -1, 64)),
	}
	if sig, ok := how.Signal.(syscall.Signal); ok {
		data = append(data, js.IntField("signal", int64(sig)))
	}
	if how.TimedOut {
		data = append(data, js.RawField("timedOut", "true"))
	}
	return &stream.Item{Type: session.TypeCustom, Fields: []js.Field{
		js.StringField("customType", session.CustomRun), js.RawField("data", js.Object(data...)),
	}}
}

// flagName finds the name of a flag, long or short, in a word. The rest of the word may be a key or
// a password: -pSECRET, --key=SECRET.
var flagName = lazy.Regexp(`^(--[A-Za-z0-9][A-Za-z0-9_-]*)(=(?s:.*))?$|^(-[A-Za-z0-9])[A-Za-z0-9_=.:/-]*$`)

// words returns what of a command may be written down, as a JSON array: the name of the
// program and the names of its flags. Any other word may be the prompt or a secret.
func words(argv []string, prompt string) string {
	out := []string{js.Quote(js.ValidText(filepath.Base(argv[0])))}
	for _, word := range argv[1:] {
		if word == "--" {
			break
		}
		if m := flagName().FindStringSubmatch(word); m != nil && strings.TrimSpace(word) != strings.TrimSpace(prompt) {
			out = append(out, js.Quote(m[1]+m[3]))
		}
	}
	return "[" + strings.Join(out, ",") + "]"
}

// lacks warns of what a recording should have and has not.
func (w *writer) lacks(t stream.Tale, read bool) {
	if !t.Any && read && !w.failOnError { // else it is said as an error
		w.warn("%s: the stream has no answer", w.name)
	}
	if t.Any && !t.Asked && !w.asked {
		w.warn("%s: an answer without a prompt: neither the stream nor the session has one; --prompt TEXT records it, and --prompt - also gives it to the command", w.name)
	}
	d := address.Defaults(w.provider, w.model)
	var missing []string
	if t.Uncount > 0 {
		missing = append(missing, "how many tokens were used")
	}
	if t.Unnamed > 0 && d.Model == "" {
		missing = append(missing, "which model answered")
	}
	if len(missing) == 0 {
		return
	}
	text := "the stream does not say " + strings.Join(missing, " and ") + ", so what it cost is not known"
	if t.Unnamed > 0 && d.Model == "" {
		text += "; --model MODEL and --provider PROVIDER name the model"
	}
	w.warn("%s: %s", w.name, text)
}

// unanswered is the error of --fail-on-error.
func (w *writer) unanswered(t stream.Tale) error {
	switch {
	case !w.failOnError:
		return nil
	case !t.Any:
		return cli.CommandFailed(fmt.Errorf("%s: there is no answer", w.name))
	case t.Failed() && t.Why != "":
		return cli.CommandFailed(fmt.Errorf("%s: the answer ended with stopReason %s: %s", w.name, t.Newest, t.Why))
	case t.Failed():
		return cli.CommandFailed(fmt.Errorf("%s: the answer ended with stopReason %s", w.name, t.Newest))
	}
	return nil
}

// sayThere says that a session is gone on with that --create did not make: a gate judges its older entries as well.
func (c *config) sayThere(s *cli.Streams, name string) {
	fi, err := os.Lstat(name)
	switch {
	case err != nil:
	case fi.Mode()&fs.ModeSymlink != 0:
		s.Warnf("%s: it is a link, and the session that it leads to is continued", name)
	case fi.Mode().IsRegular() && fi.Size() > 0:
		s.Warnf("%s: the session exists already, and is continued: its older entries are not from this run", name)
	}
}
