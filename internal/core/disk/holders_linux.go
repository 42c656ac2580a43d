package disk

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Holders returns the other processes that have the file name open for writing, and will
// not look again under which name it stands: those that wait for its lock as this package's
// users do are left out, since they open it anew. It sees what /proc shows to this user,
// and a process of another container may be hidden from it.
func Holders(name string, info fs.FileInfo) (list []Holder) {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	base, own := filepath.Base(name), os.Getpid()
	for _, p := range processes {
		pid, err := strconv.Atoi(p.Name())
		if err != nil || pid == own {
			continue
		}
		dir := "/proc/" + p.Name()
		if holds(dir, base, info) {
			comm, _ := os.ReadFile(dir + "/comm")
			list = append(list, Holder{pid, string(bytes.TrimSpace(comm))})
		}
	}
	return list
}

// holds reports whether a process has the file open for writing.
func holds(dir, base string, info fs.FileInfo) bool {
	f, err := os.Open(dir + "/fd")
	if err != nil {
		return false
	}
	defer f.Close()
	fds, _ := f.Readdirnames(-1)
	for _, fd := range fds {
		// The name saves looking at files on disks that may not answer.
		target, err := os.Readlink(dir + "/fd/" + fd)
		if err != nil || filepath.Base(strings.TrimSuffix(target, " (deleted)")) != base {
			continue
		}
		fi, err := os.Stat(dir + "/fd/" + fd)
		if err == nil && os.SameFile(fi, info) && writes(dir+"/fdinfo/"+fd) {
			return true
		}
	}
	return false
}

// waiting is how this package's users open a file that they lock: they look again at its
// name once they have the lock. No other program opens a regular file so.
const waiting = syscall.O_RDWR | syscall.O_APPEND | syscall.O_NONBLOCK

// writes reports whether a descriptor is for writing, going by what /proc says of it.
func writes(fdinfo string) bool {
	data, err := os.ReadFile(fdinfo)
	if err != nil {
		return false
	}
	for line := range bytes.Lines(data) {
		octal, ok := bytes.CutPrefix(line, []byte("flags:"))
		if !ok {
			continue
		}
		flags, err := strconv.ParseInt(string(bytes.TrimSpace(octal)), 8, 64)
		return err == nil && flags&syscall.O_ACCMODE != syscall.O_RDONLY && flags&(syscall.O_ACCMODE|waiting) != waiting
	}
	return false
}
