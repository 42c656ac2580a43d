package main

import (
	"fmt"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/check"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
)

// A screened has the findings of all sessions on a screen.
type screened struct {
	*screen.Screen
	checked, damaged int
	last             string // the last session that is damaged
}

// print prints the findings of a session below its name.
func (sc *screened) print(name string, all []check.Finding) error {
	sc.checked++
	if len(all) == 0 {
		return nil
	}
	of := map[check.Severity]int64{}
	for _, f := range all {
		of[f.Severity]++
	}
	if of[check.Error] > 0 {
		sc.damaged++
		sc.last = name
	}
	sum, style := "", tty.Plain
	for _, s := range []struct {
		severity  check.Severity
		one, more string
	}{{check.Error, "error", "errors"}, {check.Warning, "warning", "warnings"}, {check.Note, "note", "notes"}} {
		if n := of[s.severity]; n > 0 && sum != "" {
			sum += ", " + tty.Count(n, s.one, s.more)
		} else if n > 0 {
			sum = tty.Count(n, s.one, s.more)
		}
	}
	if of[check.Error] > 0 {
		style = tty.Red
	}
	shown := screen.Short(nil)(address.Shown("", name, ""))
	if err := sc.Write(screen.Cell{Text: sc.Directory(shown, sc.Width/2), Style: tty.Cyan}, screen.Cell{Text: "  " + sum, Style: style}); err != nil {
		return err
	}
	where, severity := 0, 0
	for _, f := range all {
		where, severity = max(where, len(line(f))), max(severity, len(f.Severity.String()))
	}
	for _, f := range all {
		style := tty.Plain
		switch f.Severity {
		case check.Error:
			style = tty.Red
		case check.Warning:
			style = tty.Yellow
		}
		left := []screen.Cell{{Text: "  " + fmt.Sprintf("%-*s  ", where, line(f)), Style: tty.Dim}, {Text: fmt.Sprintf("%-*s  ", severity, f.Severity), Style: style}}
		if err := sc.Line(left, screen.Cell{Text: f.Text}); err != nil {
			return err
		}
	}
	return nil
}

// line names the line of a finding, "file" if it is about the whole.
func line(f check.Finding) string {
	if f.Problem.Line == 0 {
		return "file"
	}
	return "line " + screen.Count(f.Problem.Line)
}

// foot says how many sessions are damaged, and how to mend one.
func (sc *screened) foot() error {
	if sc.checked == 0 {
		return nil
	}
	text := fmt.Sprintf("%s checked: %s sound, %s damaged", tty.Count(int64(sc.checked), "session", "sessions"), screen.Count(sc.checked-sc.damaged), screen.Count(sc.damaged))
	if sc.damaged == 1 && sc.last != "-" {
		text += "; sess-check --repair -o NEW " + cli.ShellWords([]string{sc.last})
	}
	return sc.Foot("%s", text)
}
