package main

import (
	"os"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/grep"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

type config struct {
	patterns                 []string
	patternFile              string
	extended                 bool // the syntax it is anyway
	fixed, ignoreCase, smart bool
	word, line, invert       bool
	in, role                 []string
	tool, status, where      string
	onPath, context          bool
	harness                  address.Harness
	sessions                 selection.Selection
	before, after, around    int
	most, limit              int
	withName, withoutName    bool
	only, count              bool
	names, namesWithout      bool
	quiet, noMessages        bool
	json, entries, nul, dup  bool
	maxTokens                int64
}

func (c *config) flags() []cli.Flag {
	c.sessions.Tells = true
	return slices.Concat(
		cli.Group("Patterns",
			cli.Strings(&c.patterns, "regexp, e", "look for `PATTERN`; may be repeated"),
			cli.String(&c.patternFile, "file, f", "", "read the patterns, a line each, from `FILE` (- is standard input)"),
			cli.Bool(&c.extended, "extended-regexp, E", "patterns are regular expressions in RE2 syntax (the default)"),
			cli.Bool(&c.fixed, "fixed-strings, F", "patterns are texts"),
			cli.Bool(&c.ignoreCase, "ignore-case, i", "ignore case"),
			cli.Bool(&c.smart, "smart-case, S", "ignore case unless a pattern has an upper-case letter"),
			cli.Bool(&c.word, "word-regexp, w", "match whole words only"),
			cli.Bool(&c.line, "line-regexp, x", "match whole lines only"),
			cli.Bool(&c.invert, "invert-match, v", "select the entries without a match"),
		),
		cli.Group("Entries",
			cli.Strings(&c.in, "in", "search the fields `FIELD,FIELD`: "+strings.Join(fieldNames(), ", ")+"; or all"),
			cli.Strings(&c.role, "role", "only entries of the roles `ROLE,ROLE`"),
			cli.String(&c.tool, "tool", "", "only calls and results of the tool `NAME`"),
			cli.String(&c.status, "status", "", "only results of commands with this `STATUS`: ok, fail, denied, open or a number"),
			address.HarnessFlag(&c.harness),
			cli.String(&c.where, "where", "", "only entries for which the gojq expression `EXPR` is true"),
			cli.Bool(&c.onPath, "path", "only entries of the path to the leaf"),
			cli.Bool(&c.context, "in-context", "only entries that a model would see now"),
		),
		cli.Group("Sessions", c.sessions.Flags(selection.AllBelow, selection.Agent, selection.CWD, selection.Since, selection.Until, selection.NoSelf)...),
		c.outputFlags(),
	)
}

func (c *config) outputFlags() []cli.Flag {
	return cli.Group("Output",
		cli.Count(&c.before, "before-context, B", "print `N` entries before each"),
		cli.Count(&c.after, "after-context, A", "print `N` entries after each"),
		cli.Count(&c.around, "context, C", "print `N` entries before and after each"),
		cli.Count(&c.most, "max-count, m", "stop after `N` entries of a session"),
		cli.Count(&c.limit, "limit", "print at most `N` entries, or with -l and -L names"),
		cli.Bool(&c.withName, "with-filename, H", "print the session's name in each row"),
		cli.Bool(&c.withoutName, "no-filename, I", "print no names of sessions"),
		cli.Bool(&c.only, "only-matching, o", "print only what matched"),
		cli.Bool(&c.count, "count, c", "print the number of entries with a match"),
		cli.Bool(&c.names, "files-with-matches, l", "print only the names of sessions with a match"),
		cli.Bool(&c.namesWithout, "files-without-match, L", "print only the names of sessions without a match"),
		cli.Bool(&c.quiet, "quiet, q", "print no rows and no messages, and stop at the first match"),
		cli.Bool(&c.noMessages, "no-messages, s", "print rows without messages"),
		cli.Bool(&c.json, "json", "print a JSON object for each row"),
		cli.Bool(&c.entries, "lines", "print the lines of the entries unchanged"),
		cli.Bool(&c.nul, "null, 0", "end names and rows with a NUL"),
		cli.Bool(&c.dup, "copies", "do not leave out copies of entries, as forks have them"),
		cli.Tokens(&c.maxTokens, "max-tokens", -1, "print rows of at most `N` tokens"),
	)
}

func fieldNames() []string {
	var out []string
	for _, f := range grep.Fields() {
		out = append(out, string(f))
	}
	return out
}

// check refuses flags that contradict each other or themselves.
func (c *config) check() error {
	for _, given := range [][]string{
		{
			cli.NameIf(c.count, "-c"), cli.NameIf(c.names, "-l"),
			cli.NameIf(c.namesWithout, "-L"), cli.NameIf(c.json, "--json"), cli.NameIf(c.entries, "--lines"),
		},
		{cli.NameIf(c.limit > 0, "--limit"), cli.NameIf(c.maxTokens >= 0, "--max-tokens"), cli.NameIf(c.count, "-c")},
		{cli.NameIf(c.maxTokens >= 0, "--max-tokens"), cli.NameIf(c.before+c.after+c.around > 0, "-A, -B and -C")},
		{cli.NameIf(c.maxTokens >= 0, "--max-tokens"), cli.NameIf(c.count, "-c")},
		{cli.NameIf(c.maxTokens >= 0, "--max-tokens"), cli.NameIf(c.names, "-l"), cli.NameIf(c.namesWithout, "-L"), cli.NameIf(c.entries, "--lines")},
		{cli.NameIf(c.onPath, "--path"), cli.NameIf(c.context, "--in-context")},
		{cli.NameIf(c.withName, "-H"), cli.NameIf(c.withoutName, "-I")},
		{cli.NameIf(c.fixed, "-F"), cli.NameIf(c.extended, "-E")},
	} {
		if err := cli.Exclusive(given...); err != nil {
			return err
		}
	}
	for _, role := range cli.Words(c.role) {
		if err := cli.RefuseUnknown("role", role, append(session.Roles(), session.Types()...)); err != nil {
			return err
		}
	}
	if err := calls.CheckStatus(c.status); err != nil {
		return cli.DidYouMean(cli.UsageError("--status: %v", err), c.status, calls.Outcomes())
	}
	return nil
}

// fields returns the fields to search.
func (c *config) fields() (map[grep.Field]bool, error) {
	chosen := map[grep.Field]bool{}
	words := cli.Words(c.in)
	if len(words) == 0 {
		for _, f := range grep.Usual() {
			chosen[f] = true
		}
	}
	for _, word := range words {
		if word == "all" {
			for _, f := range grep.Fields() {
				chosen[f] = true
			}
			continue
		}
		if err := cli.RefuseUnknown("field", word, append(fieldNames(), "all")); err != nil {
			return nil, err
		}
		chosen[grep.Field(word)] = true
	}
	return chosen, nil
}

// pattern compiles what to look for, and returns the other operands.
func (c *config) pattern(s *cli.Streams, operands []string) (*grep.Pattern, []string, error) {
	patterns := c.patterns
	switch {
	case c.patternFile != "":
		in, err := s.OpenInput(c.patternFile)
		if err != nil {
			return nil, nil, err
		}
		defer in.Close()
		for l, err := range jsonl.Lines(in) {
			if err != nil {
				return nil, nil, address.Locate(c.patternFile, err)
			}
			patterns = append(patterns, string(l.Data))
		}
	case len(patterns) == 0 && len(operands) == 0:
		return nil, nil, cli.UsageError("no PATTERN")
	case len(patterns) == 0:
		patterns, operands = operands[:1], operands[1:]
	}
	p, err := grep.Compile(patterns, grep.Options{
		Fixed: c.fixed, IgnoreCase: c.ignoreCase, SmartCase: c.smart, Word: c.word, Line: c.line,
	})
	if err != nil {
		return nil, nil, cli.UsageError("%v", err)
	}
	return p, operands, nil
}

// inOrder returns the operands in their order if the session may stand in front of the
// pattern.
func (c *config) inOrder(operands []string) string {
	if len(c.patterns) > 0 || c.patternFile != "" || len(operands) != 2 {
		return ""
	}
	if fi, err := os.Stat(operands[0]); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	if _, err := os.Stat(operands[1]); err == nil {
		return ""
	}
	return cli.ShellWords([]string{operands[1], operands[0]})
}

// asOnePattern gives a usage error the line in which the operands are one pattern, if those behind the first are words that
// stand for no session.
func (c *config) asOnePattern(s *cli.Streams, err error, operands []string) error {
	if cli.Status(err) != cli.ExitUsage || len(c.patterns) > 0 || c.patternFile != "" || len(operands) < 2 {
		return err
	}
	for _, word := range operands[1:] {
		if _, missing := os.Stat(word); missing == nil || strings.ContainsAny(word, "/:.") {
			return err
		}
	}
	return cli.WithHint(cli.UsageError("%v", err), "several words are one pattern: %s", s.Instead(operands, strings.Join(operands, " ")))
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
fixed-strings
ignore-case
in: text, call, result, thinking, title, path, … or all
role
all: take the sessions of every project
agent: only sessions of the agents NAME,NAME
since: modified since WHEN: 90m, 7d, a date
after-context before-context context: print N entries after, before or around
limit
count
files-with-matches
json
`
