package disk

import (
	"io/fs"
	"time"
)

// A Stamp tells whether a file changed. Who changes it can set its times back, but not the one of that.
type Stamp struct {
	Size   int64  `json:"size"`  // in bytes
	Mtime  int64  `json:"mtime"` // in nanoseconds since the epoch
	Ctime  int64  `json:"ctime"` // of the last change of its bytes, its name or its times, likewise; 0 where that is not known
	Number uint64 `json:"inode"`
}

// StampOf returns the stamp of a file.
func StampOf(fi fs.FileInfo) Stamp {
	s := Stamp{Size: fi.Size(), Mtime: fi.ModTime().UnixNano()}
	s.Number, s.Ctime = Identity(fi)
	return s
}

// StampAge is from which age on a stamp counts, where it has to tell each change: a file system may give two changes one time.
const StampAge = 2 * time.Second

// Age is how long the last change of a file is ago at a moment; negative for one that its clock has in the future.
func (s Stamp) Age(at time.Time) time.Duration { return at.Sub(time.Unix(0, max(s.Mtime, s.Ctime))) }
