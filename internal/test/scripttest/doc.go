// Package scripttest runs the testscript suites of the sess-* binaries, with
// the commands they share.
//
// A binary's own scripts run its main within the test binary:
//
//	func TestMain(m *testing.M) { scripttest.Main(m, map[string]func(){tool.Name: main}) }
//	func TestScript(t *testing.T) { scripttest.Run(t, "testdata") }
//
// [Build] builds the tools for tests of several of them.
//
// Beside the commands of testscript there are:
//
//	status N COMMAND [ARG...]   run COMMAND and want exit status N (128+N for a signal)
//	[!] sh SCRIPT               run SCRIPT with sh -e; what it prints is for stdout and stderr
//	bytes FILE TEXT...          write FILE, with the escapes of a Go string in each TEXT
//	chop FILE...                remove the final line feed, which txtar cannot leave out
//	[!] cmpsame FILE FILE       compare byte for byte; never rewritten by -update
//
// status and sh read what the command stdin has set up, as exec does.
// go test -update rewrites what cmp expects.
package scripttest
