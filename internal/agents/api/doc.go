// Package api knows how the APIs of models write messages: Anthropic's messages, chat completions
// and responses of OpenAI, Gemini's and Ollama's. A [Mapping] makes messages of a session of their
// replies. The formats of other agents and the readers of their streams meet the same shapes, and
// make their messages here.
package api
