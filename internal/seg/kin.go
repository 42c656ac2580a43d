package seg

import (
	"bytes"
	"fmt"

	"github.com/sess-tools/sess/pkg/js"
)

// kin answers, for a batch, who is in the store and who has children.
type kin struct {
	w         *writer
	v         *view
	head      string          // id of the last entry, of the store or of the batch
	offspring map[string]int  // children of this batch, by parent
	mine      map[string]bool // ids of this batch
	ordered   bool

	table *idTable        // nil if there is none, or tail is
	tail  map[string]bool // ids that it does not cover; nil before the first is looked up
}

func (w *writer) kin() (*kin, error) {
	v, err := w.s.view()
	if err != nil {
		return nil, err
	}
	k := &kin{w: w, v: v, head: w.last.id, offspring: map[string]int{}, mine: map[string]bool{}, ordered: w.st.ordered || w.last.seq == 0}
	if !k.ordered { // a store of another program, seen for the first time
		if k.ordered, err = k.parentsFirst(); err != nil {
			v.close()
			return nil, err
		}
	}
	return k, nil
}

func (k *kin) close() {
	k.table.close()
	k.v.close()
}

// admit refuses an id that is taken and a parent that is not there.
func (k *kin) admit(f *frame) error {
	taken := k.mine[f.id]
	if !taken && !k.w.s.o.FreshIDs {
		var err error
		if taken, err = k.known(f.id); err != nil {
			return err
		}
	}
	if taken {
		return fmt.Errorf("%w: %w: %q", ErrContract, ErrDuplicate, f.id)
	}
	if f.parent == "" || f.parent == k.head || k.mine[f.parent] {
		return nil
	}
	there, err := k.known(f.parent)
	if err == nil && !there {
		err = fmt.Errorf("%w: the parent %q of entry %q is not in the store", ErrContract, f.parent, f.id)
	}
	return err
}

// born notes a new entry. It reports whether its parent thereby has a second
// child.
func (k *kin) born(f *frame) (bool, error) {
	k.mine[f.id] = true
	wasHead := f.parent == k.head
	k.head = f.id
	if f.parent == "" {
		return false, nil
	}
	n, counted := k.offspring[f.parent]
	if !counted && !k.isNew(f.parent) && !(wasHead && k.ordered) {
		var err error
		if n, err = k.children(f.parent); err != nil {
			return false, err
		}
	}
	k.offspring[f.parent] = n + 1
	return n == 1, nil
}

// isNew reports whether id is of this batch, whose parents have no other
// children. (f.id itself is never a parent of f.)
func (k *kin) isNew(id string) bool { return k.mine[id] }

// known reports whether the store has an entry called id.
func (k *kin) known(id string) (bool, error) {
	if k.tail == nil {
		k.table = k.v.table()
		if err := k.readTail(); err != nil {
			return false, err
		}
	}
	if k.tail[id] || k.table == nil {
		return k.tail[id], nil
	}
	_, found, err := k.v.findByTable(k.table, id)
	if err == nil {
		return found, nil
	}
	k.table.close()
	k.table = nil
	if err := k.readTail(); err != nil {
		return false, err
	}
	return k.tail[id], nil
}

// readTail reads the ids that the table does not cover.
func (k *kin) readTail() error {
	k.tail = map[string]bool{}
	for _, r := range k.v.rows(k.table.covered()) {
		if r.err != nil {
			return r.err
		}
		k.tail[r.id] = true
	}
	return nil
}

// children counts the children of id in the store. In an ordered store they
// stand behind it.
func (k *kin) children(id string) (int, error) {
	n := 0
	mark := []byte(`"parentEntryId"`)
	name := []byte(js.Quote(id))
	for _, r := range k.v.backward() {
		if r.err != nil {
			return 0, r.err
		}
		if r.id == id && k.ordered {
			break
		}
		b, err := k.v.bytesOf(&r.row)
		if err != nil {
			return 0, err
		}
		if !bytes.Contains(b, mark) || !bytes.Contains(b, name) {
			continue
		}
		f, err := parseFrame(string(bytes.TrimSuffix(b, []byte("\n"))))
		if err != nil {
			return 0, fmt.Errorf("%w: frame of entry %d: %w", ErrCorrupt, r.seq, err)
		}
		if f.parent == id {
			n++
		}
	}
	return n, nil
}

// parentsFirst reports whether every parent stands before its children.
func (k *kin) parentsFirst() (bool, error) {
	seen := map[string]bool{"": true}
	for _, r := range k.v.rows(0) {
		if r.err != nil {
			return false, r.err
		}
		f, err := k.v.frameOf(&r.row)
		if err != nil {
			return false, err
		}
		if !seen[f.parent] {
			return false, nil
		}
		seen[f.id] = true
	}
	return true, nil
}
