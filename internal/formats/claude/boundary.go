package claude

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// compaction writes a boundary and its summary.
func (x *exporter) compaction(e session.Entry) {
	before := x.uuids[e.ID()]
	head, tail := x.preserved(e)
	anchor := x.uuidOf(e, 0)
	keeps := js.Field{Name: "preservedSegment"}
	if head != "" {
		keeps.Raw = js.Object(js.StringField("headUuid", head), js.StringField("anchorUuid", anchor), js.StringField("tailUuid", tail))
	}
	meta := js.Object(js.StringField("trigger", "manual"), js.RawField("preTokens", cmp.Or(e.Get("tokensBefore"), "0")), keeps)
	fields := x.lead("")
	if before != "" {
		fields = append(fields, js.StringField("logicalParentUuid", before))
	}
	fields = append(fields, js.StringField("type", "system"), js.StringField("subtype", "compact_boundary"),
		js.StringField("content", "Conversation compacted"), js.RawField("isMeta", "false"),
		js.StringField("level", "info"), js.RawField("compactMetadata", meta))
	x.write(e, 1, fields)
	boundary := x.uuids[e.ID()]
	message := js.Object(js.StringField("role", "user"), js.StringField("content", e.Str("summary")))
	x.write(e, 0, append(x.lead(boundary), js.StringField("type", "user"), js.RawField("message", message),
		js.RawField("isVisibleInTranscriptOnly", "true"), js.RawField("isCompactSummary", "true")))
}

// preserved returns the uuids of the first and the last line that a compaction keeps
// in sight.
func (x *exporter) preserved(e session.Entry) (head, tail string) {
	last, ok := x.index[e.ParentID()]
	kept, known := x.index[e.Str("firstKeptEntryId")]
	if !ok || !known {
		return "", ""
	}
	if x.tree == nil {
		x.tree = newAncestry(x.parents())
	}
	if !x.tree.above(kept, last) {
		return "", ""
	}
	return x.head(kept, last), x.uuids[e.ParentID()]
}

// head returns the uuid of the first line of the path from one entry to another, "" if it
// has none.
func (x *exporter) head(from, to int) string {
	at, ok := x.heads[from]
	if !ok || !x.tree.above(at, to) {
		at = from
		for x.firsts[x.s.Entries[at].ID()] == "" {
			if at == to {
				return ""
			}
			at = x.tree.at(to, x.tree.depth[at]+1)
		}
		x.heads[from] = at
	}
	return x.firsts[x.s.Entries[at].ID()]
}

// parents returns the indices of the entries' parents.
func (x *exporter) parents() []int {
	out := make([]int, len(x.s.Entries))
	for i, e := range x.s.Entries {
		out[i] = none
		if p, ok := x.index[e.ParentID()]; ok {
			out[i] = p
		}
	}
	return out
}

// goOn adds a line at the leaf, if the last line of a conversation is another one:
// Claude Code goes on from that. What was imported has its leaf.
func (x *exporter) goOn() {
	x.sort()
	i, ok := x.s.Leaf()
	if !ok {
		return
	}
	leaf := x.s.Entries[i]
	if strings.HasPrefix(leaf.Str("customType"), "claude:") && leaf.Type() == session.TypeCustom {
		return
	}
	at, last := x.uuids[leaf.ID()], ""
	for _, w := range slices.Backward(x.out) {
		if l, ok := parse(w.text); ok && l.uuid != "" && goesOn[l.typ] {
			last = l.uuid
			break
		}
	}
	if at != "" && at != last {
		x.write(leaf, 2, append(x.lead(at), js.StringField("type", "system"), js.StringField("subtype", "informational"),
			js.StringField("content", "the conversation goes on from here"), js.RawField("isMeta", "false"), js.StringField("level", "info")))
	}
}
