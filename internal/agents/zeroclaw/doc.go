// Package zeroclaw reads the session databases of the fork of ZeroClaw that keeps
// sessions with compactions, in all its layouts. It writes the fork's first layout.
// See docs/formats/zeroclaw.md.
package zeroclaw
