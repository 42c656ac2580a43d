package replica

import "hash"

// A hashing is a hash that grows while something slower is under way.
type hashing struct {
	b    *base
	next hash.Hash
	end  chan struct{}
}

// hashing begins to add lines to the hash of a base.
func (b *base) hashing(lines []byte) *hashing {
	h := &hashing{b: b, next: clone(b.sum), end: make(chan struct{})}
	go func() {
		h.next.Write(lines)
		close(h.end)
	}()
	return h
}

// clone copies a hash. Those of the standard library can be.
func clone(h hash.Hash) hash.Hash {
	next, err := h.(hash.Cloner).Clone()
	if err != nil {
		panic(err)
	}
	return next
}

// done waits, and makes the new hash that of the base.
func (h *hashing) done() {
	<-h.end
	h.b.sum = h.next
}

// drop waits, and leaves the base as it was.
func (h *hashing) drop() { <-h.end }
