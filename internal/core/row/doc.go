// Package row writes the rows that the tools print with --json: a struct for each kind of row, which
// [JSON] turns into a line. A test of each tool makes docs/rows/TOOL.json of the structs and of their
// comments, see internal/test/rowtest.
//
// A row embeds a [Kind]. Each field is a member, with a tag:
//
//	Text string `row:"text"`       // a text, which may be empty
//	Tool string `row:"tool,null"`  // a text, a number or the like; the zero value is not known, or none: null
//	Leaf string `row:"leaf,known"` // one that is always known. The zero value is null: it breaks the schema.
//	Also int    `row:"also,omit"`  // one that is left out if it is the zero value
//
// Pointers, a [Time], a [Number] and a [js.Value] are null without being told, unless they are known. Members of an
// embedded struct are members of the row, and absent if it is a nil pointer. A map and a list of [js.Field] are
// objects, a slice is a list, also if it is nil. Bytes of a text that are not UTF-8 become U+FFFD.
//
// Two tags are for the schema alone: enum:"a b" has the texts that a member may be, and min:"1" the
// smallest number.
package row
