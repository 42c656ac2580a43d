package jsonl

import (
	"time"

	"golang.org/x/sys/unix"
)

// startOf returns when the process pid started.
func startOf(pid int) (time.Time, bool) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return time.Time{}, false
	}
	return time.Unix(p.Proc.P_starttime.Unix()), true
}
