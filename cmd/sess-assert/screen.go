package main

import (
	"fmt"

	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
)

// mostBreaches is how many breaches of a gate are shown.
const mostBreaches = 20

// onScreen prints each gate and how it was held, and below one that was broken the calls that broke it.
func (c *config) onScreen(sc *screen.Screen, verdicts []verdict, short func(string) string) error {
	if len(verdicts) == 0 {
		return nil
	}
	broken, in := 0, map[int]bool{}
	width := 0
	for _, g := range c.gates {
		width = max(width, screen.Columns(screen.OneLine(g.String())))
	}
	width = min(width, sc.Width/2)
	for i, g := range c.gates {
		count, sessions := 0, 0
		for n, v := range verdicts {
			if k := len(v.results[i].breaches); k > 0 {
				count, sessions, in[n] = count+k, sessions+1, true
			}
		}
		mark, style := "", tty.Plain
		says := fmt.Sprintf("held in %s", tty.Count(int64(len(verdicts)), "session", "sessions"))
		if count > 0 {
			broken++
			mark, style = sc.Marks.Failed, tty.Red
			says = fmt.Sprintf("%s in %d of %s", tty.Count(int64(count), "breach", "breaches"), sessions, tty.Count(int64(len(verdicts)), "session", "sessions"))
		}
		if err := sc.Write(screen.Cell{Text: sc.Pad(mark, 1) + " ", Style: style}, screen.Cell{Text: sc.Pad(g.String(), width) + "  "}, screen.Cell{Text: says, Style: tty.Dim}); err != nil {
			return err
		}
		shown := 0
		for _, v := range verdicts {
			for _, b := range v.results[i].breaches {
				if shown++; shown > mostBreaches {
					continue
				}
				if err := c.clean(&b); err != nil {
					return err
				}
				left := []screen.Cell{{Text: "    " + sc.Directory(short(v.shown()), max(24, sc.Width/4)) + "  ", Style: tty.Cyan}, {Text: screen.Short(nil)(b.place()) + "  ", Style: tty.Dim}}
				if err := sc.Line(left, screen.Cell{Text: sc.Joined(b.text)}); err != nil {
					return err
				}
			}
		}
		if more := shown - mostBreaches; more > 0 {
			if err := sc.Foot("    %s %d more; --json lists them", sc.Marks.More, more); err != nil {
				return err
			}
		}
	}
	if broken == 0 {
		return sc.Foot("%s held", tty.Count(int64(len(c.gates)), "gate", "gates"))
	}
	return sc.Foot("%d of %s failed, in %d of %s", broken, tty.Count(int64(len(c.gates)), "gate", "gates"), len(in), tty.Count(int64(len(verdicts)), "session", "sessions"))
}
