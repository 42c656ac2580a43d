package main

import (
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/internal/stream"
)

type config struct {
	from, prompt            string
	bestEffort, keepUnknown bool
	model, provider         string
	target                  operand.TargetOptions
}

func (c *config) flags() []clikit.Flag {
	flags := []clikit.Flag{
		clikit.Choice(&c.from, "from", stream.Names(), "the stream is `FORMAT`; auto finds out"),
		clikit.String(&c.prompt, "prompt", "", "the user said `TEXT`, where the stream does not have it"),
		clikit.Bool(&c.keepUnknown, "keep-unknown", "keep events that mean nothing here as custom entries"),
		clikit.Bool(&c.bestEffort, "best-effort", "let the stream pass even if the session cannot be written"),
		clikit.String(&c.model, "model", "", "the `MODEL`, where the stream does not name it ($SESS_MODEL)"),
		clikit.String(&c.provider, "provider", "", "the `PROVIDER`, where the stream does not name it ($SESS_PROVIDER)"),
	}
	return append(flags, c.target.Flags("entries")...)
}

func (c *config) check(s *clikit.Streams, name string) error {
	if err := operand.Writable(name); err != nil {
		return err
	}
	switch {
	case name == "" || name == "-":
		return clikit.WithHint(clikit.UsageError("no session named: standard input is the stream"), "sess-new -o FILE makes a session")
	case s.HasCommand && len(s.Command) == 0:
		return clikit.UsageError("no command after --")
	}
	c.target.Settle()
	return clikit.UTF8("--prompt", c.prompt)
}

// options returns how the stream is decoded.
func (c *config) options(w *writer, live bool) stream.Options {
	tally := clikit.NewTally(w.streams.Warnf)
	return stream.Options{
		From: c.from, Prompt: strings.TrimRight(c.prompt, "\n"), KeepUnknown: c.keepUnknown, Live: live,
		Now:  func() int64 { return time.Now().UnixMilli() },
		Emit: w.take, Totals: w.totals, Note: w.streams.Notef,
		Warn: func(format string, args ...any) { tally.Warnf(format, format, args...) },
	}
}
