//go:build !linux && !darwin

package disk

import "io/fs"

// Identity is not known here.
func Identity(fs.FileInfo) (number uint64, changed int64) { return 0, 0 }

// Device is not known here.
func Device(fs.FileInfo) uint64 { return 0 }
