package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/handoff"
	"github.com/sess-tools/sess/internal/agents/losses"
	"github.com/sess-tools/sess/internal/agents/portable"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/command"
	"github.com/sess-tools/sess/internal/core/proc"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/core/redact/rules"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/titles"
)

// A job is one hand-off.
type job struct {
	*config
	streams *cli.Streams

	src      *address.Source
	path     []session.Entry  // of the source, to where it is handed over
	agent    string           // of the source
	address  string           // of the source, where it stays
	here     string           // the directory in which the agent goes on
	secrets  *redact.Redactor // nil: they stay
	redacted int
	quoted   bool   // a quotation had some
	title    string // of the source, without secrets

	target  *formats.Target
	log     *losses.Log
	told    []formats.Loss
	carried *portable.Session
	fitting handoff.Fitting
	nth     int // how many there are already

	id     string // of the session that is made
	made   string // its file, or the place where the agent keeps it
	resume []string
	wentOn int
	there  bool // it had been made before
}

// read reads the source and finds where it ends.
func (j *job) read(ctx context.Context, name string) (err error) {
	if name == "" {
		if name, err = address.NewestHere(ctx, j.streams, j.to); err != nil {
			return err
		}
	}
	tmp, err := os.MkdirTemp("", "sess-handoff-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	left := filepath.Join(tmp, "losses")
	if !j.keepSecrets {
		if j.secrets, err = rules.Configured(j.streams); err != nil {
			return err
		}
	}
	if j.src, err = j.open(ctx, name, left); err != nil {
		return err
	}
	if j.log, err = losses.Open(j.config.losses, false, j.streams); err != nil {
		return err
	}
	if err := j.log.Take(left); err != nil {
		return err
	}
	if j.strict {
		if err := j.src.Strict(j.src.Problems); err != nil {
			return err
		}
	}
	leaf, ok := j.src.Session.Leaf()
	if j.leaf != "" {
		if leaf, err = j.src.Leaf(j.leaf); err != nil {
			return err
		}
	}
	if ok {
		j.path, _ = j.src.PathTo(leaf)
	}
	if j.agent = address.AgentOf(name); j.agent == "" {
		j.agent = portable.Of(j.src.Session)
	}
	if j.here, err = j.directory(ctx, j.streams, j.src.Header); err != nil {
		return err
	}
	j.address, err = lasting(j.src, name, j.dryRun)
	return err
}

// tell takes a loss.
func (j *job) tell(l formats.Loss) {
	j.told = append(j.told, l)
	j.log.Tell(j.src.Header.ID, l.Where, l)
}

// make makes the session that is handed over.
func (j *job) make(ctx context.Context) (err error) {
	var lost []formats.Loss
	j.target = formats.NewTarget(func(l formats.Loss) { lost = append(lost, l) })
	provider, model := j.model(j.streams, j.here)
	o := portable.Options{To: j.to, From: j.agent, Path: j.path, Provider: provider, Model: model, Seed: j.seed()}
	j.carried = portable.Make(j.src.Session, o, j.target)
	if !slices.ContainsFunc(j.carried.Said, func(m portable.Said) bool { return m.Role() == session.RoleUser }) {
		return cli.No("%s has no words of the user: there is nothing to go on with", j.src.Name)
	}
	whole := j.carried.Said
	j.fitting = handoff.Fit(j.carried, j.budget, cli.ShellWords([]string{j.address}))
	cut := j.cutAway()
	for _, l := range lost {
		if !cut[l.Where] {
			j.tell(l)
		}
	}
	summary := ""
	if len(j.fitting.Cut) > 0 && j.streams.HasCommand {
		if summary, err = j.summarize(ctx, whole); err != nil {
			j.streams.Warnf("%v: the brief has no summary", err)
		}
	}
	all, err := j.quotable()
	if err != nil {
		return err
	}
	path := slices.Clone(j.path)
	for i, e := range path {
		if at, ok := j.src.Index(e.ID()); ok {
			path[i] = all[at]
		}
	}
	j.title, _ = titles.OfCleaned(j.src.Header, all, j.clean)
	b := handoff.Brief{
		Address: cli.ShellWords([]string{j.address}), Agent: j.agent, CWD: j.src.Header.CWD, Until: j.until(), Stands: len(j.fitting.Cut),
		Path: path, Summary: summary, Losses: j.told, Clean: j.clean,
	}
	if j.to == "" {
		b.Stands = len(whole)
		_, err := fmt.Fprint(j.streams.Out, b.Text())
		return errors.Join(err, j.log.Close("NOT CARRIED"))
	}
	j.carried.Header.CWD = j.here
	// Without one an agent makes a title of the first words: of a command that the user ran, or of the prompts that are left.
	if j.carried.Header.Title == "" && (len(j.fitting.Cut) > 0 || j.brief || j.beginsWithCommand()) {
		j.carried.Header.Title = j.title
	}
	now := time.Now().UnixMilli()
	if len(j.fitting.Cut) > 0 || j.brief {
		j.carried.Said = slices.Insert(j.carried.Said, 0, ours(b.Text(), j.carried.Header.Time))
	}
	j.carried.Said = append(j.carried.Said, ours(handoff.Note(j.carried, j.address, len(j.path), j.src.Header.CWD, j.here), now))
	return j.redact()
}

// beginsWithCommand reports whether the first words that are carried as the user's are of a command that the user ran.
func (j *job) beginsWithCommand() bool {
	for _, m := range j.carried.Said {
		if m.Role() != session.RoleUser {
			continue
		}
		for _, e := range j.path {
			if said, ok := e.Message(); ok && e.ID() == m.Entry {
				return said.Role() != session.RoleUser
			}
		}
		break
	}
	return false
}

// cutAway returns the places of the entries in front of the first one that is carried, if the budget cut some off.
func (j *job) cutAway() map[string]bool {
	places := map[string]bool{}
	first := slices.IndexFunc(j.carried.Said, func(m portable.Said) bool { return m.Entry != "" })
	if len(j.fitting.Cut) == 0 || first < 0 {
		return places
	}
	for _, e := range j.path {
		if e.ID() == j.carried.Said[first].Entry {
			break
		}
		places[formats.At(e)] = true
	}
	return places
}

// seed is what makes a hand-off another one than those before.
func (j *job) seed() []string {
	return []string{"handoff", strconv.FormatInt(j.budget, 10), strconv.FormatBool(j.brief), strconv.Itoa(j.nth)}
}

// ours is a message that the hand-off itself adds.
func ours(text string, at int64) portable.Said {
	return portable.Said{Message: api.User([]string{api.Text(text)}), Time: at}
}

// until is when the source was written last.
func (j *job) until() string {
	for _, e := range slices.Backward(j.path) {
		if ms, ok := e.Timestamp(); ok {
			return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04")
		}
	}
	return "an unknown time"
}

// summarize has the command summarize the part that is cut off.
func (j *job) summarize(ctx context.Context, whole []portable.Said) (string, error) {
	p := *j.carried
	p.Said = whole
	_, s, err := j.cleaned(&p)
	if err != nil {
		return "", err
	}
	plan, err := compact.New(s.Entries, compact.Options{FirstKept: s.Entries[len(j.fitting.Cut)].ID()})
	if err != nil {
		return "", err
	}
	summary := compact.Summary{}
	for _, r := range plan.Requests(compact.PromptOptions{ResultLimit: -1}) {
		for !r.Done() {
			prompt, _, _, err := r.Next()
			if err != nil {
				return "", err
			}
			take := func(prompt, reply string) (string, error) {
				text, _, err := command.Answer{Heading: r.Heading()}.Take(prompt, reply)
				return text, err
			}
			reply, err := command.Command{Argv: j.streams.Command, Summarizes: true, Check: take}.Run(ctx, prompt)
			if err != nil {
				return "", err
			}
			r.Accept(reply)
		}
		if r.Name() == compact.PartTurnPrefix {
			summary.TurnPrefix = r.Summary()
		} else {
			summary.History = r.Summary()
		}
	}
	return plan.Text(summary), nil
}

// hand puts the session where the agent looks, reads it back, and says how to go on.
func (j *job) hand(ctx context.Context) error {
	if j.to == "" {
		return nil
	}
	s, err := j.carried.Session()
	if err != nil {
		return err
	}
	if err := j.export(ctx, s); err != nil {
		return errors.Join(err, j.log.Close("NOT CARRIED"))
	}
	if j.there && j.again {
		j.nth++
		j.carried.Again(j.seed())
		return j.hand(ctx)
	}
	if err := j.log.End(); err != nil {
		return err
	}
	for _, line := range j.report() {
		j.streams.Infof("%s", line)
	}
	if j.dryRun || j.json {
		_, err := fmt.Fprintln(j.streams.Out, j.manifest())
		return err
	}
	if j.exec {
		path, err := proc.Find(j.resume[0])
		if err != nil {
			return cli.CommandFailed(err)
		}
		if err := os.Chdir(j.here); err != nil {
			return err
		}
		j.streams.Unfold() // there is nothing of this program afterwards
		return subprocess.Exec(path, j.resume[0], j.resume[1:])
	}
	_, err = fmt.Fprintln(j.streams.Out, address.InDirectory(j.here, [][]string{j.resume}))
	return err
}

// export makes the session in the target's place.
func (j *job) export(ctx context.Context, s *session.Session) error {
	t := j.target
	t.Env, t.Strict = j.env, j.strict
	place, err := handoff.Place(j.format, j.env)
	if err != nil {
		return err
	}
	var trial bytes.Buffer
	t.DryRun, t.Out = true, &trial
	if err := j.format.Export(ctx, s, t); err != nil {
		if errors.Is(err, formats.ErrLossy) {
			err = formats.Damaged("%s: %v; nothing was made", j.src.Name, err)
		}
		return err
	}
	j.id, j.made = s.Header.ID, place
	if j.to == "opencode" {
		j.id = js.Value(trial.String()).Get("info", "id").Str()
	}
	j.resume = address.Resume(j.to, j.id)
	if _, j.there = j.look(ctx); j.there {
		return nil
	}
	if j.dryRun {
		return nil
	}
	t.DryRun, t.Out, t.Path = false, j.streams.Out, place
	if j.to == "opencode" {
		return j.takeIn(ctx, trial.Bytes())
	}
	if err := os.MkdirAll(place, 0o700); err != nil {
		return err
	}
	quiet := formats.NewTarget(func(formats.Loss) {})
	quiet.Env, quiet.Path, quiet.Out = j.env, place, j.streams.Out
	if err := j.format.Export(ctx, s, quiet); err != nil {
		return err
	}
	if len(quiet.Made) > 0 {
		j.made = quiet.Made[0]
	}
	return j.readBack(ctx)
}

// takeIn has opencode take the session in, in the directory in which it goes on.
func (j *job) takeIn(ctx context.Context, doc []byte) error {
	file, err := os.CreateTemp("", "sess-handoff-*.json")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // opencode has read it
	if _, err := file.Write(doc); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	name, err := filepath.Abs(file.Name())
	if err != nil {
		return err
	}
	argv := []string{"sh", "-c", `cd -- "$1" && exec opencode import "$2"`, "sh", j.here, name}
	if _, err := (command.Command{Argv: argv, Name: "opencode import"}).Collect(ctx, ""); err != nil {
		return cli.CommandFailed(err)
	}
	return j.readBack(ctx)
}

// look reads the session with the id that is there. ok is false if there is none.
func (j *job) look(ctx context.Context) (how string, ok bool) {
	quiet := &cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Quiet: true}
	back, err := address.Read(ctx, quiet, j.to+":"+j.id)
	if err != nil {
		return "", false
	}
	how, j.wentOn = handoff.Differs(j.carried, back.Session, j.to)
	return how, true
}

// readBack reads back what was made.
func (j *job) readBack(ctx context.Context) error {
	how, ok := j.look(ctx)
	switch {
	case !ok:
		return formats.Damaged("reading %s:%s back: it is not there; what was made is %s", j.to, j.id, j.made)
	case how != "":
		return formats.Damaged("reading %s:%s back: %s; what was made stays", j.to, j.id, how)
	}
	return nil
}

// report says what was done, in lines as wide as the terminal.
func (j *job) report() (lines []string) {
	if j.there {
		text := fmt.Sprintf("%s:%s is there already", j.to, j.id)
		if j.wentOn > 0 {
			text += fmt.Sprintf(", and went on by %s", formats.Counted(j.wentOn, "1 message", "%d messages"))
		}
		return []string{text + "; --again makes another"}
	}
	const indent = 15
	sc := screen.New(screen.Screen{Home: j.env.Home}, !tty.UTF8(os.LookupEnv))
	width := j.streams.ErrWidth()
	add := func(text string) {
		if width > 0 {
			text = screen.Truncate(text, width, sc.Marks.More)
		}
		lines = append(lines, text)
	}
	row := func(head, text string) {
		head = fmt.Sprintf("  %-*s", indent-2, head)
		if width == 0 {
			add(head + text)
			return
		}
		for _, line := range screen.Wrap(text, max(width, screen.Least)-indent) {
			add(head + line)
			head = strings.Repeat(" ", indent)
		}
	}
	if j.title != "" {
		add(j.title)
	}
	add(fmt.Sprintf("%s to %s, in %s", screen.Short(nil)(j.address), j.to, sc.Directory(j.here, max(width, screen.Least))))
	carried := formats.Counted(len(j.carried.Said), "1 message", "%d messages") + ", " + screen.Tokens(j.fitting.After) + " tokens"
	if j.fitting.After < j.fitting.Before {
		carried += " of " + screen.Tokens(j.fitting.Before)
	}
	if j.budget > 0 {
		carried += "; the budget is " + screen.Tokens(j.budget)
	}
	row("carried", carried)
	if n := len(j.fitting.Cut); n > 0 {
		row("cut off", formats.Counted(n, "1 message", "%d messages")+", for the budget")
	}
	if n := j.fitting.Results; n > 0 {
		row("left out", "the output of "+formats.Counted(n, "1 call", "%d calls")+", for the budget")
	}
	if names, n := j.renamed(); n > 0 {
		row("renamed", fmt.Sprintf("%s that %s has no tool for: %s", formats.Counted(n, "1 call", "%d calls"), j.to, names))
	}
	if j.log.Any() {
		row("not carried", j.log.Sum())
	}
	switch {
	case j.keepSecrets:
		row("secrets", "left in, as --no-redact says")
	case j.redacted == 0 && j.quoted:
		row("secrets", "taken out of what is quoted")
	case j.redacted == 0:
		row("secrets", "none found")
	default:
		row("secrets", formats.Counted(j.redacted, "1 taken out", "%d taken out"))
	}
	return lines
}

// renamed lists the tools that the target does not have by the names that the source has for them, and counts their calls.
func (j *job) renamed() (list string, n int) {
	names := slices.SortedFunc(maps.Keys(j.carried.Renamed), func(a, b string) int {
		return cmp.Or(cmp.Compare(j.carried.Renamed[b], j.carried.Renamed[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		n += j.carried.Renamed[name]
		names[i] = strconv.Itoa(j.carried.Renamed[name]) + " " + strings.TrimPrefix(name, j.agent+"_")
	}
	return strings.Join(names, ", "), n
}

// manifest is the hand-off as a row.
func (j *job) manifest() string {
	out := handoffRow{Redacted: j.redacted, Losses: map[string]int{}, There: j.there, WentOn: j.wentOn}
	for _, l := range j.told {
		out.Losses[l.Kind]++
	}
	out.From.Agent, out.From.Session, out.From.Address, out.From.CWD = j.agent, j.src.Header.ID, j.address, j.src.Header.CWD
	if n := len(j.path); n > 0 {
		out.From.Leaf = j.path[n-1].ID()
	}
	out.To.Agent, out.To.Session, out.To.Path, out.To.CWD, out.To.Resume = j.to, j.id, j.made, j.here, j.resume
	out.Tokens.Before, out.Tokens.After, out.Tokens.Budget = j.fitting.Before, j.fitting.After, j.budget
	out.Messages.Carried, out.Messages.Cut = len(j.carried.Said), len(j.fitting.Cut)
	out.Results.LeftOut = j.fitting.Results
	out.Calls.Mapped, out.Calls.Renamed = j.carried.Mapped, j.carried.Renamed
	return row.JSON(out)
}
