// Package portable makes of a session one that any account, provider and model accepts.
//
// A context of one agent's model cannot be sent to that of another: thinking is signed or encrypted
// for one account, calls name tools that the other has with other arguments, ids are longer than an
// API takes, and an agent speaks in the user's name. [Make] takes the context of a session and
// leaves the words of user and model, and the calls of tools with their answers. It is pure: the
// same session gives the same bytes.
//
// A call of a tool that both agents have becomes one of the target's if that is exact: the
// names change, and nothing is invented or dropped that says what was done. Every other call
// stays a call, under the name AGENT_NAME. It never becomes text, which models copy instead of
// calling.
//
// The rules of the APIs come from their error messages: Anthropic's ids of calls match
// ^[a-zA-Z0-9_-]+$, OpenAI's have at most 64 characters, those of chat completions 40.
package portable
