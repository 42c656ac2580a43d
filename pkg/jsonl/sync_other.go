//go:build !linux

package jsonl

// datasync makes the bytes of f durable.
func datasync(f file) error { return f.Sync() }
