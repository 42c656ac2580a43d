package walk

// Repeats reports whether a hash occurs twice in the list. Most are told apart
// by a bit of a field that stays in the cache, which is why this is done when
// the file has been read and not on the way; those that share a bit are compared.
func Repeats(hashes []uint64) bool {
	words := uint64(1 << 10)
	for words*2 < uint64(len(hashes)) { // some thirty bits for each
		words *= 2
	}
	once, twice := make([]uint64, words), make([]uint64, words)
	for _, h := range hashes {
		at, bit := h>>6&(words-1), uint64(1)<<(h&63)
		twice[at] |= once[at] & bit
		once[at] |= bit
	}
	shared := map[uint64]bool{}
	for _, h := range hashes {
		if twice[h>>6&(words-1)]>>(h&63)&1 == 0 {
			continue
		}
		if shared[h] {
			return true
		}
		shared[h] = true
	}
	return false
}
