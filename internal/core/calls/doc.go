// Package calls says what an agent did: the kind of each call of a session, its subject, its files
// and its command, and how it ended. It is the one table of that. Calls and results are paired by
// [convo.Pair].
//
// # Facts about a call
//
// The kind comes from the tool's name, by a table; a name that is not in it is [Other]. The
// status of a command comes from what its agent stores, or says to the model in the agent's own
// words, and from nothing that a command prints in the middle of its output:
//
//   - details that say exitCode, or exit, as the importers of codex, opencode and Copilot keep it
//   - codex: "Exit code: N" or "Process exited with code N" in front of the output; a command that goes on
//     running as session S has the status that a later write_stdin of S tells
//   - Claude Code: "Exit code N" in front of a failed result
//   - pi and oh-my-pi: "Command exited with code N" behind a failed one; Kimi "Command failed with exit code: N."
//   - Copilot: "<shellId: S completed with exit code N>" behind it; Gemini and Qwen "Exit Code: N"
//
// A tool that fails its result for any other status than 0 has the status 0 without an error. A result
// that an importer made up is none.
//
// A session can be written by an attacker, and a model may say anything: a row is the session's word, and no proof.
package calls
