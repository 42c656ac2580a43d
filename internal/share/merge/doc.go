// Package merge puts diverged copies of one session together again; begin with [Merge].
//
// A session only grows at its end, so two copies of it have a beginning in common and
// ends of their own. A merge has every line of every copy once, and nothing else. Lines
// stay in the files and are copied from there: of each the package keeps its id, its
// parent, its time and a sum of its bytes, so memory is taken for each entry and not for
// each byte.
//
// # Order
//
// The effective time of an entry is the latest time on its way to the root, its own
// included. Its rank is the effective time, then the depth below the root, the id, and
// the sum of the bytes. The rank depends on the ancestors alone and on no file, so a
// clock that is wrong puts no child before its parent.
//
// The heads of two copies are compared. A line that both have is taken once, and waits while the
// other copy has lines in front of it that the first lacks. Otherwise the line of smaller rank goes
// first. A line that is no entry, such as a blank one, stays behind the entry above it.
//
// # Laws
//
// For copies that were only ever appended to and merged: a merge keeps the common
// beginning where it is, the order of the lines of each copy, and parents in front of
// their children. It is idempotent, absorbing and commutative. Of three copies, the
// order in which they are merged makes no difference in any of the many cases that were
// tried, which is no proof. Of the copies of a session with contradicting orders, or
// with several lines for one id, a merge only has every line once.
package merge
