package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/core/redact/rules"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/grep"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// found returns the rows of sess-grep that fit into a budget, each as far as it is around its match. Secrets are taken out of lines
// before they are cut.
func found(ctx context.Context, s *cli.Streams, w where, pattern string) (string, error) {
	clean, err := rules.Configured(s)
	if err != nil {
		return "", err
	}
	rows := grep.NewRecall(int64(budget(w.Tokens)))
	add := func(v js.Value) error {
		if !rows.Next(v.Get("address").Str()) {
			return nil
		}
		line := grep.Line{Text: v.Get("text").Str()}
		for m := range v.Get("match").Elements() {
			line.Matches = append(line.Matches, grep.Span{From: int(m.Get("start").Int()), To: int(m.Get("end").Int())})
		}
		line, err := without(clean, line)
		if err == nil {
			rows.Add(rowOf([]string{v.Get("address").Str(), v.Get("entry").Str(), v.Get("role").Str()}, line))
		}
		return err
	}
	warned, err := w.each(func(flags []string) (string, error) {
		return answered(ctx, subprocess.Program{Name: "sess-grep", Args: flags}, func(r io.Reader) (string, error) {
			for l, err := range jsonl.Lines(r) {
				if err == nil {
					err = add(js.Value(l.Text()))
				}
				if err != nil {
					return "", err
				}
			}
			return "", nil
		})
	}, "--json", "--ignore-case", "--regexp="+pattern)
	return shown(rows) + warned, err
}

// without returns a line without its secrets. A match behind one moves; one within a secret is where that was.
func without(r *redact.Redactor, line grep.Line) (grep.Line, error) {
	whole, err := r.Text(line.Text)
	if err != nil || whole == line.Text {
		return line, err
	}
	from := 0
	if len(line.Matches) > 0 { // the equal text in front of the match, or behind it, tells its place
		m := line.Matches[0]
		if before := line.Text[:m.From]; strings.HasPrefix(whole, before) {
			from = len(before)
		} else {
			from = max(0, len(whole)-(len(line.Text)-m.From))
		}
	}
	for from > 0 && from < len(whole) && !utf8.RuneStart(whole[from]) {
		from--
	}
	from = min(from, len(whole))
	return grep.Line{Text: whole, Matches: []grep.Span{{From: from, To: from}}}, nil
}

// rowOf returns a row of cells, and of a line as much as a row has.
func rowOf(cells []string, line grep.Line) (t tty.Text) {
	from, to := grep.Window(line, grep.RecallWidth)
	for _, cell := range cells {
		t.Add(tty.Plain, tty.Clean(cell)+":")
	}
	part := line.Text[from:to]
	if from > 0 {
		part = "…" + part
	}
	if to < len(line.Text) {
		part += "…"
	}
	t.Add(tty.Plain, tty.Clean(session.OneLine(part))+"\n")
	return t
}

// shown is the text of the rows that fit, and of how many do not.
func shown(rc *grep.Recall) string {
	var b strings.Builder
	rows, left, unseen := rc.Rows()
	for _, row := range rows {
		_, _ = row.WriteTo(&b)
	}
	if left > 0 {
		of := ""
		if unseen > 0 {
			of = ", and none of " + tty.Count(unseen, "session", "sessions")
		}
		fmt.Fprintf(&b, "(%s not shown%s; more tokens, or fewer sessions, show them)\n", tty.Count(left, "row", "rows"), of)
	}
	return b.String()
}

// said returns the text of a session up to an entry, without secrets, also without those that two pieces of a reply share.
func said(ctx context.Context, s *cli.Streams, name, leaf string) (string, error) {
	clean, err := rules.Configured(s)
	if err != nil {
		return "", err
	}
	var lines io.Reader
	part := []string{fmt.Sprintf("--budget=%d", 2*mostTokens), "--leaf=" + leaf, "--", name} // more than an answer has
	if _, err := answered(ctx, subprocess.Program{Name: "sess-path", Args: part}, func(r io.Reader) (string, error) {
		lines, err = clean.Session(r)
		if _, kept := errors.AsType[session.Problem](err); kept { // in an id; the text is looked at once more
			err = nil
		}
		return "", err
	}); err != nil {
		return "", err
	}
	return answered(ctx, subprocess.Program{Name: "sess-path", Args: []string{"--as=text", "-"}, Stdin: lines}, func(r io.Reader) (string, error) {
		text, err := io.ReadAll(r)
		return string(text), err
	})
}
