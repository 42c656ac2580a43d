// Package subprocess runs another program of the toolkit and reads its output. It is how tools
// reach packages that only one of them links: sess-import knows the formats of other agents, and
// their databases; see docs/adr/0018.
//
// The promises for one run:
//
//   - The program is the one beside this one, else the one in PATH, as git finds
//     its own. It is never looked for in the working directory.
//   - The output is whole or an error: it ends with io.EOF only after
//     the program has ended with status 0.
//   - Its status and its last message become those of the error. Its warnings and
//     hints are handed on, without its name in front of them.
//   - It ends. When the context is cancelled, or the output closed before its end,
//     it gets SIGTERM, and soon after that SIGKILL, and is waited for. If this
//     process is killed, its next write fails.
//   - It reads nothing of ours: its standard input is empty.
package subprocess
