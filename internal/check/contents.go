package check

import (
	"github.com/sess-tools/sess/pkg/session"
)

// contents checks what entries say of others, and their times.
func contents(s *session.Session) []Finding {
	var out []Finding
	before := int64(0)
	for _, e := range s.Entries {
		switch e.Type() {
		case session.TypeLabel, session.TypeContextEdit:
			target := e.Str("targetId")
			if _, ok := s.Index(target); !ok {
				out = append(out, found(e, NoTarget, "targetId %q names no entry", target))
			}
		}
		if m, ok := e.Message(); ok {
			if what := m.Foreign(); what != "" {
				out = append(out, found(e, UnknownBlock, "no reader knows %s", what))
			}
		}
		if ms, ok := e.Timestamp(); ok {
			if ms < before {
				out = append(out, found(e, TimeBackward, "its time is before that of the entry above"))
			}
			before = ms
		}
	}
	return out
}
