package main

import (
	"slices"
	"strconv"

	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/tty"
)

// bytesPerToken is how many bytes of rows count as a token: about what tokenizers make of English
// and of code.
const bytesPerToken = 4

// recallWidth is how many characters a row has at most that a model is to read.
const recallWidth = 160

// A recall are the rows that fit into a budget: the first row of each session in the order of the
// sessions, then the second rows, and so on up to the first that does not fit. So what twice the
// budget prints begins with the same rows. It holds no more bytes than it may print.
type recall struct {
	budget int64        // in bytes
	size   int64        // of the rows that are held, in bytes
	rounds [][]tty.Text // the first rows of sessions, the second ones, and so on
	last   int          // the round that gets no more rows, because one did not fit into it

	of       *result // the session whose rows come
	rank     int     // of its next row
	rows     int64   // that were found
	sessions int64   // that have one
}

// next counts a row of a session, and reports whether it may fit. With the nil pointer, all do.
func (rc *recall) next(r *result) bool {
	if rc == nil {
		return true
	}
	rc.rows++
	if rc.rank++; rc.of != r {
		rc.of, rc.rank = r, 0
		rc.sessions++
	}
	return rc.rank < rc.last
}

// add adds the row that was counted last, and takes away the rows behind that do not fit any more: they
// never will, as those in front of them only become more.
func (rc *recall) add(t tty.Text) {
	if rc.rank == len(rc.rounds) {
		rc.rounds = append(rc.rounds, nil)
	}
	rc.rounds[rc.rank] = append(rc.rounds[rc.rank], t)
	rc.size += int64(t.Len())
	for rc.size > rc.budget {
		rc.last = len(rc.rounds) - 1
		round := rc.rounds[rc.last]
		rc.size -= int64(round[len(round)-1].Len())
		if rc.rounds[rc.last] = round[:len(round)-1]; len(round) == 1 {
			rc.rounds = rc.rounds[:rc.last]
		}
	}
}

// print prints the rows, and says what was left out and how to see it: with --json in an object behind
// them, which does not count for the budget.
func (rc *recall) print(p *printer) error {
	if rc == nil || p.quiet {
		return nil
	}
	rows := slices.Concat(rc.rounds...)
	for _, row := range rows {
		if _, err := row.WriteTo(p.out); err != nil {
			return err
		}
	}
	left, unseen := rc.rows-int64(len(rows)), rc.sessions
	if len(rc.rounds) > 0 {
		unseen -= int64(len(rc.rounds[0]))
	}
	more := p.streams.Again("max-tokens", strconv.FormatInt(2*max(p.maxTokens, 1), 10))
	if p.json {
		return p.print(row.JSON(leftOutRow{Rows: left, Sessions: unseen, More: more, Show: showEntry}), p.end0)
	}
	if left > 0 {
		of := ""
		if unseen > 0 {
			of = ", and none of " + tty.Count(unseen, "session", "sessions")
		}
		p.streams.Infof("%s not shown%s; more: %s", tty.Count(left, "row", "rows"), of, more)
	}
	if len(rows) > 0 {
		p.streams.Infof("what stands there: %s", showEntry)
	}
	return nil
}

// showEntry is the command that prints what leads to an entry of a row.
const showEntry = "sess-path --as text --leaf ENTRY SESSION | tail -n 40"
