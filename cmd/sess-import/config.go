package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/jqmap"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/git"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/internal/core/memo"
	"github.com/sess-tools/sess/internal/core/redact/rules"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/pkg/session"
)

type config struct {
	name                        string // of the format, "" to detect it
	session, losses, blobs, cwd string
	since                       string
	limit                       int
	exact, json                 bool
	all, list, recent           bool
	detect, homes, maps, unread bool
	each, heads                 bool
	opened                      *archives
	remembered                  string     // which answers of an earlier run will do
	memo                        *memo.Memo // of a program that runs many invocations, which closes it; else nil
	strict, noLosses, prompts   bool
	usage                       bool
	words                       []string // of which a text that is looked for has one
	damaged                     string
	mapFile, printed            string
	theirs                      *jqmap.Map // that of mapFile
	own                         bool       // the agent's own sessions are read, in its place
	dest                        address.Destination
	quiet                       time.Duration // from when on a source is taken whole
	redact                      bool
	rules                       func() (*rules.Rules, error) // read when they are asked for
}

func (c *config) flags() []cli.Flag {
	return append([]cli.Flag{
		cli.String(&c.session, "session", "", "only the session `SESSION`: an id, the beginning of one, a name, or the path of its file"),
		cli.Bool(&c.recent, "recent", "only the session that was written last; of an agent's own sessions, in this directory"),
		cli.String(&c.cwd, "cwd", "", "only sessions of the working directory `DIR`"),
		cli.Bool(&c.list, "list", "list the sessions, a JSON object each as sess-ls --json has it, and make nothing"),
		cli.Bool(&c.all, "all, a", "take all sessions, each into its own file, and update existing files"),
		cli.Bool(&c.json, "json", "print a JSON object for each session; with --all"),
		cli.Duration(&c.quiet, "settled", time.Hour, "import a session completely if it was not written for `DURATION`; with --all"),
		cli.Bool(&c.dest.Store, "store", "make files in the store and print its path"),
		cli.Output(&c.dest.File, "make `FILE`, and print its path; - is standard output; with --all a directory"),
		c.dest.ForceFlag(),
		address.BlobsVariable(&c.blobs),
		cli.String(&c.losses, "losses", "", "write each loss as a JSON object into `FILE`, which must not exist"),
		cli.Bool(&c.strict, "strict", "end with status 3 for a loss, and make no file for that session"),
		cli.Bool(&c.detect, "detect", "print the format of SOURCE and make nothing"),
		cli.String(&c.mapFile, "map", "", "read with the map in `FILE`, which need not be installed"),
		cli.String(&c.printed, "print-map", "", "print the map of the agent `NAME`, to start from"),
		cli.Bool(&c.unread, "unread", "print the files in the agents' homes, or in that of FORMAT, that no tool reads"),
		address.SyncVariable(&c.dest.Sync),
		cli.Bool(&c.dest.DryRun, "dry-run, n", "print the session, or with --all what would be made, and write nothing"),
		cli.Bool(&c.redact, "redact", "take secrets out of the copies of --all, as sess-redact does"),
	}, cli.Private(
		cli.String(&c.since, "since", "", "only sessions modified since `WHEN`: 90m, 12h, 7d, 2w, a date or a time"),
		cli.Count(&c.limit, "limit", "print at most `N` sessions"),
		cli.Bool(&c.heads, "beginnings", "with --list: print what the beginnings of files and the file system say"),
		cli.Bool(&c.exact, "exact", "read every session, whenever its file was written to"),
		cli.Bool(&c.each, "each", "run the arguments in each line of standard input, a JSON array, and answer in frames: for programs"),
		cli.Bool(&c.usage, "usage-only", "leave out what says nothing of what was used, as far as that is quicker: for programs that add up"),
		cli.Strings(&c.words, "word", "print the header alone if no text of the session has `WORD`, letters that are a part of a word in any case; may be repeated: for programs that look for one of them"),
		cli.Choice(&c.remembered, "remembered", []string{"", remembersRows, remembersSum, remembersCopy}, "what was said of a session before will do while its files are the same: said, with --list, without words of messages, and with --usage-only; sum, the size and the SHA-256 of the text in its place; copy, the text from the store, where that has the same"),
		cli.Bool(&c.noLosses, "no-losses", "print no losses, but what is damaged, what has lost its parent, and what was not read"),
		cli.Choice(&c.damaged, "on-damage", []string{"skip", "fail", "strict"}, "`HOW` to treat damage of the source and lost parents; fail is status 2, strict 3"),
		cli.Bool(&c.homes, "homes", "print the agents whose sessions are on this machine, and where; with --list, how many, in --cwd too"),
		cli.Bool(&c.prompts, "prompts", "print the prompts of oh-my-pi's database SOURCE, history.db, as JSON, and make nothing"),
		cli.Bool(&c.maps, "maps", "print the maps there are, and what is wrong with them: for sess-doctor"),
	)...)
}

// origin returns what headers say of where a session is from: of people only what was asked for, and none of
// it where names of users are taken out.
func (c *config) origin(ctx context.Context, about formats.About) (o session.Origin) {
	if about.Home != nil {
		o.Harness = about.Name
	}
	if c.redact { // making the rules takes longer than reading many a session
		if r, err := c.rules(); err != nil || r.Users {
			return o
		}
	}
	o.Host, o.User = os.Getenv("SESS_HOST"), os.Getenv("SESS_USER")
	if o.User == "git" {
		o.User = ""
		if text, err := git.Output(ctx, ".", nil, "config", "user.email"); err == nil {
			o.User = strings.TrimSpace(text)
		}
	}
	return o
}

// readable returns the formats, and the user's own maps.
var readable = sync.OnceValue(func() []formats.Format { return all.Known(known.MapDir()) })

// known returns the formats that a run knows: with --map that one, too.
func (c *config) known() []formats.Format {
	if c.theirs != nil {
		return jqmap.Merged(readable(), []formats.Format{c.theirs}, jqmap.Embedded()[0])
	}
	return readable()
}

func names() string {
	list := formats.Names(all.Formats()) // and no map of the user's: help does not look at the world
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// checked returns the operands, an address as its format and session, or the error of operands that
// contradict each other.
func (c *config) checked(operands []string) ([]string, error) {
	if err := c.load(); err != nil {
		return nil, err
	}
	operands, err := c.addressed(operands)
	if err == nil {
		err = c.check(operands)
	}
	return operands, err
}

// load loads the map that was named.
func (c *config) load() (err error) {
	if c.mapFile == "" {
		return nil
	}
	if c.theirs, err = jqmap.Load(c.mapFile); err != nil {
		return cli.UsageError("%v", err)
	}
	if _, refused := jqmap.Shadows(readable(), c.theirs.About().Name); refused {
		return cli.UsageError("%s: %s is a format of the program, which no map replaces", c.mapFile, c.theirs.About().Name)
	}
	c.name = c.theirs.About().Name
	return nil
}

// check refuses what contradicts itself.
func (c *config) check(operands []string) error {
	switch {
	case c.mapFile != "" && len(operands) > 1:
		return cli.UsageError("--map is the format of one SOURCE")
	case len(operands) > 2:
		return cli.UsageError("unexpected operand %q", operands[2])
	case c.json && !c.all:
		return cli.UsageError("--json goes with --all; --list prints JSON without it")
	case c.redact && !c.all:
		return cli.WithHint(cli.UsageError("--redact goes with --all"), "sess-import ... | sess-redact takes secrets out of one session")
	case c.recent && (c.all || c.session != ""):
		return cli.UsageError("--recent is one session: it goes with neither --all nor --session")
	case c.cwd != "" && !c.recent && !c.list && !c.all:
		return cli.UsageError("--cwd selects sessions: it goes with --recent, --list or --all")
	case c.list && (c.all || c.dest.Store || c.dest.File != "" || c.losses != ""):
		return cli.UsageError("--list makes nothing: it goes with --recent or --session alone")
	case (c.since != "" || c.limit > 0 || c.exact || c.heads) && (!c.list || c.recent || c.session != "" || c.homes):
		return cli.UsageError("--since, --limit, --exact and --beginnings go with --list alone")
	case (c.all || c.list) && c.usage:
		return cli.UsageError("--usage-only is for one session that is read: what --all makes keeps all, and a list has no lines")
	case c.all && c.dest.Force:
		return cli.UsageError("--force replaces one file: --all leaves what is there already")
	case c.all && !c.dest.Store && c.dest.File == "":
		return cli.UsageError("--all wants --store or --output DIR")
	case c.prompts && (len(operands) != 1 || operands[0] == "-" || c.homes || c.detect || c.making()):
		return cli.UsageError("--prompts wants one database, and no other flag")
	case (c.maps || c.printed != "") && (len(operands) > 0 || c.homes || c.detect || c.making() || c.mapFile != "" || c.maps && c.printed != ""):
		return cli.UsageError("--maps and --print-map go with no other flag and no operand")
	case c.unread && (len(operands) > 1 || c.homes || c.detect || c.prompts || c.making() || c.mapFile != ""):
		return cli.UsageError("--unread goes with no other flag, and with one FORMAT at most")
	case c.homes && (len(operands) > 0 || c.detect || c.choosing()):
		return cli.UsageError("--homes goes with --list and --cwd alone, and with no operand")
	case c.detect && c.making():
		return cli.UsageError("--detect makes nothing")
	}
	return c.dest.Check()
}

// addressed takes an address as the other tools do: NAME: is NAME --recent, NAME:ID is NAME
// --session ID, and NAME:DIR is NAME --recent --cwd DIR.
func (c *config) addressed(operands []string) ([]string, error) {
	if len(operands) != 1 {
		return operands, nil
	}
	operand, err := address.Resolved(operands[0])
	if err != nil {
		return nil, err
	}
	name, dir, id, ok := address.Address(operand)
	switch {
	case operand != operands[0] && !ok:
		return nil, cli.WithHint(cli.UsageError("%s: the running session is no other agent's", operands[0]), "it is the file %s", operand)
	case !ok:
		return operands, nil
	case name == address.Remote:
		return nil, cli.WithHint(cli.UsageError("%s: the remote has no sessions of other agents", operands[0]), "%s pull makes files of what is there", address.Syncer)
	case dir != "" && c.cwd != "":
		return nil, cli.UsageError("%s names a directory: --cwd does not go with it", operands[0])
	case dir != "":
		c.cwd = dir
	case id != "" && (c.session != "" || c.recent || c.all || c.list):
		return nil, cli.UsageError("%s names a session: --session, --recent, --all and --list do not go with it", operands[0])
	case id != "":
		c.session = id
	}
	c.recent = c.recent || c.session == "" && !c.all && !c.list
	return []string{name}, nil
}

// making reports whether a flag says which sessions are meant, or what becomes of them.
func (c *config) making() bool { return c.list || c.choosing() }

func (c *config) choosing() bool {
	return c.all || c.recent || c.session != "" || c.dest.Store || c.dest.File != ""
}

// source returns the source to read. One operand is a format if a format has such a name, else a
// source; a format alone means its agent's sessions if a session was asked for or all were, else
// standard input.
func (c *config) source(s *cli.Streams, operands []string) (*formats.Source, error) {
	path := ""
	switch {
	case len(operands) == 2:
		c.name, path = operands[0], operands[1]
	case len(operands) == 1 && c.theirs != nil:
		path = operands[0]
	case len(operands) == 1:
		if _, ok := formats.Lookup(c.known(), operands[0]); ok {
			c.name = operands[0]
		} else {
			path = operands[0]
		}
	}
	home, _ := os.UserHomeDir() // who needs it complains
	src := &formats.Source{Path: path, Blobs: c.blobs, Env: formats.Env{Getenv: os.Getenv, Home: home, Git: git.Run}}
	if path == "-" {
		src.Path = ""
	}
	if c.name == "" && len(operands) == 2 {
		return nil, cli.UsageError("the format is empty")
	}
	if path == "" && c.name != "" && (c.all || c.list || c.recent || c.session != "") {
		if c.recent && c.cwd == "" && !c.list {
			c.cwd = "."
		}
		return src, c.home(src)
	}
	if src.Path == "" {
		in, err := s.OpenInput("-")
		if err != nil {
			return nil, c.pointed(err)
		}
		src.Stdin = in
		if f := s.InFile(); f != nil {
			if fi, err := f.Stat(); err == nil && fi.Mode().IsRegular() { // which may be read at any place, and does not wait
				src.Stdin = f
			}
		}
	}
	return src, nil
}

// home makes the source the agent's own sessions.
func (c *config) home(src *formats.Source) (err error) {
	format, ok := formats.Lookup(c.known(), c.name)
	if !ok {
		return c.unknown()
	}
	home := format.About().Home
	if home == nil && c.list {
		return cli.No("%s has no place for sessions: name a source", c.name)
	}
	if home == nil {
		return cli.UsageError("%s has no place for sessions: name a source", c.name)
	}
	switch src.Path, err = home(src.Env); {
	case errors.Is(err, fs.ErrNotExist):
		return c.none("%v", err)
	case err != nil:
		return err
	}
	c.own = true
	if _, err := os.Stat(src.Path); errors.Is(err, fs.ErrNotExist) {
		return cli.WithHint(c.none("no session of %s: %s does not exist", c.name, src.Path), "sess-import --homes prints whose sessions are on this machine, and where")
	}
	return nil
}

func (c *config) unknown() error {
	err := cli.UsageError("no format %q", c.name)
	if closest, ok := cli.Closest(c.name, formats.Names(c.known())); ok {
		return cli.WithHint(err, "did you mean %s?", closest)
	}
	return cli.WithHint(err, "the formats are %s", names())
}

// format returns the format that was named, or that of the source.
func (c *config) format(ctx context.Context, src *formats.Source) (formats.Format, error) {
	if c.name != "" {
		if format, ok := formats.Lookup(c.known(), c.name); ok {
			return format, nil
		}
		return nil, c.unknown()
	}
	if src.IsDir() {
		return nil, cli.UsageError("%s is a directory: name its format, one of %s", src.Name(), names())
	}
	head, err := src.Head(ctx)
	if err != nil {
		return nil, address.Mistaken(src.Path, err)
	}
	format, ok := formats.Detect(c.known(), src.Path, head)
	switch {
	case ok:
		return format, nil
	case len(head) == 0:
		return nil, formats.Damaged("%s: empty", src.Name())
	case c.detect:
		return nil, cli.No("%s: of no known format, by its name and its first %d KiB", src.Name(), formats.HeadSize>>10)
	}
	return nil, cli.WithHint(formats.Damaged("%s: of no known format", src.Name()), "name the format, one of %s", names())
}

// join adds the error of closing something to the one that counts.
func join(err, closing error) error {
	if closing == nil {
		return err
	}
	return errors.Join(err, closing)
}

// pointed adds to an error of reading standard input how to get at the agent's own
// sessions, if it has a place for them.
func (c *config) pointed(err error) error {
	if format, ok := formats.Lookup(c.known(), c.name); ok && format.About().Home != nil {
		return cli.WithHint(err, "--recent, --session ID, --list or --all read the sessions that %s keeps", c.name)
	}
	return err
}

// completing adds the formats that are read, and the sessions of the one on the line.
func completing(ctx context.Context, at cli.Place, add func(cli.Candidate)) {
	switch {
	case at.Kind == "FORMAT":
		for _, f := range readable() {
			about := f.About()
			at.Match(func(c cli.Candidate) { add(cli.Candidate{Value: c.Value, Text: about.Summary}) }, about.Name)
		}
	case at.Flag == "session" && len(at.Operands) > 0:
		archived(ctx, at, add)
	}
}

// archived adds the sessions of a source, the newest first, those of this directory alone if there are any and nothing of an
// id was typed: their ids and times at first, and then their titles, which take longer.
func archived(ctx context.Context, at cli.Place, add func(cli.Candidate)) {
	f, ok := formats.Lookup(readable(), at.Operands[0])
	if !ok {
		return
	}
	home, _ := os.UserHomeDir() // who needs it complains
	src := &formats.Source{Env: formats.Env{Getenv: os.Getenv, Home: home, Git: git.Run}}
	switch place := f.About().Home; {
	case len(at.Operands) > 1:
		src.Path = at.Operands[1]
	case place != nil:
		src.Path, _ = place(src.Env) // "" cannot be opened
	}
	if src.Path == "" || src.Path == "-" {
		return
	}
	a, err := f.Open(ctx, src)
	if err != nil {
		return
	}
	defer func() { _ = a.Close() }() // it was read
	var found []formats.Info
	for info, err := range a.List(ctx, formats.Query{}) {
		if ctx.Err() != nil {
			return
		}
		if err == nil && strings.HasPrefix(info.ID, at.Word) && info.ID != "" {
			found = append(found, info)
		}
	}
	cwd, _ := os.Getwd() // who has none is in all of them
	here := isOf(formats.About{}, cwd)
	if at.Word == "" && slices.ContainsFunc(found, here) {
		found = slices.DeleteFunc(found, func(i formats.Info) bool { return !here(i) })
	}
	slices.SortStableFunc(found, func(a, b formats.Info) int { return b.Modified.Compare(a.Modified) })
	found = found[:min(len(found), most)]
	wanted := map[string]bool{}
	for _, info := range found {
		wanted[info.ID] = true
		add(cli.Candidate{Value: info.ID, Text: screen.When(info.Modified, time.Now())})
	}
	for info, err := range a.List(ctx, formats.Query{Details: true, Only: func(i formats.Info) bool { return wanted[i.ID] }}) {
		if ctx.Err() != nil {
			return
		}
		if title, _ := info.Title(); err == nil && wanted[info.ID] {
			add(cli.Candidate{Value: info.ID, Text: strings.TrimRight(screen.When(info.Modified, time.Now())+"  "+title, " ")})
		}
	}
}

// most is how many sessions are offered at most.
const most = 200

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
session: only the session SESSION: an id or its beginning
recent: only the session that was written last
list: list the sessions, and make nothing
all: take all sessions, each into its own file
store
output: make FILE, or with --all files in a directory
strict: end with status 3 for a loss
detect
dry-run: print what would be made, and write nothing
redact: take secrets out of the copies of --all
`
