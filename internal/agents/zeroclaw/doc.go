// Package zeroclaw reads the session databases of ZeroClaw: those of the fork that
// keeps sessions with compactions, in all its layouts, and those of ZeroClaw
// itself, which keeps one endless session for each key. It writes the fork's first layout.
// See docs/formats/zeroclaw.md.
package zeroclaw
