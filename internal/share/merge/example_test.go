package merge_test

import (
	"fmt"

	"github.com/sess-tools/sess/internal/share/merge"
)

// Two copies that went on from one entry.
func Example() {
	set := merge.NewSet()
	var texts []string
	read := func(lines ...merge.Line) *merge.Copy {
		c := set.Copy()
		for _, l := range lines {
			text := fmt.Sprint(l.ID, " at ", l.Time)
			l.Sum = merge.SumOf([]byte(text))
			if _, fresh := c.Add(l); fresh {
				texts = append(texts, text)
			}
		}
		return c
	}
	both := merge.Line{ID: "root", Time: 1}
	a := read(both, merge.Line{ID: "a", Parent: "root", Time: 5}, merge.Line{ID: "aa", Parent: "a", Time: 7})
	b := read(both, merge.Line{ID: "b", Parent: "root", Time: 6})

	for n := range merge.Merge(a, b, merge.Options{}).Lines() {
		fmt.Println(texts[n])
	}
	// Output:
	// root at 1
	// a at 5
	// b at 6
	// aa at 7
}
