package store

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// An Order is an order of sessions in a listing.
type Order int

// The orders. All but ByName put the newest or largest first.
const (
	ByModified Order = iota // time of the newest user or assistant message
	ByCreated               // time of the header
	BySize                  // bytes
	ByMessages              // messages on all branches
	ByName                  // in byte order; those without a name last
)

var orderNames = []string{"modified", "created", "size", "messages", "name"}

// String returns the word that ParseOrder takes.
func (o Order) String() string {
	if o < 0 || int(o) >= len(orderNames) {
		return fmt.Sprintf("Order(%d)", int(o))
	}
	return orderNames[o]
}

// ParseOrder returns the order called modified, created, size, messages or
// name. The error names them all.
func ParseOrder(word string) (Order, error) {
	i := slices.Index(orderNames, word)
	if i < 0 {
		return 0, fmt.Errorf("unknown order %q: use %s", word, strings.Join(orderNames, ", "))
	}
	return Order(i), nil
}

// Sort puts rows in order. Rows that are equal are put in descending order of
// their file names, as pi 1.5 does, which is the newest first where names are
// ours, and then of their paths.
func Sort(rows []Row, o Order) {
	slices.SortFunc(rows, func(a, b Row) int {
		if c := o.compare(a, b); c != 0 {
			return c
		}
		return comparePaths(a.Path, b.Path)
	})
}

func (o Order) compare(a, b Row) int {
	switch o {
	case ByCreated:
		return b.Created.Compare(a.Created)
	case BySize:
		return cmp.Compare(b.Size, a.Size)
	case ByMessages:
		return cmp.Compare(b.Messages, a.Messages)
	case ByName:
		if (a.Name == "") != (b.Name == "") {
			return -cmp.Compare(a.Name, b.Name)
		}
		return cmp.Or(cmp.Compare(a.Name, b.Name), b.Modified.Compare(a.Modified))
	default:
		return b.Modified.Compare(a.Modified)
	}
}

// comparePaths puts the later file name first.
func comparePaths(a, b string) int {
	return cmp.Or(cmp.Compare(filepath.Base(b), filepath.Base(a)), cmp.Compare(b, a))
}
