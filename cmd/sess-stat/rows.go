package main

import "github.com/sess-tools/sess/internal/core/row"

// A callRow is the calls with one key.
type callRow struct {
	row.Kind `row:"call"`
	place
	Key row.Some[callKey] `row:"key"` // What the calls have in common, by the keys of --by.
	spent
	CopiedIn row.Null `row:"copiedIn"` // Null: only the total has it.
	Depth    *int     `row:"depth"`    // With --tree, how many sessions it is below; null without.
}

// A callTotalRow is the sum of all calls, the last line.
type callTotalRow struct {
	row.Kind `row:"total"`
	place
	Key struct{} `row:"key"` // Nothing: it is about all.
	spent
	CopiedIn int      `row:"copiedIn"` // The number of sessions that have copies of calls of others.
	Depth    row.Null `row:"depth"`    // Null: only rows have it.
}

// A place says which session it is, if it is one.
type place struct {
	Address string `row:"address,null"` // What every tool takes for the session as an operand; null if the row is not about one session, or that was on standard input.
	Path    string `row:"path,null"`    // The session's file; null if the row is not about one session, or the session is in no file.
	Session string `row:"session,null"` // The session's id; null if the row is not about one session.
}

// A callKey is what the calls have in common, by the keys of --by.
type callKey struct {
	Hour       string `row:"hour,null"`        // The hour of the call; null if it is not known.
	Day        string `row:"day,null"`         // The day of the call; null if it is not known.
	Week       string `row:"week,null"`        // The week of the call; null if it is not known.
	Month      string `row:"month,null"`       // The month of the call; null if it is not known.
	Model      string `row:"model,null"`       // The model; null if it is not known.
	Provider   string `row:"provider,null"`    // The provider; null if it is not known.
	Agent      string `row:"agent,known"`      // The agent, also of a session that was imported; sess for others.
	Host       string `row:"host,null"`        // The machine that the header names; null if it names none.
	User       string `row:"user,null"`        // The user that the header names; null if it names none.
	Repo       string `row:"repo,null"`        // The address of the git repository that the header names; null if it names none.
	Project    string `row:"project,null"`     // The working directory of the session; null if it is not known.
	Session    string `row:"session,known"`    // The id of the session.
	Branch     string `row:"branch,known"`     // Whether the call is on the active path: active or abandoned.
	Purpose    string `row:"purpose,known"`    // What the call was for.
	StopReason string `row:"stop-reason,null"` // Why the answer ended; null if it is not known.
}

// A spent sum is what calls used and cost.
type spent struct {
	Calls          int64       `row:"calls"`                     // The number of calls of models.
	Tokens         *row.Tokens `row:"tokens"`                    // The tokens of the calls; null if none of them has a usage.
	CacheWrite1h   int64       `row:"cacheWrite1h"`              // Of the tokens written to a cache, those that are to last an hour.
	Cost           row.Number  `row:"cost"`                      // What the calls cost, in USD, stored and computed; null if no price is known. Those of unpriced calls are not in it.
	Stored         row.Number  `row:"stored"`                    // The part of the cost that is stored in the sessions, in USD; null if there is none.
	Computed       row.Number  `row:"computed"`                  // The part of the cost that was computed by prices, in USD; null if there is none.
	PricedBy       string      `row:"pricedBy,null"`             // Where costs are from: stored, computed or unpriced, with + between; null if there is nothing to price.
	Prices         *pricesRow  `row:"prices"`                    // The table of prices that costs were computed with; null if none was.
	Unpriced       int64       `row:"unpriced"`                  // The number of calls whose cost is not known.
	UnpricedTokens int64       `row:"unpricedTokens"`            // The tokens of those.
	Because        []string    `row:"because"`                   // Why costs are not known: model, counters, or usage. and the name of a member of a usage.
	PricedAs       []string    `row:"pricedAs"`                  // The models of makers, as PROVIDER/MODEL, by whose prices the calls through gateways were computed.
	Assumed        []string    `row:"assumed"`                   // The models of makers, as PROVIDER/MODEL, by whose prices the calls were computed whose sessions name no provider: each is of one maker.
	Copies         int64       `row:"copies"`                    // The number of copies of the calls in other sessions, which are not counted.
	CopiedTokens   int64       `row:"copiedTokens"`              // The tokens of those.
	Bad            int64       `row:"bad"`                       // The number of calls with counters that are no counts.
	WrongTotals    int64       `row:"wrongTotals"`               // The number of calls with a total that is not the sum of its parts.
	Totals         string      `row:"totals,null" enum:"differ"` // Whether calls contradict a total, and count: that of their file, which is less, or that of a call itself: differ; null if not.
	CallTokens     int64       `row:"callTokens"`                // The tokens of the calls of such files, and of such calls.
	OwnTotals      int64       `row:"ownTotals"`                 // The tokens that those totals say.
}

// A contextRow is what fills the context with one key, with --context.
type contextRow struct {
	row.Kind `row:"context"`
	row.Place
	Key           row.Some[contextKey] `row:"key"`           // What the parts have in common, by the keys of --by.
	ContextTokens int64                `row:"contextTokens"` // The tokens that it takes in the context, by what the last answer reports if it is calibrated.
	weighed
}

// A contextKey is what the parts have in common, by the keys of --by.
type contextKey struct {
	Role  string `row:"role,known"` // The role of the message, or the kind of the entry.
	Tool  string `row:"tool,null"`  // The tool of a call or result; null if it is not known.
	File  string `row:"file,null"`  // The file that a call is about; null if it is not known.
	Entry string `row:"entry,null"` // The entry; null if it is not known.
	Kind  string `row:"kind,known"` // What kind of text it is.
}

// A weighed part is how much of a context it is.
type weighed struct {
	Estimate int64      `row:"estimate"`    // The tokens as they are estimated.
	Share    row.Number `row:"share,known"` // The share of the context, in percent.
	Entries  int        `row:"entries"`     // The number of entries.
	Bytes    int64      `row:"bytes"`       // The size of the text in bytes.
}

// A compactionRow is a compaction, with --compactions.
type compactionRow struct {
	row.Kind `row:"compaction"`
	row.Place
	Entry        string      `row:"entry,known"`       // The entry's id.
	Timestamp    row.Time    `row:"timestamp"`         // When the compaction was written.
	TokensBefore int64       `row:"tokensBefore,null"` // The tokens of the context before, as the entry says; null if it does not.
	Before       int64       `row:"before"`            // The tokens of the context before, as they are estimated.
	After        int64       `row:"after"`             // The tokens of the context after, as they are estimated.
	Saved        int64       `row:"saved"`             // The difference of both.
	Entries      int         `row:"entries"`           // The number of entries that left the context.
	Files        []string    `row:"files"`             // The files that calls which left were about.
	Tokens       *row.Tokens `row:"tokens"`            // The tokens of the call that made the summary; null if none is known.
	Cost         row.Number  `row:"cost"`              // What that call cost, in USD; null if it is not known.
	PricedBy     string      `row:"pricedBy,null"`     // Where the cost is from: stored, computed or unpriced; null if no call is known.
	Prices       *pricesRow  `row:"prices"`            // The table of prices that costs were computed with; null if none was.
}

// A contextTotalRow is the whole context, with --context: the last line of a session.
type contextTotalRow struct {
	row.Kind `row:"total"`
	row.Place
	Key           struct{} `row:"key"`           // Nothing: it is about all.
	ContextTokens int64    `row:"contextTokens"` // The tokens that are in the context, by what the last answer reports if it is calibrated.
	weighed
	Calibrated bool       `row:"calibrated"`    // Whether contextTokens agree with what an answer reports.
	Reported   int64      `row:"reported,null"` // The tokens that the last answer reports; null if none does.
	Factor     row.Number `row:"factor"`        // What the estimates are multiplied by; null if nothing is estimated.
}

// A pricesRow is the table of prices that costs were computed with.
type pricesRow struct {
	Source string `row:"source,known"` // Where the prices are from.
	Date   string `row:"date,known"`   // The day of the prices.
}
