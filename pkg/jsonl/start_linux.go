package jsonl

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// tick is the unit in which Linux tells the start of a process, on all
// architectures that Go runs on.
const tick = 10 * time.Millisecond

// startOf returns when the process pid started, by the clock of today: field 22
// of proc_pid_stat(5), in ticks since the system started. It reports false where
// /proc is not that of the process's own namespace.
func startOf(pid int) (time.Time, bool) {
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return time.Time{}, false
	}
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return time.Time{}, false
	}
	// The second field is the name of the program, in parentheses.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 20 {
		return time.Time{}, false
	}
	ticks, err := strconv.ParseInt(string(fields[19]), 10, 64)
	var now, up unix.Timespec
	if err != nil || unix.ClockGettime(unix.CLOCK_REALTIME, &now) != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME, &up) != nil {
		return time.Time{}, false
	}
	return time.Unix(0, now.Nano()-up.Nano()).Add(time.Duration(ticks) * tick), true
}
