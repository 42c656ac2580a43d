package claude

// A title is the name of a session as far as it is known: what the user said goes
// before what a model said, and that before a summary of former releases.
type title struct {
	name string
	rank int
}

// of returns the name that a line gives the session; ok is false if it gives none, or
// none that counts.
func (t *title) of(l *line, x *index) (name string, ok bool) {
	rank := 0
	switch l.typ {
	case "summary": // of this session or of another one
		if _, here := x.byUUID[l.leaf]; here {
			name, rank = l.summary, 1
		}
	case "ai-title":
		name, rank = l.title, 2
	case "custom-title":
		name, rank = l.title, 3
	}
	if rank == 0 || rank < t.rank || name == "" || name == t.name {
		return "", false
	}
	t.name, t.rank = name, rank
	return name, true
}
