package selection

import (
	"context"
	"errors"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A News says which sessions of the remote were listed.
type News struct {
	All    bool   // all of them
	Remote string // the remote, also told from another one that had its address
	Place  string // for [Selection.Shared], to list sessions with later parts; "" lists all
}

// Shared lists the sessions of the remote to which something came since it returned a place, or some more, and all if the remote cannot
// tell. Of those it takes the ones that are wanted, and the sessions of rows that are owed. Rows have session, created and size.
func (c *Selection) Shared(ctx context.Context, s *cli.Streams, place string, owed []string, want func(Source) bool) (out Found, news News, err error) {
	args := []string{"ls", "--news"}
	if s.Verbose {
		args = append(args, "--verbose")
	}
	p, err := subprocess.Program{Name: address.Syncer, Args: args, Stdin: strings.NewReader(place), Say: address.Say(s, cli.Unseen)}.Start(ctx)
	if err != nil {
		return out, news, err
	}
	defer p.Close()
	ended := false
	for l, err := range jsonl.Lines(p) {
		if err != nil {
			return out, news, err
		}
		row := js.Value(l.Text())
		if all := row.Get("all"); all != "" {
			news, ended = News{all == "true", row.Get("remote").Str(), row.Get("place").Str()}, true
		} else if src := shared(row); want(src) {
			out.List = append(out.List, src)
		}
	}
	if !ended {
		return out, news, errors.New(address.Syncer + " did not say which sessions it listed: the tools are of different versions")
	}
	if !news.All { // a listing of all has them
		more := make([]Source, len(owed))
		for i, row := range owed {
			more[i] = shared(js.Value(row))
		}
		out.add(more)
	}
	return out.ready(s, c.Without(s)), news, nil
}

func shared(row js.Value) Source {
	return Source{Name: address.Remote + ":" + row.Get("session").Str(), Row: row}
}
