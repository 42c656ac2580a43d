// Package jsonl reads, creates and appends to JSON Lines logs: files of one JSON
// value per line that grow at the end.
//
// Begin with [Lines], which reads a log line by line, and [OpenAppender], which adds to one
// that other programs write to as well. [Create] makes one.
//
// The package deals in bytes, lines, offsets and locks. What a line means is
// left to its callers.
//
// Stability: v0, exported names may change until v1.
//
// # Format
//
//	log  = *( line LF ) [ tail ]
//	line = *OCTET-without-LF      ; one JSON value, but nothing here insists
//	tail = 1*OCTET-without-LF     ; what stands behind the last line feed
//
// Only a line feed ends a line. A carriage return before it belongs to the
// line (JSON takes it for white space), U+2028 is text, a blank line is a line.
// Lines pass through untouched: with their line feeds they join to the log.
//
// # Reading
//
// [Lines] runs from the first line to the last, [Backward] from the last to the
// first and reads no more than it yields. Readers take no lock. A tail is
// normal for them, because a writer may be at work: they report it as torn and
// leave it alone.
//
// # Writing
//
// An [Appender] holds the log locked, looks at the tail before it writes, sends
// each batch with one write(2) to a descriptor opened with O_APPEND, and takes
// a short write back. It expects other programs that do not lock: it never cuts
// bytes that it did not write itself, and notices when the log grew meanwhile.
//
// A tail that is one JSON value lacks only its line feed and gets it. Any other
// tail is torn, and [Options.Tail] says what becomes of it. Blanking ([Blank])
// writes spaces over it in place, rather than cutting it off, since cutting could
// take a concurrent append along; and rather than only ending the line, since
// some readers let an unfinished value swallow the line after it. The bytes are
// saved first, in a file beside the log ([TornFile]), one fragment a line.
//
// # Locking
//
// Two locks are taken, in this order, and both are waited for within
// [Options.Wait]:
//
//   - flock(2) on the log itself. Once it is held the path is looked at again:
//     a log replaced by rename is opened anew, since a lock on the old file
//     protects nothing.
//   - the lock file of omp 18, ".NAME.lock" beside the log NAME, made with
//     O_CREAT|O_EXCL and holding "PID:UNIX-MILLISECONDS\n". It is taken over
//     when its process is gone, or when it is empty and older than 500 ms. In a
//     directory that cannot be written the first lock has to do; where there is
//     no flock, this one.
//
// Where the path is a symbolic link, all files stand beside its target.
//
// Both locks are advisory. Hold them for the length of an append, never while another program works
// or a user thinks.
package jsonl
