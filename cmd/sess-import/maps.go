package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/jqmap"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/known"
)

// printMaps prints the maps: the name, the interface, the origin, and the error, with tabs between. sess-doctor reads
// it.
func printMaps(s *cli.Streams) error {
	own := jqmap.Own(known.MapDir())
	for _, f := range append(jqmap.Embedded(), own...) {
		m, ok := f.(*jqmap.Map)
		if !ok {
			continue
		}
		from, state := "embedded", "ok"
		if m.Path() != "" {
			from = m.Path()
			switch replaces, refused := jqmap.Shadows(all.Formats(), m.About().Name); {
			case refused:
				state = m.About().Name + " is a format of the program, which no map replaces"
			case replaces:
				state = "ok, in the place of the embedded one"
			}
		}
		if text, err := m.Text(); err == nil && m.Path() != "" && strings.Contains(text, "usage(") && !strings.Contains(text, "reporting(") && !strings.Contains(text, "sqlite:") { // whose queries name all members
			state = "what is new in a usage goes unseen: usage(…) | reporting(USAGE) hands it on, so that its cost is unknown"
		}
		if err := m.Check(); err != nil {
			state = err.Error()
		}
		if _, err := fmt.Fprintf(s.Out, "%s\t%d\t%s\t%s\n", m.About().Name, jqmap.Interface, from, formats.OneLine(state)); err != nil {
			return err
		}
	}
	return nil
}

// printMap prints a map, for a user to start from.
func printMap(s *cli.Streams, name string) error {
	f, _ := formats.Lookup(readable(), name)
	m, ok := jqmap.Of(f)
	if !ok {
		names := formats.Names(slices.DeleteFunc(slices.Clone(readable()), func(f formats.Format) bool {
			_, is := jqmap.Of(f)
			return !is
		}))
		return cli.WithHint(cli.UsageError("no map %q", name), "the maps are %s", strings.Join(names, ", "))
	}
	text, err := m.Text()
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(s.Out, text)
	return err
}
