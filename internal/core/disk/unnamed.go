package disk

import "os"

// Unnamed makes a temporary file that has no name any more: it is gone when it is closed.
// The tool's name was a part of that it had.
func Unnamed(tool string) (*os.File, error) {
	f, err := os.CreateTemp("", tool+"-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
