package opencode

import (
	"fmt"

	"github.com/sess-tools/sess/internal/formats"
)

// tell tells of what was counted.
func (x *exporter) tell() {
	x.unheld.Tell(x.t, "opencode", "left out")
	if x.late > 0 {
		x.t.Lose("", formats.KindTime, "%s made later, since opencode puts them in the order of their times", count(x.late, "message"))
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
