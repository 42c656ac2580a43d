package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/command"
	"github.com/sess-tools/sess/internal/tool/tty"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
)

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
	cmd.OverflowStatus, _ = j.overflowStatus()
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
			return "", clikit.WithHint(err, "raise --max-prompt")
		}
		if err != nil {
			return "", err
		}
		part := r.Name()
		if chunks > 1 {
			part += fmt.Sprintf(" %d/%d", chunk, chunks)
		}
		if system := r.System(); system != "" {
			prompt = system + "\n\n" + prompt
		}
		if prompt, err = a.clean(prompt); err != nil {
			return "", err
		}
		a.progress(part, chunks > 1, len(prompt))
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

// progress says which answer is awaited, on a terminal and with -v: it may take
// minutes.
func (a *asker) progress(part string, chunked bool, size int) {
	say := a.streams.Notef
	if tty.IsTerminal(a.streams.ErrFile()) {
		say = a.streams.Infof
	}
	what := a.cmd.String()
	if chunked || part != compact.PartHistory {
		what += " for " + part
	}
	say("asking %s, %.1f kB", what, float64(size)/1000)
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
