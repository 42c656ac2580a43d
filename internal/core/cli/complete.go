package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/tty"
)

// completeFlag makes a tool print what may stand at the end of a command line. It is
// there for the scripts that [Completion] writes, and --help does not list it:
//
//	TOOL --complete SHELL -- [WORD...]
//
// The words are those behind the name of the tool up to the cursor; the last one is the word under
// the cursor, which may be "". They are without quotes, but in bash, which cannot remove them, as
// they were typed. Each line of output is a whole word that may replace the last, and if there is a
// description, a tab and that. A line that begins with its tab names words the shell knows better:
// files, directories or commands. The status is always 0, and there are no messages.
const completeFlag = "--complete"

// A Candidate is a word that may stand where a command line is completed.
type Candidate struct {
	Value string // the whole word
	Text  string // a description, whose author is not trusted
}

// What the shell completes itself. They stand among the other candidates.
var (
	Files       = Candidate{Text: "files"}
	Directories = Candidate{Text: "directories"}
	Commands    = Candidate{Text: "commands"}
)

// byShell are the names of operands and values that the shell completes.
var byShell = map[string]Candidate{"FILE": Files, "FILE|DIR": Files, "SOURCE": Files, "DEST": Files, "DIR": Directories, "COMMAND": Commands}

// A Place is where a command line is completed.
type Place struct {
	Kind string // the name of the place in [Tool.Args] or in the usage of a flag: "SESSION", "REF"
	Word string // the beginning of it
	Flag string // the long name of the flag whose value it is, "" for an operand

	// The words before it: operands, and the last value of each flag by its long name.
	Operands []string
	Values   map[string]string
}

// Match adds those of the words that begin as the place does.
func (at Place) Match(add func(Candidate), words ...string) {
	for _, w := range words {
		if strings.HasPrefix(w, at.Word) {
			add(Candidate{Value: w})
		}
	}
}

// How long a tool may look for candidates. Then those that are there are printed: a slow disk
// holds up no shell. The sessions of other agents come from a program of their own. Flags and their words
// are there at once.
var (
	patience    = 40 * time.Millisecond
	patienceFor = 400 * time.Millisecond // for a word with a colon, such as codex:01
)

// maxText is how many characters are said of a candidate.
const maxText = 60

// complete prints what may stand at the end of words.
func (s *Streams) complete(ctx context.Context, t Tool, shell string, words []string) error {
	words = slices.Clone(words)
	if len(words) == 0 {
		return nil
	}
	if shell == "bash" {
		for i, w := range words {
			words[i] = unquoted(w)
		}
	}
	limit := patience
	if strings.Contains(words[len(words)-1], ":") {
		limit = patienceFor
	}
	var g gathering
	var looks []func(context.Context)
	typed{t, words}.complete(&g, func(look func(context.Context)) { looks = append(looks, look) })
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, look := range looks {
			look(ctx)
		}
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	return g.print(s.Out)
}

// A gathering is the candidates found so far. One that comes twice stays where it is and
// gets the text that came last.
type gathering struct {
	mu   sync.Mutex
	list []Candidate
	at   map[string]int
}

func (g *gathering) add(c Candidate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.at == nil {
		g.at = map[string]int{}
	}
	key := c.Value
	if key == "" {
		key = "\t" + c.Text
	}
	if i, ok := g.at[key]; ok {
		g.list[i] = c
		return
	}
	g.at[key] = len(g.list)
	g.list = append(g.list, c)
}

// print writes the candidates. A word with a character that could act on a terminal is left out:
// users do not type it.
func (g *gathering) print(w io.Writer) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.list {
		if tty.Clean(c.Value) != c.Value {
			continue
		}
		line := c.Value
		if c.Text != "" {
			line += "\t" + tty.Clean(shortened(c.Text))
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// shortened returns the first characters of a text, with single spaces between its words.
func shortened(text string) string {
	if len(text) > 8*maxText { // the end is not looked at
		text = text[:8*maxText]
	}
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= maxText {
		return text
	}
	return string([]rune(text)[:maxText-1]) + "…"
}

// unquoted returns what a word of a shell stands for, without expansions. The end of a
// quotation may be missing.
func unquoted(word string) string {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == '\\' && i+1 < len(word) && (quote == 0 || quote == '"' && strings.IndexByte("$`\"\\", word[i+1]) >= 0):
			i++
			b.WriteByte(word[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// A typed command line is one that is not finished.
type typed struct {
	tool  Tool
	words []string
}

// later is a function that is given what the tool looks for.
type later func(look func(context.Context))

func (l typed) complete(g *gathering, world later) {
	before, word := l.words[:len(l.words)-1], l.words[len(l.words)-1]
	t, before, err := l.tool.pick(before)
	if err != nil {
		return
	}
	flags, _ := t.flags()
	common := t.common(describe(flags))
	flags = framed(flags)
	at := Place{Word: word, Values: map[string]string{}}
	p := parser{flags: flags, command: t.Command, stops: t.Dispatch}
	waiting := p.follow(before, &at)
	name, value, inline := strings.Cut(word, "=")
	switch f := p.find(strings.TrimPrefix(name, "--")); {
	case p.dashes && t.Command && len(p.words) == 0:
		g.add(Commands)
	case p.dashes && t.Command:
		g.add(Files)
	case waiting != nil:
		at.value(world, l.tool, waiting, g.add)
	case p.dashes:
		at.operand(world, t, l.tool, g.add)
	case inline && strings.HasPrefix(word, "--") && f != nil && takesValue(f):
		at.Word = value
		at.value(world, l.tool, f, func(c Candidate) {
			if c.Value != "" {
				c.Value = name + "=" + c.Value
			}
			g.add(c)
		})
	case strings.HasPrefix(word, "-") && (!t.Dispatch || len(at.Operands) == 0):
		docs := describe(flags)
		slices.SortStableFunc(docs, func(a, b FlagDoc) int { return cmp.Compare(common.at(a), common.at(b)) })
		for _, d := range docs {
			for _, name := range d.dashed() {
				if strings.HasPrefix(name, at.Word) {
					g.add(Candidate{name, d.Usage})
				}
			}
		}
	case len(t.Commands) > 0:
		for _, c := range t.Commands {
			if strings.HasPrefix(c.Name, word) {
				g.add(Candidate{c.Name, c.Summary})
			}
		}
	default:
		at.operand(world, t, l.tool, g.add)
	}
}

// follow reads the words before the place. It returns the flag whose value comes next,
// or nil. What the parser refuses it passes over.
func (p *parser) follow(words []string, at *Place) (waiting Flag) {
	for i, w := range words {
		switch {
		case waiting != nil:
			at.Values[waiting.Names()[0]], waiting = w, nil
		case w == "--":
			p.dashes = true
			if p.command {
				p.words = words[i+1:]
			} else {
				at.Operands = append(at.Operands, words[i+1:]...)
			}
			return nil
		case len(w) < 2 || w[0] != '-':
			at.Operands = append(at.Operands, w)
			if p.stops {
				at.Operands = words[i:]
				return nil
			}
		case strings.HasPrefix(w, "--"):
			name, value, inline := strings.Cut(w[2:], "=")
			switch f := p.find(name); {
			case f == nil || !takesValue(f):
			case inline:
				at.Values[f.Names()[0]] = value
			default:
				waiting = f
			}
		default:
			waiting = p.bundle(w[1:], at)
		}
	}
	return waiting
}

// bundle reads short flags, of which the last may wait for its value.
func (p *parser) bundle(names string, at *Place) (waiting Flag) {
	for i, r := range names {
		f := p.find(string(r))
		if f == nil || !takesValue(f) {
			continue
		}
		if rest := names[i+utf8.RuneLen(r):]; rest != "" {
			at.Values[f.Names()[0]] = rest
			return nil
		}
		return f
	}
	return nil
}

// value adds what may be the value of a flag.
func (at Place) value(world later, t Tool, f Flag, add func(Candidate)) {
	d := describe([]Flag{f})[0]
	if len(d.Words) > 0 {
		at.Match(add, d.Words...)
		return
	}
	at.Kind, at.Flag = d.ValueName, d.Names[0]
	at.any(world, t, add)
}

// operand adds what may be the next operand.
func (at Place) operand(world later, t, whole Tool, add func(Candidate)) {
	if t.Dispatch { // its commands are not the shell's
		at.Kind = "COMMAND"
		if whole.Complete != nil {
			world(func(ctx context.Context) { whole.Complete(ctx, at, add) })
		}
		return
	}
	for _, at.Kind = range kinds(t.Args, len(at.Operands)) {
		at.any(world, whole, add)
	}
}

func (at Place) any(world later, t Tool, add func(Candidate)) {
	if c, ok := byShell[at.Kind]; ok {
		add(c)
	} else if t.Complete != nil {
		world(func(ctx context.Context) { t.Complete(ctx, at, add) })
	}
}

// kinds returns the names of what may be the operand behind n others, by the synopsis
// args: one that may be missing leaves its place to the next.
func kinds(args string, n int) (out []string) {
	args, _, _ = strings.Cut(args, "--")
	fields := strings.Fields(args)
	for i, field := range fields {
		name := strings.Trim(field, "[].")
		repeated := strings.Contains(field, "...")
		if name == "" || i < n && !repeated {
			continue
		}
		out = append(out, name)
		if !strings.HasPrefix(field, "[") {
			break
		}
	}
	return out
}
