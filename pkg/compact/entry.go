package compact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// noHistory stands for the history where there is none.
const noHistory = "No prior history."

// turnHeading stands between the summary of the history and that of the first
// part of the turn that is split.
const turnHeading = "\n\n---\n\n**Turn Context (split turn):**\n\n"

// Summary is the text a model made: of the history, and of the first part of a
// split turn if there is one.
type Summary struct {
	History    string
	TurnPrefix string
	Whole      bool       // History speaks of the split turn too
	Details    []js.Field // further members of the entry's details, such as the summarizer
}

// Text returns the summary as the entry holds it, the file lists at its end. A
// previous summary that was not brought up to date is kept, not lost.
func (p *Plan) Text(s Summary) string {
	history := s.History
	if p.NeedsPrefix() && !s.Whole {
		if !p.NeedsHistory() {
			history = noHistory
			if p.PreviousSummary != "" {
				history = p.PreviousSummary
			}
		}
		history += turnHeading + s.TurnPrefix
	}
	return history + p.Files.Text()
}

// AddTo adds to the batch what belongs to the compaction: the copies of user
// messages, if any are kept, and the compaction entry, which it returns. The
// batch's leaf has to be the plan's. After an error the batch is not to be
// written.
//
// The copies stand before the compaction, which names the first of them as the
// first entry kept: so every program that reads the format sees them behind the
// summary. Where nothing is kept the compaction names itself.
func (p *Plan) AddTo(b *session.Batch, s Summary) (session.Entry, error) {
	ids := make([]string, len(p.Copies))
	for i, c := range p.Copies {
		e, err := b.Add(session.TypeMessage, js.RawField("message", c.Message.Raw()))
		if err != nil {
			return session.Entry{}, err
		}
		ids[i] = e.ID()
	}
	return b.AddFunc(session.TypeCompaction, func(id string) []js.Field {
		return p.fields(s, id, ids)
	})
}

// fields returns the fields of the compaction entry with the given id, in pi's
// order. The copies are the entries with the ids in copies.
func (p *Plan) fields(s Summary, id string, copies []string) []js.Field {
	first := p.FirstKept
	switch {
	case len(copies) > 0:
		first = copies[0]
	case first == "":
		first = id
	}
	fields := []js.Field{
		js.StringField("summary", p.Text(s)),
		js.StringField("firstKeptEntryId", first),
		{Name: "tokensBefore", Raw: strconv.FormatInt(p.TokensBefore, 10)},
		{Name: "details", Raw: p.details(s, copies)},
		{Name: "fromHook", Raw: "false"},
	}
	if p.preserved != "" {
		fields = append(fields, js.RawField("preserveData", p.preserved))
	}
	if p.System != "" {
		fields = append(fields, js.RawField("systemMessage", p.System))
	}
	return fields
}

// remoteHistory is the member of preserveData in which oh-my-pi keeps the context
// as a provider has compacted it. It stands for the compaction it came with and
// no other.
const remoteHistory = "openaiRemoteCompaction"

// preserved returns what oh-my-pi wants carried on from a compaction to the
// next, "" if there is nothing.
func preserved(compaction session.Entry) string {
	var kept []string
	for key, value := range js.Members(compaction.Get("preserveData")) {
		if js.Unquote(key) != remoteHistory {
			kept = append(kept, key+":"+value)
		}
	}
	if len(kept) == 0 {
		return ""
	}
	return "{" + strings.Join(kept, ",") + "}"
}

// details has the file lists as pi writes them. For a strategy that pi does not have it also has the name of
// the strategy, and for each copy its id and the id of the original.
func (p *Plan) details(s Summary, copies []string) string {
	var more []js.Field
	if p.Strategy != KeepRecent {
		more = append(more, js.StringField("strategy", p.Strategy.String()))
	}
	if p.Strategy == KeepUser {
		kept := make([]string, len(copies))
		for i, id := range copies {
			kept[i] = stringArray([]string{id, p.Copies[i].EntryID})
		}
		more = append(more, js.RawField("kept", "["+strings.Join(kept, ",")+"]"))
	}
	return detailsOf(p.Files, append(more, s.Details...))
}

// detailsOf has the file lists, and what an entry tells besides.
func detailsOf(files FileOps, more []js.Field) string {
	read, modified := files.Lists()
	return js.Object(slices.Concat([]js.Field{js.RawField("readFiles", stringArray(read)), js.RawField("modifiedFiles", stringArray(modified))}, more)...)
}

func stringArray(list []string) string {
	out := []byte{'['}
	for i, s := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = js.AppendQuote(out, s)
	}
	return string(append(out, ']'))
}

// Gain returns the estimated size of the context before and after the entries
// that AddTo has added to a batch, in tokens. Both are estimates of the same
// kind, so that they compare.
func (p *Plan) Gain(added ...session.Entry) (before, after int64) {
	return p.size(p.path), p.size(p.After(added...))
}

func (p *Plan) size(path []session.Entry) int64 {
	return sum(convo.MessagesOf(convo.Project(path)), estimateOf(p.estimate))
}
