package merge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/sess-tools/sess/pkg/js"
)

// A Clash is an entry of which two copies have other bytes, or a line of the base that
// one has lost.
type Clash struct {
	ID     string
	Ours   string // file and line
	Theirs string
	Base   string // of a line that is missing in the other
}

// fold merges the copies, one after the other.
func (m *merger) fold(r *Result, sides []*side) error {
	m.leads(r, sides)
	acc := sides[0].copy
	others := make([]*sequence, len(sides))
	for i, s := range sides {
		others[i] = s.copy
	}
	m.set.keep(others...) // the base has no say in the order
	for i, s := range sides[1:] {
		a, b, err := m.settle(acc, s.copy, sides[:i+1], s)
		if err != nil {
			r.Clashes = m.found
			return err
		}
		if acc, others[i+1] = a, b; a != others[0] || b != s.copy {
			m.set.keep(append(slices.Clone(others[1:]), a)...)
		}
		if !m.OwnLast {
			acc = merged(a, b, false)
		}
	}
	if m.OwnLast && len(sides) > 1 {
		theirs := others[1]
		for _, b := range others[2:] {
			theirs = merged(theirs, b, false)
		}
		acc = merged(acc, theirs, true)
	}
	r.copy = acc
	m.count(r, sides)
	return nil
}

// settle removes what contradicts itself from two copies.
func (m *merger) settle(a, b *sequence, ours []*side, theirs *side) (*sequence, *sequence, error) {
	var open []conflict
	var with [2]map[int][]int
	with[0], with[1] = map[int][]int{}, map[int][]int{}
	for _, c := range conflicts(a, b) {
		loser, err := m.loser(c)
		if err != nil {
			return nil, nil, err
		}
		if loser < 0 {
			open = append(open, c)
			continue
		}
		for i, n := range c.lines[loser] {
			with[loser][n] = nil
			if i == 0 {
				with[loser][n] = c.lines[1-loser]
			}
		}
	}
	pair := [2]*sequence{a, b}
	for i := range pair {
		if len(with[i]) > 0 {
			pair[i] = pair[i].replace(with[i])
		}
	}
	if len(open) > 0 {
		renamed, known, err := m.rename(pair, open)
		if err != nil {
			return nil, nil, err
		}
		if m.OnConflict != Both && !known {
			return nil, nil, m.refuse(open, ours, theirs)
		}
		pair = renamed
	}
	return m.deleted(pair, ours[0], theirs)
}

// loser returns which side's lines give way, -1 if that is not settled.
func (m *merger) loser(c conflict) (int, error) {
	if len(c.lines[0]) == 1 && len(c.lines[1]) == 1 {
		ours, err := m.line(c.lines[0][0])
		if err != nil {
			return -1, err
		}
		theirs, err := m.line(c.lines[1][0])
		if err != nil {
			return -1, err
		}
		if x, ok := canonical(ours); ok {
			if y, ok := canonical(theirs); ok && x == y {
				m.Warn("spelling", "entry %q is spelled in two ways; the one of the greater bytes is taken", c.ID)
				if string(ours) < string(theirs) {
					return 0, nil
				}
				return 1, nil
			}
		}
	}
	if m.base != nil {
		ours, theirs := all(c.lines[0], m.base), all(c.lines[1], m.base)
		switch {
		case ours && !theirs:
			return 0, nil
		case theirs && !ours:
			return 1, nil
		}
	}
	switch m.OnConflict {
	case Ours:
		return 1, nil
	case Theirs:
		return 0, nil
	}
	return -1, nil
}

func all(lines []int, has func(int) bool) bool {
	return !slices.ContainsFunc(lines, func(n int) bool { return !has(n) })
}

// canonical returns JSON text that is the same for two spellings of one value: in
// another order of members, with other white space, escapes or digits.
func canonical(line []byte) (string, bool) {
	if !js.Valid(line) {
		return "", false
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return "", false
	}
	out, err := json.Marshal(numbers(v))
	return string(out), err == nil
}

// numbers spells numbers in one way, if a double holds all of their digits.
func numbers(v any) any {
	const digits = 15
	switch v := v.(type) {
	case json.Number:
		if f, err := strconv.ParseFloat(string(v), 64); err == nil && len(v) <= digits {
			return f
		}
		return "number " + string(v)
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}

// refuse is the error of conflicts that were not settled.
func (m *merger) refuse(open []conflict, ours []*side, theirs *side) error {
	for _, c := range open {
		a := ours[0]
		for _, s := range ours {
			if s.copy.has()(c.lines[0][0]) {
				a = s
				break
			}
		}
		m.found = append(m.found, Clash{ID: c.ID, Ours: m.place(c.lines[0][0], a), Theirs: m.place(c.lines[1][0], theirs)})
		if len(m.found) == mostClashes {
			break
		}
	}
	first, more := m.found[0], ""
	if len(open) > 1 {
		more = fmt.Sprintf(", and %d more", len(open)-1)
	}
	return fmt.Errorf("%s and %s: entry %q has other bytes%s: %w", first.Ours, first.Theirs, first.ID, more, ErrConflict)
}

// mostClashes is how many are told one by one.
const mostClashes = 100

// deleted looks for lines of the base that one copy has lost.
func (m *merger) deleted(pair [2]*sequence, ours, theirs *side) (a, b *sequence, err error) {
	if m.base == nil || m.Deleted == KeepDeleted {
		return pair[0], pair[1], nil
	}
	base := m.sides[len(m.sides)-1]
	has := [2]func(int) bool{pair[0].has(), pair[1].has()}
	var drop [2]map[int][]int
	drop[0], drop[1] = map[int][]int{}, map[int][]int{}
	for n := range base.copy.lines() {
		in := [2]bool{has[0](n), has[1](n)}
		if in[0] == in[1] || m.blank(n) {
			continue
		}
		keeps, lacks := 0, theirs
		if in[1] {
			keeps, lacks = 1, ours
		}
		if drop[keeps][n] = nil; m.Deleted != DropDeleted {
			m.found = append(m.found, Clash{ID: m.set.idOf(n), Base: m.place(n, base)})
			if len(m.found) == 1 {
				err = fmt.Errorf("%s: a line of the base, %s, is gone: %w", lacks.Name, m.place(n, base), ErrDeleted)
			}
		}
	}
	if err != nil {
		return nil, nil, err
	}
	for i := range pair {
		if len(drop[i]) > 0 {
			pair[i] = pair[i].replace(drop[i])
		}
	}
	return pair[0], pair[1], nil
}

// references are the members in which an entry speaks of another one.
var references = []string{"parentId", "targetId", "firstKeptEntryId", "fromId"}

// rename gives another id to one of two entries that have the same, and splices what
// speaks of it on its side. It reports whether that was there already, as it is when
// the copies were merged so before.
func (m *merger) rename(pair [2]*sequence, open []conflict) (out [2]*sequence, known bool, err error) {
	has := [2]func(int) bool{pair[0].has(), pair[1].has()}
	names := [2]map[string]string{{}, {}}
	fresh := map[int]string{} // lines that get another id
	for _, c := range open {
		var spliced [2]string
		for i := range spliced {
			if spliced[i], err = m.spliced(c.lines[i][0], names[i], ""); err != nil {
				return out, false, err
			}
		}
		if spliced[0] == spliced[1] {
			continue
		}
		loser := 0
		if m.set.compare(int32(c.lines[0][0]), int32(c.lines[1][0])) < 0 {
			loser = 1
		}
		for _, n := range c.lines[loser] {
			line, err := m.line(n)
			if err != nil {
				return out, false, err
			}
			sum := sha256.Sum256(line)
			fresh[n] = hex.EncodeToString(sum[:8])
			names[loser][c.ID] = fresh[n]
		}
	}
	known = true
	for i := range pair {
		with := map[int][]int{}
		for n := range pair[i].lines() {
			if has[1-i](n) || m.set.idOf(n) == "" || len(names[i]) == 0 {
				continue
			}
			line, err := m.spliced(n, names[i], fresh[n])
			if err != nil {
				return out, false, err
			}
			if k := m.make(line); k != n {
				with[n] = []int{k}
				known = known && has[1-i](k)
			}
		}
		out[i] = pair[i].replace(with)
	}
	return out, known, nil
}

// spliced returns a line with new names for the entries that it speaks of, and with
// another id unless that is "".
func (m *merger) spliced(n int, names map[string]string, id string) (string, error) {
	line, err := m.line(n)
	if err != nil {
		return "", err
	}
	v := js.Value(line)
	for _, member := range references {
		old, ok := v.Get(member).Text()
		if name := names[old]; ok && name != "" {
			v = v.With(member, js.Value(js.Quote(name)))
		}
	}
	if id != "" {
		v = v.With("id", js.Value(js.Quote(id)))
	}
	return string(v), nil
}

// make returns the number of a line that may be new.
func (m *merger) make(line string) int {
	l, _ := newParser().parse([]byte(line))
	n, fresh := m.set.newSequence().add(l)
	if fresh {
		m.refs = append(m.refs, ref{at: int64(len(m.made)), size: int64(len(line)), source: madeLine})
		m.made = append(m.made, line)
	}
	return n
}
