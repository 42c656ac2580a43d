package session

// A ContextSize is how many tokens a context has, and where the figure is from.
type ContextSize struct {
	Tokens    int64
	Usage     int64 // reported by the model at message LastUsage
	Trailing  int64 // estimated for the messages after it, or for all
	LastUsage int   // index of that message, -1 if none reported
}

// Measure returns the size of a context: the usage the last assistant message
// reports plus estimates of what follows, or estimates alone.
func Measure(messages []Message) ContextSize { return measure(messages, Estimate, 1) }

// MeasureWithoutImages is Measure by the rules of pi 0.73, which also believes
// a usage of zero.
func MeasureWithoutImages(messages []Message) ContextSize {
	return MeasureWithoutImagesBy(messages, EstimateWithoutImages)
}

// MeasureWithoutImagesBy is MeasureWithoutImages with another estimator, which
// may count images all the same.
func MeasureWithoutImagesBy(messages []Message, estimate Estimator) ContextSize {
	return measure(messages, estimate, 0)
}

func measure(messages []Message, estimate Estimator, least int64) ContextSize {
	size := reported(messages, least)
	for _, m := range messages[size.LastUsage+1:] {
		size.Trailing += estimate(m)
	}
	size.Tokens = size.Usage + size.Trailing
	return size
}

// reported returns the size of a context as far as the last assistant message
// with a usage of at least that many tokens reports it.
func reported(messages []Message, least int64) ContextSize {
	for i := len(messages) - 1; i >= 0; i-- {
		if u, ok := messages[i].finishedUsage(); ok && u.ContextTokens() >= least {
			return ContextSize{Usage: u.ContextTokens(), LastUsage: i}
		}
	}
	return ContextSize{LastUsage: -1}
}

// ReportedContext returns the size in tokens of the context that an assistant
// message ended, by the usage it reports. ok is false for other messages, for
// one that was cut short by an error or the user, and without a usage above 0.
func (m Message) ReportedContext() (tokens int64, ok bool) {
	u, ok := m.finishedUsage()
	if !ok || u.ContextTokens() < 1 {
		return 0, false
	}
	return u.ContextTokens(), true
}

// MeasureProjection returns the size of a projected context. A usage that was
// reported before the newest compaction or context_edit of the path speaks of
// another context; then all is estimated (pi 1.5).
func MeasureProjection(projection []Projected, path []Entry) ContextSize {
	return MeasureProjectionBy(projection, path, Estimate)
}

// MeasureProjectionBy is MeasureProjection with another estimator.
func MeasureProjectionBy(projection []Projected, path []Entry, estimate Estimator) ContextSize {
	messages := MessagesOf(projection)
	last := reported(messages, 1).LastUsage
	if last >= 0 && position(path, owner(projection, last)) > lastInvalidating(path) {
		return measure(messages, estimate, 1)
	}
	size := ContextSize{LastUsage: -1, Trailing: EstimateContext(messages, estimate)}
	size.Tokens = size.Trailing
	return size
}

// owner returns the id of the entry that message n of a projection is from.
func owner(projection []Projected, n int) string {
	for _, p := range projection {
		if n -= len(p.Messages); n < 0 {
			return p.Entry.id
		}
	}
	return ""
}

// EstimateContext returns the estimated size of a whole context, in tokens. Its
// system messages cost what the one costs that says the same (pi 1.5).
func EstimateContext(messages []Message, estimate Estimator) (tokens int64) {
	if system, ok := FoldSystem(messages); ok {
		tokens = estimate(system)
	}
	for _, m := range messages {
		if m.role != RoleSystem {
			tokens += estimate(m)
		}
	}
	return tokens
}

func position(path []Entry, id string) int {
	for i, e := range path {
		if e.id == id {
			return i
		}
	}
	return -1
}

func lastInvalidating(path []Entry) int {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].typ == TypeContextEdit || path[i].typ == TypeCompaction {
			return i
		}
	}
	return -1
}
