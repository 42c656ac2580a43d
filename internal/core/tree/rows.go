package tree

import "github.com/sess-tools/sess/internal/core/row"

// An EntryRow is an entry.
type EntryRow struct {
	row.Kind `row:"entry"`
	row.Place
	Entry     string   `row:"entry,known"` // The entry's id.
	Parent    string   `row:"parent,null"` // The id of the entry's parent; null for a root.
	Timestamp row.Time `row:"timestamp"`   // When the entry was written.
	Type      string   `row:"type,null"`   // The entry's type; null if it has none.
	Role      string   `row:"role,null"`   // The role of the message; null if the entry is none.
	Line      int      `row:"line"`        // The line of the session, from 1.
	Depth     int      `row:"depth"`       // The number of entries that it is drawn below.
	Children  int      `row:"children"`    // The number of its children.
	Active    bool     `row:"active"`      // Whether it is on the active path.
	Head      bool     `row:"head"`        // Whether it ends a branch.
	Label     string   `row:"label,null"`  // Its label; null if it has none.
	Estimate  int64    `row:"estimate"`    // The tokens that it takes in a context, as they are estimated.
	Text      string   `row:"text"`        // Its text.
	Note      string   `row:"note,null"`   // The problem of its place; null if there is none.
}

// A HeadRow is the end of a branch, with --heads.
type HeadRow struct {
	row.Kind `row:"head"`
	row.Place
	Entry     string   `row:"entry,known"` // The entry's id.
	Timestamp row.Time `row:"timestamp"`   // When the entry was written.
	Line      int      `row:"line"`        // The line of the session, from 1.
	Entries   int      `row:"entries"`     // The number of entries of the path that ends here.
	Active    bool     `row:"active"`      // Whether it ends the active path.
	Label     string   `row:"label,null"`  // Its label; null if it has none.
	Fork      string   `row:"fork,null"`   // The id of the nearest entry above it with several children; null if there is none.
	First     *string  `row:"first"`       // The first text of the user on its path; null if there is none.
	Last      *string  `row:"last"`        // The last text on its path; null if there is none.
}

// A LabelRow is a label, with --labels.
type LabelRow struct {
	row.Kind `row:"label"`
	row.Place
	Entry     string   `row:"entry,known"` // The id of the entry that has the label, which may be missing.
	Timestamp row.Time `row:"timestamp"`   // When the label was set.
	Label     string   `row:"label,known"` // The label.
	Type      string   `row:"type,null"`   // The entry's type; null if it is missing.
	Role      string   `row:"role,null"`   // The role of its message; null if it is none.
	Line      int      `row:"line,null"`   // The line of the entry; null if it is missing.
	Active    bool     `row:"active"`      // Whether the entry is on the active path.
	Text      *string  `row:"text"`        // The text of the entry; null if it is missing.
}
