//go:build !unix

package dir

import "os"

func mkfifo(name string) error { return os.Mkdir(name, 0o700) }
