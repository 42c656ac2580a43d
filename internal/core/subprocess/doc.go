// Package subprocess runs another program of the toolkit and reads what it prints.
// It is how tools reach what only one of them links: sess-import knows the
// formats of other agents, and their databases; see docs/adr/0018.
//
// What it promises of one run:
//
//   - The program is the one beside this one, else the one in PATH, as git finds
//     its own. It is never looked for in the working directory.
//   - What it prints is whole or an error: the output ends with io.EOF only after
//     the program has ended with status 0.
//   - Its status and its last message become those of the error. Its warnings and
//     hints are handed on, without its name in front of them.
//   - It ends. When the context is cancelled, or the output closed before its end,
//     it gets SIGTERM, and soon after that SIGKILL, and is waited for. If this
//     process is killed, its next write fails.
//   - It reads nothing of ours: its standard input is empty.
package subprocess
