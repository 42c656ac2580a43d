package prices

// Tokens are those of one call. Each is counted once, but for Reasoning, which is a part
// of Output, and CacheWrite1h, which is a part of CacheWrite.
type Tokens struct {
	Input, Output         int64
	CacheRead, CacheWrite int64
	CacheWrite1h          int64 // of CacheWrite, what is to last an hour
	Reasoning             int64 // of Output
}

// Prompt is how many tokens a model was given.
func (t Tokens) Prompt() int64 { return sum(t.Input, t.CacheRead, t.CacheWrite) }

// Total is how many tokens there were.
func (t Tokens) Total() int64 { return sum(t.Prompt(), t.Output) }

// Add returns the sums of two calls.
func (t Tokens) Add(u Tokens) Tokens {
	return Tokens{
		Input: sum(t.Input, u.Input), Output: sum(t.Output, u.Output),
		CacheRead: sum(t.CacheRead, u.CacheRead), CacheWrite: sum(t.CacheWrite, u.CacheWrite),
		CacheWrite1h: sum(t.CacheWrite1h, u.CacheWrite1h), Reasoning: sum(t.Reasoning, u.Reasoning),
	}
}

// sum adds counts, which are not below 0, and stays at the largest there is.
func sum(counts ...int64) int64 {
	var n Money
	for _, c := range counts {
		n = n.Add(Money(c))
	}
	return int64(n)
}

// Cost returns what a call costs at a time, in milliseconds since the epoch.
func (m *Model) Cost(t Tokens, at int64) Money {
	r := m.row(at)
	prompt := t.Prompt()
	hour := min(t.CacheWrite1h, t.CacheWrite)
	thought := min(t.Reasoning, t.Output)
	total, rest := Money(r.Request), uint64(0)
	for _, part := range []struct {
		tokens int64
		prices []*price // the first there is counts
	}{
		{t.Input, []*price{r.Input}},
		{t.CacheRead, []*price{r.CacheRead, r.Input}},
		{t.CacheWrite - hour, []*price{r.CacheWrite, r.Input}},
		{hour, []*price{r.CacheWrite1h, r.CacheWrite, r.Input}},
		{t.Output - thought, []*price{r.Output}},
		{thought, []*price{r.Reasoning, r.Output}},
	} {
		for _, p := range part.prices {
			if p != nil {
				cost, left := p.at(prompt).of(part.tokens)
				total, rest = total.Add(cost), rest+left
				break
			}
		}
	}
	return total.Add(Money((rest + unit/2) / unit))
}

// row returns the prices in force at a time.
func (m *Model) row(at int64) row {
	const dayLong = 24 * 60 * 60 * 1000
	hour := clock((at%dayLong + dayLong) % dayLong)
	for i := len(m.rows) - 1; i > 0; i-- {
		r := m.rows[i]
		switch {
		case r.From < r.To && hour >= r.From && hour < r.To,
			r.From > r.To && (hour >= r.From || hour < r.To),
			r.From == r.To && at >= int64(r.Since):
			return r
		}
	}
	return m.rows[0]
}
