// Package store knows where sessions live: directories, file names, listing,
// the most recent session, and finding one by its id.
//
// Begin with [Dir], which says where the store is, [List], which lists sessions, and
// [Store.Find], which finds one by its id.
//
// Stability: v0, exported names may change until v1.
//
// # Layout
//
//	STORE/--ENCODED-CWD--/TIMESTAMP_ID.jsonl
//
// STORE is what [Dir] returns. The directory level is the working directory of
// the session, encoded as pi does ([EncodeCWD]); the name is made of the
// header's timestamp and id ([FileName]). Directories are made with mode 0700,
// files with 0600.
//
// # Truth
//
// Files are the truth; there is no index that could go stale. Names are for
// people and for speed: the encoding of the working directory is not
// reversible, a file may have been copied or renamed, so what a header says
// counts. Nothing is ever deleted, and reading never writes.
//
// # Company
//
// A store is shared with live agents, and with whatever else people put there.
// Only regular files named *.jsonl that do not begin with a dot are looked at,
// and none is opened in a way that could wait: a FIFO is no session. A file that
// cannot be read, or is no session, is left out and reported. One bad file never
// hides the others.
//
// # Drafts
//
// A draft is a session that is not in service yet: a hidden file beside its path.
// [CreateDraft] makes one, [Locate] finds it, and [Publish] gives it its name.
package store
