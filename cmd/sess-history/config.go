package main

import (
	"slices"
	"time"

	"github.com/sess-tools/sess/internal/find/grep"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/listing"
	"github.com/sess-tools/sess/internal/tool/sources"
)

type config struct {
	sessions     sources.Selection
	since, until string
	database     string
	ignoreCase   bool
	dup          bool
	limit        int
	json, nul    bool
}

func (c *config) flags() []clikit.Flag {
	c.sessions.Tells = true
	return slices.Concat(
		c.sessions.Places(),
		[]clikit.Flag{
			clikit.String(&c.database, "db", "", ": list the prompts of oh-my-pi's history.db, too"),
			clikit.Bool(&c.ignoreCase, "ignore-case, i", " in WORDs"),
			clikit.String(&c.since, "since", "", "prompts"),
			clikit.String(&c.until, "until", "", "prompts"),
			clikit.Count(&c.limit, "limit", "prompts, the newest"),
			clikit.Bool(&c.dup, "copies", ": each prompt, and not those that say the same once"),
			clikit.Bool(&c.json, "json", "each prompt"),
			clikit.Bool(&c.nul, "null, 0", ", and prompts are printed whole"),
		},
	)
}

// A query says which prompts are wanted.
type query struct {
	words        []*grep.Pattern
	since, until int64 // in milliseconds since the epoch; 0 for any
	subagents    sources.Subagents
}

// query reads what is wanted off the flags and words. An empty word is in every prompt.
func (c *config) query(words []string, now time.Time) (*query, error) {
	if err := clikit.Exclusive(clikit.NameIf(c.json, "--json"), clikit.NameIf(c.nul, "-0")); err != nil {
		return nil, err
	}
	if c.database == "-" {
		return nil, clikit.UsageError("--db wants a file: a database is not read from a stream")
	}
	q := &query{subagents: c.sessions.Subagents}
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
