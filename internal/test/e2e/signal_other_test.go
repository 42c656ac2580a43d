//go:build !unix

package e2e

import "os/exec"

// signalOf is a signal that there is none of here.
func signalOf(*exec.ExitError) int { return 127 }
