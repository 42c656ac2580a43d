// Package prompts tells what a person typed from what programs say in the user's name.
//
// A message of role user is no prompt if
//
//   - it says so itself: oh-my-pi writes "synthetic", or "agent" as its attribution;
//   - an importer has marked it as words of an agent ([session.Message.Said]), or kept a
//     line of Claude Code of a sidechain;
//   - all of its text is in a form that programs write: context, notices, wrappers of
//     commands and of what they printed, and the words with which a conversation goes on
//     after a compaction.
//
// Commands of the user (bashExecution), custom messages and summaries have roles or types
// of their own, and are no prompts either.
package prompts
