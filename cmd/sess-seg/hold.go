package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/storev2"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// appendHeld is append for a program that has to see the end of the store before it makes entries,
// while no other writer changes it: the tools that add to sessions. Its output, up to an empty
// line, is a session with the last entry alone. Its input is entries, up to an empty line, with
// which they are appended; without that line nothing is, since the program may have died. Strings
// among the entries are ids, and the answer to each of them says at once whether the store has it.
//
// The program vouches that it has asked for every id that it did not make at random: none is
// looked up again.
func (c *config) appendHeld(ctx context.Context, s *cli.Streams, operand string) (err error) {
	store, err := c.reader(ctx, s, operand)
	if err != nil {
		return err
	}
	st, err := store.Status()
	if err != nil {
		return err
	}
	o := c.options()
	o.FreshIDs = true
	o.Extended = o.Extended || st.Extended // what was stored so once may be so again
	if store, err = storev2.Open(store.Dir(), o); err != nil {
		return err
	}
	h, err := store.Hold(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	if err := printEnd(s, store); err != nil {
		return err
	}
	in, err := s.OpenInput("-")
	if err != nil {
		return err
	}
	defer in.Close()
	var lines [][]byte
	for l, err := range jsonl.Lines(in) {
		switch {
		case err != nil:
			return fmt.Errorf("reading standard input: %w", err)
		case l.Torn:
		case len(l.Data) == 0:
			return h.Append(lines...)
		case l.Data[0] == '"':
			if err := printKnown(s, h, js.Unquote(l.Text())); err != nil {
				return err
			}
		default:
			lines = append(lines, bytes.Clone(l.Data))
		}
	}
	return cli.No("nothing to append")
}

// printKnown prints whether the store has an entry.
func printKnown(s *cli.Streams, h *storev2.Hold, id string) error {
	known, err := h.Known(id)
	if err == nil {
		_, err = fmt.Fprintln(s.Out, known)
	}
	if err == nil {
		err = s.Flush()
	}
	return err
}

// printEnd prints the header, the last entry and an empty line.
func printEnd(s *cli.Streams, store *storev2.Store) error {
	text, err := store.Preface()
	if err != nil {
		return err
	}
	last, err := store.Tail(1)
	if err != nil {
		return err
	}
	for _, e := range last {
		text += e.Line + "\n"
	}
	if _, err := io.WriteString(s.Out, text+"\n"); err != nil {
		return err
	}
	return s.Flush()
}
