package main

import (
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
)

// A screened are the secrets of all sessions on a screen. Nothing of their text is printed.
type screened struct {
	*screen.Screen
	short    func(string) string
	last     string // the session of the last row
	sessions int    // with a secret
}

// The columns of a kind of secret.
const kindWidth = 24

// print prints where a secret is, below the name of its session.
func (sc *screened) print(f found) error {
	if f.src.Name != sc.last || sc.sessions == 0 {
		sc.last = f.src.Name
		sc.sessions++
		name := f.src.Label()
		if f.src.Name != "-" {
			name = sc.short(address.Shown(f.src.Owner(), f.place.Address, f.place.Session))
		}
		if err := sc.Head(screen.Heading{Address: name}); err != nil {
			return err
		}
	}
	what := "once"
	if f.count > 1 {
		what = screen.Count(f.count) + " times"
	}
	if f.Len() >= minShownLen {
		what = screen.Count(f.Len()) + " bytes, " + what
	}
	if f.Structural {
		what += ", which stays, as a part of an id"
	}
	kind := sc.Pad(f.Rule, min(kindWidth, sc.Width/3))
	return sc.Line([]screen.Cell{{Text: "  " + sc.Pad(screen.Short(nil)(f.Entry), 8) + "  ", Style: tty.Dim}, {Text: kind + "  ", Style: tty.Red}}, screen.Cell{Text: what + ", in " + f.Field})
}

// foot says how many there are, and how to take them out.
func (sc *screened) foot(n *counted, sessions int) error {
	if n.total == 0 {
		return sc.Foot("no secret in %s", tty.Count(int64(sessions), "session", "sessions"))
	}
	if err := sc.Blank(); err != nil {
		return err
	}
	how := ""
	if sc.sessions == 1 && sc.last != "-" {
		how = "; sess-redact " + cli.ShellWords([]string{sc.short(sc.last)}) + " > clean.jsonl"
	}
	return sc.Foot("%s in %s of %s%s", tty.Count(int64(n.total), "secret", "secrets"), screen.Count(sc.sessions), tty.Count(int64(sessions), "session", "sessions"), how)
}
