package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/command"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// finish stores the turn, or says why not. Failed is why the command did.
func (t *turn) finish(printed []byte, failed error) error {
	r := reply{items: t.question()}
	switch {
	case failed != nil && t.reply == stream.Text:
		text, _ := command.Clean(string(printed))
		r.fail(text, failed)
	case failed != nil:
		if r = t.readReply(printed); r.failed == nil || errors.Is(r.failed, errNoAnswer) {
			r.fail("", failed)
		}
	default:
		r = t.readReply(printed)
		if r.failed == nil {
			break
		}
		failed = fmt.Errorf("running %s: %w", command.Command{Argv: t.streams.Command}, r.failed)
		if !t.keepFailed {
			return cli.CommandFailed(failed)
		}
		if errors.Is(failed, errNoAnswer) {
			r.fail("", failed)
		}
	}
	added, err := t.store(printed, r.items)
	switch {
	case err != nil && failed != nil:
		return errors.Join(cli.CommandFailed(failed), err)
	case err != nil:
		return err
	case failed != nil:
		return cli.WithHint(cli.CommandFailed(failed), "the turn is stored as one that failed: %s", address.Appended(added))
	case t.ctx.Err() != nil: // while the answer was printed
		t.streams.Infof("%s: %s", t.session, address.Appended(added))
		return t.ctx.Err()
	}
	t.streams.Notef("%s: %s", t.session, address.Appended(added))
	return cmp.Or(t.streams.Acknowledge(address.Appended(added), t.out.failed), r.unread)
}

// store adds what the user said and the reply to the session, and returns the entries.
// What cannot be added is kept in a file: it was paid for.
func (t *turn) store(printed []byte, items []*stream.Item) ([]session.Entry, error) {
	target, err := t.open()
	var added []session.Entry
	var unlocked error
	if err == nil {
		if err = t.add(&target.Batch, items); err == nil {
			added = target.Batch.Entries
			err = target.Commit()
		}
		unlocked = target.Close()
	}
	switch {
	case errors.Is(err, address.ErrUnsynced):
		return nil, errors.Join(err, unlocked)
	case err != nil:
		return nil, t.rescue(errors.Join(err, unlocked), added, items, printed)
	case unlocked != nil: // the entries are added, and must not be added again
		return nil, fmt.Errorf("%s, but %w", address.Appended(added), unlocked)
	}
	target.LeaveCrumb()
	return added, nil
}

// open opens the session for adding behind the entry that the turn goes on from: behind
// what came meanwhile, if that goes on from there too and is no compaction.
func (t *turn) open() (*address.Target, error) {
	o := t.target
	if o.Parent != "" {
		if o.Parent = cmp.Or(t.leaf, "null"); t.expect != "" {
			o.ExpectLeaf = cmp.Or(t.tip, "null")
		}
		return address.OpenTarget(t.ctx, t.streams, t.name, o)
	}
	var follow func(src *address.Source, path []session.Entry) (bool, error)
	if t.expect == "" {
		follow = func(src *address.Source, path []session.Entry) (bool, error) {
			came := behind(path, t.leaf)
			t.streams.Notef("%s: the leaf moved while the command ran; %s came", src.Name, tty.Count(len(came), "entry", "entries"))
			return !slices.ContainsFunc(came, func(e session.Entry) bool { return e.Type() == session.TypeCompaction }), nil
		}
	}
	return address.OpenBehind(t.ctx, t.streams, t.name, t.leaf, o, follow)
}

// add adds the turn to a batch. What a program printed is taken as it is.
func (t *turn) add(b *session.Batch, items []*stream.Item) error {
	b.Defaults, b.Force = address.Defaults(t.provider, t.model), true
	return stream.AddTo(b, items)
}

// rescue keeps a turn that could not be added for the reason in err, and says how to add
// it. Without entries they are made for the entry that the turn goes on from.
func (t *turn) rescue(err error, entries []session.Entry, items []*stream.Item, printed []byte) error {
	b := session.Batch{Leaf: t.leaf, Now: time.Now().UnixMilli(), Entries: entries}
	b.NewID = func(func(string) bool) (string, error) { return session.UniqueEntryID(), nil }
	if entries == nil {
		if refused := t.add(&b, items); refused != nil {
			_, kept := address.Keep(t.streams, t.stored, "what the command printed", ".txt", string(printed))
			return errors.Join(err, kept)
		}
	}
	var lines strings.Builder
	for _, e := range b.Entries {
		lines.WriteString(e.Raw() + "\n")
	}
	file, kept := address.Keep(t.streams, t.stored, "the turn", ".jsonl", lines.String())
	if file == "" {
		return errors.Join(err, kept)
	}
	how := "to add it"
	if errors.Is(err, session.ErrLeafMoved) {
		how = "to add it as a branch, behind the entry it answers"
	}
	return errors.Join(err, cli.WithHint(kept, "%s: %s", how, cli.ShellWords([]string{"sess-append", "--entries", "-f", file, t.name})))
}

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

// fit compacts the session if the new prompt does not fit behind it. A summarizer that failed is
// not asked again. The cut leaves out the part that no compaction makes fit.
func (t *turn) fit() error {
	needed := compact.Measure(t.path, compact.Trigger{Window: t.window, Reserve: t.reserve() + t.said()}).Needed
	if !needed || t.said() >= t.room() {
		return nil
	}
	asks := true
	for _, a := range attempts {
		if !a.extract && !asks {
			continue
		}
		err := t.compactBy(a)
		switch cli.Status(err) {
		case cli.ExitDone:
			return t.readSession()
		case cli.ExitNo:
			t.streams.Notef("%s: --strategy %s: %v", t.session, a.strategy, err)
			continue
		case cli.ExitCommand:
			asks = false
			t.streams.Warnf("%v; compacting without a model", err)
		case cli.ExitUsage: // no room for a prompt, perhaps
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
		// The new prompt is the newest message of all.
		"--keep", strconv.FormatInt(max(1, min(compact.DefaultKeep, room/3)-t.said()), 10),
		// A token is taken to be three bytes. Of a short prompt most are instructions.
		"--max-prompt", strconv.FormatInt(min(compact.DefaultMaxPrompt, max(8000, 3*room)), 10),
		"--timeout", t.timeout.String(), "--retries", strconv.Itoa(t.attempts()),
		"--wait", max(0, t.target.Wait).String(), t.name,
	}
	if t.redact {
		args = append([]string{"--redact"}, args...)
	}
	switch {
	case a.extract:
	case t.summarizer != nil:
		args = append(args, "--", "sh", "-c", *t.summarizer)
	default:
		args = append(append(args, "--"), t.streams.Command...)
	}
	run, err := subprocess.Program{Name: "sess-compact", Args: args, Env: ownEnviron(), Say: address.Say(t.streams, cli.Note)}.Start(t.ctx)
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
