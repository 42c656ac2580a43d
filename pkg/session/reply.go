package session

import "strings"

// Replies are the replies of one session that were counted. One reply of an API may stand in several entries, where
// other lines came between its parts in the source: such entries have the API's id of the reply in common, and one
// of them has the usage. Sessions that were imported before all readers knew that have it in each.
type Replies struct{ counted map[countedReply]bool }

type countedReply struct {
	id, model                            string
	input, output, cacheRead, cacheWrite int64
}

// Again reports whether a reply with an API's id, of a model and with these counters, was counted before, and takes note
// of it. Ids alone would not do: some gateways give numbers of three digits.
func (r *Replies) Again(id, model string, input, output, cacheRead, cacheWrite int64) bool {
	if id == "" || input+output+cacheRead+cacheWrite == 0 {
		return false
	}
	k := countedReply{id, model, input, output, cacheRead, cacheWrite}
	if r.counted[k] {
		return true
	}
	if r.counted == nil {
		r.counted = map[countedReply]bool{}
	}
	k.id, k.model = strings.Clone(id), strings.Clone(model) // they may be parts of a line
	r.counted[k] = true
	return false
}

// Twice reports whether what a message used was counted before, and takes note of it.
func (r *Replies) Twice(m Message) bool {
	_, again := r.spent(m.Str("responseId"), m.Str("model"), m.Get("usage"))
	return again
}

// spent returns what a reply reports, whether or not it was counted before, and takes note of it.
func (r *Replies) spent(id, model, usage string) (s Spent, again bool) {
	s = spentOf(usage)
	return s, r.Again(id, model, s.Input, s.Output, s.CacheRead, s.CacheWrite)
}

// SpentOn sums up what the calls of models among entries report, each reply once.
func SpentOn(entries []Entry) (sum Spent) {
	var replies Replies
	for _, e := range entries {
		if m, ok := e.Message(); ok {
			if s, again := replies.spent(m.Str("responseId"), m.Str("model"), m.Get("usage")); !again {
				sum.add(s)
			}
		} else if MayCall(e.typ) {
			sum.add(spentOf(e.Get("usage")))
		}
	}
	return sum
}

// MayCall reports whether an entry of a type is a call of a model if it has a usage: a message has it inside. What an
// extension calls a usage is its own business.
func MayCall(typ string) bool {
	switch typ {
	case TypeSession, TypeTitle, TypeCustom, TypeCustomMessage:
		return false
	}
	return true
}
