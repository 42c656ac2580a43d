// Package render writes what a model sees of a session in other shapes: as a
// request of the chat completions API, as one of Anthropic's messages API, as
// text and as Markdown, and it finds the part of a context that fits a number
// of tokens.
//
// All functions take the messages of a context. Messages of other roles than
// user, assistant, toolResult, system and developer are first turned into what
// a model reads of them by convo.ToLLM; messages it has already turned stay
// as they are.
//
// # Repairs
//
// A session is a record, and may hold what an API refuses: a call that was
// interrupted, a result whose call was compacted away, an id that is used
// twice. OpenAI and Anthropic return what the API takes, whatever they are
// given, and report each difference that changes what the model is told in one
// line, which counts the messages it speaks of from 1.
//
// Assistant messages that ended in an error or were aborted are left out with
// the results of their calls. Of several results of one call the first counts.
// A call without result gets the result "No result provided", as pi 1.5 does;
// a result without call is dropped; a result that stands elsewhere than behind
// its call is moved there. convo.Pair says which result is whose.
//
// # Text
//
// All output is valid UTF-8. Bytes that are not, and halves of surrogate pairs,
// which JSON may carry but APIs refuse, become U+FFFD.
package render
