// Package tree draws the tree of a session: a line for every entry, runs without branches folded,
// the active path marked.
//
// [New] finds out the shape, once, and [Tree.Rows] walks it top down. Output is made from rows:
// [Draw] for people, [Dot] for Graphviz, [JSON] for programs; [Heads] and [Labels] list the ends of
// the branches and the entries that have names.
//
// # Shape
//
// The tree is that of pi's getTree. A root is an entry whose parentId is null,
// its own id, or an id that no entry has; siblings stand in the order of their
// times. Where entries are each other's ancestors, which only damage brings
// about, one of them is made a root, so that each is drawn once. Such roots
// carry a note. Entries that no reference can name, because they have no id or
// because a later entry has the same one, are not part of the tree.
//
// # Size
//
// A session may be one chain of a million entries, or a comb with a million
// teeth. Nothing here recurses, a line has a bounded number of branch columns,
// and everything but the sorting of siblings takes linear time.
//
// # Foreign text
//
// Whatever comes from the session goes through tty.Clean, or is JSON, before it
// is printed.
package tree
