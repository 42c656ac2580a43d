package walk

// repeats reports whether a hash occurs twice in the list. Most are told apart
// by a bit of a field that stays in the cache, which is why this is done when
// the file has been read and not on the way; those that share a bit are compared.
func repeats(hashes []uint64) bool {
	words := uint64(1 << 10)
	for words*2 < uint64(len(hashes)) { // some thirty bits for each
		words *= 2
	}
	field := make([]uint64, words)
	shared := map[uint64]int{}
	for _, h := range hashes {
		word, bit := &field[h>>6&(words-1)], uint64(1)<<(h&63)
		if *word&bit != 0 {
			shared[h] = 0
		}
		*word |= bit
	}
	if len(shared) == 0 {
		return false
	}
	for _, h := range hashes {
		if n, ok := shared[h]; ok {
			if n > 0 {
				return true
			}
			shared[h] = 1
		}
	}
	return false
}
