package main

import (
	"context"
	"fmt"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/internal/tool/sibling"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/store"
)

// readDatabase reads the prompts of a database of oh-my-pi, as sess-import prints them.
func (c *config) readDatabase(ctx context.Context, s *clikit.Streams, q *query) ([]prompt, error) {
	here, err := c.here()
	if err != nil {
		return nil, err
	}
	p, err := sibling.Program{Name: operand.Importer, Args: []string{"--prompts", "--", c.database}, Say: operand.Say(s)}.Start(ctx)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	var list []prompt
	for l, err := range jsonl.Lines(p) {
		switch {
		case err != nil && clikit.Status(err) == clikit.ExitNo:
			return nil, nil
		case err != nil:
			return nil, err
		case !js.Valid(l.Data):
			return nil, fmt.Errorf("reading what %s prints: not JSON: %.100q", operand.Importer, l.Data)
		}
		v := js.Value(l.Text())
		one := prompt{text: v.Get("text").Str(), cwd: v.Get("cwd").Str(), agent: "omp"}
		one.Session = v.Get("session").Str()
		one.time, _ = js.ParseTime(v.Get("timestamp").Str())
		if here(one.cwd) && q.wants(one) {
			list = append(list, one)
		}
	}
	return list, nil
}

// here returns the function that reports whether a working directory is one of those
// whose prompts are listed.
func (c *config) here() (func(string) bool, error) {
	if c.sessions.CWD == "" && (c.sessions.All || len(c.sessions.Agents) > 0) {
		return store.SameDir(""), nil
	}
	dir, err := operand.CWD(c.sessions.CWD)
	if err != nil {
		return nil, err
	}
	return store.SameDir(dir), nil
}
