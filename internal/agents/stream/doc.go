// Package stream makes session entries of what agents and APIs print while they work:
// the events of `claude -p --output-format stream-json`, `codex exec --json` and their
// like, and responses of model APIs, whole or streamed.
//
// A [Decoder] is written to as the bytes pass and gives away entries in groups, each as
// soon as it is whole: what that means differs. An assistant's message and the results
// of its calls stand in the order a model is sent them, results in the order of the
// calls, whatever the order in which they came. What the events say of one message is
// put together to the response that it stands for; responses and blocks are mapped by
// package formats, as an import maps them.
//
// Unknown parts are no error. Events of unknown type are counted, and kept as custom entries if
// that is asked for. A known part that cannot be read, a line that is not JSON, a block of unknown
// type, is a warning and counts as a problem: see [Decoder.Close].
//
// The facts about each program are from its samples and its documentation;
// docs/formats/streams.md has them.
package stream
