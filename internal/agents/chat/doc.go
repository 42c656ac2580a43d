// Package chat reads the messages that are sent to the APIs of OpenAI and of
// Anthropic: what most programs that talk to a model have at hand.
//
// Four forms are read: an array of messages; an object with messages or input, which is a request's
// body; a response; and lines, each of them a message or a response, or each an array or a request,
// which then is a session by itself. If version 3 has no field for a member of a message, such as
// the name of its author, the whole message is kept in a custom entry behind it, "openai:message"
// or "anthropic:message"; the other members of a request are kept in "openai:request" or
// "anthropic:request".
//
// Messages have no times, and a source no id: a session is named by its bytes, and
// as old as its file, or as time if it came on standard input.
//
// It is read only. What such an API is sent, sess-path prints.
package chat
