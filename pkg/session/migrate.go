package session

import (
	"fmt"
	"strconv"

	"github.com/sess-tools/sess/pkg/js"
)

// migrate upgrades the entries to version 3 as pi does on open, in memory
// (docs/formats/pi.md, migration). Version 1 entries have no ids; here an
// entry's id is its position, 1 for the first after the header, in eight hex
// digits, so that its address is the same at every reading.
func (rd *reader) migrate() {
	s := rd.s
	if s.Header.Version < 2 {
		for i, e := range s.Entries {
			s.Entries[i] = rd.fromV1(i, e)
		}
	}
	if s.Header.Version < 3 {
		for i, e := range s.Entries {
			s.Entries[i] = fromV2(e)
		}
	}
}

// PositionID returns the id of the n-th entry of a version 1 session, counted
// from 1.
func PositionID(n int) string { return fmt.Sprintf("%08x", n) }

func (rd *reader) fromV1(i int, e Entry) Entry {
	parent := ""
	if i > 0 {
		parent = PositionID(i)
	}
	raw := e.raw
	place := []js.Field{js.StringField("id", PositionID(i+1)), js.RawField("parentId", parentLiteral(parent))}
	if e.Get("id") == "" && e.Get("parentId") == "" {
		raw = string(js.Value(raw).Add(place...)) // at once: the entry may be huge
	} else {
		raw = string(js.Value(raw).With("id", js.Value(place[0].Raw)).With("parentId", js.Value(place[1].Raw)))
	}
	if index := e.Get(typeFirstKeptIndex); e.typ == TypeCompaction && index != "" && js.Value(index).Type() == "number" {
		if kept, ok := rd.elementAt(index); ok && kept < i {
			raw = string(js.Value(raw).With("firstKeptEntryId", js.Value(js.Quote(PositionID(kept+1)))))
		}
		raw = string(js.Value(raw).Without(typeFirstKeptIndex))
	}
	return e.Rewritten(raw)
}

// elementAt returns the entry at a version 1 index, which counts every parsed
// line from 0, the header's.
func (rd *reader) elementAt(index string) (entry int, ok bool) {
	n, err := strconv.Atoi(js.Stringify(index))
	if err != nil || n < 0 || n >= len(rd.elements) || rd.elements[n] < 0 {
		return 0, false
	}
	return rd.elements[n], true
}

func fromV2(e Entry) Entry {
	m, ok := e.Message()
	if !ok || m.role != RoleHookMessage {
		return e
	}
	return e.WithRaw("message", string(js.Value(m.raw).With("role", js.Value(js.Quote(RoleCustom)))))
}
