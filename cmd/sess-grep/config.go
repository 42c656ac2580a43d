package main

import (
	"os"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/calls"
	"github.com/sess-tools/sess/internal/find/filter"
	"github.com/sess-tools/sess/internal/find/grep"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/internal/tool/sources"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

type config struct {
	patterns                  []string
	patternFile               string
	extended                  bool // the syntax it is anyway
	fixed, ignoreCase, smart  bool
	word, line, invert        bool
	in, role                  []string
	tool, touched, status     string
	typ, where                string
	failed, noSelf            bool
	onPath, context, allOn    bool
	leaf                      string
	harness                   operand.Harness
	sessions                  sources.Selection
	before, after, around     int
	most                      int
	withName, withoutName     bool
	only, count, countMatches bool
	names, namesWithout       bool
	quiet, noMessages         bool
	json, entries, nul, raw   bool
	dup, strict               bool
	width, maxTokens          int64
	color                     string
}

func (c *config) flags() []clikit.Flag {
	c.sessions.Tells = true
	return slices.Concat(
		clikit.Group("Patterns",
			clikit.Strings(&c.patterns, "regexp, e", ""),
			clikit.String(&c.patternFile, "file, f", "", "the patterns, a line each,"),
			clikit.Bool(&c.extended, "extended-regexp, E", "patterns are regular expressions in RE2 syntax (the default)"),
			clikit.Bool(&c.fixed, "fixed-strings, F", "patterns are texts"),
			clikit.Bool(&c.ignoreCase, "ignore-case, i", ""),
			clikit.Bool(&c.smart, "smart-case, S", "ignore case unless a pattern has an upper-case letter"),
			clikit.Bool(&c.word, "word-regexp, w", "match whole words only"),
			clikit.Bool(&c.line, "line-regexp, x", "match whole lines only"),
			clikit.Bool(&c.invert, "invert-match, v", "select the entries without a match"),
		),
		clikit.Group("Entries",
			clikit.Strings(&c.in, "in", "search the fields `FIELD,FIELD`: "+strings.Join(fieldNames(), ", ")+"; or all"),
			clikit.Strings(&c.role, "role", "entries"),
			clikit.String(&c.tool, "tool", "", " and results"),
			clikit.String(&c.touched, "touched", "", ""),
			clikit.String(&c.status, "status", "", "results of commands"),
			clikit.String(&c.typ, "type", "", ""),
			operand.HarnessFlag(&c.harness),
			clikit.Bool(&c.failed, "error", ""),
			clikit.Bool(&c.noSelf, "no-self", "no results of calls that ran sess-grep"),
			clikit.String(&c.where, "where", "", "entries"),
			clikit.Bool(&c.onPath, "path", "only entries of the path to the leaf"),
			clikit.Bool(&c.context, "in-context", "only entries that a model would see now"),
			clikit.Bool(&c.allOn, "branches", " (the default)"),
			clikit.String(&c.leaf, "leaf", "last", ""),
		),
		clikit.Group("Sessions", append(c.sessions.Flags(),
			clikit.Bool(&c.strict, "strict", "any damage"))...,
		),
		c.outputFlags(),
	)
}

func (c *config) outputFlags() []clikit.Flag {
	return clikit.Group("Output",
		clikit.Count(&c.before, "before-context, B", "print `N` entries before each"),
		clikit.Count(&c.after, "after-context, A", "print `N` entries after each"),
		clikit.Count(&c.around, "context!, C", ""),
		clikit.Count(&c.most, "max-count, m", "stop after `N` entries of a session"),
		clikit.Bool(&c.withName, "with-filename, H", "print the session's name in each row"),
		clikit.Bool(&c.withoutName, "no-filename, h", "print no names of sessions"),
		clikit.Bool(&c.only, "only-matching, o", "print only what matched"),
		clikit.Bool(&c.count, "count!, c", "entries with a match"),
		clikit.Bool(&c.countMatches, "count-matches", "print how many matches there are"),
		clikit.Bool(&c.names, "files-with-matches, l", "print only the names of sessions with a match"),
		clikit.Bool(&c.namesWithout, "files-without-match, L", "print only the names of sessions without a match"),
		clikit.Bool(&c.quiet, "quiet!, q", ""),
		clikit.Bool(&c.noMessages, "no-messages!, s", ""),
		clikit.Bool(&c.json, "json", "each row"),
		clikit.Bool(&c.entries, "lines", ""),
		clikit.Bool(&c.nul, "null, 0", ""),
		clikit.Bool(&c.raw, "raw", "print text as it is, with its control characters"),
		clikit.Bool(&c.dup, "copies", " of entries in forks"),
		clikit.Tokens(&c.width, "width", -1, "cut rows to `COLUMNS` around the match; 0 is no limit"),
		clikit.Tokens(&c.maxTokens, "max-tokens", -1, "print rows of"),
		clikit.Choice(&c.color, "color", []string{"auto", "always", "never"}, ""),
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
			clikit.NameIf(c.count, "-c"), clikit.NameIf(c.countMatches, "--count-matches"), clikit.NameIf(c.names, "-l"),
			clikit.NameIf(c.namesWithout, "-L"), clikit.NameIf(c.json, "--json"), clikit.NameIf(c.entries, "--lines"),
		},
		{clikit.NameIf(c.maxTokens >= 0, "--max-tokens"), clikit.NameIf(c.before+c.after+c.around > 0, "-A, -B and -C")},
		{clikit.NameIf(c.maxTokens >= 0, "--max-tokens"), clikit.NameIf(c.count, "-c"), clikit.NameIf(c.countMatches, "--count-matches")},
		{clikit.NameIf(c.maxTokens >= 0, "--max-tokens"), clikit.NameIf(c.names, "-l"), clikit.NameIf(c.namesWithout, "-L"), clikit.NameIf(c.entries, "--lines")},
		{clikit.NameIf(c.onPath, "--path"), clikit.NameIf(c.context, "--in-context"), clikit.NameIf(c.allOn, "--branches")},
		{clikit.NameIf(c.withName, "-H"), clikit.NameIf(c.withoutName, "-h")},
		{clikit.NameIf(c.fixed, "-F"), clikit.NameIf(c.extended, "-E")},
	} {
		if err := clikit.Exclusive(given...); err != nil {
			return err
		}
	}
	for _, role := range clikit.Words(c.role) {
		if err := clikit.RefuseUnknown("role", role, append(session.Roles(), session.Types()...)); err != nil {
			return err
		}
	}
	if err := calls.CheckStatus(c.status); err != nil {
		return clikit.UsageError("--status: %v", err)
	}
	return nil
}

// fields returns the fields to search.
func (c *config) fields() (map[grep.Field]bool, error) {
	chosen := map[grep.Field]bool{}
	words := clikit.Words(c.in)
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
		if err := clikit.RefuseUnknown("field", word, append(fieldNames(), "all")); err != nil {
			return nil, err
		}
		chosen[grep.Field(word)] = true
	}
	return chosen, nil
}

// pattern compiles what to look for, and returns the other operands.
func (c *config) pattern(s *clikit.Streams, operands []string) (*grep.Pattern, []string, error) {
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
				return nil, nil, operand.Locate(c.patternFile, err)
			}
			patterns = append(patterns, string(l.Data))
		}
	case len(patterns) == 0 && len(operands) == 0:
		return nil, nil, clikit.UsageError("no PATTERN")
	case len(patterns) == 0:
		patterns, operands = operands[:1], operands[1:]
	}
	p, err := grep.Compile(patterns, grep.Options{
		Fixed: c.fixed, IgnoreCase: c.ignoreCase, SmartCase: c.smart, Word: c.word, Line: c.line,
	})
	if err != nil {
		return nil, nil, clikit.UsageError("%v", err)
	}
	return p, operands, nil
}

// filter compiles --where.
func (c *config) filter() (*filter.Filter, error) {
	if c.where == "" {
		return nil, nil
	}
	f, err := filter.Compile(c.where)
	if err != nil {
		return nil, clikit.UsageError("--where: %v", err)
	}
	return f, nil
}

// swapped returns what adds to an error that the session may stand in front of the pattern.
func (c *config) swapped(operands []string) func(error) error {
	return func(err error) error {
		if line := c.inOrder(operands); line != "" && clikit.Status(err) == clikit.ExitUsage {
			return clikit.WithHint(clikit.UsageError("%v", err), "the pattern stands in front: sess-grep %s", line)
		}
		return err
	}
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
	return clikit.ShellWords([]string{operands[1], operands[0]})
}
