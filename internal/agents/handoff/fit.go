package handoff

import (
	"fmt"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/portable"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// untouched is how many tokens at the end keep their results, whatever the budget says.
const untouched = 20_000

// A Fitting says what had to go.
type Fitting struct {
	Before, After int64           // tokens, as estimated
	Results       int             // results whose output was left out
	Cut           []portable.Said // messages that were left out, from the front
}

// Tokens estimates what messages cost a model.
func Tokens(said []portable.Said) (n int64) {
	for _, m := range said {
		n += convo.EstimateCJK(m.Message)
	}
	return n
}

// Fit makes a session fit a number of tokens, 0 for any: first the output of old results goes,
// oldest first, which is most of a context; then whole turns from the front. If the last turn
// alone is larger, it begins with the first reply that fits. address is where the source is.
func Fit(p *portable.Session, budget int64, address string) Fitting {
	f := Fitting{Before: Tokens(p.Said)}
	f.After = f.Before
	if budget <= 0 {
		return f
	}
	f.results(p, budget, address)
	if f.After > budget {
		f.turns(p, budget)
	}
	return f
}

// results leaves out the output of old results until the rest fits.
func (f *Fitting) results(p *portable.Session, budget int64, address string) {
	old, newest := len(p.Said), int64(0)
	for old > 0 && newest < untouched {
		old--
		newest += convo.EstimateCJK(p.Said[old].Message)
	}
	for i := 0; i < old && f.After > budget; i++ {
		m := &p.Said[i]
		if m.Role() != session.RoleToolResult {
			continue
		}
		length := 0
		for range m.Text("\n") {
			length++
		}
		note := fmt.Sprintf("[output of %d characters left out; sess-path --as text --entry %s %s]", length, m.Entry, address)
		short := m.Message.WithContent(api.Array(api.Text(note)))
		if gain := convo.EstimateCJK(m.Message) - convo.EstimateCJK(short); gain > 0 {
			m.Message = short
			f.After -= gain
			f.Results++
		}
	}
}

// turns cuts whole turns off the front.
func (f *Fitting) turns(p *portable.Session, budget int64) {
	from, rest := len(p.Said), int64(0)
	last := -1 // the shortest tail that a model can be sent
	for i := len(p.Said) - 1; i >= 0; i-- {
		rest += convo.EstimateCJK(p.Said[i].Message)
		switch p.Said[i].Role() {
		case session.RoleUser:
			if rest <= budget {
				from = i
			}
		case session.RoleAssistant:
			if rest <= budget || last < 0 {
				last = i
			}
		}
		if rest > budget && last >= 0 {
			break
		}
	}
	if from == len(p.Said) && last >= 0 {
		from = last
	}
	f.Cut, p.Said = p.Said[:from:from], p.Said[from:]
	f.After = Tokens(p.Said)
}
