// Package redact takes secrets out of the lines of a session.
//
// The strings of a line, and the keys of its objects, are decoded and looked at by a [secret.Set];
// the bytes of a finding are replaced where they are written, and no other byte of the line
// changes. A line that was changed is looked at again, and is compared with the original: it has
// the same objects, arrays, keys and values of the same kinds, or the run ends with an error. Ids
// by which entries and calls belong together are never changed.
//
// No error, and nothing that is reported, holds a secret or a part of one.
package redact
