// Package shell finds the simple commands of a shell command line, as a gate wants to
// see them: what runs, without what only says where or how; what the status of the line says of each; what may be run
// that does not stand in it; and which files it writes.
package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Ends is what the status of a command line says of one of its commands.
type Ends int

// What a status may say.
const (
	Unknown Ends = iota // nothing
	Zero                // the command ended with 0 if the line did
	Same                // it is the status of the command
)

// A Command is a simple command: a program and its arguments. A word that is not literal is as it is
// written, "$x".
type Command struct {
	Words []string
	Ends  Ends
	Group int // the commands of a pipe have one number

	lead    string // the words up to the first character that is not literal
	literal bool   // all of them are
}

// String joins the words by spaces.
func (c Command) String() string { return strings.Join(c.Words, " ") }

// Hides reports whether the words that a text begins with may be those of the command, and are not known: the first
// that is not literal stands in front of the end of the text.
func (c Command) Hides(begins string) bool {
	return !c.literal && len(c.lead) < len(begins) && strings.HasPrefix(begins, c.lead)
}

// Open reports whether more words follow that are not known, as xargs adds them.
func (c Command) Open() bool { return !c.literal && c.lead == c.String()+" " }

// Of returns a command of literal words.
func Of(words ...string) Command {
	return Command{Words: words, Ends: Same, lead: strings.Join(words, " "), literal: true}
}

// A File is one that a command line writes.
type File struct {
	Path   string // as it is written, behind the directories that the line went to; "" if it is not known
	Group  int    // see Command
	Behind int    // how many commands stand in front of it
}

// Simple are the simple commands of a command line.
type Simple struct {
	Commands []Command

	// Hidden are the pieces that may run more than Commands: a line without any is plain. Opaque says that there are some.
	Hidden []Piece
	Opaque bool
	Unsure bool // one of the pieces may change what a status says

	Functions []string // the names of those that are defined
	Scripts   []string // programs of which nothing is known, and files for interpreters, which are not looked into

	Files []File

	PatchDir  string // where it went to before a patch is applied, "" for nowhere
	PatchLost bool   // that is not known
}

// The largest command line that is parsed, in bytes, how deep a command may be one of an
// argument, and how many commands are told.
const (
	maxSize     = 1 << 20
	maxDeep     = 4
	maxCommands = 200_000
)

// Parse returns the simple commands of a line, in the order in which they are written. ok is false for one that
// is no command line of bash, or larger than a mebibyte. These are taken off: the directory of a program; env,
// timeout, nice, sudo, time, command, xargs, nohup and their like with their flags; and the flags of git in front of
// its command. What a shell, a here-document for one, find -exec, ssh, uv run and others run is a command as well.
func Parse(line string) (Simple, bool) {
	r := newReader(line)
	ok := r.parse(line, 0, state{most: Same}, Same, false)
	return r.done(), ok
}

// Exec returns what a list of words runs without a shell.
func Exec(list []string) (Simple, bool) {
	r := newReader("")
	ok := r.command(literals(list), at{ends: Same, program: true}, &state{most: Same})
	return r.done(), ok
}

// A reader gathers the commands of a line.
type reader struct {
	Simple
	root      string          // the line, of which others may be words
	line      string          // that is read now
	functions map[string]bool // that are defined somewhere
	own       map[string]bool // that the list defines which is read, in front of the place
	texts     map[string]bool // the variables that the line sets to more than numbers
	group     int
}

func newReader(line string) *reader {
	return &reader{root: line, functions: map[string]bool{}, own: map[string]bool{}, texts: map[string]bool{}}
}

// done returns what was gathered. No status counts if a piece of the shell itself is hidden.
func (r *reader) done() Simple {
	for i := range r.Commands {
		if r.Unsure {
			r.Commands[i].Ends = Unknown
		}
	}
	return r.Simple
}

// Join adds the commands of another line, but for its files.
func (s *Simple) Join(other Simple) {
	s.Commands, s.Hidden = append(s.Commands, other.Commands...), append(s.Hidden, other.Hidden...)
	s.Functions, s.Scripts = append(s.Functions, other.Functions...), append(s.Scripts, other.Scripts...)
	s.Opaque, s.Unsure = s.Opaque || other.Opaque, s.Unsure || other.Unsure
}

// A state is the knowledge of a shell at a place of a line.
type state struct {
	pipefail, errexit           bool // they are set
	maybePipefail, maybeErrexit bool // they may be
	most                        Ends // that the status says of what follows
	dir                         string
	lost                        bool // dir is not known
	fed                         bool // the standard input is given by the line
	listed                      bool // by a program that prints names of files
}

// or returns the knowledge where one of two states holds.
func (st *state) or(b state) state {
	return state{
		st.pipefail && b.pipefail, st.errexit && b.errexit,
		st.maybePipefail || b.maybePipefail, st.maybeErrexit || b.maybeErrexit,
		min(st.most, b.most), st.dir, st.lost || b.lost || st.dir != b.dir, st.fed || b.fed, st.listed && b.listed,
	}
}

// An at is where a command stands.
type at struct {
	ends      Ends
	deep      int
	redirects []*syntax.Redirect
	more      bool // words follow that are not known
	program   bool // it is no function
}

// parse adds the commands of a line that is an argument deep times, and runs in another shell.
func (r *reader) parse(line string, deep int, st state, e Ends, cond bool) bool {
	_, ok := r.within(line, deep, st, e, cond)
	return ok
}

// within is parse, and returns the state of the shell behind the line.
func (r *reader) within(line string, deep int, st state, e Ends, cond bool) (state, bool) {
	if len(line) > maxSize || nested(line) {
		return st, false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if bash, differs := documents(line); differs {
		other, wrong := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(bash), "")
		switch {
		case wrong == nil && err != nil:
			line, file, err = bash, other, nil
		case wrong != nil && err == nil:
			r.hide(Document, line)
		case wrong == nil:
			r.hide(Document, line)
			r.read(bash, other, deep, st, Unknown, cond)
			e = Unknown
		}
	}
	if err != nil {
		return st, false
	}
	return r.read(line, file, deep, st, e, cond)
}

// read reads a line that is parsed.
func (r *reader) read(line string, file *syntax.File, deep int, st state, e Ends, cond bool) (state, bool) {
	outer, own := r.line, r.own
	r.line, r.own = line, map[string]bool{}
	r.grammar(file)
	w := walk{r, deep, map[*syntax.Stmt]bool{}, true}
	for _, s := range file.Stmts {
		w.top[s] = !s.Background && !s.Negated
	}
	_, after := w.list(file.Stmts, st, e, cond)
	r.line, r.own = outer, own
	return after, w.ok
}

// nested reports whether a line may be so deep that a parser that calls itself has no stack left.
func nested(line string) bool {
	deep := 0
	for _, opens := range []string{"(", "{", "[", "`", "if", "while", "until", "case", "for", "!", "time", "coproc", "select", "function"} {
		deep += strings.Count(line, opens)
	}
	return deep > 50_000
}

// A walk goes through the statements of one line. Every method returns two states of the shell: if the
// statement succeeded, and whatever it ended with.
type walk struct {
	*reader
	deep int
	top  map[*syntax.Stmt]bool // the statements of the line itself
	ok   bool
}

// list looks at statements that follow each other, of which e is what the status says of the last. cond says that a
// failure ends nothing, whatever errexit says, as in a condition.
func (w *walk) list(all []*syntax.Stmt, st state, e Ends, cond bool) (succ, after state) {
	succ, after = st, st
	for i, s := range all {
		of := Unknown
		switch {
		case i == len(all)-1:
			of = e
		case after.errexit && !cond && plain(s), orExit(s):
			of = min(e, Zero)
		}
		if i > 0 && after.maybeErrexit {
			of = min(of, Zero) // an earlier one may have ended the shell
		}
		w.group++
		succ, after = w.stmt(s, after, of, cond)
	}
	return succ, after
}

// plain reports whether a failure of a statement ends the shell if errexit is set.
func plain(s *syntax.Stmt) bool {
	if s.Negated || s.Background {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe || c.Op == syntax.PipeAll
	case *syntax.CallExpr, *syntax.Subshell:
		return true
	}
	return false
}

func (w *walk) stmt(s *syntax.Stmt, st state, e Ends, cond bool) (succ, after state) {
	e = min(e, st.most)
	if s.Negated {
		e, cond = Unknown, true
	}
	fed := st.fed
	for _, to := range s.Redirs {
		w.redirect(to, st)
		st.fed = st.fed || feeds(to)
	}
	defer func() { succ.fed, after.fed = fed, fed }()
	if f, is := s.Cmd.(*syntax.FuncDecl); is && f.Name != nil && w.top[s] {
		w.own[f.Name.Value] = true
	}
	if s.Background || s.Coprocess || s.Disown {
		w.cmd(s, st, Unknown, cond)
		return st, st
	}
	return w.cmd(s, st, e, cond)
}

// cmd looks at the command of a statement.
func (w *walk) cmd(s *syntax.Stmt, st state, e Ends, cond bool) (succ, after state) {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return w.call(c, s.Redirs, st, e)
	case *syntax.Block:
		return w.list(c.Stmts, st, e, cond)
	case *syntax.Subshell:
		w.list(c.Stmts, st, e, cond)
		return st, st
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return w.stmt(c.Stmt, st, e, cond)
		}
	case *syntax.BinaryCmd:
		return w.binary(c, st, e, cond)
	case *syntax.FuncDecl:
		st.fed = true // it may be
		w.inside(c, st)
		st.fed = false
	default:
		if s.Cmd != nil {
			after = w.inside(s.Cmd, st)
			if mayEnd(s.Cmd) {
				after.most = min(after.most, Zero)
			}
			return after, after
		}
	}
	return st, st
}

func (w *walk) binary(c *syntax.BinaryCmd, st state, e Ends, cond bool) (succ, after state) {
	switch c.Op {
	case syntax.AndStmt:
		x, either := w.stmt(c.X, st, min(e, Zero), true)
		w.group++
		y, behind := w.stmt(c.Y, x, min(e, Zero), cond)
		return y, either.or(behind)
	case syntax.OrStmt:
		of := Unknown
		if fails(c.Y) {
			of = min(e, Zero)
		}
		x, either := w.stmt(c.X, st, of, true)
		w.group++
		y, behind := w.stmt(c.Y, either, Unknown, cond)
		if of != Unknown {
			x.most = min(x.most, behind.most)
			return x, x.or(behind)
		}
		return x.or(y), x.or(behind)
	}
	of := Unknown
	if st.pipefail {
		of = min(e, Zero)
	}
	w.stmt(c.X, st, of, true)
	if st.maybePipefail {
		e = min(e, Zero)
	}
	piped := st
	piped.fed, piped.listed = true, lists(c.X)
	_, last := w.stmt(c.Y, piped, e, cond) // zsh runs it in the shell itself
	st.most = min(st.most, last.most)
	return st, st
}

// lists reports whether a statement prints names of files alone.
func lists(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return lists(c.X) && (c.Op == syntax.Pipe)
	case *syntax.CallExpr:
		if len(c.Args) > 1 && c.Args[0].Lit() == "git" {
			return has("ls-files diff grep", c.Args[1].Lit())
		}
		return len(c.Args) > 0 && has("grep egrep fgrep rg find fd fdfind ls ag", c.Args[0].Lit())
	}
	return false
}

// orExit reports whether a statement is a || exit 1, behind which nothing runs if a failed.
func orExit(s *syntax.Stmt) bool {
	c, is := s.Cmd.(*syntax.BinaryCmd)
	return is && c.Op == syntax.OrStmt && !s.Negated && !s.Background && fails(c.Y) && !returns(c.Y)
}

// returns reports whether there is a return in a node, which does not end a shell.
func returns(n syntax.Node) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		lit, is := n.(*syntax.Lit)
		found = found || is && lit.Value == "return"
		return !found
	})
	return found
}

// fails reports whether a statement ends with a status other than 0, whatever happens: exit 1, or a block that ends so.
func fails(s *syntax.Stmt) bool {
	if s.Negated || s.Background || len(s.Redirs) > 0 {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.Block:
		return len(c.Stmts) > 0 && fails(c.Stmts[len(c.Stmts)-1]) && !slices.ContainsFunc(c.Stmts[:len(c.Stmts)-1], leaves)
	case *syntax.CallExpr:
		return len(c.Args) == 2 && len(c.Assigns) == 0 && (c.Args[0].Lit() == "exit" || c.Args[0].Lit() == "return") && failure(c.Args[1].Lit())
	}
	return false
}

// leaves reports whether a statement may leave its list with another status.
func leaves(s *syntax.Stmt) bool {
	c, is := s.Cmd.(*syntax.CallExpr)
	return !is || len(c.Args) > 0 && !slices.Contains([]string{"echo", "printf", "cat", "kill"}, c.Args[0].Lit())
}

// failure reports whether a text is a status that says so.
func failure(text string) bool {
	return len(text) > 0 && len(text) <= 3 && strings.Trim(text, "0123456789") == "" && strings.Trim(text, "0") != "" && (len(text) < 3 || text <= "255")
}

// inside looks at the statements within a node, which run any number of times and end in any way. It returns the state of the
// shell behind them.
func (w *walk) inside(n syntax.Node, st state) state {
	behind := st
	syntax.Walk(n, func(n syntax.Node) bool {
		if s, is := n.(*syntax.Stmt); is {
			w.group++
			_, after := w.stmt(s, behind, Unknown, true)
			behind = behind.or(after)
			return false
		}
		return true
	})
	return behind
}

// mayEnd reports whether to expand a node may end the shell.
func mayEnd(n syntax.Node) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if p, is := n.(*syntax.ParamExp); is && p.Exp != nil && (p.Exp.Op == syntax.ErrorUnset || p.Exp.Op == syntax.ErrorUnsetOrNull) {
			found = true
		}
		return !found
	})
	return found
}

// call looks at a simple command, or an assignment.
func (w *walk) call(c *syntax.CallExpr, redirects []*syntax.Redirect, st state, e Ends) (succ, after state) {
	if mayEnd(c) {
		st.most = min(st.most, Zero)
	}
	e = min(e, st.most)
	for _, a := range c.Assigns {
		if a.Name != nil && a.Value != nil && len(c.Args) > 0 {
			text, ok := literal(a.Value.Parts, false)
			w.given(a.Name.Value, ok, text, w.written(a))
		}
	}
	if len(c.Args) > 0 {
		all, ok := w.words(c.Args)
		if !ok {
			w.hide(ManyWords, w.written(c))
		}
		w.ok = w.command(all, at{ends: e, deep: w.deep, redirects: redirects}, &st) && w.ok
	}
	w.inside(c, st)
	return st, st
}

// feeds reports whether a redirection gives a statement what to read.
func feeds(to *syntax.Redirect) bool {
	switch to.Op {
	case syntax.RdrIn:
		return to.Word.Lit() != "/dev/null"
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrInOut:
		return true
	case syntax.DplIn:
		return to.Word.Lit() != "-"
	}
	return false
}

// redirect looks at where a statement reads and writes.
func (w *walk) redirect(to *syntax.Redirect, st state) {
	for _, word := range []*syntax.Word{to.Word, to.Hdoc} {
		if word != nil {
			w.inside(word, st)
		}
	}
	switch to.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.AppClob, syntax.RdrAll, syntax.AppAll, syntax.RdrAllClob, syntax.AppAllClob, syntax.DplOut:
	default:
		return
	}
	all, _ := w.words([]*syntax.Word{to.Word})
	if len(all) == 1 && to.Op == syntax.DplOut && (strings.Trim(all[0].text, "0123456789-") == "" || !all[0].literal) {
		return
	}
	w.writes(all, &st)
}
