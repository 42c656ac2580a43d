package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/brief"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/page"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// How many commits and breaches a summary has at most, so that it never has more than 40 lines.
const mostCommits, mostBreaches = 3, 3

// writeSummary writes a summary of a session, as Markdown: the requests, the work, the failures, and the cost.
func (c *config) writeSummary(ctx context.Context, s *cli.Streams, w io.Writer, d *document) error {
	total, err := totalOf(ctx, d)
	if err != nil {
		return err
	}
	cost := usedText(total)
	gates, err := c.gatesOf(s)
	if err != nil {
		return err
	}
	return buffered(w, func(b *bufio.Writer) error {
		d.heading(b)
		writeLines(b, brief.Of(d.entries(), d.src.Header.CWD).Lines(page.InlineText))
		list(b, "Commits", d.commits, mostCommits)
		if cost != "" {
			b.WriteString("\n**Used:** " + cost + "\n")
		}
		gates.write(b)
		return nil
	})
}

func writeLines(b *bufio.Writer, lines []string) {
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
}

// list writes texts, of many the last ones.
func list(b *bufio.Writer, name string, texts []string, most int) {
	writeLines(b, brief.List(name, texts, most, page.InlineText))
}

// totalOf returns what sess-stat counts of the calls of a session, "" if it has none.
func totalOf(ctx context.Context, d *document) (js.Value, error) {
	lines := subprocess.Piped(d.src.Content())
	defer lines.Close()
	rows, err := subprocess.Program{ // its warnings are in the text, or were told when the session was read
		Name: "sess-stat", Args: []string{"--usage", "--json", "-"}, Stdin: lines, Say: func(subprocess.Message) {},
	}.Rows(ctx)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[len(rows)-1], nil
}

// usedText says what the calls of a total cost.
func usedText(total js.Value) string {
	if total == "" {
		return ""
	}
	used := fmt.Sprintf("%s tokens in %s", tty.Thousands(string(total.Get("tokens").Get("total"))), tty.Count(total.Get("calls").Int(), "call", "calls"))
	if cost := total.Get("cost"); cost.IsNumber() {
		used = screen.USD(cost.Float()) + ", " + used
	}
	if n := total.Get("unpriced").Int(); n > 0 {
		used += fmt.Sprintf(" (%s without a price)", tty.Count(n, "call", "calls"))
	}
	return used
}

// readCommits finds the commits that a session led to, in the repository of its directory, or of the current one.
func (c *config) readCommits(ctx context.Context, s *cli.Streams, d *document) error {
	place := d.src.Place()
	name := place.Address
	if name == "" {
		return cli.UsageError("--commits needs a session that has a name: not standard input")
	}
	if place.Path != "" {
		path, err := filepath.Abs(place.Path)
		if err != nil {
			return err
		}
		name = path
	}
	p := subprocess.Program{Name: "sess-git", Args: []string{"log", "--json", "--session", name}, Say: address.Say(s, cli.Unseen)}
	if fi, err := os.Stat(d.src.Header.CWD); err == nil && fi.IsDir() && filepath.IsAbs(d.src.Header.CWD) {
		p.Dir = d.src.Header.CWD
	}
	rows, err := p.Rows(ctx)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, r := range slices.Backward(rows) { // the oldest first
		id := r.Get("commit").Str()
		if r.Get("relation").Str() == "claimed" || seen[id] {
			continue
		}
		seen[id] = true
		text := id[:min(12, len(id))] + " " + session.OneLine(r.Get("subject").Str())
		if c.secrets != nil {
			if text, err = c.secrets.Text(text); err != nil {
				return err
			}
		}
		d.commits = append(d.commits, text)
	}
	return nil
}

// gates are what sess-assert --json printed.
type gates struct {
	asked    bool
	held     int64
	broken   int64
	whole    bool
	breaches []string
}

// gatesOf reads what sess-assert printed, from the file that the user named.
func (c *config) gatesOf(s *cli.Streams) (g gates, err error) {
	if c.gates == "" {
		return g, nil
	}
	in, err := s.OpenInput(c.gates)
	if err != nil {
		return g, err
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		return g, address.Locate(c.gates, err)
	}
	failed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		switch r := js.Value(js.Trim(line)); r.Get("kind").Str() {
		case "breach":
			gate := r.Get("gate").Str() + " " + r.Get("value").Str()
			failed[gate] = true
			text := gate + ": " + r.Get("text").Str()
			if c.secrets != nil {
				if text, err = c.secrets.Text(text); err != nil {
					return g, err
				}
			}
			g.breaches = append(g.breaches, text)
		case "total":
			g.asked, g.broken, g.whole = true, int64(len(failed)), r.Get("whole").Truthy()
			g.held = r.Get("gates").Int() - g.broken
		}
	}
	if !g.asked {
		return g, cli.WithStatus(errors.New(c.gates+": no rows of sess-assert --json"), cli.ExitUsage)
	}
	return g, nil
}

func (g gates) write(b *bufio.Writer) {
	if !g.asked {
		return
	}
	verdict := fmt.Sprintf("%d hold, %d do not", g.held, g.broken)
	if !g.whole {
		verdict += ", and not all was read"
	}
	fmt.Fprintf(b, "\n**Gates:** %s\n", verdict)
	list(b, "Breaches", g.breaches, mostBreaches)
}
