package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/sess-tools/sess/docs/rows"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/sibling"
)

// data prints what there is to know about the tools as JSON Lines: one for each program that
// describes itself, which those of others do not, one for the rows of each tool that prints some, and
// one for each exit status.
func data(ctx context.Context, s *clikit.Streams) error {
	names := commands()
	lines := make([]string, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { lines[i] = described(ctx, prefix+name) })
	}
	all.Wait()
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line)
	}
	if b.Len() == 0 {
		return clikit.WithHint(clikit.No("no %s programs found", prefix+"*"), "the tools belong into one directory")
	}
	files, err := rows.Schemas.ReadDir(".")
	if err != nil {
		return err
	}
	for _, file := range files {
		schema, err := rows.Schemas.ReadFile(file.Name())
		if err != nil {
			return err
		}
		line, err := json.Marshal(rowData{"rows", strings.TrimSuffix(file.Name(), ".json"), schema})
		if err != nil {
			return fmt.Errorf("%s: %w", file.Name(), err)
		}
		b.Write(append(line, '\n'))
	}
	for _, st := range clikit.Statuses() {
		line, err := json.Marshal(st)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	_, err = s.Out.Write([]byte(b.String()))
	return err
}

// A rowData is what there is to know about the rows of a tool.
type rowData struct {
	Kind   string          `json:"kind"` // "rows"
	Tool   string          `json:"tool"`
	Schema json.RawMessage `json:"schema"` // JSON Schema
}

// described is the line in which a program describes itself, "" if it does not in time.
func described(ctx context.Context, program string) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, err := sibling.Output(ctx, program, "--describe")
	var d clikit.Description
	if err != nil || json.Unmarshal([]byte(text), &d) != nil || d.Kind != "tool" || d.Tool != program {
		return ""
	}
	return strings.TrimRight(text, "\n") + "\n"
}
