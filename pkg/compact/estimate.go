package compact

import (
	"math"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// An Estimator returns the tokens a message is estimated to cost.
type Estimator = convo.Estimator

// DefaultEstimator is the name of the estimator that pi's figures are made
// with.
const DefaultEstimator = "chars4"

// UsageEstimator is the name of the estimator that goes by the usage which the model reported: a context is measured by
// that of [DefaultEstimator], and [Trigger.Calibrate] corrects the figure.
const UsageEstimator = "usage"

var estimators = []struct {
	name     string
	estimate Estimator
}{
	{DefaultEstimator, convo.Estimate},
	{"bytes4", convo.EstimateBytes},
	{"cjk", convo.EstimateCJK},
	{UsageEstimator, convo.Estimate},
}

// Estimators returns the names of the estimators, the default one first:
// chars4, UTF-16 units by four, as pi has it; bytes4, bytes of UTF-8 by four,
// as codex has it; cjk, as chars4 but with a token for each character of
// Chinese, Japanese and Korean; usage, see [UsageEstimator].
func Estimators() []string {
	names := make([]string, len(estimators))
	for i, e := range estimators {
		names[i] = e.name
	}
	return names
}

// EstimatorFor returns the estimator of that name; ok is false if there is
// none.
func EstimatorFor(name string) (e Estimator, ok bool) {
	for _, e := range estimators {
		if e.name == name {
			return e.estimate, true
		}
	}
	return nil, false
}

// estimateOf returns an estimator, [convo.Estimate] for nil.
func estimateOf(given Estimator) Estimator {
	if given != nil {
		return given
	}
	return convo.Estimate
}

func sum(messages []session.Message, estimate Estimator) (tokens int64) {
	for _, m := range messages {
		tokens += estimate(m)
	}
	return tokens
}

// Bounds of a calibration. What lies beyond is no property of a tokenizer but
// of a usage that speaks of something else.
const (
	minFactor = 0.25
	maxFactor = 8
)

// Calibrate compares what an estimator says of a path with the usage that the
// model reported on it. The factor is what estimates are to be multiplied with,
// in whole thousandths from 0.25 to 8; samples is how many pairs of usages it
// rests on. Without any, or if they contradict that the context grew, the
// factor is 1 and samples 0.
//
// A usage covers more than the messages: the system prompt and the
// descriptions of the tools, which as a rule stand in no session. So not usages
// are compared with estimates but what a usage has grown by since the one before
// with the estimate of the messages in between, in which that constant part
// cancels out: the factor is the sum of the one over the sum of the other. Over
// a run of usages the sums come down to its first and its last, so that
// what goes in and out again on the way, such as thinking that is not sent
// back, does no harm.
//
// A pair does not count if a compaction, a context_edit or a reset_boundary
// lies between the two, since the context then also lost something; nor if they
// are of two models, whose tokenizers count all that came before differently.
func Calibrate(path []session.Entry, est Estimator) (factor float64, samples int) {
	var used, estimated int64 // over all pairs
	var since int64           // the estimate of what came after the last usage
	var last session.Message
	lastTokens, known := int64(0), false
	for _, e := range path {
		switch e.Type() {
		case session.TypeCompaction, session.TypeContextEdit, session.TypeResetBoundary:
			known = false
			continue
		}
		for _, m := range convo.EntryMessages(e) {
			since += est(m)
			tokens, ok := convo.ReportedContext(m)
			if !ok {
				continue
			}
			if known && last.Str("provider") == m.Str("provider") && last.Str("model") == m.Str("model") {
				used, estimated, samples = used+tokens-lastTokens, estimated+since, samples+1
			}
			last, lastTokens, known, since = m, tokens, true, 0
		}
	}
	if used <= 0 || estimated <= 0 {
		return 1, 0
	}
	ratio := min(max(float64(used)/float64(estimated), minFactor), maxFactor)
	return math.Round(ratio*1000) / 1000, samples
}

// A Trigger says when a context is to be compacted, and how it is measured. The
// zero value measures as pi 1.5 does and never asks for a compaction.
type Trigger struct {
	Window    int64     // tokens of the model's context window; 0 or less if not known
	Reserve   int64     // tokens of the window to leave free, as given: 0 is none
	Estimate  Estimator // nil for [convo.Estimate]
	Estimator string    // what the figures call Estimate; "" is DefaultEstimator
	Calibrate bool      // multiply estimates with the factor of Calibrate
}

// Figures are the size of a context and what a Trigger makes of it, in tokens.
type Figures struct {
	Tokens         int64  // the size: UsageTokens + TrailingTokens
	UsageTokens    int64  // reported by the model, 0 if nothing is that still holds
	TrailingTokens int64  // estimated for what came after, or for all; times Factor
	LastUsageID    string // id of the entry that reports UsageTokens, "" if none

	Window, Reserve int64   // as in the Trigger
	Limit           int64   // Window - Reserve: with more than that a compaction is needed
	Free            int64   // Window - Tokens, below 0 if the context has outgrown the window
	Percent         float64 // Tokens of Window

	Estimator string  // name of the estimator
	Factor    float64 // 1 if not calibrated
	Samples   int     // pairs of usages behind Factor
	Needed    bool    // a compaction is needed; false if the window is not known
}

// Measure returns the figures of the context of a path. Limit, Free and Percent
// are 0 if the window is not known.
//
// Without a calibration the tokens are those of [convo.MeasureProjection].
func Measure(path []session.Entry, t Trigger) Figures {
	projection := convo.Project(path)
	estimate := estimateOf(t.Estimate)
	size := convo.MeasureProjection(projection, path, estimate)
	f := Figures{
		UsageTokens: size.Usage, TrailingTokens: size.Trailing, LastUsageID: owner(projection, size.LastUsage),
		Window: max(t.Window, 0), Reserve: t.Reserve, Estimator: t.Estimator, Factor: 1,
	}
	if f.Estimator == "" {
		f.Estimator = DefaultEstimator
	}
	if t.Calibrate {
		f.Factor, f.Samples = Calibrate(path, estimate)
		// In whole thousandths, rounded up.
		f.TrailingTokens = (f.TrailingTokens*int64(math.Round(f.Factor*1000)) + 999) / 1000
	}
	f.Tokens = f.UsageTokens + f.TrailingTokens
	if f.Window > 0 {
		f.Limit, f.Free = f.Window-f.Reserve, f.Window-f.Tokens
		f.Percent = float64(f.Tokens) * 100 / float64(f.Window)
		f.Needed = ShouldCompact(f.Tokens, f.Window, f.Reserve)
	}
	return f
}

// owner returns the id of the entry that the projection's message at that index
// comes from, "" for an index of -1.
func owner(projection []convo.Projected, index int) string {
	for _, p := range projection {
		if 0 <= index && index < len(p.Messages) {
			return p.Entry.ID()
		}
		index -= len(p.Messages)
	}
	return ""
}
