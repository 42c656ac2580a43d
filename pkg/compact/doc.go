// Package compact plans the compaction of a path: where to cut, what to
// summarize, with which prompt, and what entry to append once the summary is
// there.
//
// Begin with [New], which makes a [Plan] of a path; [Plan.Requests] are the prompts for a
// model, and [Plan.AddTo] makes the entry of its summary.
//
// It follows the algorithms of pi 1.5 (docs/formats/pi.md, compaction). The
// package is pure: no files, processes, terminals or clocks. A plan made twice
// from one path is the same plan. Two other strategies keep what codex 0.169 and
// ZeroClaw keep (Strategy).
//
// One difference is deliberate. A cut never falls between a tool call and the
// result that answers it, even if other entries stand between the two, where pi
// would keep a result without its call.
//
//	plan, err := compact.New(path, compact.Options{Keep: 20000})
//	requests := plan.Requests(options)        // to a model
//	entry, err := plan.AddTo(batch, summary)
//
// Stability: v0. Exported names may change until version 1 of the module.
package compact
