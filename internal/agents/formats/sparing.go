package formats

import (
	"runtime/debug"
	"sync"
)

// large is the size in bytes from which on a source is one of few. While one is read, garbage may become sparePercent of the live heap, which
// tells its lines apart.
const (
	large        = 64 << 20
	sparePercent = 30
)

// spared counts the large sources that are read just now, and keeps what the collector was told before the first of them.
var spared struct {
	sync.Mutex
	reads, before int
}

// sparing saves memory while a source of some bytes is read, until end is called.
func sparing(size int64) (end func()) {
	if size < large {
		return func() {}
	}
	spared.Lock()
	defer spared.Unlock()
	if spared.reads++; spared.reads == 1 {
		spared.before = debug.SetGCPercent(sparePercent)
	}
	return func() {
		spared.Lock()
		defer spared.Unlock()
		if spared.reads--; spared.reads == 0 {
			debug.SetGCPercent(spared.before)
		}
	}
}
