package compact

import (
	"fmt"
	"strconv"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A Trigger says when a context is to be compacted, and how it is measured. The
// zero value measures as pi 1.5 does and never asks for a compaction.
type Trigger struct {
	Window    int64     // tokens of the model's context window; 0 or less if not known
	Reserve   int64     // tokens of the window to leave free, as given: 0 is none
	Estimate  Estimator // nil for that of the Rules
	Estimator string    // what the figures call Estimate; "" is DefaultEstimator
	Calibrate bool      // multiply estimates with the factor of Calibrate
	Rules     Rules     // whose usage counts: pi 0.73 believes one from before a compaction
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
// By the rules of pi 1.5 without a calibration the tokens are those of
// [convo.MeasureProjection], by those of pi 0.73 those of
// [convo.MeasurePi073].
func Measure(path []session.Entry, t Trigger) Figures {
	projection := convo.Project(path)
	estimate := t.Estimate
	if estimate == nil {
		estimate = estimateOf(t.Rules)
	}
	var size convo.ContextSize
	if t.Rules == Pi073 {
		size = convo.MeasurePi073(convo.MessagesOf(projection), estimate)
	} else {
		size = convo.MeasureProjection(projection, path, estimate)
	}
	f := Figures{
		UsageTokens: size.Usage, TrailingTokens: size.Trailing, LastUsageID: owner(projection, size.LastUsage),
		Window: max(t.Window, 0), Reserve: t.Reserve, Estimator: t.Estimator, Factor: 1,
	}
	if f.Estimator == "" {
		f.Estimator = DefaultEstimator
	}
	if t.Calibrate {
		f.Factor, f.Samples = Calibrate(path, estimate)
		f.TrailingTokens = scaled(f.TrailingTokens, f.Factor)
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

// JSON returns the figures as one JSON object on one line. The members and
// their order are always the same, and members are only ever added; those that
// are not known are null.
func (f Figures) JSON() string {
	window := func(value string) string {
		if f.Window <= 0 {
			return "null"
		}
		return value
	}
	last := "null"
	if f.LastUsageID != "" {
		last = js.Quote(f.LastUsageID)
	}
	return fmt.Sprintf(`{"tokens":%d,"usageTokens":%d,"trailingTokens":%d,"lastUsageEntryId":%s,`+
		`"window":%s,"reserve":%d,"limit":%s,"free":%s,"percent":%s,"estimator":%s,"factor":%.3f,"samples":%d,"needed":%t}`,
		f.Tokens, f.UsageTokens, f.TrailingTokens, last,
		window(decimal(f.Window)), f.Reserve, window(decimal(f.Limit)), window(decimal(f.Free)), window(fmt.Sprintf("%.1f", f.Percent)),
		js.Quote(f.Estimator), f.Factor, f.Samples, f.Needed)
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
