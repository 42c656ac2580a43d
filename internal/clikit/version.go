package clikit

import "runtime/debug"

// formats is what --version says about session files: the version written and
// the versions read.
const formats = "session format 3; reads 1-3"

// version is set by the release build with -ldflags -X.
var version string

// Version returns the version of the running binary: the one the release build
// set, else the module version Go recorded, else "(devel)".
func Version() string {
	if version != "" {
		return version
	}
	if bi, ok := debug.ReadBuildInfo(); ok && bi.Main.Version != "" {
		return bi.Main.Version
	}
	return "(devel)"
}
