// Package command runs a command of the user that answers a prompt: any program
// that reads it on standard input and prints the answer on standard output.
//
// The promises for one call:
//
//   - The whole prompt goes to standard input, then end of file. A command that
//     does not read all of it is judged by its answer, not by the broken pipe.
//   - The answer is taken only if the command exits with 0, prints something
//     visible, stays below a size, and passes the caller's check: that of Answer
//     looks for a heading.
//     Several programs exit with 0 after an error, or print the error on
//     standard output, so no single one of these signs is enough.
//   - The call ends. The command has its own process group; on cancellation or
//     time-out the group gets SIGTERM and then SIGKILL, at once on
//     a second signal, and a process that was left behind holding the output is
//     neither waited for nor spared. Only processes that leave the group (setsid,
//     sudo) escape. If we are killed, Linux kills the command, not its children.
//   - What the command prints may be passed on as it arrives, while it is collected.
//     Then a command that failed is not run again behind a part of its reply.
//   - The prompt is never repeated in an error. Some programs echo it on
//     standard error, and a transcript holds secrets that a CI log must not.
//
// Because the group is not the terminal's foreground group, a command that
// asks the user something through the terminal is suspended by the kernel and
// runs into the time-out.
//
// On systems without process groups only the command itself is stopped.
package command
