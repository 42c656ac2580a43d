// Package zeroclaw reads the session databases of the fork of ZeroClaw that keeps
// sessions with compactions, in all its layouts. See docs/formats/zeroclaw.md.
package zeroclaw
