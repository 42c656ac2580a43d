// Package codex reads and writes the rollouts of codex, OpenAI's command line.
//
// # In
//
// A rollout is read line by line, after those that it is based on, and never is in memory. Items of
// the response API that belong to one response of the model become one assistant message, outputs
// of tools become results, messages that codex writes in the user's name become custom messages
// "codex:context". A compaction is a compaction whose message a context edit takes away, since
// codex goes on with messages that it made itself, which follow as copies. A rollback and a revert
// make branches.
//
// Each line of a rollout travels in a custom entry "codex:lines", behind the
// messages that were made of it, with a reference in place of each text that a message has
// already; the first one is "codex:meta". So writing a session that was read gives
// its lines back, byte for byte.
//
// # Out
//
// A rollout that needs no other one, with what the model is shown and with what codex
// shows people. Lines that came from codex are as they were; what was added in between is put
// as codex would have put it. Where the context has become another one than the
// messages make up, by a compaction, a reset or an edit, the rollout has a "compacted" line
// with the context whole.
package codex
