package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

var lsCommand = command("ls", "", "list the sessions in the remote",
	`sess-sync ls
sess-path --as text "$(sess-ls --all --paths remote: | head -n 1)"`,
	func(c *config) []cli.Flag {
		return cli.Private(
			cli.Bool(&c.json, "json", "print a JSON object for each session, as sess-ls does"),
			cli.Bool(&c.cards, "cards", "print the card of each session: its end, and what it cost"),
			cli.Bool(&c.news, "news", "print the sessions whose cards were written behind the place in standard input, and the next place: for programs"),
		)
	},
	(*config).ls)

func (c *config) ls(ctx context.Context, s *cli.Streams, l remote.Log, operands []string) error {
	if len(operands) > 0 {
		return cli.UsageError("unexpected operand %q", operands[0])
	}
	if err := cli.Exclusive(cli.NameIf(c.json, "--json"), cli.NameIf(c.cards, "--cards")); err != nil {
		return err
	}
	if c.news {
		return c.lsNews(ctx, s, l)
	}
	rows, cards, err := cardRows(ctx, s, l)
	if err != nil {
		return fmt.Errorf("%s: %w", l.Name(), err)
	}
	store.Sort(rows, store.ByModified)
	for _, r := range rows {
		if err := c.row(s, r, cards[r.ID]); err != nil {
			return err
		}
	}
	if len(rows) == 0 {
		return cli.No("")
	}
	return nil
}

// cardRows returns the cards as rows of a listing, and themselves, by the ids of their sessions.
func cardRows(ctx context.Context, s *cli.Streams, l remote.Log) (rows []store.Row, cards map[string]remote.Card, err error) {
	cards = map[string]remote.Card{}
	_, err = goodCards(s, l, remote.ReadCards(ctx, l, remote.CardCache(l)), func(card remote.Card) error {
		rows, cards[card.ID] = append(rows, rowOf(card)), card
		return nil
	})
	return rows, cards, err
}

// goodCards calls do for the cards of sessions, warns of others, and reports whether there were any.
func goodCards(s *cli.Streams, l remote.Log, cards iter.Seq2[remote.Card, error], do func(remote.Card) error) (bad bool, err error) {
	tally := cli.NewTally(s.Warnf)
	for card, err := range cards {
		switch {
		case errors.Is(err, remote.ErrNoCard):
			tally.Warnf("card", "%s: %v", l.Name(), err)
			bad = true
		case err != nil:
			return bad, err
		case !session.ValidSessionID(card.ID):
			tally.Warnf("id", "%s: a card has %.80q for an id, and is left out", l.Name(), card.ID)
			bad = true
		default:
			if err := do(card); err != nil {
				return bad, err
			}
		}
	}
	return bad, nil
}

// A newsRow is a line of lsNews, with what a session has been called in rows of a listing. The last one says where the next listing begins.
type newsRow struct {
	Session string `json:"session,omitempty"`
	Created string `json:"created,omitempty"`
	Size    int64  `json:"size,omitempty"`

	All    *bool  `json:"all,omitempty"`    // of the last line: all sessions were listed
	Remote string `json:"remote,omitempty"` // see [remote.Since]
	Place  string `json:"place,omitempty"`
}

// mostPlace is more than any place takes, in bytes.
const mostPlace = 4 << 20

// lsNews prints the sessions whose cards were written behind the place that standard input has, or all if the remote cannot tell, in no order.
func (c *config) lsNews(ctx context.Context, s *cli.Streams, l remote.Log) error {
	place, err := io.ReadAll(io.LimitReader(s.In, mostPlace))
	if err != nil {
		return err
	}
	debug.SetGCPercent(50) // a round that lists all has them all in memory
	cards, at := remote.ReadCardsSince(ctx, l, remote.CardCache(l), string(place))
	to := json.NewEncoder(s.Out)
	bad, err := goodCards(s, l, cards, func(card remote.Card) error {
		return to.Encode(newsRow{Session: card.ID, Created: card.Made, Size: card.Bytes})
	})
	if err != nil {
		return fmt.Errorf("%s: %w", l.Name(), err)
	}
	if bad { // it is told each time
		at.Place = ""
	}
	return to.Encode(newsRow{All: &at.All, Remote: at.Remote, Place: at.Place})
}

func rowOf(c remote.Card) store.Row {
	r := store.Row{Size: c.Bytes, Info: session.Info{
		ID: c.ID, CWD: c.CWD, Name: c.Title, Version: session.Version, Created: moment(c.Made), Modified: moment(c.Modified),
		Entries: c.Entries, Messages: c.Messages, Exact: c.Exact, Origin: session.Origin{Harness: c.Agent, User: c.User, Git: session.Git(c.Repo, "", "")},
		Spent: session.Spent{
			Input: c.Tokens.Input, Output: c.Tokens.Output, CacheRead: c.Tokens.CacheRead, CacheWrite: c.Tokens.CacheWrite, Reasoning: c.Tokens.Reasoning,
			Unsplit: c.Tokens.Unsplit,
		},
	}}
	if r.Modified.IsZero() {
		r.Modified = r.Created
	}
	return r
}

// addressOf is what other tools take for the session of a row.
func addressOf(r store.Row) string { return address.Remote + ":" + r.ID }

// cardRow returns a row of a listing, which says no more than a card has.
func cardRow(r store.Row) listing.Row {
	return listing.Row{Row: r, Address: addressOf(r), Unspent: r.Spent == session.Spent{}}
}

func moment(text string) time.Time {
	if ms, ok := js.ParseTime(text); ok {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}

// row prints one row: its card, its JSON, or the columns of sess-ls.
func (c *config) row(s *cli.Streams, r store.Row, card remote.Card) error {
	switch {
	case c.cards:
		data, err := card.Encode()
		if err == nil {
			_, err = s.Out.Write(data)
		}
		return err
	case c.json:
		_, err := fmt.Fprintln(s.Out, listing.JSON(cardRow(r)))
		return err
	}
	bound := ""
	if !r.Exact {
		bound = "+"
	}
	b := bufio.NewWriter(s.Out) // which is Out, if that is one: then it is flushed at the end
	fmt.Fprintf(b, "%s\t%s\t%d%s\t%d\t", r.ID, r.Modified.UTC().Format("2006-01-02T15:04:05Z"), r.Messages, bound, r.Size)
	tty.Write(b, session.OneLine(r.Name))
	if err := b.WriteByte('\n'); err != nil || io.Writer(b) == s.Out {
		return err
	}
	return b.Flush()
}
