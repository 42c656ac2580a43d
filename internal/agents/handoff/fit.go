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
// oldest first, which is most of a context; then turns from the front. Of the turn that does not
// fit whole, the replies that do stay. address is where the source is.
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

// turns cuts messages off the front, so that the rest begins with what the user said or with a reply.
func (f *Fitting) turns(p *portable.Session, budget int64) {
	from, rest := len(p.Said), int64(0)
	for i := len(p.Said) - 1; i >= 0; i-- {
		rest += convo.EstimateCJK(p.Said[i].Message)
		role := p.Said[i].Role()
		if (role == session.RoleUser || role == session.RoleAssistant) && (rest <= budget || role == session.RoleAssistant && from == len(p.Said)) {
			from = i // a model is sent an answer at least, also a larger one
		}
		if rest > budget && from < len(p.Said) {
			break
		}
	}
	f.Cut, p.Said = p.Said[:from:from], p.Said[from:]
	f.After = Tokens(p.Said)
}
