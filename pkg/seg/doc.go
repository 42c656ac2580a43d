// Package seg keeps a session in a segmented store.
package seg
