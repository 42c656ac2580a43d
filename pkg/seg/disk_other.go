//go:build !unix || solaris || aix

package seg

const (
	openSafely = 0
	hasModes   = false
)
