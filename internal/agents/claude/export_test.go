package claude

// Above says of each two entries with these parents whether the first is the second, or
// above it.
func Above(parents []int) func(i, j int) bool { return newAncestry(parents).above }
