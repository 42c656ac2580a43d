//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// peak returns the peak resident set of a process that has ended, in bytes. The
// system counts in kilobytes, on darwin in bytes. It begins with that of the
// process that started it.
func peak(p *os.ProcessState) int64 {
	if p == nil {
		return 0
	}
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return resident(usage)
}

// ownPeak is the peak of this program.
func ownPeak() int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return resident(&usage)
}

// ownTime is the processor time of this program and of its children that have ended.
func ownTime() (all time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if syscall.Getrusage(who, &usage) == nil {
			all += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		}
	}
	return all
}

func resident(usage *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) //nolint:unconvert // 32 bits on some systems
	}
	return int64(usage.Maxrss) << 10 //nolint:unconvert // 32 bits on some systems
}
