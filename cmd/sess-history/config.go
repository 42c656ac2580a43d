package main

import (
	"slices"
	"time"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/grep"
	"github.com/sess-tools/sess/internal/listing"
	"github.com/sess-tools/sess/internal/sources"
)

type config struct {
	sessions     sources.Selection
	since, until string
	database     string
	subagents    bool
	ignoreCase   bool
	dup          bool
	limit        int
	json, nul    bool
}

func (c *config) flags() []clikit.Flag {
	return slices.Concat(
		c.sessions.Places("list the prompts of"),
		[]clikit.Flag{
			clikit.String(&c.database, "db", "", "list the prompts of oh-my-pi's database `FILE`, history.db, too"),
			clikit.Bool(&c.subagents, "subagents", "list what agents ask their sub-agents, too"),
			clikit.Bool(&c.ignoreCase, "ignore-case, i", "ignore case in WORDs"),
			clikit.String(&c.since, "since", "", "only prompts since `WHEN`: 90m, 12h, 7d, 2w, a date or a time"),
			clikit.String(&c.until, "until", "", "only prompts before `WHEN`"),
			clikit.Count(&c.limit, "limit", "print the newest `N` alone"),
			clikit.Bool(&c.dup, "dup", "print each prompt, and not those that say the same once"),
			clikit.Bool(&c.json, "json", "print one JSON object per prompt"),
			clikit.Bool(&c.nul, "null, 0", "print the whole text of each prompt, and end it with a NUL"),
		},
	)
}

// A query says which prompts are wanted.
type query struct {
	words        []*grep.Pattern
	since, until int64 // in milliseconds since the epoch; 0 for any
	subagents    bool
}

// query reads what is wanted off the flags and words. An empty word is in every prompt.
func (c *config) query(words []string, now time.Time) (*query, error) {
	if err := clikit.Exclusive(clikit.Given(c.json, "--json"), clikit.Given(c.nul, "-0")); err != nil {
		return nil, err
	}
	if c.database == "-" {
		return nil, clikit.UsageError("--db wants a file: a database is not read from a stream")
	}
	q := &query{subagents: c.subagents}
	for _, w := range words {
		p, err := grep.Compile([]string{w}, grep.Options{Fixed: true, IgnoreCase: c.ignoreCase})
		if err != nil {
			return nil, clikit.UsageError("%v", err)
		}
		q.words = append(q.words, p)
	}
	for flag, to := range map[string]*int64{"since": &q.since, "until": &q.until} {
		text := c.since
		if flag == "until" {
			text = c.until
		}
		at, err := listing.When(text, now)
		if err != nil {
			return nil, clikit.UsageError("--%s: %v", flag, err)
		}
		if !at.IsZero() {
			*to = at.UnixMilli()
		}
	}
	return q, nil
}

// wants reports whether a prompt is one of those wanted.
func (q *query) wants(p prompt) bool {
	if q.since != 0 && p.time < q.since || q.until != 0 && p.time >= q.until {
		return false
	}
	for _, w := range q.words {
		if !w.Match(p.text) {
			return false
		}
	}
	return true
}
