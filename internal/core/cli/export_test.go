package cli

import (
	"slices"
	"time"
)

// Here a busy machine is no slow disk, and nobody waits for one: the clock of
// TestCompleteInTime is not the machine's.
func init() { patience, patienceFor = time.Hour, time.Hour }

// Flags lists the flags of t, its own first and then those of every tool. Those of
// a tool with commands are the flags of all commands; what several have is listed
// once.
func Flags(t Tool) []FlagDoc {
	var flags []Flag
	seen := map[string]bool{}
	for _, c := range slices.Concat(t.Commands, []Tool{t}) {
		own, _ := c.flags()
		for _, f := range own {
			if name := f.Names()[0]; !seen[name] {
				seen[name] = true
				flags = append(flags, f)
			}
		}
	}
	return describe(framed(flags))
}

// Within is what is printed of a folded warning of the tool called name.
func Within(name string, width int, text string) string {
	return within(width, len(name)+len(": "), text)
}
