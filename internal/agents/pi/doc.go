// Package pi reads and writes the sessions of pi and of oh-my-pi: files in our
// own format, in its versions 1 to 3 and with what oh-my-pi adds.
//
// # In
//
// Entries of version 3 pass through byte for byte; versions 1 and 2 are upgraded
// as everywhere. oh-my-pi's title slot, which no other reader knows, is taken off:
// its title goes into the header, and the slot into a custom entry "omp:title"
// behind the last entry. References to blobs are resolved if a directory of blobs
// is given.
//
// # Out
//
// The file is made for the version asked for: an entry that it cannot open without harm is put
// right, and an entry that it would misread is wrapped into a custom entry "pi:entry", whose data
// is the entry, and which reading unwraps. Types that a version does not know stay, since all
// versions carry unknown entries along; that they mean nothing there is a loss. So reading the file
// gives the session back, but for members that were added for the version's sake.
package pi
