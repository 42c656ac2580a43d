package cli

import (
	"fmt"

	"github.com/sess-tools/sess/internal/core/tty"
)

// Gate says that the run is a gate: its status is a verdict, so it ends by telling, with -q, too, of sessions and lines that were
// not judged. Lines that [Streams.Unjudged] was told of before do not count.
func (s *Streams) Gate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unjudged = map[string]int{}
}

// Judges reports whether the run is a gate, which goes by what sessions say, and not by the times of their files.
func (s *Streams) Judges() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unjudged != nil
}

// Unjudged says that lines of a session are damaged and that a gate goes on without them.
func (s *Streams) Unjudged(session string, lines int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unjudged != nil && lines > 0 {
		s.unjudged[session] += lines
	}
}

// endGate warns of the damaged lines that the gate did not judge. It is silent if the status is above those of verdicts: then
// the error has said already that not all was read.
func (s *Streams) endGate(status int) {
	if status > ExitNo || len(s.unjudged) == 0 {
		return
	}
	lines, of := 0, ""
	for session, n := range s.unjudged {
		lines, of = lines+n, session
	}
	if len(s.unjudged) > 1 {
		of = tty.Count(len(s.unjudged), "session", "sessions")
	}
	s.printf("… %s of %s not judged", tty.Count(lines, "damaged line", "damaged lines"), of+map[bool]string{true: " was", false: " were"}[lines == 1])
}

// Empty stands behind the path of a file of no bytes among sessions in a warning. No session was lost with it: programs leave such
// files when they begin one and write nothing.
const Empty = "a file of no bytes, passed over"

// PassOver warns once of a file of no bytes among sessions, which is as if it were not there.
func (s *Streams) PassOver(path string) {
	if s.Once(path + ": " + Empty) {
		s.mu.Lock()
		s.empty++
		s.mu.Unlock()
		s.Warn(Unseen, "%s: %s", path, Empty)
	}
}

// PassedOver returns how many files [Streams.PassOver] was told of. A gate that is strict does not hold if there are any.
func (s *Streams) PassedOver() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.empty
}

// Unread is the error of a run that has warned of some of its sessions, as they could not be read
// to the end. It is nil if there are none. A gate says that it did not see them.
func (s *Streams) Unread(failed, of, status int) error {
	if failed == 0 {
		return nil
	}
	what := "not read to the end"
	if s.unjudged != nil {
		what = "could not be read; the gate did not see them"
	}
	return WithStatus(fmt.Errorf("%d of %s %s", failed, tty.Count(of, "session", "sessions"), what), status)
}
