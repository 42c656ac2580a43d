package main

import (
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/command"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/internal/tool/sibling"
	"github.com/sess-tools/sess/pkg/compact"
)

// An attempt is one way to compact.
type attempt struct {
	strategy compact.Strategy
	extract  bool // without a model
}

// attempts are the ways to compact, in the order in which they are tried. A huge message
// among the recent ones goes only with everything before the last turn, and the prompt
// for a summary may have no room for the one before.
var attempts = []attempt{
	{strategy: compact.KeepRecent},
	{strategy: compact.LastTurn},
	{strategy: compact.KeepRecent, extract: true},
	{strategy: compact.LastTurn, extract: true},
}

// fit compacts the session if what is said now does not fit behind it. A summarizer that
// failed is not asked again. What no compaction does is left to the cut.
func (t *turn) fit() error {
	needed := compact.Measure(t.path, compact.Trigger{Window: t.window, Reserve: t.reserve + t.said()}).Needed
	if !needed || t.said() >= t.room() {
		return nil
	}
	asks := t.summarizer == nil || *t.summarizer != ""
	for _, a := range attempts {
		if !a.extract && !asks {
			continue
		}
		err := t.compactBy(a)
		switch clikit.Status(err) {
		case clikit.ExitDone:
			return t.readSession()
		case clikit.ExitNo:
			t.streams.Notef("%s: --strategy %s: %v", t.session, a.strategy, err)
			continue
		case clikit.ExitCommand:
			asks = false
			t.streams.Warnf("%v; compacting without a model", err)
		case clikit.ExitUsage: // no room for a prompt, perhaps
			t.streams.Warnf("%v", err)
		default:
			return err
		}
	}
	return nil
}

// compactBy runs sess-compact.
func (t *turn) compactBy(a attempt) error {
	room := t.room()
	args := []string{
		"--strategy", a.strategy.String(),
		// What is said now is the newest message of all.
		"--keep", strconv.FormatInt(max(1, min(compact.DefaultKeep, room/3)-t.said()), 10),
		// A token is taken to be three bytes. Of a short prompt most are instructions.
		"--max-prompt", strconv.FormatInt(min(compact.DefaultMaxPrompt, max(8000, 3*room)), 10),
		"--timeout", t.timeout.String(), "--retries", strconv.Itoa(t.attempts()),
		"--wait", max(0, t.target.Wait).String(), t.name,
	}
	if t.redact {
		args = append([]string{"--redact"}, args...)
	}
	if t.target.Sync != "" {
		args = append([]string{"--sync", t.target.Sync}, args...)
	}
	switch {
	case a.extract:
	case t.summarizer != nil:
		args = append(args, "--", "sh", "-c", *t.summarizer)
	default:
		args = append(append(args, "--"), t.streams.Command...)
	}
	run, err := sibling.Program{Name: "sess-compact", Args: args, Env: ownEnviron(), Say: operand.Say(t.streams)}.Start(t.ctx)
	if err != nil {
		return err
	}
	defer run.Close()
	_, err = io.Copy(io.Discard, run) // the id
	return err
}

// ownEnviron is the environment without the summarizer that would be asked where none is
// named.
func ownEnviron() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, command.Variable+"=") })
}
