package shell

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sess-tools/sess/internal/core/lazy"
)

// written is how a node is written.
func (r *reader) written(n syntax.Node) string {
	from, to := min(len(r.line), int(n.Pos().Offset())), min(len(r.line), int(n.End().Offset()))
	return r.line[from:max(from, to)]
}

var (
	identifier = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)
	number     = lazy.Regexp(`^(?:-?[0-9]+|[0-9]+#[0-9A-Za-z]+|0x[0-9A-Fa-f]+)$`)
	delimiter  = lazy.Regexp(`^(?:\\?[A-Za-z0-9_]+|'[A-Za-z0-9_]+'|"[A-Za-z0-9_]+")$`)
	braces     = lazy.Regexp(`^\{-?[0-9]+\.\.-?[0-9]+\}$`)
	assignment = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*(?:[-+*]?=-?[0-9]+|\+\+|--)$`)
)

// grammar notes the nodes of a line that are not of the plain grammar.
func (r *reader) grammar(file *syntax.File) {
	r.variables(file)
	sums := func(n syntax.Node, all ...syntax.ArithmExpr) {
		for _, x := range all {
			if x != nil && !r.sum(x) {
				r.hide(Arithmetic, r.written(n))
			}
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.File, *syntax.Comment, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted, *syntax.ProcSubst, *syntax.BinaryCmd, *syntax.Block, *syntax.Subshell,
			*syntax.IfClause, *syntax.WhileClause, *syntax.WordIter, *syntax.CaseClause, *syntax.CaseItem, *syntax.TimeClause, *syntax.TestClause, *syntax.ParenTest,
			*syntax.CallExpr, *syntax.ArrayExpr, *syntax.BraceExp, *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm:
		case *syntax.Stmt:
			if n.Coprocess || n.Disown {
				r.hide(NoPlain, r.written(n))
			}
		case *syntax.ForClause:
			if n.Select {
				r.hide(NoPlain, r.written(n))
			}
		case *syntax.CmdSubst:
			if n.TempFile || n.ReplyVar {
				r.hide(OtherShell, r.written(n))
			}
		case *syntax.Redirect:
			r.redirection(n)
		case *syntax.ParamExp:
			r.parameter(n, sums)
		case *syntax.ArithmExp:
			sums(n, n.X)
		case *syntax.ArithmCmd:
			sums(n, n.X)
		case *syntax.CStyleLoop:
			sums(n, n.Init, n.Cond, n.Post)
		case *syntax.LetClause:
			for _, x := range n.Exprs {
				if w, is := x.(*syntax.Word); !is || !literalAs(w, assignment()) {
					sums(n, x)
				}
			}
		case *syntax.Assign:
			if sums(n, n.Index); n.Name != nil && n.Value != nil {
				text, ok := literal(n.Value.Parts, false)
				r.variable(n.Name.Value, ok, text, r.written(n))
			} else if n.Name != nil {
				r.variable(n.Name.Value, n.Array == nil, "", r.written(n))
			}
		case *syntax.ArrayElem:
			if w, is := n.Index.(*syntax.Word); !is || !literalAs(w, tame()) {
				sums(n, n.Index)
			}
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				r.hide(Evaluated, r.written(n))
			}
		case *syntax.BinaryTest:
			switch n.Op {
			case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
				for _, x := range []syntax.TestExpr{n.X, n.Y} {
					if w, is := x.(*syntax.Word); !is || !r.sum(w) {
						r.hide(Arithmetic, r.written(n))
					}
				}
			}
		case *syntax.DeclClause:
			r.declares(n)
		case *syntax.FuncDecl:
			r.defines(n)
		default:
			r.hide(NoPlain, r.written(n))
		}
		return true
	})
}

// defines notes a function, and hides one in the place of a program.
func (r *reader) defines(f *syntax.FuncDecl) {
	if f.Name != nil {
		r.functions[f.Name.Value] = true
	}
	if f.Name == nil || !identifier().MatchString(strings.ReplaceAll(f.Name.Value, "-", "_")) || known(f.Name.Value) {
		head, _, _ := strings.Cut(r.written(f), "\n")
		r.hide(Function, head)
		return
	}
	r.Functions = append(r.Functions, f.Name.Value)
}

// literalAs reports whether a word is a literal one of a form.
func literalAs(w *syntax.Word, form *regexp.Regexp) bool {
	text, ok := literal(w.Parts, false)
	return ok && form.MatchString(text)
}

// redirection notes where a statement reads and writes.
func (r *reader) redirection(n *syntax.Redirect) {
	if n.N != nil && !number().MatchString(n.N.Value) {
		r.hide(NoPlain, r.written(n))
	}
	if n.Hdoc == nil {
		return
	}
	written := r.written(n.Word)
	if !delimiter().MatchString(written) {
		r.hide(Document, written)
		return
	}
	end := strings.Trim(written, `\'"`)
	if body := r.written(n.Hdoc); strings.Contains(body, "\\\n") {
		for line := range strings.SplitSeq(strings.ReplaceAll(body, "\\\n", ""), "\n") {
			if strings.TrimLeft(line, "\t") == end {
				r.hide(Document, written)
			}
		}
	}
}

// runsLater reports whether a file is one that git or a shell runs by itself.
func runsLater(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if has(".git .gitconfig .gitattributes .bashrc .bash_profile .bash_aliases .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .envrc .husky config.fish crontab .npmrc", part) {
			return true
		}
	}
	return false
}

// parameter notes an expansion that evaluates a value again.
func (r *reader) parameter(n *syntax.ParamExp, sums func(syntax.Node, ...syntax.ArithmExpr)) {
	all := false
	if w, is := n.Index.(*syntax.Word); is {
		all = w.Lit() == "@" || w.Lit() == "*"
	}
	switch {
	case n.Flags != nil, n.NestedParam != nil, n.Width, n.IsSet, len(n.Modifiers) > 0, n.Split != 0, n.GlobSubst != 0, n.RcExpand != 0:
		r.hide(OtherShell, r.written(n))
	case n.Excl && n.Names == 0 && !all:
		r.hide(Evaluated, r.written(n))
	case n.Exp != nil && n.Exp.Op == syntax.OtherParamOps:
		if text, _ := literal(n.Exp.Word.Parts, false); len(text) != 1 || !strings.ContainsAny(text, "QUuLEaAkK") {
			r.hide(Again, r.written(n))
		}
	}
	if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && n.Param != nil {
		text, ok := "", true
		if n.Exp.Word != nil {
			text, ok = literal(n.Exp.Word.Parts, false)
		}
		r.variable(n.Param.Value, ok, text, r.written(n))
	}
	if !all {
		sums(n, n.Index)
	}
	if n.Slice != nil {
		sums(n, n.Slice.Offset, n.Slice.Length)
	}
}

// maxRounds is how long a chain of variables may be of which each is set to another.
const maxRounds = 20

// variables finds those that may have a text which arithmetic would evaluate: the line sets them to more than numbers.
func (r *reader) variables(file *syntax.File) {
	before := -1
	for rounds := 0; before != len(r.texts); rounds++ { // one may be set to another
		if before = len(r.texts); rounds == maxRounds {
			r.hide(ManyWords, "")
			return
		}
		syntax.Walk(file, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				if n.Name != nil && (n.Array != nil || n.Value != nil && !r.sum(n.Value)) {
					r.texts[n.Name.Value] = true
				}
			case *syntax.ParamExp:
				if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && n.Param != nil && (n.Exp.Word == nil || !r.sum(n.Exp.Word)) {
					r.texts[n.Param.Value] = true
				}
			case *syntax.WordIter:
				for _, item := range n.Items {
					if !r.sum(item) && !braces().MatchString(item.Lit()) {
						r.texts[n.Name.Value] = true
					}
				}
				if len(n.Items) == 0 {
					r.texts[n.Name.Value] = true
				}
			case *syntax.CallExpr:
				reads := false
				for _, w := range n.Args {
					text, _ := literal(w.Parts, false)
					if reads = reads || has("read mapfile readarray getopts printf", text); reads {
						r.texts[text] = true
					}
				}
			}
			return true
		})
	}
}

// sum reports whether arithmetic, or a word in its place, evaluates numbers alone. What the line does not set is taken for one.
func (r *reader) sum(x syntax.Node) (ok bool) {
	ok = true
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm, *syntax.ArithmExp:
		case *syntax.DblQuoted:
			ok = ok && len(n.Parts) == 1
		case *syntax.Word:
			ok = ok && len(n.Parts) == 1
		case *syntax.Lit:
			ok = ok && (number().MatchString(n.Value) || identifier().MatchString(n.Value) && !r.mayBeText(n.Value))
		case *syntax.ParamExp:
			special := n.Param != nil && len(n.Param.Value) == 1 && strings.ContainsAny(n.Param.Value, "?#$!")
			simple := n.Repl == nil && n.Index == nil && n.Slice == nil && (n.Exp == nil || n.Exp.Op == syntax.DefaultUnsetOrNull && n.Exp.Word != nil && r.sum(n.Exp.Word))
			ok = ok && n.Param != nil && !n.Excl && (n.Length || simple && (special || identifier().MatchString(n.Param.Value) && !r.mayBeText(n.Param.Value)))
			return false
		case *syntax.CmdSubst:
			ok = ok && counts(n)
			return false
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// mayBeText reports whether a variable may have more than a number.
func (r *reader) mayBeText(name string) bool {
	return r.texts[name] || has("_ REPLY OPTARG MAPFILE PIPESTATUS PWD OLDPWD FUNCNAME", name) || strings.HasPrefix(name, "BASH_")
}

// counts reports whether a substitution prints numbers, whatever it reads.
func counts(n *syntax.CmdSubst) bool {
	if len(n.Stmts) != 1 || n.TempFile || n.ReplyVar {
		return false
	}
	s := n.Stmts[0]
	b, piped := s.Cmd.(*syntax.BinaryCmd)
	if piped = piped && b.Op == syntax.Pipe; piped {
		s = b.Y
	}
	call, is := s.Cmd.(*syntax.CallExpr)
	if !is || len(call.Args) == 0 {
		return false
	}
	all := make([]string, len(call.Args))
	for i, w := range call.Args {
		all[i] = w.Lit()
	}
	switch line := strings.Join(all, " "); all[0] {
	case "wc", "grep":
		return piped && (line == "wc -l" || line == "wc -c" || line == "wc -w") || piped && strings.HasPrefix(line, "grep -c ") && len(all) == 3
	case "seq":
		return len(all) < 4
	default:
		return line == "nproc" || line == "date +%s" || line == "date +%s%N" || line == "date +%s%3N"
	}
}

// Variables by which programs run others, and those of which the value is a command that shows or edits a text.
var (
	runVariables  = lazy.Regexp(`^(?:BASH_.*|BASHOPTS|SHELLOPTS|ENV|PS[0-4]|PROMPT_COMMAND|LD_.*|DYLD_.*|GIT_(?:CONFIG.*|SSH.*|PROXY_COMMAND|EXTERNAL_DIFF|EXEC_PATH|ASKPASS|TEMPLATE_DIR)|SSH_ASKPASS|SHELL|LESSOPEN|LESSCLOSE|FCEDIT|PERL5.*|PYTHON(?:STARTUP|HOME|INSPECT|BREAKPOINT|WARNINGS)|RUBYOPT|NODE_OPTIONS|.*_TOOL_OPTIONS|(?:GNU)?MAKEFLAGS|MAKESHELL|GOFLAGS|.*_(?:WRAPPER|RUNNER|COMMAND|script_shell)|npm_config_.*|ZDOTDIR|FPATH|KSH_ENV|RSYNC_.*|TAR_OPTIONS|AWK(?:LIB)?PATH|EXECIGNORE|HISTFILE|MANPAGER|MANOPT|DOCKER_HOST|POSIXLY_CORRECT|aliases|commands|functions|galiases|saliases|BROWSER|CDPATH)$`)
	showVariables = lazy.Regexp(`^(?:.*PAGER|.*EDITOR|VISUAL)$`)
	plainShows    = lazy.Regexp(`^(?:|cat|true|:|less|more|less -[A-Za-z]+|/bin/true|/usr/bin/true|/bin/cat)$`)
	textVariables = lazy.Regexp(`^(?:PATH|HOME|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|LANG|LC_.*|TZ|.*_(?:URL|URI|KEY|TOKEN|MESSAGE|MSG|NAME|DESCRIPTION|TITLE|BODY|TEXT|JSON|DATE)|C(?:XX)?FLAGS|LDFLAGS|RUSTFLAGS|PYTHONPATH|NODE_PATH|GOPATH|JAVA_HOME)$`)
)

// variable notes a variable by which programs run others. literal is false if its text is not known.
func (r *reader) variable(name string, literal bool, text, written string) {
	if runVariables().MatchString(name) && !showVariables().MatchString(name) || showVariables().MatchString(name) && (!literal || !plainShows().MatchString(text)) {
		r.hide(Variable, written)
	}
}

// given notes a variable that programs are given.
func (r *reader) given(name string, literal bool, text, written string) {
	if !number().MatchString(text) || !literal {
		r.texts[name] = true
	}
	r.variable(name, literal, text, written)
	if literal && !textVariables().MatchString(name) && !tame().MatchString(text) && strings.ContainsAny(text, " \t\n") {
		r.hide(Environment, written)
	}
}

// declares notes declare, export, local, readonly and typeset.
func (r *reader) declares(n *syntax.DeclClause) {
	exported := n.Variant.Value == "export"
	for _, a := range n.Args {
		switch {
		case a.Name != nil && exported && a.Value != nil:
			text, ok := literal(a.Value.Parts, false)
			r.given(a.Name.Value, ok, text, r.written(a))
		case a.Name == nil && a.Value != nil:
			text, ok := literal(a.Value.Parts, false)
			if !ok || !strings.HasPrefix(text, "-") || strings.Trim(text, "-aAxrgpltu") != "" {
				r.hide(Evaluated, r.written(a))
			}
			exported = exported || strings.Contains(text, "x")
		}
	}
	if n.Variant.Value == "nameref" {
		r.hide(Evaluated, r.written(n))
	}
}

var opens = lazy.Regexp(`<<-?[ \t]*['"\\]?([A-Za-z0-9_]+)`)

// documents returns a line as bash reads it where a line begins with the end of a here-document and has a parenthesis behind it: within a
// substitution the document ends there. changed says that there is such a line.
func documents(line string) (out string, changed bool) {
	ends, lengths := map[string]bool{}, []int(nil)
	for _, m := range opens().FindAllStringSubmatch(line, -1) {
		if ends[m[1]] = true; !slices.Contains(lengths, len(m[1])) && len(lengths) < maxBraces {
			lengths = append(lengths, len(m[1]))
		}
	}
	if len(ends) == 0 {
		return line, false
	}
	var b strings.Builder
	for one := range strings.Lines(line) {
		text := strings.TrimLeft(one, "\t")
		for _, n := range lengths {
			if len(text) > n && ends[text[:n]] && strings.Contains(text[n:], ")") {
				one, changed = strings.TrimSuffix(one, text[n:])+"\n"+text[n:], true
				break
			}
		}
		b.WriteString(one)
	}
	return b.String(), changed
}
