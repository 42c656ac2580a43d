// Package clikit is the frame every sess-* binary hangs in: flags, help,
// version, messages and exit statuses, in one place so that the tools cannot
// drift apart.
//
// The rules it enforces:
//
//   - Data goes to standard output; everything else goes to standard error, one
//     line a message, behind the tool's name, with control characters made
//     visible.
//   - Flags may stand before or after operands; "--" ends them.
//   - A usage error is status 2 and writes nothing to standard output.
//   - An error on standard output is never lost, not even after success.
//   - Only [Main] calls os.Exit.
//
// Flags are declared with urfave/cli's flag types, most easily through [String],
// [Bool] and their kin, and parsed here the way getopt_long(3) does it. Its App
// is not used: it stops at the first operand, prints usage errors to standard
// output, refuses a flag given under two of its names, and keeps its settings
// in global variables.
package clikit
