package main

import (
	"context"
	"os"
	"strings"

	"github.com/sess-tools/sess/internal/agent/all"
	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/tool/clikit"
)

// completing adds the formats that are read, and the sessions of the one on the line.
func completing(ctx context.Context, at clikit.Place, add func(clikit.Candidate)) {
	switch {
	case at.Kind == "FORMAT":
		for _, f := range all.Formats() {
			about := f.About()
			at.Match(func(c clikit.Candidate) { add(clikit.Candidate{Value: c.Value, Text: about.Summary}) }, about.Name)
		}
	case at.Flag == "session" && len(at.Operands) > 0:
		archived(ctx, at, add)
	}
}

// archived adds the sessions of a source: their ids at first, and then what they are
// about, which takes longer.
func archived(ctx context.Context, at clikit.Place, add func(clikit.Candidate)) {
	f, ok := formats.Lookup(all.Formats(), at.Operands[0])
	if !ok {
		return
	}
	home, _ := os.UserHomeDir() // who needs it complains
	src := &formats.Source{Env: formats.Env{Getenv: os.Getenv, Home: home}}
	switch place := f.About().Home; {
	case len(at.Operands) > 1:
		src.Path = at.Operands[1]
	case place != nil:
		src.Path, _ = place(src.Env) // "" cannot be opened
	}
	if src.Path == "" || src.Path == "-" {
		return
	}
	a, err := f.Open(ctx, src)
	if err != nil {
		return
	}
	defer func() { _ = a.Close() }() // it was read
	for _, details := range []bool{false, true} {
		n := 0
		for info, err := range a.List(ctx, formats.Query{Details: details}) {
			if ctx.Err() != nil || n == most {
				break
			}
			if err != nil || info.ID == "" || !strings.HasPrefix(info.ID, at.Word) {
				continue
			}
			text := info.Name
			if text == "" {
				text = info.FirstMessage
			}
			add(clikit.Candidate{Value: info.ID, Text: text})
			n++
		}
	}
}

// most is how many sessions are offered at most.
const most = 200
