package intern

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A table is as a map from texts to numbers, and one from numbers to texts, which stay as they are.
func TestTable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var n Table
		numbers, texts := map[string]int{}, []string{}
		short, long := rapid.StringN(0, 3, 8), rapid.Map(rapid.IntRange(0, 3*mostChunk), func(size int) string { return strings.Repeat("x", size) })
		for _, text := range rapid.SliceOfN(rapid.OneOf(short, short, long), 0, 200).Draw(t, "texts") {
			number, ok := n.Number(text)
			if known, has := numbers[text]; ok != has || has && known != number {
				t.Fatalf("%.20q has %d, %v, and not %d, %v", text, number, ok, known, has)
			}
			if number = n.Add(text); !ok {
				numbers[text], texts = len(texts), append(texts, n.Text(number))
			}
			if number != numbers[text] || n.Text(number) != text {
				t.Fatalf("%.20q has %d, and not %d", text, number, numbers[text])
			}
		}
		for i, text := range texts {
			if got := n.Text(i); got != text || numbers[text] != i {
				t.Fatalf("%d is %.20q, and not %.20q", i, got, text)
			}
		}
	})
}
