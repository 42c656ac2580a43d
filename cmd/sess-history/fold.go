package main

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/sess-tools/sess/internal/agent/prompts"
)

// A line is a prompt as it was said last, and how often it was said.
type line struct {
	prompt
	count int
}

// merge adds prompts of a database to those of sessions, but for those that the sessions
// have: of the same text and second.
func merge(list, more []prompt) []prompt {
	type said struct {
		text   string
		second int64
	}
	known := map[said]bool{}
	for _, p := range list {
		known[said{prompts.Normal(p.text), p.time / 1000}] = true
	}
	for _, p := range more {
		if !known[said{prompts.Normal(p.text), p.time / 1000}] {
			list = append(list, p)
		}
	}
	return list
}

// fold returns the rows to print, the newest first. An entry that is in several sessions,
// as in forks of one, was said once.
func (c *config) fold(list []prompt) (rows []line) {
	slices.SortStableFunc(list, func(a, b prompt) int { return cmp.Compare(b.time, a.time) })
	copies := map[uint64]bool{}
	same, seed := map[uint64]int{}, maphash.MakeSeed() // where the row of a text is
	for _, p := range list {
		if p.key != 0 && copies[p.key] {
			continue
		}
		copies[p.key] = true
		if c.dup {
			rows = append(rows, line{p, 1})
			continue
		}
		text := maphash.String(seed, prompts.Normal(p.text))
		if at, ok := same[text]; ok {
			rows[at].count++
			continue
		}
		same[text] = len(rows)
		rows = append(rows, line{p, 1})
	}
	if c.limit > 0 && len(rows) > c.limit {
		rows = rows[:c.limit]
	}
	return rows
}
