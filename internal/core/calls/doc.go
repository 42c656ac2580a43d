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
//   - codex: "Exit code: N" or "Process exited with code N" in front of the output
//   - Claude Code: "Exit code N" in front of a failed result
//   - pi and oh-my-pi: "Command exited with code N" behind a failed one; Kimi "Command failed with exit code: N."
//   - Copilot: "<shellId: S completed with exit code N>" behind it; Gemini and Qwen "Exit Code: N"
//
// What goes on in the background, a command or an agent, is open until something says how it ended: a tool that asks
// after it or stops it (write_stdin of codex; BashOutput, TaskOutput, KillShell and TaskStop of Claude Code, Kimi and Qwen;
// read_bash and stop_bash of Copilot), Gemini's list of processes, or a notice of Claude Code, Kimi or Qwen, which is told to
// the model, recorded, or only queued. A command that was stopped has failed, with no status.
//
// A tool that fails its result for any other status than 0 has the status 0 without an error. A result
// that an importer made up is none.
//
// A session can be written by an attacker, and a model may say anything: a row is the session's word, and no proof.
package calls
