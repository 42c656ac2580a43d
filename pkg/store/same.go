package store

// SameDir returns a function that reports whether a working directory, as the
// header of a session has it, is dir, with symbolic links resolved on both sides.
// If dir is "", every directory is. It must not be called concurrently.
func SameDir(dir string) func(string) bool { return sameDir(dir) }
