// Package convo says what of a session a model sees.
//
// Begin with [Project], which takes the path of a session, and [ToLLM], which makes of a projection
// the messages that go to an API.
//
// [Project] selects the entries of a path that make up the context and the messages each of them
// puts there: the newest compaction, the entries that it keeps, and all that follow. [ToLLM] turns
// these messages into those a provider's API takes. [Pair] finds the call of each tool result.
// [InitialContext] and [Reinject] give back the entries that a compaction removed from the
// beginning of a conversation. [MeasureProjection] and the estimators count tokens. [StateOf] folds
// the path into the model, the thinking level and the modes in force. [ResolveBlobs] puts images
// back in place that are stored beside the session; [Limits] takes them out.
//
// The rules are those of pi 1.5 and oh-my-pi 18 (docs/formats/pi.md,
// docs/formats/omp.md). The package reads no files: sessions come from package
// session, the data of images from the caller.
//
// Stability: v0. Exported names may change until version 1 of the module.
package convo
